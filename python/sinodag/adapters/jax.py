# SPDX-License-Identifier: BSD-3-Clause
"""Projections of JAX's arrays within jit, whose derivative is the backprojection:

    from sinodag.adapters.jax import projector
    project = projector(sinodag.Operator(angles, columns=512))
    gradient = jax.jit(jax.grad(lambda x: ((project(x) - measured) ** 2).sum()))(image)
"""
import jax
import numpy as np


def _product(linear):
    """The function of arrays of the sides of `linear`, such as (N, N) or (S, N, N), that multiplies by it."""
    taken, given = linear._sides

    def call(values):
        first = values.shape[: values.ndim - len(taken)]
        result = jax.ShapeDtypeStruct((*first, *given), values.dtype)
        return jax.pure_callback(
            lambda array: linear._of_stack(np.asarray(array).reshape(-1, *taken)).reshape(result.shape), result, values
        )

    return call


def projector(operator):
    """A of sinodag as a function of JAX. Reverse derivatives are exact; forward ones (jvp) are not defined."""
    forward, back = _product(operator), _product(operator.T)
    project = jax.custom_vjp(forward)
    project.defvjp(lambda values: (forward(values), None), lambda _, gradient: (back(gradient),))
    return project
