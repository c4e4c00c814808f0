/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase, kernel: the filter along the columns for each frequency along the rows, and the transforms; the memory that
 * they take on a GPU. */
#include "fast_size.h"
#include "memory.h"
#include "phase_cuda.h"
#include "phase_private.h"
#include "transmission.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Floats that spectra begin at multiples of. */
enum { ALIGNED = 16 };

/* Rows that are added to every reach, for the kernel is that of a limited band. */
enum { MORE_ROWS = 16 };

/* H. */
static double transfer(const SinoPhaseOptions *options, double u, double v)
{
    const double square = options->range * options->range;
    const double chi = square / options->delta_beta * (u * u + v * v);
    switch (options->filter) {
    case SINO_PHASE_GENERALISED:
        return 1 / (1 + 2 * square * (2 - cos(u) - cos(v)));
    case SINO_PHASE_CTF:
        return 1 / (cos(chi) + options->delta_beta * sin(chi));
    default:
        return 1 / (1 + square * (u * u + v * v));
    }
}

/* Rows to each side that a frequency depends on. */
static int64_t reach_of(double range, double u)
{
    return (int64_t)ceil(SINO_PHASE_REACH / sqrt(1 / (range * range) + u * u)) + MORE_ROWS;
}

int64_t sino_phase_reach(const SinoPhaseOptions *options)
{
    return reach_of(options->range, 0);
}

/* Rows are transformed in pairs, so that the first and the last row of the result may need the row beside them. */
int64_t sino_phase_halo(const SinoPhaseOptions *options)
{
    return sino_phase_reach(options) + 2;
}

/* FFTW's plans that are estimated, not measured, are twice as fast per column for powers of two and five times those as
 * for other fast sizes. */
int64_t sino_phase_padded(const SinoPhaseOptions *options)
{
    const int64_t least = options->column_count + sino_times(2, sino_phase_reach(options));
    int64_t power = 64, five = 80;
    while (power < least) power *= 2;
    while (five < least) five *= 2;
    const int64_t quick = sino_smaller(power, five), any = sino_fast_size(least);
    return quick <= any + any / 2 ? quick : any;
}

int64_t sino_phase_stride(const SinoPhaseOptions *options)
{
    return sino_ceil_multiple(sino_phase_padded(options) + 2, ALIGNED);
}

/* The kernel of frequency number n: the inverse transform of H along v, cut off, with its sum. */
static void fill_kernel(SinoPhase *phase, int64_t n, int64_t count, double *values, fftw_plan plan)
{
    const double pi = acos(-1), u = 2 * pi * (double)n / (double)phase->padded;
    const double whole = transfer(&phase->options, u, 0);
    const int64_t reach = phase->part_reach[2 * n / SINO_PHASE_PART];
    double sum = 0;
    for (int64_t i = 0; i < count; i++) values[i] = transfer(&phase->options, u, pi * (double)i / (double)(count - 1));
    fftw_execute(plan);
    for (int64_t j = 0; j <= reach; j++) sum += (j > 0 ? 2 : 1) * values[j];
    for (int64_t j = 0; j <= reach; j++)
        for (int64_t i = 0; i < 2; i++) /* halves: see `part` of phase_cpu.c */
            phase->kernel[j * phase->stride + 2 * n + i] = (float)(values[j] * whole / sum / 2 / (double)phase->padded);
}

static SinoStatus make_kernel(SinoPhase *phase)
{
    const int64_t parts = sino_ceil_divide(phase->stride, SINO_PHASE_PART);
    const int64_t count = sino_fast_size(4 * phase->reach) + 1; /* of half a period, both ends included */
    double *values = NULL;
    SINO_TRY(
        sino_allocate(sino_times(phase->reach + 1, phase->stride), sizeof *phase->kernel, "a kernel", &phase->kernel));
    SINO_TRY(sino_allocate(parts, sizeof *phase->part_reach, "a kernel", &phase->part_reach));
    for (int64_t i = 0; i < parts; i++) {
        const double first = acos(-1) * (double)(i * SINO_PHASE_PART) / (double)phase->padded;
        phase->part_reach[i] = sino_smaller(reach_of(phase->options.range, first), phase->reach);
    }
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
    fftwf_complex *memory = NULL;
    const int64_t apart = sino_ceil_multiple(phase->padded, ALIGNED);
    SINO_TRY(sino_allocate(2 * apart, sizeof *memory, "a row", &memory));
    const int size = (int)phase->padded;
    phase->forward = fftwf_plan_dft_1d(size, memory, memory + apart, FFTW_FORWARD, FFTW_ESTIMATE);
    phase->backward = fftwf_plan_dft_1d(size, memory, memory + apart, FFTW_BACKWARD, FFTW_ESTIMATE);
    free(memory);
    SINO_CHECK(phase->forward && phase->backward, SINO_FAILED, "no memory for a transform of %lld values",
               (long long)phase->padded);
    return NULL;
}

SinoStatus sino_phase_new(const SinoPhaseOptions *options, SinoPhase **phase)
{
    SinoPhase *made;
    assert(options->range > 0 && options->range <= SINO_PHASE_RANGE_MAX);
    assert(options->filter != SINO_PHASE_CTF || options->delta_beta > 0);
    SINO_TRY(sino_allocate(1, sizeof *made, "phase retrieval", &made));
    made->options = *options;
    made->reach = sino_phase_reach(options);
    made->padded = sino_phase_padded(options);
    made->stride = sino_phase_stride(options);
    SinoStatus status = make_plans(made);
    if (!status) status = make_kernel(made);
    SINO_GIVE(status, made, sino_phase_free, phase);
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
    free(phase->part_reach);
    free(phase->kernel);
    free(phase);
}

/* Approximate size of the rows of one transform, and their largest number. */
enum { TRANSFORM_BYTES = 4 << 20, TRANSFORM_ROWS = 1024 };

int64_t sino_phase_row_bytes(const SinoPhaseOptions *options)
{
    return sino_times(sino_phase_padded(options) + 2, (int64_t)sizeof(float));
}

int64_t sino_phase_transform_rows(const SinoPhaseOptions *options)
{
    return sino_smaller(sino_larger(TRANSFORM_BYTES / sino_phase_row_bytes(options), 1), TRANSFORM_ROWS);
}

int64_t sino_phase_angle_bytes(const SinoPhaseOptions *options, int64_t lines, int64_t rows, int64_t columns)
{
    const int64_t row_bytes = sino_phase_row_bytes(options), image = sino_times(columns, (int64_t)sizeof(float));
    return sino_times(lines, row_bytes + options->column_count + (int64_t)sizeof(int)) +
           sino_times(rows, row_bytes + image);
}

int64_t sino_phase_cuda_bytes(const SinoPhaseOptions *options)
{
    const int64_t kernel = sino_times(sino_phase_reach(options) + 1, sino_phase_stride(options));
    const int64_t work = sino_times(sino_phase_transform_rows(options), sino_phase_row_bytes(options));
    return sino_times(kernel, (int64_t)sizeof(float)) + work;
}

int64_t sino_phase_cuda_scratch_bytes(const SinoPhaseOptions *options, const SinoCorrection *correction)
{
    enum { ARRAYS = 7, ROUNDED = 2 /* to whole transforms: rows with those beside, and rows of the result */ };
    const int64_t rows = sino_times(correction->slices.slice_count, correction->binning);
    const int64_t lines = rows + 2 * sino_phase_reach(options);
    const int64_t rounding = sino_times(sino_phase_transform_rows(options), sino_phase_row_bytes(options));
    return sino_correct_cuda_workspace_bytes(correction) + sino_times(lines, (int64_t)sizeof(SinoTransmissionBounds)) +
           (int64_t)ARRAYS * SINO_IMAGES_ALIGNED + SINO_IMAGES_BATCH_BYTES + ROUNDED * rounding +
           sino_phase_angle_bytes(options, lines, rows, options->column_count);
}
