/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU 1.3 on CUDA 13: config/build-starpu includes this header before every C source of StarPU (-include).
 *
 * StarPU includes both cublas.h and cublas_v2.h, but this toolkit refuses the combination. This header keeps
 * cublas_v2.h only. The few calls that StarPU makes to the old interface do nothing, so kernels must use handles of the
 * new one. StarPU also asks whether a device is in exclusive thread mode, through a member that the toolkit removed
 * together with that mode; the answer is always no. */
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
