/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_zingers_remove by the function of zingers_cuda.cu, and a look that the CPU's has the same bits and counts. */
#pragma once

#include "zingers.h"

SinoStatus zingers_remove_on_device(const SinoZingers *zingers, SinoSlices slices, const int64_t *place, void *sinogram,
                                    int64_t *undefined, int64_t *by_angle, int64_t *by_column);
