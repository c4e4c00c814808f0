/* SPDX-License-Identifier: BSD-3-Clause */
/* Prior slope, for CUDA kernels: the derivatives φ′ of prior.h. */
#pragma once

#include "simt.h"

extern "C" {
#include "prior.h"
}

template <SinoPriorFunction FUNCTION, class Real> static __device__ __forceinline__ Real sino_prior_slope(Real t)
{
    const Real size = fabs(t);
    if (FUNCTION == SINO_PRIOR_HUBER) return t / (size < 1 ? 1 : size);
    const Real v = pow(size, static_cast<Real>(0.8)), share = 1 / (1 + v); /* q − p */
    return t * (1 + static_cast<Real>(SINO_PRIOR_QGGMRF_P / 2) * v) * share * share;
}
