/* SPDX-License-Identifier: BSD-3-Clause */
/* Air on a GPU: a block finds the means of the outermost columns of some rows, and adds the logarithm of the line
 * between them. PARTS threads share the mean of a row and slice, whatever the panel's width is, so that the order
 * of its sum, and its bits, depend on no other slice. */
#include "panel_cuda.cuh"

#include <float.h>

extern "C" {
#include "air.h"
#include "undefined.h"
}

enum { THREADS = 256, PARTS = 8, ENDS = THREADS / PARTS, BLOCKS_MAX = 65535 };

/* The fields of SinoAir that the kernel reads. */
struct Rows {
    SinoPanels panels;
    int slice_count;
    int64_t angle_count, column_count, width;
    const int64_t *place;
};

/* Sums of PARTS threads, and what they leave for each row and slice of the block. */
struct Shared {
    double sum[THREADS], number[THREADS];
    double end[2][ENDS];
};

/* Number of the rows of a block: every thread has a part of one mean. */
static __device__ __forceinline__ int rows_of_block(int width)
{
    return ENDS / width;
}

template <class Real>
static __device__ __forceinline__ Real *row_at(const Rows &rows, Real *sinogram, int first, int width, int64_t k)
{
    const int64_t row = (rows.place ? rows.place[k] : k) * rows.column_count;
    return sinogram + first * rows.angle_count * rows.column_count + row * width;
}

/* Sums the transmissions of columns part, part + PARTS, … of `count`; `from`: the first column's value of a slice. */
template <class Real>
static __device__ __forceinline__ void sum_part(const Real *from, int64_t count, int width, int part, double *sum,
                                                double *number)
{
    *sum = *number = 0;
    for (int64_t c = part; c < count; c += PARTS) {
        const Real value = from[c * width];
        if (sino_is_undefined(value)) continue;
        *sum += exp(-static_cast<double>(value));
        *number += 1;
    }
}

/* shared.end[side]: mean transmissions of the first and last columns of rows k …, 0 where they are not known. */
template <class Real>
static __device__ void find_means(const Rows &rows, Real *sinogram, int64_t k, int width, Shared &shared)
{
    const int me = static_cast<int>(threadIdx.x), part = me / ENDS, row = me % ENDS / width, slice = me % width;
    const bool has_row = row < rows_of_block(width) && k + row < rows.angle_count;
    for (int side = 0; side < 2; side++) {
        double sum = 0, number = 0;
        if (has_row) {
            const int64_t first = side ? rows.column_count - rows.width : 0;
            const Real *const from = row_at(rows, sinogram, sino_panel_first(rows.panels), width, k + row);
            sum_part(from + first * width + slice, rows.width, width, part, &sum, &number);
        }
        shared.sum[me] = sum;
        shared.number[me] = number;
        __syncthreads();
        if (me < ENDS) {
            for (int i = 1; i < PARTS; i++) {
                sum += shared.sum[me + i * ENDS];
                number += shared.number[me + i * ENDS];
            }
            shared.end[side][me] = number > 0 && sum >= DBL_MIN && sum <= DBL_MAX ? sum / number : 0;
        }
        __syncthreads();
    }
}

/* Gives both ends of each row and slice a number; 1 where neither has one, and in the padding. */
static __device__ void complete(const Rows &rows, int width, Shared &shared)
{
    const int me = static_cast<int>(threadIdx.x);
    if (me < ENDS) {
        const double left = shared.end[0][me], right = shared.end[1][me];
        const bool none = (left == 0 && right == 0) || sino_panel_first(rows.panels) + me % width >= rows.slice_count;
        shared.end[0][me] = none ? 1 : left > 0 ? left : right;
        shared.end[1][me] = none ? 1 : right > 0 ? right : left;
    }
    __syncthreads();
}

static __device__ __forceinline__ float logarithm(double line, float)
{
    return logf(static_cast<float>(line));
}

static __device__ __forceinline__ double logarithm(double line, double)
{
    return log(line);
}

/* Adds the logarithm of the line to a row, by packs of N values of one column. left, right: of slice 0. */
template <int N, class Real>
static __device__ __forceinline__ void add_line(int64_t column_count, int width, const double *left,
                                                const double *right, Real *row)
{
    const double share = 1 / static_cast<double>(column_count > 1 ? column_count - 1 : 1);
    const int shift = __ffs(width) - 1; /* the width is a power of two */
    for (int64_t i = threadIdx.x; i < column_count * width / N; i += THREADS) {
        const int slice = static_cast<int>(i * N) & (width - 1);
        const double at = static_cast<double>(i * N >> shift) * share;
        SinoPack<Real, N> pack = sino_pack_load<Real, N>(row + i * N);
        for (int e = 0; e < N; e++) {
            const double line = left[slice + e] + (right[slice + e] - left[slice + e]) * at;
            const Real value = pack.value[e], sum = value + logarithm(line, value) + Real(0);
            pack.value[e] = sino_is_undefined(value) ? value : sum;
        }
        sino_pack_store(row + i * N, pack);
    }
}

/* Grid x: rows, y: panels. */
template <class Real> static __global__ void __launch_bounds__(THREADS) air_kernel(Rows rows, Real *sinogram)
{
    SINO_SHARED(Shared, shared, 1);
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    const int width = sino_panel_slices(rows.panels), together = rows_of_block(width);
    const int64_t step = static_cast<int64_t>(gridDim.x) * together;
    for (int64_t k = static_cast<int64_t>(blockIdx.x) * together; k < rows.angle_count; k += step) {
        find_means(rows, sinogram, k, width, shared[0]);
        complete(rows, width, shared[0]);
        for (int r = 0; r < together && k + r < rows.angle_count; r++) {
            Real *const row = row_at(rows, sinogram, sino_panel_first(rows.panels), width, k + r);
            const double *const left = shared[0].end[0] + r * width, *const right = shared[0].end[1] + r * width;
            if (width >= full)
                add_line<full>(rows.column_count, width, left, right, row);
            else
                add_line<1>(rows.column_count, width, left, right, row);
        }
        __syncthreads();
    }
}

template <class Real> static SinoStatus launch(cudaStream_t stream, const Rows &rows, void *sinogram)
{
    const int width = rows.panels.stride < rows.panels.width ? rows.panels.stride : rows.panels.width;
    const dim3 blocks(sino_blocks_for(rows.angle_count, ENDS / width, BLOCKS_MAX), sino_panels_count(rows.panels));
    return sino_launch(SinoLaunch{"air", blocks, THREADS, 0, stream}, air_kernel<Real>, rows,
                       static_cast<Real *>(sinogram));
}

SinoStatus sino_air_normalise_cuda(cudaStream_t stream, const SinoAir *air, SinoSlices slices, const int64_t *place,
                                   void *sinogram)
{
    const Rows rows = {sino_panels_of(slices),
                       static_cast<int>(slices.slice_count),
                       air->angle_count,
                       air->column_count,
                       air->width,
                       place};
    assert(air->width >= 1 && air->width <= air->column_count);
    if (air->angle_count == 0) return NULL;
    return slices.precision == SINO_DOUBLE ? launch<double>(stream, rows, sinogram)
                                           : launch<float>(stream, rows, sinogram);
}
