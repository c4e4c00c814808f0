/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase on a GPU: rows of transmissions of as many projections as fill some MiB, in place by cuFFT; a sum over the
 * neighbouring rows for each frequency, as on the CPU; cuFFT back; and the rows of the result, which correct_cuda.h
 * turns into line integrals. Every transform has the same number of rows, the last one of a batch too, so that the
 * rounding of a row does not depend on the rows that are made with it. */
#include "cufft_rows.cuh"

#include <stdlib.h>

extern "C" {
#include "memory.h"
#include "phase_cuda.h"
#include "phase_private.h"
#include "transmission_cuda.h"
}

enum {
    PART = SINO_PHASE_PART, /* threads, and numbers of a spectrum with one reach */
    TOGETHER = 16,          /* rows of a thread */
    THREADS = 256,
    ANGLES_EACH = 4, /* angles of a thread that writes the result, at least */
    GRID_MAX = 65535
};

struct SinoPhaseCuda {
    const SinoPhase *phase; /* not owned */
    int64_t stride;         /* floats of a row in place */
    float *kernel;          /* device: [reach + 1][stride of the phase] */
    int64_t *part_reach;    /* device: [part] */
    SinoCufftRows fft;
};

/* What the kernels read of a call. */
struct Filter {
    int64_t stride, kernel_stride, values;           /* values: numbers of a spectrum */
    int64_t line_count, row_count, reach;            /* of an angle: rows with those beside, rows of the result */
    int64_t detector_columns, first_column, columns; /* columns: of the result */
    int64_t angle_count;
    bool weak;
    const float *kernel;
    const int64_t *part_reach;
    float *spectra, *sums; /* [angle][line_count][stride], [angle][row_count][stride] */
    const uint8_t *marks;  /* [angle][line_count][detector_columns] */
    float *image;          /* [angle][row_count][columns] */
};

/* Sums over the rows beside TOGETHER rows from `row` on, for number n of their spectra. before[t] and after[t] are the
 * rows so far from row + t; each step reads one row at either side. The kernel has half of the factor. */
static __device__ void add_rows(const Filter &filter, int64_t angle, int64_t row, int64_t n, int64_t reach)
{
    const float *const lines = filter.spectra + angle * filter.line_count * filter.stride + n;
    const float *const kernel = filter.kernel + n;
    const int64_t middle = row + filter.reach, last = filter.line_count - 1;
    float sum[TOGETHER], before[TOGETHER], after[TOGETHER];
#pragma unroll
    for (int t = 0; t < TOGETHER; t++) {
        before[t] = after[t] = lines[min(middle + t, last) * filter.stride];
        sum[t] = *kernel * before[t];
    }
#pragma unroll 16
    for (int64_t j = 1; j <= reach; j++) {
        const float factor = kernel[j * filter.kernel_stride];
#pragma unroll
        for (int t = TOGETHER - 1; t > 0; t--) before[t] = before[t - 1];
#pragma unroll
        for (int t = 0; t < TOGETHER - 1; t++) after[t] = after[t + 1];
        before[0] = lines[(middle - j) * filter.stride];
        after[TOGETHER - 1] = lines[min(middle + TOGETHER - 1 + j, last) * filter.stride];
#pragma unroll
        for (int t = 0; t < TOGETHER; t++) sum[t] += factor * (before[t] + after[t]);
    }
    float *const to = filter.sums + (angle * filter.row_count + row) * filter.stride + n;
#pragma unroll
    for (int t = 0; t < TOGETHER; t++)
        if (row + t < filter.row_count) to[t * filter.stride] = 2 * sum[t];
}

/* Grid x: parts of the frequencies, y: TOGETHER rows each, z: angles. */
static __global__ void __launch_bounds__(PART) filter_kernel(Filter filter)
{
    const int64_t n = blockIdx.x * static_cast<int64_t>(PART) + threadIdx.x, reach = filter.part_reach[blockIdx.x];
    if (n >= filter.values) return;
    for (int64_t k = blockIdx.z; k < filter.angle_count; k += gridDim.z)
        for (int64_t row = blockIdx.y * static_cast<int64_t>(TOGETHER); row < filter.row_count;
             row += static_cast<int64_t>(gridDim.y) * TOGETHER)
            add_rows(filter, k, row, n, reach);
}

/* Writes the rows of the result. Grid x: columns, y: rows, z: angles. */
static __global__ void __launch_bounds__(THREADS) result_kernel(Filter filter)
{
    const int64_t c = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    if (c >= filter.columns) return;
    for (int64_t k = blockIdx.z; k < filter.angle_count; k += gridDim.z)
        for (int64_t row = blockIdx.y; row < filter.row_count; row += gridDim.y) {
            const int64_t line = k * filter.line_count + filter.reach + row, made = k * filter.row_count + row;
            const int64_t column = filter.first_column + c;
            const float value = filter.sums[made * filter.stride + column];
            const bool undefined = filter.marks[line * filter.detector_columns + column] != 0;
            filter.image[made * filter.columns + c] = undefined     ? static_cast<float>(NAN)
                                                      : filter.weak ? 1 - value
                                                                    : value;
        }
}

static SinoStatus make(SinoPhaseCuda *made)
{
    const SinoPhase *const of = made->phase;
    const size_t kernel = static_cast<size_t>(sino_times(of->reach + 1, of->stride)) * sizeof *of->kernel;
    const size_t parts = static_cast<size_t>(sino_ceil_divide(of->stride, PART)) * sizeof *of->part_reach;
    made->fft.of = "phase retrieval";
    made->fft.precision = SINO_SINGLE;
    made->fft.rows = sino_phase_transform_rows(&of->options);
    made->fft.points = of->padded;
    SINO_TRY(sino_cuda_memory_new(of->kernel, kernel, "the kernel of phase retrieval",
                                  reinterpret_cast<void **>(&made->kernel)));
    SINO_TRY(sino_cuda_memory_new(of->part_reach, parts, "the reach of phase retrieval",
                                  reinterpret_cast<void **>(&made->part_reach)));
    return sino_cufft_rows_make(&made->fft);
}

SinoStatus sino_phase_cuda_new(const SinoPhase *phase, SinoPhaseCuda **result)
{
    SinoPhaseCuda *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "phase retrieval on a GPU", &made));
    made->phase = phase;
    made->stride = phase->padded + 2;
    const SinoStatus status = make(made);
    if (status)
        sino_phase_cuda_free(made);
    else
        *result = made;
    return status;
}

void sino_phase_cuda_free(SinoPhaseCuda *phase)
{
    if (!phase) return;
    sino_cufft_rows_free(&phase->fft);
    (void)cudaFree(phase->kernel);
    (void)cudaFree(phase->part_reach);
    free(phase);
}

const SinoPhaseOptions *sino_phase_cuda_options(const SinoPhaseCuda *phase)
{
    return &phase->phase->options;
}

/* One call. */
struct Call {
    const SinoPhaseCuda *phase;
    Filter filter;
    SinoTransmissionCuda rows;
    const SinoImagesCuda *images; /* NULL: counts */
    const char *counts;
    int64_t image_bytes; /* of the counts of an angle */
};

/* Rows of whole transforms. */
static float *take_rows(const SinoPhaseCuda *phase, char **scratch, int64_t rows)
{
    const int64_t whole = sino_ceil_multiple(rows, phase->fft.rows);
    return static_cast<float *>(sino_images_take(scratch, whole * phase->stride * static_cast<int64_t>(sizeof(float))));
}

/* Places the arrays of a call in the scratch memory; returns the angles that they have. */
static int64_t place(char *scratch, Call *call)
{
    const int64_t real = static_cast<int64_t>(sizeof(float));
    Filter *const filter = &call->filter;
    SinoTransmissionCuda *const rows = &call->rows;
    const int64_t lines = filter->line_count, columns = filter->detector_columns;
    const int64_t each =
        sino_phase_angle_bytes(&call->phase->phase->options, lines, filter->row_count, filter->columns);
    const int64_t fitting = sino_larger(SINO_IMAGES_BATCH_BYTES / each, 1);
    const int64_t angles = call->images ? sino_smaller(fitting, call->images->angle_count) : fitting;
    rows->bounds = static_cast<SinoTransmissionBounds *>(
        sino_images_take(&scratch, lines * static_cast<int64_t>(sizeof(SinoTransmissionBounds))));
    rows->undefined =
        static_cast<int *>(sino_images_take(&scratch, angles * lines * static_cast<int64_t>(sizeof(int))));
    rows->marks = static_cast<uint8_t *>(sino_images_take(&scratch, angles * lines * columns));
    rows->lines = take_rows(call->phase, &scratch, angles * lines);
    filter->marks = rows->marks;
    filter->spectra = rows->lines;
    filter->sums = take_rows(call->phase, &scratch, angles * filter->row_count);
    filter->image =
        static_cast<float *>(sino_images_take(&scratch, angles * filter->row_count * filter->columns * real));
    return angles;
}

/* Transforms `count` rows in place, and some behind them. */
static SinoStatus transform(const SinoPhaseCuda *phase, bool forward, int64_t count, float *rows)
{
    for (int64_t i = 0; i < count; i += phase->fft.rows)
        SINO_TRY(sino_cufft_rows_run(&phase->fft, forward, rows + i * phase->stride));
    return NULL;
}

/* Makes filtered images, as SinoImagesCuda has it. */
static SinoStatus filter_images(void *of, cudaStream_t stream, int64_t first, int64_t count, const void **images)
{
    Call *const call = static_cast<Call *>(of);
    Filter *const filter = &call->filter;
    const void *counts = NULL;
    if (call->images)
        SINO_TRY(call->images->make(call->images->of, stream, first, count, &counts));
    else
        counts = call->counts + first * call->image_bytes;
    filter->angle_count = count;
    const dim3 sums(sino_blocks_for(filter->values, PART, INT32_MAX),
                    sino_blocks_for(filter->row_count, TOGETHER, GRID_MAX), sino_blocks_for(count, 1, GRID_MAX));
    const dim3 results(sino_blocks_for(filter->columns, THREADS, INT32_MAX),
                       sino_blocks_for(filter->row_count, 1, GRID_MAX), sino_blocks_for(count, ANGLES_EACH, GRID_MAX));
    SINO_TRY(sino_transmission_rows_cuda(stream, &call->rows, first, count, counts));
    SINO_TRY(transform(call->phase, true, count * filter->line_count, filter->spectra));
    SINO_TRY(sino_launch(SinoLaunch{"phase_filter", sums, PART, 0, stream}, filter_kernel, *filter));
    SINO_TRY(transform(call->phase, false, count * filter->row_count, filter->sums));
    SINO_TRY(sino_launch(SinoLaunch{"phase_result", results, THREADS, 0, stream}, result_kernel, *filter));
    *images = filter->image;
    return NULL;
}

static Filter filter_of(const SinoPhaseCuda *phase, const SinoCorrection *correction)
{
    const SinoPhase *const of = phase->phase;
    Filter filter = {};
    filter.stride = filter.values = phase->stride;
    filter.kernel_stride = of->stride;
    filter.reach = of->reach;
    filter.row_count = sino_times(correction->slices.slice_count, correction->binning);
    filter.line_count = filter.row_count + 2 * of->reach;
    filter.detector_columns = of->options.column_count;
    filter.first_column = of->options.first_column;
    filter.columns = correction->column_count;
    filter.weak = of->options.weak;
    filter.kernel = phase->kernel;
    filter.part_reach = phase->part_reach;
    return filter;
}

/* The correction of filtered images. */
static SinoCorrection after_filter(const SinoCorrection *correction, const Filter *filter)
{
    SinoCorrection after = *correction;
    after.input = SINO_CORRECT_FLOAT32;
    after.row_count = filter->row_count;
    after.first_row = 0;
    after.flat_field = false;
    after.minus_log = correction->minus_log && !filter->weak;
    after.saturation = after.plausible = 0;
    return after;
}

SinoStatus sino_phase_correct_cuda(cudaStream_t stream, const SinoPhaseCuda *phase, const SinoCorrection *correction,
                                   const void *counts, const float *flat, const float *dark,
                                   const SinoImagesCuda *images, void *scratch, void *sinogram, int64_t *repaired,
                                   int64_t *tally)
{
    const int64_t columns = phase->phase->options.column_count;
    char *rest = static_cast<char *>(scratch);
    void *const workspace = sino_images_take(&rest, sino_correct_cuda_workspace_bytes(correction));
    Call call = {phase, filter_of(phase, correction), {}, images, static_cast<const char *>(counts), 0};
    call.image_bytes = correction->row_count * columns * sino_correct_input_bytes(correction->input);
    call.rows.from = {correction, columns, counts, flat, dark, NULL};
    call.rows.first_row = correction->first_row - phase->phase->reach;
    call.rows.line_count = call.filter.line_count;
    call.rows.continued = phase->phase->padded;
    call.rows.stride = phase->stride;
    call.rows.alone = 1;
    const SinoImagesCuda filtered = {place(rest, &call), filter_images, &call};
    const SinoCorrection after = after_filter(correction, &call.filter);
    assert(phase->phase->options.first_column + correction->column_count <= columns);
    SINO_TRY(sino_cufft_rows_stream(&phase->fft, stream));
    SINO_TRY(sino_transmission_bounds_cuda(stream, &call.rows));
    return sino_correct_images_cuda(stream, &after, &filtered, sinogram, repaired, tally, workspace);
}
