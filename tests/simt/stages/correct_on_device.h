/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_correct by the function of correct_cuda.h. */
#pragma once

#include "correct.h"

SinoStatus correct_on_device(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                             void *sinogram, int64_t *repaired, int64_t *tally);
