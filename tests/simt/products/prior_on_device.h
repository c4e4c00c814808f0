/* SPDX-License-Identifier: BSD-3-Clause */
/* The function of prior.h by that of prior_cuda.cu. */
#pragma once

#include "prior.h"

void prior_descend_on_device(const SinoSmoothPrior *prior, const void *const *u, const void *before, const void *after,
                             const SinoSliceState *state, void *z);
