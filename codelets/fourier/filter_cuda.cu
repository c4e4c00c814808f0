/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter: q = h * p with the band-limited ramp, by cuFFT on zero-padded rows, for a batch of angles at a time. A kernel
 * gathers the rows from the panels. cuFFT transforms them in place, a kernel multiplies them by the transfer function,
 * and cuFFT transforms them back. A last kernel writes them to the panels. */
#include "cufft_rows.cuh"

#include <stdlib.h>

extern "C" {
#include "filter.h"
#include "memory.h"
#include "row_end.h"
#include "undefined.h"
}

enum {
    COLUMNS = 32, /* columns that a block transposes at a time */
    LINES = 8,
    THREADS = COLUMNS * LINES,
    ROWS = 4, /* that a thread multiplies, about */
    GRID_MAX = 65535
};

struct SinoFilterCuda {
    SinoPrecision precision;
    bool edges; /* rows are continued */
    bool gaps;  /* values −0 are interpolated */
    int64_t column_count, padded_count, angle_count, stride;
    int64_t batch_angles; /* angles of one transform, which has rows for all slices, padding included */
    void *transfer;       /* device */
    double *angle_weight; /* device */
    void *rows;           /* device: those of a batch */
    SinoCufftRows fft;
};

/* Approximate size of the rows of one batch, which the caches of an A100 or H100 hold beside the panels: an H100's has
 * two halves that copy each other's lines. */
static const int64_t batch_bytes = 16 << 20;

/* The kernels' description of a batch: rows[angle of the batch][slice], each of padded_count + 2 numbers. */
struct Batch {
    SinoPanels panels;
    int slice_count;
    int64_t columns, padded, angles, first_angle, angle_count;
    const double *weight; /* of each angle */
    bool edges;           /* rows are continued */
    bool gaps;            /* values −0 are interpolated */
};

template <class Real> static __device__ Real *row_of(const Batch &batch, Real *rows, int64_t angle, int slice)
{
    return rows + (angle * batch.panels.stride + slice) * (batch.padded + 2);
}

/* Address of the panel's first slice at angle k of the batch, column c. */
template <class Real>
static __device__ Real *panel_row(const Batch &batch, Real *sinogram, int first, int width, int64_t angle, int64_t c)
{
    const int64_t row = (batch.first_angle + angle) * batch.columns + c;
    return sinogram + first * batch.angle_count * batch.columns + row * width;
}

/* row: one slice of an angle, whose columns are `width` values apart. A value that is undefined is interpolated between
 * the nearest defined columns; 0: the row has none. */
template <class Real> static __device__ Real bridged_value(const Batch &batch, const Real *row, int width, int64_t c)
{
    int64_t left = c, right = c;
    if (!batch.gaps || !sino_is_undefined(row[c * width])) return row[c * width];
    while (left >= 0 && sino_is_undefined(row[left * width])) left--;
    while (right < batch.columns && sino_is_undefined(row[right * width])) right++;
    if (left < 0 && right == batch.columns) return Real(0);
    const Real before = row[(left >= 0 ? left : right) * width];
    const Real after = right < batch.columns ? row[right * width] : before;
    const Real share = static_cast<Real>(c - left) / static_cast<Real>(right - left);
    return before + share * (after - before);
}

/* A slice of a panel of `width` slices, at column `at` of angle k: after the last column 0, or what lies beyond the
 * nearer end, since the row is a circle. */
template <class Real>
static __device__ Real padded_value(const Batch &batch, Real *sinogram, int first, int width, int64_t k, int64_t at,
                                    int slice)
{
    const Real *const row = panel_row(batch, sinogram, first, width, k, 0) + slice;
    if (at < batch.columns) return bridged_value(batch, row, width, at);
    if (!batch.edges) return Real(0);
    const bool right = at < batch.columns + (batch.padded - batch.columns) / 2;
    const int64_t outermost = right ? batch.columns - 1 : 0, distance = right ? at - outermost : batch.padded - at;
    const int64_t inner = (right ? -1 : 1) * sino_row_end_steps(batch.columns), middle = inner / 2;
    const SinoRowEnd end = sino_row_end(batch.columns, static_cast<double>(bridged_value(batch, row, width, outermost)),
                                        static_cast<double>(bridged_value(batch, row, width, outermost + middle)),
                                        static_cast<double>(bridged_value(batch, row, width, outermost + inner)));
    return static_cast<Real>(sino_row_beyond(end, static_cast<double>(distance)));
}

/* Copies panels to rows: values times the angle's weight, and what continues them after the last column. Grid x:
 * columns, y: panels, z: angles. */
template <class Real>
static __global__ void __launch_bounds__(THREADS) gather_kernel(Batch batch, Real *sinogram, Real *rows)
{
    SINO_SHARED(Real, turned, SINO_PANEL_MAX * (COLUMNS + 1));
    const int width = sino_panel_slices(batch.panels), first = sino_panel_first(batch.panels), shift = __ffs(width) - 1;
    const int across = static_cast<int>(threadIdx.x), me = static_cast<int>(threadIdx.y) * COLUMNS + across;
    const int64_t column = static_cast<int64_t>(blockIdx.x) * COLUMNS;
    for (int64_t k = blockIdx.z; k < batch.angles; k += gridDim.z) {
        const Real weight = static_cast<Real>(batch.weight[batch.first_angle + k]);
#pragma unroll 1 /* unrolled, ptxas spills */
        for (int i = me; i < COLUMNS * width; i += THREADS) {
            const int slice = i & (width - 1), c = i >> shift;
            turned[slice * (COLUMNS + 1) + c] =
                weight * padded_value(batch, sinogram, first, width, k, column + c, slice);
        }
        __syncthreads();
        for (int s = static_cast<int>(threadIdx.y); s < width; s += LINES)
            if (column + across < batch.padded)
                row_of(batch, rows, k, first + s)[column + across] = turned[s * (COLUMNS + 1) + across];
        __syncthreads();
    }
}

/* Copies rows to panels. Padding slices stay unchanged. */
template <class Real>
static __global__ void __launch_bounds__(THREADS) scatter_kernel(Batch batch, Real *sinogram, Real *rows)
{
    SINO_SHARED(Real, turned, SINO_PANEL_MAX * (COLUMNS + 1));
    const int width = sino_panel_slices(batch.panels), first = sino_panel_first(batch.panels), shift = __ffs(width) - 1;
    const int across = static_cast<int>(threadIdx.x), me = static_cast<int>(threadIdx.y) * COLUMNS + across;
    const int64_t column = static_cast<int64_t>(blockIdx.x) * COLUMNS, left = batch.columns - column;
    for (int64_t k = blockIdx.z; k < batch.angles; k += gridDim.z) {
        for (int s = static_cast<int>(threadIdx.y); s < width; s += LINES)
            if (across < left) turned[s * (COLUMNS + 1) + across] = row_of(batch, rows, k, first + s)[column + across];
        __syncthreads();
        Real *const to = panel_row(batch, sinogram, first, width, k, column);
        for (int i = me; i < COLUMNS * width; i += THREADS) {
            const int slice = i & (width - 1), c = i >> shift;
            if (c < left && first + slice < batch.slice_count) to[i] = turned[slice * (COLUMNS + 1) + c];
        }
        __syncthreads();
    }
}

/* Multiplies spectra of `half` complex numbers by the transfer function. A thread has the same frequency of several
 * rows. Grid x: frequencies, y: rows. */
template <class Real>
static __global__ void __launch_bounds__(THREADS)
    multiply_kernel(int64_t row_count, int64_t half, const Real *transfer, Real *spectra)
{
    const int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    if (i >= half) return;
    const Real factor = transfer[i];
    for (int64_t row = blockIdx.y; row < row_count; row += gridDim.y) {
        Real *const at = spectra + 2 * (row * half + i);
        SinoPack<Real, 2> value = sino_pack_load<Real, 2>(at);
        value.value[0] *= factor;
        value.value[1] *= factor;
        sino_pack_store(at, value);
    }
}

static SinoStatus make(SinoFilterCuda *made, const SinoFilterTransfer *transfer, const double *angle_weight)
{
    const size_t each = sino_precision_bytes(transfer->precision);
    const size_t row_bytes = static_cast<size_t>(made->padded_count + 2) * each;
    const size_t half_bytes = static_cast<size_t>(made->padded_count / 2 + 1) * each;
    made->fft.of = "the filter";
    made->fft.precision = transfer->precision;
    made->fft.rows = made->batch_angles * made->stride;
    made->fft.points = made->padded_count;
    SINO_TRY(sino_cuda_memory_new(transfer->transfer, half_bytes, "the filter's transfer function", &made->transfer));
    SINO_TRY(sino_cuda_memory_new(angle_weight, static_cast<size_t>(made->angle_count) * sizeof *angle_weight,
                                  "the filter's weights of angles", reinterpret_cast<void **>(&made->angle_weight)));
    SINO_TRY(sino_cufft_rows_make(&made->fft));
    return sino_cuda_memory_new(NULL, static_cast<size_t>(made->fft.rows) * row_bytes, "the filter's rows",
                                &made->rows);
}

SinoStatus sino_filter_cuda_new(const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                const double *angle_weight, SinoFilterCuda **made)
{
    const SinoFilterTransfer transfer = sino_filter_transfer(filter);
    const int64_t angle_bytes =
        (transfer.padded_count + 2) * stride * static_cast<int64_t>(sino_precision_bytes(transfer.precision));
    const int64_t fitting = batch_bytes / angle_bytes, least = fitting < 1 ? 1 : fitting;
    SinoFilterCuda *plan = NULL;
    SINO_TRY(sino_allocate(1, sizeof *plan, "filter on a GPU", &plan));
    plan->precision = transfer.precision;
    plan->edges = transfer.edges;
    plan->gaps = transfer.gaps;
    plan->column_count = transfer.column_count;
    plan->padded_count = transfer.padded_count;
    plan->angle_count = angle_count;
    plan->stride = stride;
    plan->batch_angles = angle_count < 1 ? 1 : angle_count < least ? angle_count : least;
    const SinoStatus status = make(plan, &transfer, angle_weight);
    if (status)
        sino_filter_cuda_free(plan);
    else
        *made = plan;
    return status;
}

void sino_filter_cuda_free(SinoFilterCuda *filter)
{
    if (!filter) return;
    sino_cufft_rows_free(&filter->fft);
    (void)cudaFree(filter->transfer);
    (void)cudaFree(filter->angle_weight);
    (void)cudaFree(filter->rows);
    free(filter);
}

/* Launch parameters of the kernels that transpose `columns` columns of the batch's angles. */
static SinoLaunch over_batch(const char *name, cudaStream_t stream, const Batch &batch, int64_t columns)
{
    return {name,
            dim3(sino_blocks_for(columns, COLUMNS, INT32_MAX), sino_panels_count(batch.panels),
                 sino_blocks_for(batch.angles, 1, GRID_MAX)),
            dim3(COLUMNS, LINES), 0, stream};
}

/* Every transform has the size of a full batch, the last one too. cuFFT's kernels, and with them the rounding of a
 * slice, therefore do not depend on the number of angles left. */
template <class Real>
static SinoStatus run_batch(cudaStream_t stream, const SinoFilterCuda *filter, const Batch &batch, Real *sinogram,
                            Real *rows)
{
    const int64_t row_count = filter->batch_angles * filter->stride, half = filter->padded_count / 2 + 1;
    const Real *const transfer = static_cast<const Real *>(filter->transfer);
    const dim3 blocks(sino_blocks_for(half, THREADS, INT32_MAX), sino_blocks_for(row_count, ROWS, GRID_MAX));
    const SinoLaunch multiply = {"filter_multiply", blocks, THREADS, 0, stream};
    SINO_TRY(sino_launch(over_batch("filter_gather", stream, batch, batch.padded), gather_kernel<Real>, batch, sinogram,
                         rows));
    SINO_TRY(sino_cufft_rows_run(&filter->fft, true, rows));
    SINO_TRY(sino_launch(multiply, multiply_kernel<Real>, row_count, half, transfer, rows));
    SINO_TRY(sino_cufft_rows_run(&filter->fft, false, rows));
    return sino_launch(over_batch("filter_scatter", stream, batch, batch.columns), scatter_kernel<Real>, batch,
                       sinogram, rows);
}

SinoStatus sino_filter_run_cuda(cudaStream_t stream, const SinoFilterCuda *filter, SinoSlices slices, void *sinogram)
{
    assert(slices.precision == filter->precision && slices.stride == filter->stride);
    SINO_TRY(sino_cufft_rows_stream(&filter->fft, stream));
    for (int64_t k = 0; k < filter->angle_count; k += filter->batch_angles) {
        const int64_t left = filter->angle_count - k;
        const Batch batch = {sino_panels_of(slices),
                             static_cast<int>(slices.slice_count),
                             filter->column_count,
                             filter->padded_count,
                             left < filter->batch_angles ? left : filter->batch_angles,
                             k,
                             filter->angle_count,
                             filter->angle_weight,
                             filter->edges,
                             filter->gaps};
        SINO_TRY(
            slices.precision == SINO_DOUBLE
                ? run_batch(stream, filter, batch, static_cast<double *>(sinogram), static_cast<double *>(filter->rows))
                : run_batch(stream, filter, batch, static_cast<float *>(sinogram), static_cast<float *>(filter->rows)));
    }
    return NULL;
}
