/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase: transmissions of a projection's rows, their spectra, and a sum over neighbouring rows for each frequency. */
#include "phase.h"

#include "arithmetic.h"
#include "fast_size.h"
#include "memory.h"
#include "transmission.h"
#include "vector.h"

#include <assert.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Floats that rows begin at multiples of; floats of a part of a spectrum, whose rows fit the cache together. */
enum { ALIGNED = 16, PART = 128 };

struct SinoPhase {
    SinoPhaseOptions options;
    int64_t halo, padded; /* padded: columns of a row with its continuation to both sides */
    int64_t stride;       /* floats of a padded row, and of its spectrum */
    float *kernel;        /* [halo + 1][stride]: factor of rows so far away, twice for each frequency; owned */
    fftwf_plan forward, backward;
};

int64_t sino_phase_halo(const SinoPhaseOptions *options)
{
    return (int64_t)ceil(SINO_PHASE_REACH * options->range) + 16;
}

static int64_t padded_columns(const SinoPhaseOptions *options)
{
    return sino_fast_size(options->column_count + sino_times(2, sino_phase_halo(options)));
}

static int64_t stride_of(const SinoPhaseOptions *options)
{
    return sino_ceil_multiple(padded_columns(options) + 2, ALIGNED);
}

/* Floats of a call: a padded row and its light; the spectra of rows and halo; those of the result; its values; limits
 * of rows and halo. */
static int64_t scratch_floats(const SinoPhaseOptions *options, int64_t rows)
{
    const int64_t with_halo = rows + sino_times(2, sino_phase_halo(options));
    return sino_times(2 + with_halo + 2 * rows, stride_of(options)) + sino_ceil_multiple(with_halo, ALIGNED);
}

int64_t sino_phase_scratch_bytes(const SinoPhaseOptions *options, int64_t rows)
{
    return sino_times(scratch_floats(options, rows), (int64_t)sizeof(float));
}

/* The kernel of frequency number n: the inverse transform along v of 1/(1 + L²(u² + v²)), cut off, with its sum. */
static void fill_kernel(SinoPhase *phase, int64_t n, int64_t count, double *values, fftw_plan plan)
{
    const double square = phase->options.range * phase->options.range, pi = acos(-1);
    const double u = 2 * pi * (double)n / (double)phase->padded, whole = 1 / (1 + square * u * u);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double v = pi * (double)i / (double)(count - 1);
        values[i] = 1 / (1 + square * (u * u + v * v)) / (double)(2 * (count - 1));
    }
    fftw_execute(plan);
    for (int64_t j = 0; j <= phase->halo; j++) sum += (j > 0 ? 2 : 1) * values[j];
    for (int64_t j = 0; j <= phase->halo; j++)
        for (int64_t i = 0; i < 2; i++)
            phase->kernel[j * phase->stride + 2 * n + i] = (float)(values[j] * whole / sum / (double)phase->padded);
}

static SinoStatus make_kernel(SinoPhase *phase)
{
    const int64_t count = sino_fast_size(4 * phase->halo) + 1; /* of half a period, both ends included */
    double *values = NULL;
    SINO_TRY(
        sino_allocate(sino_times(phase->halo + 1, phase->stride), sizeof *phase->kernel, "a kernel", &phase->kernel));
    SINO_TRY(sino_allocate(count, sizeof *values, "a kernel", &values));
    fftw_plan plan = fftw_plan_r2r_1d((int)count, values, values, FFTW_REDFT00, FFTW_ESTIMATE);
    for (int64_t n = 0; plan && n <= phase->padded / 2; n++) fill_kernel(phase, n, count, values, plan);
    if (plan) fftw_destroy_plan(plan);
    free(values);
    SINO_CHECK(plan, SINO_FAILED, "no memory for a transform of %lld values", (long long)count);
    return NULL;
}

static SinoStatus make_plans(SinoPhase *phase)
{
    float *memory = NULL;
    SINO_TRY(sino_allocate(2 * phase->stride, sizeof *memory, "a row", &memory));
    fftwf_complex *spectrum = (void *)(memory + phase->stride);
    phase->forward = fftwf_plan_dft_r2c_1d((int)phase->padded, memory, spectrum, FFTW_ESTIMATE | FFTW_UNALIGNED);
    phase->backward = fftwf_plan_dft_c2r_1d((int)phase->padded, spectrum, memory, FFTW_ESTIMATE | FFTW_UNALIGNED);
    free(memory);
    SINO_CHECK(phase->forward && phase->backward, SINO_FAILED, "no memory for a transform of %lld values",
               (long long)phase->padded);
    return NULL;
}

SinoStatus sino_phase_new(const SinoPhaseOptions *options, SinoPhase **phase)
{
    SinoPhase *made;
    assert(options->range > 0 && options->range <= SINO_PHASE_RANGE_MAX);
    SINO_TRY(sino_allocate(1, sizeof *made, "phase retrieval", &made));
    made->options = *options;
    made->halo = sino_phase_halo(options);
    made->padded = padded_columns(options);
    made->stride = stride_of(options);
    SinoStatus status = make_plans(made);
    if (!status) status = make_kernel(made);
    if (status)
        sino_phase_free(made);
    else
        *phase = made;
    return status;
}

const SinoPhaseOptions *sino_phase_options(const SinoPhase *phase)
{
    return &phase->options;
}

void sino_phase_free(SinoPhase *phase)
{
    if (!phase) return;
    if (phase->forward) fftwf_destroy_plan(phase->forward);
    if (phase->backward) fftwf_destroy_plan(phase->backward);
    free(phase->kernel);
    free(phase);
}

/* One call. The images have all columns of the detector. */
typedef struct Call {
    const SinoPhase *phase;
    const SinoCorrection *correction;
    SinoTransmission from;
    int64_t rows;                  /* of the result */
    float *line, *limit;           /* a row; [rows + 2 halo]: limits of saturated counts */
    float *spectra, *sums, *image; /* of the scratch memory */
} Call;

/* Continues a row by its outermost values: half of the rest follows it, half precedes it, all around. */
static void pad(const SinoPhase *phase, float *line)
{
    const int64_t columns = phase->options.column_count, middle = columns + (phase->padded - columns) / 2;
    for (int64_t c = columns; c < phase->padded; c++) line[c] = c < middle ? line[columns - 1] : line[0];
}

/* The mask of undefined values of row i of the result: its values in the image are NaN or 0. */
static void mark(const Call *call, int64_t i, const float *line)
{
    const SinoPhaseOptions *options = &call->phase->options;
    for (int64_t c = 0; c < call->correction->column_count; c++)
        call->image[i * call->correction->column_count + c] = isnan(line[options->first_column + c]) ? NAN : 0;
}

/* The row of the images that is number i of the rows and their halo. Rows beyond the detector are its outermost ones.
 */
static int64_t row_of(const Call *call, int64_t i)
{
    const int64_t row = call->correction->first_row - call->phase->halo + i;
    return sino_smaller(sino_larger(row, 0), call->correction->row_count - 1);
}

/* The spectra of the rows of angle k, those of the halo included. */
static void transform_rows(const Call *call, int64_t k)
{
    const SinoPhase *phase = call->phase;
    const int64_t lines = call->rows + 2 * phase->halo;
    const void *image = sino_transmission_image(&call->from, k);
    int64_t previous = -1;
    for (int64_t i = 0; i < lines; i++) {
        const int64_t row = row_of(call, i);
        const int64_t of_result = i - phase->halo;
        float *spectrum = call->spectra + i * phase->stride;
        const bool of_image = of_result >= 0 && of_result < call->rows;
        if (row == previous) {
            if (of_image) sino_transmission_row(&call->from, image, k, row, call->limit[i], call->line);
            if (of_image) mark(call, of_result, call->line);
            memcpy(spectrum, spectrum - phase->stride, (size_t)phase->stride * sizeof *spectrum);
            continue;
        }
        sino_transmission_row(&call->from, image, k, row, call->limit[i], call->line);
        if (of_image) mark(call, of_result, call->line);
        sino_transmission_fill(phase->options.column_count, 1, call->line);
        pad(phase, call->line);
        fftwf_execute_dft_r2c(phase->forward, call->line, (void *)spectrum);
        previous = row;
    }
}

/* Sums over the rows beside row i of the result, for some frequencies. */
SINO_VECTORISED static void add_rows(int64_t halo, int64_t stride, const float *kernel, const float *middle, float *sum)
{
    float part[PART];
    for (int64_t n = 0; n < PART; n++) part[n] = kernel[n] * middle[n];
    for (int64_t j = 1; j <= halo; j++) {
        const float *factor = kernel + j * stride, *before = middle - j * stride, *after = middle + j * stride;
        for (int64_t n = 0; n < PART; n++) part[n] += factor[n] * (before[n] + after[n]);
    }
    memcpy(sum, part, sizeof part);
}

SINO_VECTORISED static void add_rest(int64_t count, int64_t halo, int64_t stride, const float *kernel,
                                     const float *middle, float *sum)
{
    for (int64_t n = 0; n < count; n++) sum[n] = kernel[n] * middle[n];
    for (int64_t j = 1; j <= halo; j++) {
        const float *factor = kernel + j * stride, *before = middle - j * stride, *after = middle + j * stride;
        for (int64_t n = 0; n < count; n++) sum[n] += factor[n] * (before[n] + after[n]);
    }
}

/* The filter along the columns, part by part of the frequencies. */
static void filter_columns(const Call *call)
{
    const SinoPhase *phase = call->phase;
    const int64_t values = phase->padded + 2;
    for (int64_t first = 0; first < values; first += PART) {
        const int64_t count = sino_smaller(PART, values - first);
        for (int64_t i = 0; i < call->rows; i++) {
            const float *middle = call->spectra + (phase->halo + i) * phase->stride + first;
            float *sum = call->sums + i * phase->stride + first;
            if (count == PART)
                add_rows(phase->halo, phase->stride, phase->kernel + first, middle, sum);
            else
                add_rest(count, phase->halo, phase->stride, phase->kernel + first, middle, sum);
        }
    }
}

/* The filtered image of angle k, [rows][columns of the correction]. */
static const void *filter_image(void *of, int64_t k)
{
    Call *call = of;
    const SinoPhase *phase = call->phase;
    const int64_t columns = call->correction->column_count;
    transform_rows(call, k);
    filter_columns(call);
    for (int64_t i = 0; i < call->rows; i++) {
        float *row = call->image + i * columns;
        fftwf_execute_dft_c2r(phase->backward, (void *)(call->sums + i * phase->stride), call->line);
        for (int64_t c = 0; c < columns; c++) row[c] += call->line[phase->options.first_column + c];
    }
    return call->image;
}

SinoStatus sino_phase_correct(const SinoPhase *phase, const SinoCorrection *correction, const void *counts,
                              const float *flat, const float *dark, void *scratch, void *sinogram, int64_t *repaired,
                              int64_t *tally)
{
    const int64_t rows = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t stride = phase->stride, lines = rows + 2 * phase->halo;
    float *memory = scratch, *const spectra = memory + 2 * stride;
    Call call = {.phase = phase,
                 .correction = correction,
                 .from = {.correction = correction,
                          .column_count = phase->options.column_count,
                          .counts = counts,
                          .flat = flat,
                          .dark = dark,
                          .light = memory + stride},
                 .rows = rows,
                 .line = memory,
                 .spectra = spectra,
                 .sums = spectra + lines * stride,
                 .image = spectra + (lines + rows) * stride,
                 .limit = spectra + (lines + 2 * rows) * stride};
    SinoCorrection after = *correction;
    assert(phase->options.first_column + correction->column_count <= phase->options.column_count);
    for (int64_t i = 0; i < lines; i++) call.limit[i] = sino_transmission_limit(&call.from, row_of(&call, i));
    after.input = SINO_CORRECT_FLOAT32;
    after.row_count = rows;
    after.first_row = 0;
    after.flat_field = false;
    after.saturation = 0;
    after.image = filter_image;
    after.image_of = &call;
    return sino_correct(&after, NULL, NULL, NULL, sinogram, repaired, tally);
}
