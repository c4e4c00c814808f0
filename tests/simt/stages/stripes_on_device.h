/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_stripes_run by the function of stripes.h where there are kernels for the method, and a look that it agrees
 * with the CPU's where no value is undefined: sorting to the bit, other methods to the rounding of single precision. */
#pragma once

#include "stripes.h"

void stripes_run_on_device(const SinoStripes *stripes, SinoSlices slices, const int64_t *place, bool marked,
                           void *scratch, void *sinogram);
