/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter on a GPU: the filter of filter.h by cuFFT, with the sinogram in device memory. cuda_stream.h gives the
 * contract of launchers. A slice's result does not depend on the values of other slices. It does not depend on their
 * number as long as cuFFT uses the same kernels for fewer rows, which the test slices_do_not_mix checks on a GPU. */
#ifndef SINO_FILTER_CUDA_H
#define SINO_FILTER_CUDA_H

#include "cuda_stream.h"
#include "filter.h"

/* State on one device: cuFFT's plans, the transfer function, the weights of the angles, and a buffer for the rows of a
 * batch of angles, some 32 MiB and cuFFT's own work area. Create and free it outside of tasks, while the device is
 * current; run it in one stream at a time. SINO_FAILED: no memory, or no plan by cuFFT. */
typedef struct SinoFilterCuda SinoFilterCuda;
SinoStatus sino_filter_cuda_new(const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                const double *angle_weight, SinoFilterCuda **made); /* angle_weight: host memory */
void sino_filter_cuda_free(SinoFilterCuda *filter);                                 /* takes NULL */

/* Filters in place, as sino_filter_run, for the angles and the stride given to _new. */
SinoStatus sino_filter_run_cuda(cudaStream_t stream, const SinoFilterCuda *filter, SinoSlices slices, void *sinogram);

#endif
