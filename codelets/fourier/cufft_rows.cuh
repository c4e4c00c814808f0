/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT, rows: transforms of a fixed number of rows where they are, forth and back, with one work area; and memory of
 * the device. A row is rounded alike whatever the others are, since every transform has the same number of rows. */
#pragma once

#include "panel_cuda.cuh"

#include <cufft.h>

extern "C" {
#include "cufft_load.h"
#include "panel.h"
}

/* Transforms of `rows` rows of `points` real numbers, each followed by two numbers of padding; or of complex numbers,
 * in single precision and without padding, by one plan for both directions. All 0: none. */
struct SinoCufftRows {
    const char *of; /* whose they are, for messages */
    SinoPrecision precision;
    bool complex;
    int64_t rows, points;
    bool forward_made, backward_made;
    cufftHandle forward, backward;
    void *work; /* device; enough for either */
    size_t work_bytes;
};

/* Allocates memory on the device. If `from` is not NULL, its contents are there afterwards: cudaMemcpy may return
 * before a small array has arrived, and streams of StarPU do not wait for the one that copies. */
static inline SinoStatus sino_cuda_memory_new(const void *from, size_t bytes, const char *what, void **to)
{
    cudaError_t error = cudaMalloc(to, bytes > 0 ? bytes : 1);
    if (error == cudaSuccess && from) error = cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess && from) error = cudaStreamSynchronize(NULL);
    SINO_CHECK(error == cudaSuccess, SINO_FAILED, "%llu bytes of the device's memory for %s: %s",
               static_cast<unsigned long long>(bytes), what, cudaGetErrorString(error));
    return NULL;
}

static inline SinoStatus sino_cufft_rows_check(const SinoCufftRows *rows, cufftResult result, const char *what)
{
    SINO_CHECK(result == CUFFT_SUCCESS, SINO_FAILED, "cuFFT, %s, %s of %lld rows of %lld points: error %d", rows->of,
               what, static_cast<long long>(rows->rows), static_cast<long long>(rows->points),
               static_cast<int>(result));
    return NULL;
}

/* Makes a plan whose work area is set later. */
static inline SinoStatus sino_cufft_rows_plan(SinoCufftRows *rows, cufftType type, bool forward, bool *made,
                                              cufftHandle *plan)
{
    int points = static_cast<int>(rows->points), reals = points + 2, complexes = points / 2 + 1;
    int *const before = rows->complex ? &points : forward ? &reals : &complexes;
    int *const after = rows->complex ? &points : forward ? &complexes : &reals;
    const char *const what = forward ? "forward plan" : "backward plan";
    size_t bytes = 0;
    SINO_TRY(sino_cufft_rows_check(rows, cufftCreate(plan), what));
    *made = true;
    SINO_TRY(sino_cufft_rows_check(rows, cufftSetAutoAllocation(*plan, 0), what));
    SINO_TRY(sino_cufft_rows_check(rows,
                                   cufftMakePlanMany(*plan, 1, &points, before, 1, *before, after, 1, *after, type,
                                                     static_cast<int>(rows->rows), &bytes),
                                   what));
    if (bytes > rows->work_bytes) rows->work_bytes = bytes;
    return NULL;
}

static inline SinoStatus sino_cufft_rows_make_plans(SinoCufftRows *rows)
{
    const bool is_double = rows->precision == SINO_DOUBLE;
    const cufftType there = rows->complex ? CUFFT_C2C : is_double ? CUFFT_D2Z : CUFFT_R2C;
    SINO_TRY(sino_cufft_rows_plan(rows, there, true, &rows->forward_made, &rows->forward));
    if (rows->complex) return NULL;
    return sino_cufft_rows_plan(rows, is_double ? CUFFT_Z2D : CUFFT_C2R, false, &rows->backward_made, &rows->backward);
}

/* Makes the plans of rows whose first five members are set. After a failure, too, the rows are to be freed. */
static inline SinoStatus sino_cufft_rows_make(SinoCufftRows *rows)
{
    assert(!rows->complex || rows->precision == SINO_SINGLE);
    SINO_TRY(sino_cufft_load());
    SINO_TRY(sino_cufft_rows_make_plans(rows));
    SINO_TRY(sino_cuda_memory_new(NULL, rows->work_bytes, "transforms", &rows->work));
    SINO_TRY(sino_cufft_rows_check(rows, cufftSetWorkArea(rows->forward, rows->work), "work area"));
    if (rows->complex) return NULL;
    return sino_cufft_rows_check(rows, cufftSetWorkArea(rows->backward, rows->work), "work area");
}

static inline void sino_cufft_rows_free(const SinoCufftRows *rows)
{
    if (rows->forward_made) (void)cufftDestroy(rows->forward);
    if (rows->backward_made) (void)cufftDestroy(rows->backward);
    (void)cudaFree(rows->work);
}

/* Sets the stream of the transforms that follow. */
static inline SinoStatus sino_cufft_rows_stream(const SinoCufftRows *rows, cudaStream_t stream)
{
    SINO_TRY(sino_cufft_rows_check(rows, cufftSetStream(rows->forward, stream), "stream"));
    if (rows->complex) return NULL;
    return sino_cufft_rows_check(rows, cufftSetStream(rows->backward, stream), "stream");
}

static inline cufftResult sino_cufft_rows_execute(const SinoCufftRows *rows, bool forward, double *at)
{
    cufftDoubleComplex *const spectra = reinterpret_cast<cufftDoubleComplex *>(at);
    return forward ? cufftExecD2Z(rows->forward, at, spectra) : cufftExecZ2D(rows->backward, spectra, at);
}

static inline cufftResult sino_cufft_rows_execute(const SinoCufftRows *rows, bool forward, float *at)
{
    cufftComplex *const spectra = reinterpret_cast<cufftComplex *>(at);
    if (rows->complex) return cufftExecC2C(rows->forward, spectra, spectra, forward ? CUFFT_FORWARD : CUFFT_INVERSE);
    return forward ? cufftExecR2C(rows->forward, at, spectra) : cufftExecC2R(rows->backward, spectra, at);
}

/* Transforms the rows of the plan's precision, Real, that begin at `at`. */
template <class Real> static SinoStatus sino_cufft_rows_run(const SinoCufftRows *rows, bool forward, Real *at)
{
    assert((rows->precision == SINO_DOUBLE) == (sizeof(Real) == sizeof(double)));
    return sino_cufft_rows_check(rows, sino_cufft_rows_execute(rows, forward, at),
                                 forward ? "forward transform" : "backward transform");
}
