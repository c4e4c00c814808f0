/* SPDX-License-Identifier: BSD-3-Clause */
/* A library in cuFFT's place that transforms nothing, and tells by its results what it was given; CUFFT_LACKS_Z2D: of
 * one function less. */
#include "cufft.h"

cufftResult cufftCreate(cufftHandle *plan)
{
    *plan = 42;
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan)
{
    return plan == 42 ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic)
{
    return plan == 42 && automatic == 0 ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *points, int *before, int before_stride,
                              int before_distance, int *after, int after_stride, int after_distance, cufftType type,
                              int batch, size_t *work_bytes)
{
    const int all = plan + 2 * rank + 3 * *points + 5 * *before + 7 * before_stride + 11 * before_distance +
                    13 * *after + 17 * after_stride + 19 * after_distance + 23 * (int)type + 29 * batch;
    *work_bytes = (size_t)all;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    return plan == 42 && stream == cudaStreamLegacy ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *work)
{
    *(char *)work = (char)plan;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *from, cufftComplex *to, int direction)
{
    to->imaginary = from->real * (float)(plan * direction);
    return CUFFT_SUCCESS;
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *from, cufftComplex *to)
{
    to->imaginary = *from * (float)plan;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *from, cufftReal *to)
{
    *to = from->imaginary * (float)plan;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *from, cufftDoubleComplex *to)
{
    to->imaginary = *from * plan;
    return CUFFT_SUCCESS;
}

#ifndef CUFFT_LACKS_Z2D
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *from, cufftDoubleReal *to)
{
    *to = from->imaginary * plan;
    return CUFFT_SUCCESS;
}
#endif
