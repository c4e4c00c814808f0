/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, Titarenko's method (stripes_ti.c): sums of the values by angle and by column, then one block per
 * slice solves the equations of both orders of differences, then the product of both corrections.
 *
 * The equations have five diagonals; L D Lᵀ needs the two columns before, which a thread keeps in registers. A slice's
 * sums are added in an order that depends on the numbers of angles and columns alone. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"

enum { THREADS = 256, WARP = 32, WARPS = THREADS / WARP, ORDERS = 2 };

/* The angles first … end − 1, which have offsets of their own. */
struct Block {
    int first, end;
};

/* A thread adds the values of one angle, in double. Grid x: angles, y: slices. */
static __global__ void __launch_bounds__(THREADS) sums_kernel(SinoStripesGathered at, Block block)
{
    const int angle = block.first + static_cast<int>(blockIdx.x * THREADS + threadIdx.x);
    const float *const values = at.values + blockIdx.y * at.slice_values + angle;
    double sum = 0;
    if (angle >= block.end) return;
#pragma unroll 8
    for (int c = 0; c < at.column_count; c++) sum += static_cast<double>(values[c * at.pitch]);
    at.sums[blockIdx.y * at.pitch + angle] = sum;
}

/* A warp finds the mean of one column over the block's angles. Grid x: columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) means_kernel(SinoStripesGathered at, Block block)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    const int column = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / WARP;
    if (column >= at.column_count) return; /* a whole warp */
    const float *const values = at.values + blockIdx.y * at.slice_values + column * at.pitch;
    double sum = 0;
    for (int k = block.first + lane; k < block.end; k += WARP) sum += static_cast<double>(values[k]);
    sum = sino_stripes_add_lanes(sum);
    if (lane == 0)
        at.means[blockIdx.y * static_cast<int64_t>(at.column_count) + column] = sum / (block.end - block.first);
}

/* α by the range of the sums of a slice's angles; INFINITY: they are all alike. All threads get it. */
static __device__ double find_alpha(const double *sums, Block block)
{
    SINO_SHARED(double, least, THREADS);
    SINO_SHARED(double, most, THREADS);
    const int me = static_cast<int>(threadIdx.x);
    least[me] = INFINITY;
    most[me] = -INFINITY;
    for (int k = block.first + me; k < block.end; k += THREADS) {
        least[me] = fmin(least[me], sums[k]);
        most[me] = fmax(most[me], sums[k]);
    }
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (me < half) least[me] = fmin(least[me], least[me + half]);
        if (me < half) most[me] = fmax(most[me], most[me + half]);
    }
    __syncthreads();
    const double range = most[0] - least[0];
    return range > 0 ? 1 / (2 * range) : static_cast<double>(INFINITY);
}

/* Tap i of D: 1, −1 of first differences, −1, 2, −1 of second ones. */
static __device__ __forceinline__ double tap(int order, int i)
{
    return order ? (i == 1 ? 2 : -1) : (i == 0 ? 1 : -1);
}

/* The numbers of the rows of D that have taps in columns c and c + apart: first … last, or none. */
struct Taps {
    int first, last;
};

static __device__ __forceinline__ Taps taps_of(int order, int count, int c, int apart)
{
    const int taps = order + 2;
    return {max(c + apart - taps + 1, 0), min(c, count - taps)};
}

/* (DᵀD)[c][c + apart]. */
static __device__ __forceinline__ double band_of(int order, int count, int c, int apart)
{
    const Taps rows = taps_of(order, count, c, apart);
    double sum = 0;
    for (int row = rows.first; row <= rows.last; row++) sum += tap(order, c - row) * tap(order, c + apart - row);
    return sum;
}

/* (−DᵀD mean)[c]. */
static __device__ __forceinline__ double right_of(int order, int count, int c, const double *mean)
{
    const Taps rows = taps_of(order, count, c, 0);
    double sum = 0;
    for (int row = rows.first; row <= rows.last; row++) {
        double dot = 0;
        for (int i = 0; i < order + 2; i++) dot += tap(order, i) * mean[row + i];
        sum -= tap(order, c - row) * dot;
    }
    return sum;
}

/* Solves (DᵀD + α) offset = −DᵀD mean by L D Lᵀ. `offset` holds the right side, below[c] and below[count + c] get the
 * subdiagonals of L. */
static __device__ void solve(int order, int count, double alpha, double *below, double *offset)
{
    double pivot[2] = {0, 0}, one[2] = {0, 0}, two[2] = {0, 0}, known[2] = {0, 0}; /* of columns c − 1, c − 2 */
    for (int c = 0; c < count; c++) {
        const double here =
            band_of(order, count, c, 0) + alpha - one[0] * one[0] * pivot[0] - two[1] * two[1] * pivot[1];
        const double inverse = 1 / here;
        const double next = (band_of(order, count, c, 1) - two[0] * one[0] * pivot[0]) * inverse;
        const double after = band_of(order, count, c, 2) * inverse;
        const double right = offset[c] - one[0] * known[0] - two[1] * known[1];
        below[c] = next;
        below[count + c] = after;
        offset[c] = right * inverse;
        pivot[1] = pivot[0];
        pivot[0] = here;
        one[1] = one[0];
        one[0] = next;
        two[1] = two[0];
        two[0] = after;
        known[1] = known[0];
        known[0] = right;
    }
    double first = 0, second = 0; /* of the columns c + 1, c + 2 */
    for (int c = count - 1; c >= 0; c--) {
        const double found = offset[c] - below[c] * first - below[count + c] * second;
        offset[c] = found;
        second = first;
        first = found;
    }
}

/* A block per slice: all threads make the equations' right sides, then a thread of each of two warps solves those of
 * one order. */
static __global__ void __launch_bounds__(THREADS) solve_kernel(SinoStripesGathered at, Block block)
{
    const int me = static_cast<int>(threadIdx.x), count = at.column_count;
    const int64_t slice = blockIdx.x;
    const double alpha = find_alpha(at.sums + slice * at.pitch, block);
    const bool is_even = alpha > 1e300;
    const double *const mean = at.means + slice * count;
    double *const offsets = at.offsets + slice * ORDERS * count;
    for (int i = me; i < ORDERS * count; i += THREADS)
        offsets[i] = is_even ? 0 : right_of(i / count, count, i % count, mean);
    __syncthreads();
    const int order = me / WARP;
    if (me % WARP == 0 && order < ORDERS && !is_even)
        solve(order, count, alpha, at.below + (slice * ORDERS + order) * 2 * count, offsets + order * count);
}

/* Replaces the values of one column by the product of both corrections. Grid x: columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) multiply_kernel(SinoStripesGathered at, Block block)
{
    const int64_t column = blockIdx.x, slice = blockIdx.y, of_slice = slice * ORDERS * at.column_count;
    const float first = static_cast<float>(at.offsets[of_slice + column]);
    const float second = static_cast<float>(at.offsets[of_slice + at.column_count + column]);
    float *const values = at.values + slice * at.slice_values + column * at.pitch;
    unsigned least = 0;
    for (int k = block.first + static_cast<int>(threadIdx.x); k < block.end; k += THREADS) {
        const float product = (values[k] + first) * (values[k] + second);
        values[k] = product;
        least = max(least, ~sino_stripes_key(product));
    }
    for (int half = WARP / 2; half >= 1; half /= 2) least = max(least, __shfl_xor_sync(0xffffffffu, least, half));
    if (threadIdx.x % WARP == 0) atomicMax(&at.least[slice], least);
}

static SinoStatus run_block(cudaStream_t stream, const SinoStripesGathered &at, Block block)
{
    const unsigned slices = static_cast<unsigned>(at.slice_count), columns = static_cast<unsigned>(at.column_count);
    const dim3 by_angle(sino_blocks_for(block.end - block.first, THREADS, INT32_MAX), slices);
    const dim3 by_column(sino_blocks_for(at.column_count, WARPS, INT32_MAX), slices);
    SINO_TRY(sino_launch(SinoLaunch{"stripes_sums", by_angle, THREADS, 0, stream}, sums_kernel, at, block));
    SINO_TRY(sino_launch(SinoLaunch{"stripes_means", by_column, THREADS, 0, stream}, means_kernel, at, block));
    SINO_TRY(sino_launch(SinoLaunch{"stripes_solve", slices, THREADS, 0, stream}, solve_kernel, at, block));
    return sino_launch(SinoLaunch{"stripes_multiply", dim3(columns, slices), THREADS, 0, stream}, multiply_kernel, at,
                       block);
}

SinoStatus sino_stripes_ti_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at)
{
    const int64_t asked = options->ti_nblock > 0 ? options->ti_nblock : 1, angles = options->angle_count;
    const int64_t blocks = asked < angles ? asked : angles;
    SINO_TRY(sino_clear(stream, at->least, SINO_STRIPES_SLICES * sizeof *at->least));
    for (int64_t b = 0; b < blocks; b++) {
        const Block block = {static_cast<int>(b * angles / blocks), static_cast<int>((b + 1) * angles / blocks)};
        SINO_TRY(run_block(stream, *at, block));
    }
    return NULL;
}
