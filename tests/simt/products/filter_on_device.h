/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_filter_run by the functions of filter_cuda.cu; in a test that is compiled with this header before it, under the
 * CPU's name. */
#pragma once

#include "filter.h"

void filter_run_on_device(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                          void *sinogram);

#define sino_filter_run(filter, angle_count, slices, angle_weight, scratch, sinogram)                                  \
    ((void)(scratch), filter_run_on_device(filter, angle_count, slices, angle_weight, sinogram))
