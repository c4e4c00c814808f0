/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU 1.3 without cuBLAS: config/build-starpu includes this header before every C source of StarPU (-include).
 *
 * StarPU can make handles of cuBLAS for its users' kernels; ours need none. Its calls do nothing here, so that it is
 * not linked with cuBLAS, and programs start without loading that. (CUDA 13 also refuses cublas.h beside cublas_v2.h,
 * of which StarPU includes both.) StarPU asks whether a device is in exclusive thread mode, through a member that CUDA
 * 13 removed together with that mode; the answer is always no. */
#pragma once
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

#undef cublasCreate
#undef cublasDestroy
#undef cublasSetStream
#define cublasCreate(handle)            (*(handle) = NULL, CUBLAS_STATUS_NOT_INITIALIZED)
#define cublasDestroy(handle)           ((void)(handle))
#define cublasSetStream(handle, stream) ((void)(handle), (void)(stream))

#if CUBLAS_VER_MAJOR >= 13
#define computeMode major * 0 /* cudaComputeModeDefault, never cudaComputeModeExclusive */
#endif

#endif
