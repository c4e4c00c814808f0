/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission on a GPU: the kernel `read` divides counts by the light that was there without the object, and marks
 * undefined values. In `complete` a warp interpolates the gaps of a line, if it has any, and continues it. */
#include "panel_cuda.cuh"
#include "plausible.h"

#include <float.h>

extern "C" {
#include "transmission_cuda.h"
}

enum {
    WARP = 32,
    THREADS = 256,
    WARPS = THREADS / WARP,
    ANGLES_EACH = 8, /* angles of a thread that reads, at least */
    GRID_MAX = 65535
};

/* What the kernels read of a call. */
struct Rows {
    int64_t columns, row_count; /* of the images */
    int64_t first_row, line_count, continued, stride;
    int64_t first_angle, angle_count; /* of the images that are there */
    int64_t sets;                     /* of flat fields */
    bool flat_field;
    double saturation, plausible;
    float least, alone; /* least: transmissions are above */
    const double *flat_at;
    const float *flat, *dark;
    SinoTransmissionBounds *bounds;
    float *lines;
    int *undefined;
    uint8_t *marks;
};

static __device__ __forceinline__ int64_t row_of(const Rows &rows, int64_t line)
{
    return min(max(rows.first_row + line, int64_t(0)), rows.row_count - 1);
}

/* A warp per line: the limit is infinite if there is none, or if the flat field itself is overexposed in the row. */
static __global__ void __launch_bounds__(THREADS) bounds_kernel(Rows rows)
{
    SINO_SHARED(int, exponents_of, WARPS *SINO_EXPONENTS);
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;
    const int64_t step = static_cast<int64_t>(gridDim.x) * WARPS, pixels = rows.row_count * rows.columns;
    for (int64_t line = blockIdx.x * static_cast<int64_t>(WARPS) + warp; line < rows.line_count; line += step) {
        const float *const flat = rows.flat + row_of(rows, line) * rows.columns;
        int *const exponents = exponents_of + warp * SINO_EXPONENTS;
        long long saturated = 0;
        for (int e = lane; e < SINO_EXPONENTS; e += WARP) exponents[e] = 0;
        __syncwarp();
        for (int64_t s = 0; s < rows.sets && rows.flat_field; s++)
#pragma unroll 1
            for (int64_t c = lane; c < rows.columns; c += WARP) {
                const float value = flat[s * pixels + c];
                saturated += static_cast<double>(value) >= rows.saturation;
                atomicAdd(&exponents[sino_exponent_of(value)], 1);
            }
        __syncwarp();
        for (int by = WARP / 2; by > 0; by /= 2) saturated += __shfl_xor_sync(0xffffffffu, saturated, by);
        const bool none = rows.saturation <= 0 || saturated * 100 > rows.sets * rows.columns;
        if (lane == 0) {
            const float infinite = static_cast<float>(INFINITY);
            const double most = rows.plausible * (rows.flat_field ? sino_exponents_level(exponents) : 1);
            rows.bounds[line].limit = none ? infinite : static_cast<float>(rows.saturation);
            rows.bounds[line].plausible = rows.plausible > 0 ? static_cast<float>(most) : infinite;
        }
        __syncwarp();
    }
}

/* The light of a pixel at an angle between two sets of flat fields; NaN where one of them is implausible. */
static __device__ __forceinline__ float light_between(const Rows &rows, int64_t k, int64_t pixel, float most)
{
    const double at = rows.flat_at[k];
    const int64_t last = rows.sets - 1, set = at < static_cast<double>(last) ? static_cast<int64_t>(at) : last - 1;
    const float *const before = rows.flat + set * rows.row_count * rows.columns + pixel;
    const float share = static_cast<float>(at - static_cast<double>(set));
    const float after = before[rows.row_count * rows.columns];
    if (!(fabsf(*before) < most && fabsf(after) < most)) return static_cast<float>(NAN);
    return *before + (after - *before) * share;
}

/* The quotient of a value and its light; NaN where that is undefined. Without a flat field the light is 1. */
static __device__ __forceinline__ float divide(const Rows &rows, float value, float light, float dark,
                                               SinoTransmissionBounds bounds)
{
    const float full = light - dark, part = (value - dark) / full, most = bounds.plausible;
    const bool lit = full > 0 && light <= FLT_MAX && (!rows.flat_field || (fabsf(light) < most && fabsf(dark) < most));
    const bool within = value < bounds.limit && value < most && value > -most;
    return lit && within && part > rows.least && part <= FLT_MAX ? part : static_cast<float>(NAN);
}

/* Grid x: columns, y: lines, z: angles. */
template <class Count, bool SETS>
static __global__ void __launch_bounds__(THREADS) read_kernel(Rows rows, const Count *images)
{
    const int64_t c = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x, pixels = rows.row_count * rows.columns;
    if (c >= rows.columns) return;
    for (int64_t line = blockIdx.y; line < rows.line_count; line += gridDim.y) {
        const int64_t pixel = row_of(rows, line) * rows.columns + c;
        const float dark = rows.flat_field && rows.dark ? rows.dark[pixel] : 0;
        const SinoTransmissionBounds bounds = rows.bounds[line];
        float light = rows.flat_field ? rows.flat[pixel] : 1;
#pragma unroll 2
        for (int64_t k = blockIdx.z; k < rows.angle_count; k += gridDim.z) {
            if (SETS) light = light_between(rows, rows.first_angle + k, pixel, bounds.plausible);
            const float count = static_cast<float>(images[k * pixels + pixel]);
            const float value = divide(rows, count, light, dark, bounds);
            const int64_t at = k * rows.line_count + line;
            rows.lines[at * rows.stride + c] = value;
            rows.marks[at * rows.columns + c] = isnan(value) ? 1 : 0;
            if (isnan(value)) atomicAdd(&rows.undefined[at], 1);
        }
    }
}

/* The value of column c on the way from column `left` to `right`; left = −1: that of the right one. */
static __device__ __forceinline__ float between(int64_t left, float before, int64_t right, float after, int64_t c)
{
    const float share = static_cast<float>(c - left) / static_cast<float>(right - left);
    return left < 0 ? after : (1 - share) * before + share * after;
}

/* A warp interpolates a line's undefined values between the nearest defined columns. */
static __device__ void fill_line(int64_t columns, float alone, float *line)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP;
    int64_t left = -1; /* the last defined column so far */
    float before = alone;
    for (int64_t first = 0; first < columns; first += WARP) {
        const float value = first + lane < columns ? line[first + lane] : static_cast<float>(NAN);
        const unsigned defined = __ballot_sync(0xffffffffu, !isnan(value));
        if (defined == 0) continue;
        const int low = __ffs(static_cast<int>(defined)) - 1, high = WARP - 1 - __clz(static_cast<int>(defined));
        const unsigned below = defined & ((1u << lane) - 1), above = defined & ~((2u << lane) - 1);
        const int from = below ? WARP - 1 - __clz(static_cast<int>(below)) : low;
        const int to = above ? __ffs(static_cast<int>(above)) - 1 : high;
        const float at_low = __shfl_sync(0xffffffffu, value, low), at_high = __shfl_sync(0xffffffffu, value, high);
        const float at_from = __shfl_sync(0xffffffffu, value, from), at_to = __shfl_sync(0xffffffffu, value, to);
#pragma unroll 1
        for (int64_t c = left + 1 + lane; c < first + low; c += WARP)
            line[c] = between(left, before, first + low, at_low, c);
        if (isnan(value) && below && above)
            line[first + lane] = between(first + from, at_from, first + to, at_to, first + lane);
        left = first + high;
        before = at_high;
    }
#pragma unroll 1
    for (int64_t c = left + 1 + lane; c < columns; c += WARP) line[c] = before;
}

/* A warp per line. */
static __global__ void __launch_bounds__(THREADS) complete_kernel(Rows rows)
{
    const int lane = static_cast<int>(threadIdx.x) % WARP, warp = static_cast<int>(threadIdx.x) / WARP;
    const int64_t step = static_cast<int64_t>(gridDim.x) * WARPS, end = rows.angle_count * rows.line_count;
    const int64_t middle = rows.columns + (rows.continued - rows.columns) / 2;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(WARPS) + warp; i < end; i += step) {
        float *const line = rows.lines + i * rows.stride;
        if (rows.undefined[i] > 0) fill_line(rows.columns, rows.alone, line);
        __syncwarp();
#pragma unroll 1
        for (int64_t c = rows.columns + lane; c < rows.continued; c += WARP)
            line[c] = line[c < middle ? rows.columns - 1 : 0];
    }
}

static Rows rows_of(const SinoTransmissionCuda *of)
{
    const SinoCorrection *const correction = of->from.correction;
    return {of->from.column_count,
            correction->row_count,
            of->first_row,
            of->line_count,
            of->continued,
            of->stride,
            0,
            0,
            correction->flat_sets > 1 ? correction->flat_sets : 1,
            correction->flat_field,
            correction->saturation,
            correction->plausible,
            correction->minus_log ? 0.0F : -static_cast<float>(INFINITY),
            of->alone,
            correction->flat_at,
            of->from.flat,
            of->from.dark,
            of->bounds,
            of->lines,
            of->undefined,
            of->marks};
}

SinoStatus sino_transmission_bounds_cuda(cudaStream_t stream, const SinoTransmissionCuda *of)
{
    const SinoLaunch at = {"transmission_bounds", sino_blocks_for(of->line_count, WARPS, GRID_MAX), THREADS, 0, stream};
    return sino_launch(at, bounds_kernel, rows_of(of));
}

template <class Count> static SinoStatus read(cudaStream_t stream, const Rows &rows, const void *images)
{
    const dim3 blocks(sino_blocks_for(rows.columns, THREADS, INT32_MAX), sino_blocks_for(rows.line_count, 1, GRID_MAX),
                      sino_blocks_for(rows.angle_count, ANGLES_EACH, GRID_MAX));
    return sino_launch(SinoLaunch{"transmission_read", blocks, THREADS, 0, stream},
                       rows.sets > 1 && rows.flat_field ? read_kernel<Count, true> : read_kernel<Count, false>, rows,
                       static_cast<const Count *>(images));
}

static SinoStatus read_input(cudaStream_t stream, SinoCorrectInput input, const Rows &rows, const void *images)
{
    switch (input) {
    case SINO_CORRECT_UINT8:
        return read<uint8_t>(stream, rows, images);
    case SINO_CORRECT_UINT16:
        return read<uint16_t>(stream, rows, images);
    default:
        return read<float>(stream, rows, images);
    }
}

SinoStatus sino_transmission_rows_cuda(cudaStream_t stream, const SinoTransmissionCuda *of, int64_t first,
                                       int64_t count, const void *images)
{
    Rows rows = rows_of(of);
    const int64_t lines = count * of->line_count;
    rows.first_angle = first;
    rows.angle_count = count;
    SINO_TRY(sino_clear(stream, of->undefined, static_cast<size_t>(lines) * sizeof *of->undefined));
    SINO_TRY(read_input(stream, of->from.correction->input, rows, images));
    return sino_launch(SinoLaunch{"transmission_complete", sino_blocks_for(lines, WARPS, GRID_MAX), THREADS, 0, stream},
                       complete_kernel, rows);
}
