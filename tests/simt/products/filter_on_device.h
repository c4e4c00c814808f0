/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_filter_run by the functions of filter_cuda.cu. */
#pragma once

#include "filter.h"

/* scratch: not used. */
void filter_run_on_device(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                          void *scratch, void *sinogram);
