/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT's names for the host, as far as codelets/fourier/cufft_rows.cuh uses them: batches of rows, real or complex,
 * that are transformed where they are, by FFTW. The work area is asked for, and spoilt by each transform, as cuFFT may.
 */
#pragma once

#include "simt_host.h"

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef enum cufftResult { CUFFT_SUCCESS, CUFFT_INVALID_VALUE = 4 } cufftResult;
typedef enum cufftType { CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_D2Z, CUFFT_Z2D } cufftType;
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

cufftResult cufftCreate(cufftHandle *plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic);
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *points, int *before, int before_stride,
                              int before_distance, int *after, int after_stride, int after_distance, cufftType type,
                              int batch, size_t *work_bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void *work);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *rows, cufftComplex *transformed, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *rows, cufftComplex *spectra);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *spectra, cufftReal *rows);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *rows, cufftDoubleComplex *spectra);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *spectra, cufftDoubleReal *rows);
