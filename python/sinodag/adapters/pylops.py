# SPDX-License-Identifier: BSD-3-Clause
"""An operator of PyLops (https://pylops.readthedocs.io), for its solvers and for stacks with its other operators:

    from sinodag.adapters.pylops import Projector
    P = Projector(sinodag.Operator(angles, columns=512), slices=8)
    stacked = pylops.VStack([P, 0.1 * pylops.Gradient(P.dims)])
"""
import pylops


class Projector(pylops.LinearOperator):
    """A of sinodag, of any kind: images of `dims`, as (N, N) or with `slices` (slices, N, N), to projections of `dimsd`."""

    def __init__(self, operator, slices=None):
        first = () if slices is None else (slices,)
        self._operator = operator
        super().__init__(
            dtype=operator.dtype,
            dims=(*first, *operator.image_shape),
            dimsd=(*first, *operator.projection_shape),
            name="S",
        )

    def _matvec(self, x):
        return self._operator._of_stack(x.reshape(-1, *self._operator.image_shape)).ravel()

    def _rmatvec(self, x):
        return self._operator.T._of_stack(x.reshape(-1, *self._operator.projection_shape)).ravel()
