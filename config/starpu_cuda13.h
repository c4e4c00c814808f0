/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU 1.3 on CUDA 13: config/build-starpu puts this before every C source of StarPU by -include.
 *
 * StarPU includes both cublas.h and cublas_v2.h, which this toolkit refuses: only the second is taken, and the few
 * calls of the first interface that StarPU makes do nothing, so that kernels must use handles of the second one.
 * It also asks whether a device is in exclusive thread mode, by a member that this toolkit removed with the mode:
 * the answer is always no. */
#ifndef SINO_STARPU_CUDA13_H
#define SINO_STARPU_CUDA13_H
#ifndef __cplusplus

#include <cublas_v2.h>

#define CUBLAS_H_ /* the include guard of cublas.h */
typedef cublasStatus_t cublasStatus;
static inline cublasStatus cublasInit(void)
{
    return CUBLAS_STATUS_SUCCESS;
}
#define cublasShutdown()              ((void)0)
#define cublasSetKernelStream(stream) ((void)(stream))

#define computeMode major * 0 /* cudaComputeModeDefault, never cudaComputeModeExclusive */

#endif
#endif
