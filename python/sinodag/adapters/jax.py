# SPDX-License-Identifier: BSD-3-Clause
"""Projections of JAX's arrays within jit, whose derivative is the backprojection:

    from sinodag.adapters.jax import projector
    project = projector(sinodag.Operator(angles, columns=512))
    gradient = jax.jit(jax.grad(lambda x: ((project(x) - measured) ** 2).sum()))(image)
"""
import jax
import numpy as np


def _product(linear, shape):
    """The function of arrays (N, N) or (S, N, N) that multiplies by `linear`, whose result has (S,) + `shape`."""

    def call(values):
        result = jax.ShapeDtypeStruct((*values.shape[:-2], *shape), values.dtype)
        return jax.pure_callback(lambda given: linear.dot(np.asarray(given)), result, values)

    return call


def projector(operator):
    """A of sinodag as a function of JAX. Reverse derivatives are exact; forward ones (jvp) are not defined."""
    forward = _product(operator, (operator.angles, operator.columns))
    back = _product(operator.T, (operator.side, operator.side))
    project = jax.custom_vjp(forward)
    project.defvjp(lambda values: (forward(values), None), lambda _, gradient: (back(gradient),))
    return project
