/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA stream: declares CUDA's stream type for C code without a header of the toolkit, and the contract of launchers.
 *
 * A launcher `sino_…_cuda(stream, …)` has the parameters of the CPU function of the same name. Its pointers to vectors
 * are pointers to device memory; each header names the pointers to host memory. A launcher only puts kernels into the
 * stream: it neither waits nor allocates. SINO_FAILED, with the kernel's name and sizes: CUDA refused a launch. An
 * error while a kernel runs is reported to the caller that waits for the stream. */
#pragma once

typedef struct CUstream_st *cudaStream_t;
