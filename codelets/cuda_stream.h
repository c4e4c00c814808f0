/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA stream: CUDA's type for C code, which needs no header of the toolkit.
 *
 * A launcher `sino_…_cuda(stream, …)` takes what its CPU twin takes, with pointers to device memory where that has
 * pointers to vectors; what points to host memory is said. It only puts kernels into the stream: it neither waits nor
 * allocates. SINO_FAILED, with the kernel's name and its sizes, when CUDA refuses a launch; faults while kernels run
 * are told by whoever waits for the stream. */
#ifndef SINO_CUDA_STREAM_H
#define SINO_CUDA_STREAM_H

typedef struct CUstream_st *cudaStream_t;

#endif
