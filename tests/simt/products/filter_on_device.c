/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_filter_run by the functions of filter_cuda.cu. */
#include "filter_on_device.h"

#include "filter.h"
#include "simt_device.h"

void filter_run_on_device(const SinoFilter *filter, int64_t angle_count, SinoSlices slices, const double *angle_weight,
                          void *cores, void *sinogram)
{
    (void)cores;
    const int64_t columns = sino_filter_transfer(filter).column_count;
    const size_t bytes = (size_t)(angle_count * columns * slices.stride) * sino_precision_bytes(slices.precision);
    SinoFilterCuda *plan = NULL;
    device_check(sino_filter_cuda_new(filter, angle_count, slices.stride, angle_weight, &plan));
    void *of_sinogram = device_lend(sinogram, bytes);
    device_check(sino_filter_run_cuda(NULL, plan, slices, of_sinogram));
    device_return(sinogram, of_sinogram, bytes);
    sino_filter_cuda_free(plan);
}
