/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, the Fourier-wavelet method (stripes_fw.c). Neighbouring threads have neighbouring rows, which are
 * adjacent.
 *
 * What is removed of a band are its lowest frequencies along the angles, whose share falls as exp(−f²/2σ²). So a band's
 * columns are projected on the few frequencies of which more than share_least is removed, by their sums with sines and
 * cosines, and no transform is needed. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"
#include "stripes_wavelet_cuda.cuh"

enum {
    THREADS = 128,
    WARP = 32,
    WARPS = THREADS / WARP,
    FREQUENCIES = 64, /* that a block holds at a time */
    ROWS_MAX = 65535  /* blocks along the rows */
};

static constexpr double share_least = 1e-9;

/* An array [slice][column][row]. */
struct Array {
    float *first;
    int64_t slice_values, pitch;
    int rows, columns;

    __device__ __forceinline__ float *column(int slice, int c) const
    {
        return first + slice * slice_values + c * pitch;
    }
};

/* A block has rows of one column; grid x: columns, y: rows, z: slices. */
struct Here {
    int column, row, step, slice;
};

static __device__ __forceinline__ Here here()
{
    return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y * THREADS + threadIdx.x),
            static_cast<int>(gridDim.y) * THREADS, static_cast<int>(blockIdx.z)};
}

/* to: the smooth part along the rows of `from`, which has `before` zeros before it and is `rows` long with those and
 * the ones after it. */
static __global__ void __launch_bounds__(THREADS) smooth_rows_kernel(Array from, int before, int rows, Array to)
{
    const Here at = here();
    const float *const column = from.column(at.slice, at.column);
    for (int i = at.row; i < to.rows; i += at.step) {
        float sum = 0;
#pragma unroll
        for (int j = 0; j < SINO_STRIPES_TAPS; j++) {
            const int row = sino_stripes_mirrored_far(2 * i + 2 - SINO_STRIPES_TAPS + j, rows) - before;
            if (row >= 0 && row < from.rows) sum += sino_stripes_tap(j) * column[row];
        }
        to.column(at.slice, at.column)[i] = sum;
    }
}

/* The smooth and the rough part across the columns of `from`. */
static __global__ void __launch_bounds__(THREADS) split_columns_kernel(Array from, Array smooth, Array rough)
{
    const Here at = here();
    const float *column[SINO_STRIPES_TAPS];
#pragma unroll
    for (int j = 0; j < SINO_STRIPES_TAPS; j++)
        column[j] =
            from.column(at.slice, sino_stripes_mirrored_far(2 * at.column + 2 - SINO_STRIPES_TAPS + j, from.columns));
    for (int i = at.row; i < smooth.rows; i += at.step) {
        float low = 0, high = 0;
#pragma unroll
        for (int j = 0; j < SINO_STRIPES_TAPS; j++) {
            const float value = column[j][i];
            low += sino_stripes_tap(j) * value;
            high += (j % 2 ? -1.0F : 1.0F) * sino_stripes_tap(SINO_STRIPES_TAPS - 1 - j) * value;
        }
        smooth.column(at.slice, at.column)[i] = low;
        rough.column(at.slice, at.column)[i] = high;
    }
}

/* What a column has of one frequency: its sums with cosines and sines, times the share of it that is removed. */
struct Part {
    float cosine, sine;
};

/* cos and sin of π·turn·each. */
static __device__ __forceinline__ Part wave(int turn, float each)
{
    Part of;
    sincospif(static_cast<float>(turn) * each, &of.sine, &of.cosine);
    return of;
}

/* A warp finds what a column has of frequency f; in lane 0. */
static __device__ __forceinline__ Part part_of(const float *column, int rows, int f, double sigma)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, step = static_cast<int>(int64_t(WARP) * f % rows);
    int turn = static_cast<int>(int64_t(lane) * f % rows);
    const float each = 2.0F / static_cast<float>(rows);
    Part sum = {0, 0};
    for (int row = lane; row < rows; row += WARP) {
        const Part of = wave(turn, each);
        sum.cosine += column[row] * of.cosine;
        sum.sine += column[row] * of.sine;
        turn += step;
        if (turn >= rows) turn -= rows;
    }
    const double signs = f == 0 || 2 * f == rows ? 1 : 2; /* of frequencies */
    const float share = static_cast<float>(signs * sino_stripes_removed_share(rows, f, sigma) / rows);
    return {share * sino_stripes_add_lanes(sum.cosine), share * sino_stripes_add_lanes(sum.sine)};
}

/* A block per column finds what is removed of it: frequencies 0 … count − 1. Grid x: columns, y: slices. */
static __global__ void __launch_bounds__(THREADS) remove_kernel(Array rough, Array removed, int count, double sigma)
{
    SINO_SHARED(Part, part, FREQUENCIES);
    const int me = static_cast<int>(threadIdx.x), rows = rough.rows, slice = static_cast<int>(blockIdx.y);
    const float *const from = rough.column(slice, static_cast<int>(blockIdx.x));
    float *const to = removed.column(slice, static_cast<int>(blockIdx.x));
    const float each = 2.0F / static_cast<float>(rows);
    for (int first = 0; first < count; first += FREQUENCIES) {
        const int held = min(count - first, static_cast<int>(FREQUENCIES));
        for (int f = me / WARP; f < held; f += WARPS) {
            const Part of = part_of(from, rows, first + f, sigma);
            if (me % WARP == 0) part[f] = of;
        }
        __syncthreads();
        for (int row = me; row < rows; row += THREADS) {
            float sum = first ? to[row] : 0.0F;
            int turn = static_cast<int>(int64_t(first) * row % rows);
            for (int f = 0; f < held; f++) {
                const Part of = wave(turn, each);
                sum += part[f].cosine * of.cosine + part[f].sine * of.sine;
                turn += row;
                if (turn >= rows) turn -= rows;
            }
            to[row] = sum;
        }
        __syncthreads();
    }
}

/* to: columns by their smooth part, if there is one yet, and what is removed of their rough part. */
static __global__ void __launch_bounds__(THREADS)
    join_columns_kernel(Array smooth, bool has_smooth, Array removed, Array to)
{
    const Here at = here();
    const int first = at.column / 2, phase = at.column % 2;
    for (int i = at.row; i < to.rows; i += at.step) {
        const float *const rough = removed.column(at.slice, first) + i;
        float sum = sino_stripes_join_rough(rough, removed.pitch, phase);
        if (has_smooth) sum += sino_stripes_join(smooth.column(at.slice, first) + i, smooth.pitch, phase);
        to.column(at.slice, at.column)[i] = sum;
    }
}

/* to: rows by their smooth part. */
static __global__ void __launch_bounds__(THREADS) join_rows_kernel(Array from, Array to)
{
    const Here at = here();
    for (int i = at.row; i < to.rows; i += at.step)
        to.column(at.slice, at.column)[i] = sino_stripes_join(from.column(at.slice, at.column) + i / 2, 1, i % 2);
}

static Array array_of(float *first, int64_t slice_values, int rows, int columns)
{
    return {first, slice_values, sino_stripes_pitch(rows), rows, columns};
}

/* The arrays of level l of those of a sinogram, and of the level above it. */
struct Level {
    int rows, columns; /* of the level above, zeros included */
    Array half, small, rough, removed;
};

static Level level_of(const SinoStripesOptions *options, const SinoStripesGathered &at, int l)
{
    int64_t rows = sino_stripes_padded_rows(options->angle_count), columns = options->column_count, before = 0;
    for (int i = 1; i < l; i++) {
        rows = sino_stripes_half(rows);
        columns = sino_stripes_half(columns);
        before += columns * sino_stripes_pitch(rows);
    }
    const int half_rows = static_cast<int>(sino_stripes_half(rows)), all = static_cast<int>(columns);
    const int half_columns = static_cast<int>(sino_stripes_half(columns));
    Level level = {static_cast<int>(rows),
                   all,
                   array_of(at.half, at.half_values, half_rows, all),
                   array_of(at.small, at.small_values, half_rows, half_columns),
                   array_of(at.rough, at.small_values, half_rows, half_columns),
                   array_of(at.removed + before, at.removed_values, half_rows, half_columns)};
    return level;
}

static SinoLaunch over(const char *name, cudaStream_t stream, const SinoStripesGathered &at, const Array &to)
{
    return {name,
            dim3(static_cast<unsigned>(to.columns), sino_blocks_for(to.rows, THREADS, ROWS_MAX),
                 static_cast<unsigned>(at.slice_count)),
            THREADS, 0, stream};
}

/* Frequencies of which enough is removed: those below the result. */
static int frequencies_of(int rows, double sigma)
{
    int f = 1;
    while (2 * f <= rows && sino_stripes_removed_share(rows, f, sigma) > share_least) f++;
    return f;
}

/* Makes level l of the one above, and what is removed at it. */
static SinoStatus descend(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at, int l)
{
    const Level level = level_of(options, at, l);
    const int angles = at.angle_count, before = l == 1 ? (level.rows - angles) / 2 : 0;
    const Array whole = {at.values, at.slice_values, at.pitch, angles, at.column_count};
    const Array above = array_of(at.small, at.small_values, level.rows, level.columns);
    const SinoLaunch remove = {"stripes_remove",
                               dim3(static_cast<unsigned>(level.rough.columns), static_cast<unsigned>(at.slice_count)),
                               THREADS, 0, stream};
    SINO_TRY(sino_launch(over("stripes_smooth_rows", stream, at, level.half), smooth_rows_kernel,
                         l == 1 ? whole : above, before, level.rows, level.half));
    SINO_TRY(sino_launch(over("stripes_split_columns", stream, at, level.small), split_columns_kernel, level.half,
                         level.small, level.rough));
    return sino_launch(remove, remove_kernel, level.rough, level.removed,
                       frequencies_of(level.rough.rows, options->fw_sigma), options->fw_sigma);
}

/* Makes what is removed at level l and below it of the level above; of the sinogram itself only smooth along the
 * angles. */
static SinoStatus ascend(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at, int l,
                         bool is_last)
{
    const Level level = level_of(options, at, l);
    const Array above = array_of(at.small, at.small_values, level.rows, level.columns);
    SINO_TRY(sino_launch(over("stripes_join_columns", stream, at, level.half), join_columns_kernel, level.small,
                         !is_last, level.removed, level.half));
    if (l == 1) return NULL;
    return sino_launch(over("stripes_join_rows", stream, at, above), join_rows_kernel, level.half, above);
}

SinoStatus sino_stripes_fw_cuda(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered *at)
{
    const int levels = sino_stripes_levels(options);
    for (int l = 1; l <= levels; l++) SINO_TRY(descend(stream, options, *at, l));
    for (int l = levels; l >= 1; l--) SINO_TRY(ascend(stream, options, *at, l, l == levels));
    return NULL;
}
