# SPDX-License-Identifier: BSD-3-Clause
"""Projections of PyTorch's tensors, whose derivative is the backprojection:

    from sinodag.adapters.torch import Projector
    project = Projector(sinodag.Operator(angles, columns=512))
    loss = ((project(image) - measured) ** 2).sum()
    loss.backward()

Tensors lie in main memory and are shared with sinodag, not copied; those on a device are refused: call x.cpu() first.
"""
import torch

from .. import BadInput


class _Product(torch.autograd.Function):
    """A x, or of the transpose Aᵀ y. The derivative is a product again, so that second derivatives exist, too."""

    @staticmethod
    def forward(ctx, linear, values):
        ctx.linear = linear
        if values.device.type != "cpu":
            raise BadInput(f"a tensor on {values.device}; allowed: tensors in main memory, as x.cpu() gives")
        return torch.from_numpy(linear.dot(values.detach().numpy()))

    @staticmethod
    def backward(ctx, gradient):
        return None, _Product.apply(ctx.linear.T, gradient)


class Projector(torch.nn.Module):
    """Images (…, N, N) to projections (…, K, M); `T` is the backprojection."""

    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, values):
        """A x for any number of leading dimensions, as of batches and channels."""
        stack = values.reshape(-1, *values.shape[-2:])
        return _Product.apply(self.linear, stack).reshape(*values.shape[:-2], *self._sides())

    def _sides(self):
        rows, _ = self.linear.shape
        operator = self.linear if hasattr(self.linear, "side") else self.linear.T
        return (operator.angles, operator.columns) if rows == operator.shape[0] else (operator.side, operator.side)

    @property
    def T(self):  # pylint: disable=invalid-name
        """The backprojection of tensors (…, K, M)."""
        return Projector(self.linear.T)
