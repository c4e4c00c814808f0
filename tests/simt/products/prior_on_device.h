/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of prior.h, and those of variation.h in 3-D, by those of prior_cuda.cu and variation_cuda.cu. */
#ifndef SINO_PRIOR_ON_DEVICE_H
#define SINO_PRIOR_ON_DEVICE_H

#include "prior.h"

void prior_descend_on_device(const SinoSmoothPrior *prior, const void *const *u, const SinoSliceState *state, void *z);
void prior_descend_volume_on_device(const SinoSmoothPrior *prior, const void *const *u, const void *before,
                                    const void *after, const SinoSliceState *state, void *z);
void primal_volume_on_device(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                             const void *r, const void *before, const SinoSliceState *state, void *u);
void dual_volume_on_device(const SinoVariation *variation, const void *const *u, const void *after,
                           const SinoSliceState *state, void *p, void *q, void *r);

#endif
