# SPDX-License-Identifier: BSD-3-Clause
"""Projections of PyTorch's tensors, whose derivative is the backprojection:

    from sinodag.adapters.torch import Projector
    project = Projector(sinodag.Operator(angles, columns=512))
    loss = ((project(image) - measured) ** 2).sum()
    loss.backward()

Tensors in main memory are shared with sinodag, not copied. Those on a CUDA device are copied to main memory and back, where sinodag was
built with CUDA. Other devices are refused: call x.cpu() first.
"""
import torch

from .. import BadInput


class _Product(torch.autograd.Function):
    """A x, or of the transpose Aᵀ y. The derivative is a product again, so that second derivatives exist, too."""

    @staticmethod
    def forward(ctx, linear, values):
        ctx.linear = linear
        if values.device.type not in ("cpu", "cuda"):
            raise BadInput(f"a tensor on {values.device}; allowed: tensors in main memory, as x.cpu() gives, or on a CUDA device")
        result = linear._of_stack(values.detach().numpy() if values.device.type == "cpu" else values.detach())
        return result if isinstance(result, torch.Tensor) else torch.from_numpy(result)

    @staticmethod
    def backward(ctx, gradient):
        return None, _Product.apply(ctx.linear.T, gradient)


class Projector(torch.nn.Module):
    """Images (…, N, N) to projections (…, K, M), or what else the operator's are; `T` is the backprojection."""

    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, values):
        """A x for any number of leading dimensions, as of batches and channels."""
        taken, given = self.linear._sides
        first = values.shape[: values.ndim - len(taken)]
        return _Product.apply(self.linear, values.reshape(-1, *taken)).reshape(*first, *given)

    @property
    def T(self):  # pylint: disable=invalid-name
        """The backprojection of tensors (…, K, M)."""
        return Projector(self.linear.T)
