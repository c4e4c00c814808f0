/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT's declarations, as far as codelets/devices/cufft_load.c needs them, of a version that no machine has. */
#pragma once

#include "cuda_runtime_api.h"

#define CUFFT_VER_MAJOR 0

typedef int cufftHandle;
typedef enum { CUFFT_SUCCESS, CUFFT_INVALID_VALUE = 4 } cufftResult;
typedef enum { CUFFT_C2C } cufftType;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef struct {
    float real, imaginary;
} cufftComplex;
typedef struct {
    double real, imaginary;
} cufftDoubleComplex;

cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *points, int *before, int before_stride,
                              int before_distance, int *after, int after_stride, int after_distance, cufftType type,
                              int batch, size_t *work_bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void *work);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to);
