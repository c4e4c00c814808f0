/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter on a GPU: that of filter.h by cuFFT, where the sinogram is in device memory (cuda_stream.h says what launchers
 * promise). A slice's result does not depend on the values of other slices; nor on their number, as long as cuFFT takes
 * the same kernels for fewer rows, which the test slices_do_not_mix watches on a GPU. */
#ifndef SINO_FILTER_CUDA_H
#define SINO_FILTER_CUDA_H

#include "cuda_stream.h"
#include "filter.h"

/* What a device keeps: cuFFT's plans, the transfer function, the angles' weights, and memory for the rows of a batch of
 * angles, some 32 MiB and what cuFFT needs. Made and freed, outside of tasks, with the device current; run in one
 * stream at a time. SINO_FAILED when CUDA or cuFFT has no memory or no plan. */
typedef struct SinoFilterCuda SinoFilterCuda;
SinoStatus sino_filter_cuda_new(const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                const double *angle_weight, SinoFilterCuda **made); /* angle_weight: host memory */
void sino_filter_cuda_free(SinoFilterCuda *filter);                                 /* takes NULL */

/* In place: sino_filter_run of the angles and the stride that the plan was made for. */
SinoStatus sino_filter_run_cuda(cudaStream_t stream, const SinoFilterCuda *filter, SinoSlices slices, void *sinogram);

#endif
