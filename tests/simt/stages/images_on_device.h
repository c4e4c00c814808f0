/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_tilt_correct by the functions of tilt_cuda.h, and a look that they agree with the CPU's to the rounding of
 * single precision, in values, marks and numbers of undefined values. */
#pragma once

#include "tilt.h"

SinoStatus tilt_correct_on_device(const SinoTilt *tilt, const SinoPhase *phase, const SinoCorrection *correction,
                                  const void *counts, const float *flat, const float *dark, void *scratch,
                                  void *sinogram, int64_t *repaired, int64_t *tally);

SinoStatus phase_correct_on_device(const SinoPhase *phase, const SinoCorrection *correction, int64_t image_row,
                                   const void *counts, const float *flat, const float *dark, void *scratch,
                                   void *sinogram, int64_t *repaired, int64_t *tally);
