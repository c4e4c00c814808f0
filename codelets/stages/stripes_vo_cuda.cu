/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, algorithms 4 to 6 of Vo et al. (stripes_vo.c): a warp makes a number of each column, a block per
 * slice finds the columns whose numbers stand out. Sums are in double, in an order that depends on the numbers of
 * angles and columns alone. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"
#include "stripes_radix_cuda.cuh"

enum { THREADS = 256, WARP = 32, WARPS = THREADS / WARP };

static __device__ __forceinline__ int column_of_warp()
{
    return static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / WARP;
}

/* ratio: a warp adds the distances of one column's values from the mean of those around. Grid x: columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) fluctuation_kernel(SinoStripesGathered at)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, column = column_of_warp(), count = at.angle_count;
    if (column >= at.column_count) return; /* a whole warp */
    const float *const values = at.values + blockIdx.y * at.slice_values + column * at.pitch;
    double sum = 0, magnitudes = 0;
    for (int k = lane; k < count; k += WARP) {
        double around = 0;
        for (int i = -SINO_STRIPES_MEAN_WINDOW / 2; i < SINO_STRIPES_MEAN_WINDOW / 2; i++)
            around += static_cast<double>(values[sino_stripes_mirrored_far(k + i, count)]);
        sum += fabs(static_cast<double>(values[k]) - around / SINO_STRIPES_MEAN_WINDOW);
        magnitudes += fabs(static_cast<double>(values[k]));
    }
    sum = sino_stripes_add_lanes(sum);
    magnitudes = sino_stripes_add_lanes(magnitudes);
    if (lane == 0)
        at.ratio[blockIdx.y * static_cast<int64_t>(at.column_count) + column] =
            sino_stripes_fluctuation(sum, magnitudes);
}

/* A warp finds the mean of one sorted column without `drop` values at each end. Grid as of fluctuation_kernel. */
static __global__ void __launch_bounds__(THREADS)
    mean_kernel(SinoStripesGathered at, int drop, const float *sorted, double *mean)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, column = column_of_warp(), end = at.angle_count - drop;
    if (column >= at.column_count) return; /* a whole warp */
    const float *const values = sorted + blockIdx.y * at.slice_values + column * at.pitch;
    double sum = 0;
    for (int k = drop + lane; k < end; k += WARP) sum += static_cast<double>(values[k]);
    sum = sino_stripes_add_lanes(sum);
    if (lane == 0) mean[blockIdx.y * static_cast<int64_t>(at.column_count) + column] = sum / (end - drop);
}

/* smooth: the median of the ratios of `size` columns. Grid x: columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) smooth_kernel(SinoStripesGathered at, int size)
{
    const int column = static_cast<int>(blockIdx.x * THREADS + threadIdx.x), count = at.column_count;
    const int64_t of_slice = blockIdx.y * static_cast<int64_t>(count);
    const double *const ratio = at.ratio + of_slice;
    if (column >= count) return;
    at.smooth[of_slice + column] = static_cast<double>(sino_stripes_bit_median(size, [&](int w) {
        return static_cast<float>(ratio[sino_stripes_mirrored_once(column - size / 2 + w, count)]);
    }));
}

static __device__ __forceinline__ SinoElement element_of(double value)
{
    const SinoElement sign = SinoElement(1) << 63, bits = static_cast<SinoElement>(__double_as_longlong(value));
    return bits & sign ? ~bits : bits | sign;
}

static __device__ __forceinline__ double value_of(SinoElement element)
{
    const SinoElement sign = SinoElement(1) << 63;
    return __longlong_as_double(static_cast<long long>(element & sign ? element & ~sign : ~element));
}

/* The sum over the block, for all its threads. */
static __device__ double add_threads(double mine, double *tree)
{
    const int me = static_cast<int>(threadIdx.x);
    tree[me] = mine;
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (me < half) tree[me] += tree[me + half];
    }
    __syncthreads();
    const double sum = tree[0];
    __syncthreads();
    return sum;
}

/* Ratios that stand out: above `above`, or at most `below`. */
struct Usual {
    double above, below;
};

/* A line through the central values of the descending ratios tells the noise, and how far the extremes are off it.
 * sequence: ascending elements. */
static __device__ Usual find_usual(int count, int drop, double snr, const SinoElement *sequence, double *tree)
{
    const int used = count - 2 * drop - 1, me = static_cast<int>(threadIdx.x);
    const double none = static_cast<double>(INFINITY), middle = drop + (used - 1) / 2.0;
    double y = 0, xy = 0;
    if (used < 2) return {none, -none};
    for (int i = drop + me; i < drop + used; i += THREADS) y += value_of(sequence[count - 1 - i]) / used;
    y = add_threads(y, tree);
    for (int i = drop + me; i < drop + used; i += THREADS) xy += (i - middle) * (value_of(sequence[count - 1 - i]) - y);
    const double xx = static_cast<double>(used) * (static_cast<double>(used) * used - 1) / 12;
    const double slope = add_threads(xy, tree) / xx, first = y - slope * middle, last = first + slope * (count - 1);
    const double noise = snr * fmax(fabs(last - first), SINO_STRIPES_LEAST_NOISE);
    const bool high = fabs(value_of(sequence[count - 1]) - first) >= noise;
    const bool low = fabs(value_of(sequence[0]) - last) >= noise;
    return {high ? first + noise * SINO_STRIPES_THRESHOLD_SHARE : none,
            low ? last - noise * SINO_STRIPES_THRESHOLD_SHARE : -none};
}

/* Divides the ratios by the smooth ones. found: columns of `margin` … whose ratio stands out, and their neighbours. A
 * block per slice. */
static __global__ void __launch_bounds__(THREADS, 2)
    outstanding_kernel(SinoStripesGathered at, int drop, int margin, double snr, uint8_t *found)
{
    SINO_SHARED(double, tree, THREADS);
    const int me = static_cast<int>(threadIdx.x), count = at.column_count;
    const int64_t of_slice = blockIdx.x * static_cast<int64_t>(count);
    double *const ratio = at.ratio + of_slice;
    SinoElement *const sequence = at.sequence + 2 * of_slice;
    for (int c = me; c < count; c += THREADS) {
        const double smooth = at.smooth[of_slice + c];
        ratio[c] = smooth != 0 ? ratio[c] / smooth : 1;
        sequence[c] = element_of(ratio[c]);
    }
    __syncthreads();
    sino_radix_sort<THREADS, 0>(count, sequence, sequence + count);
    const Usual usual = find_usual(count, drop, snr, sequence, tree);
    for (int c = me; c < count; c += THREADS) {
        bool near = false;
        for (int i = max(c - 1, 0); i <= min(c + 1, count - 1); i++)
            near |= ratio[i] > usual.above || ratio[i] <= usual.below;
        found[of_slice + c] = near && c >= margin && c < count - margin;
    }
}

/* A block interpolates a dead column between the nearest ones that are not; those at the ends never are. Grid x:
 * columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) interpolate_kernel(SinoStripesGathered at)
{
    const int column = static_cast<int>(blockIdx.x);
    const uint8_t *const dead = at.dead + blockIdx.y * static_cast<int64_t>(at.column_count);
    if (!dead[column]) return;
    int left = column - 1, right = column + 1;
    while (dead[left]) left--;
    while (dead[right]) right++;
    float *const values = at.values + blockIdx.y * at.slice_values;
    const float share = static_cast<float>(column - left) / static_cast<float>(right - left);
    for (int k = static_cast<int>(threadIdx.x); k < at.angle_count; k += THREADS)
        values[column * at.pitch + k] =
            sino_stripes_between(values[left * at.pitch + k], values[right * at.pitch + k], share);
}

/* A block puts the values of a column back to their angles, divided by the column's sensitivity, or of a large stripe
 * the medians of their ranks; the array that is not read is where they are put together. Grid as of interpolate_kernel.
 */
template <class Rank> static __global__ void __launch_bounds__(THREADS) restore_kernel(SinoStripesGathered at)
{
    const int column = static_cast<int>(blockIdx.x), me = static_cast<int>(threadIdx.x);
    const int64_t of_slice = blockIdx.y * static_cast<int64_t>(at.column_count) + column;
    const int64_t first = blockIdx.y * at.slice_values + column * at.pitch;
    const Rank *const ranks = static_cast<const Rank *>(at.ranks) + first;
    const bool is_large = at.large[of_slice] != 0, is_usable = at.ratio[of_slice] > 0; /* the order of values stays */
    const float factor = is_usable && !is_large ? static_cast<float>(1 / at.ratio[of_slice]) : 1.0F;
    const float *const from = (is_large ? at.medians : at.values) + first;
    float *const to = (is_large ? at.values : at.medians) + first;
    for (int k = me; k < at.angle_count; k += THREADS) to[k] = from[ranks[k]] * factor;
    if (is_large) return; /* the whole block */
    __syncthreads();
    for (int k = me; k < at.angle_count; k += THREADS) at.values[first + k] = to[k];
}

/* The grids of kernels with a warp per column, and with a block per column. */
struct Grids {
    dim3 warps, blocks;
};

static Grids grids_of(const SinoStripesGathered &at)
{
    const unsigned slices = static_cast<unsigned>(at.slice_count);
    return {dim3(sino_blocks_for(at.column_count, WARPS, INT32_MAX), slices),
            dim3(static_cast<unsigned>(at.column_count), slices)};
}

static SinoStatus find_outstanding(cudaStream_t stream, const SinoStripesOptions *options,
                                   const SinoStripesGathered &at, int margin, uint8_t *found)
{
    const int drop = static_cast<int>(sino_stripes_dropped_columns(at.column_count));
    return sino_launch(SinoLaunch{"stripes_outstanding", static_cast<unsigned>(at.slice_count), THREADS, 0, stream},
                       outstanding_kernel, at, drop, margin, options->snr, found);
}

/* Algorithm 6. */
static SinoStatus remove_dead(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at,
                              int size)
{
    const Grids grids = grids_of(at);
    const dim3 threads(sino_blocks_for(at.column_count, THREADS, INT32_MAX), static_cast<unsigned>(at.slice_count));
    SINO_TRY(sino_launch(SinoLaunch{"stripes_fluctuation", grids.warps, THREADS, 0, stream}, fluctuation_kernel, at));
    SINO_TRY(sino_launch(SinoLaunch{"stripes_smooth", threads, THREADS, 0, stream}, smooth_kernel, at, size));
    SINO_TRY(find_outstanding(stream, options, at, SINO_STRIPES_MARGIN, at.dead));
    return sino_launch(SinoLaunch{"stripes_interpolate", grids.blocks, THREADS, 0, stream}, interpolate_kernel, at);
}

/* Algorithm 5. */
static SinoStatus remove_large(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at,
                               int size)
{
    const Grids grids = grids_of(at);
    const int drop = static_cast<int>(sino_stripes_dropped_angles(at.angle_count));
    const SinoLaunch mean = {"stripes_mean", grids.warps, THREADS, 0, stream};
    const SinoLaunch restore = {"stripes_restore", grids.blocks, THREADS, 0, stream};
    SINO_TRY(sino_stripes_sort_cuda(stream, &at, size));
    SINO_TRY(sino_launch(mean, mean_kernel, at, drop, at.values, at.ratio));
    SINO_TRY(sino_launch(mean, mean_kernel, at, drop, at.medians, at.smooth));
    SINO_TRY(find_outstanding(stream, options, at, 0, at.large));
    return at.angle_count > SINO_STRIPES_SHARED_MOST ? sino_launch(restore, restore_kernel<uint32_t>, at)
                                                     : sino_launch(restore, restore_kernel<uint16_t>, at);
}

SinoStatus sino_stripes_vo_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at)
{
    const int size = static_cast<int>(sino_stripes_fitting(sino_stripes_large_size(options), options->column_count));
    SINO_TRY(remove_dead(stream, options, *at, size));
    return remove_large(stream, options, *at, size);
}
