/* SPDX-License-Identifier: BSD-3-Clause */
/* Gridding: Aᵀ on a GPU, for a batch of slices at a time. A kernel gathers projections from the panels, with zeros
 * behind them, cuFFT transforms them, and a kernel makes terms of the frequencies. For as many columns of the grid as
 * caches hold, a thread sums the terms under the window of its point: angles are sorted by direction, so that rays near
 * a point are neighbours, and each sum has one order. Near the origin, where rays meet, a warp has a point. cuFFT
 * transforms the columns, and a kernel transposes their points that are in rows of the slice. cuFFT transforms these
 * rows, and a last kernel divides them by the window's transform and writes the tiles. */
#include "slice_tiles.cuh"

#include <stdlib.h>

extern "C" {
#include "gridding_cuda.h"
#include "memory.h"
#include "polar_grid.h"
}

enum {
    TURN = 32, /* rows and columns that a block transposes */
    LINES = 8,
    THREADS = TURN * LINES,
    WARP = 32,
    MARGIN = SINO_POLAR_TAPS / 2, /* the window's half, in points */
    IMAGES = 3,
    GRID_MAX = 65535
};

static_assert(TURN * LINES == SINO_TILE_VOXELS, "tiles have as many threads as other blocks");

struct SinoGriddingCuda {
    SinoGriddingBatch batch;
    const int64_t *part_rows; /* of the host; not owned */
    int64_t part_count;
    void *ray, *tile, *inverse; /* device */
    float window[SINO_POLAR_POWERS];
    SinoCufftRows projections, columns, rows;
};

/* ---- terms ---- */

/* Projections of a batch, or their terms: [slice][angle], each of detector + 2 numbers. */
struct Projections {
    SinoPanels panels;
    int slice_count, first, count; /* of the minibatch; of the batch, padding included */
    int64_t columns, angles, detector;
    const SinoGriddingRay *ray;
    const float *b;
    float *rows;
};

/* Grid x: columns, y: angles. */
static __global__ void __launch_bounds__(THREADS) project_kernel(Projections of)
{
    const int64_t column = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x, stride = of.detector + 2;
    if (column >= stride) return;
    for (int64_t k = blockIdx.y; k < of.angles; k += gridDim.y)
        for (int s = 0; s < of.count; s++) {
            const int slice = of.first + s, first = slice / of.panels.width * of.panels.width;
            const int64_t width = min(of.panels.width, of.panels.stride - first);
            const bool is_data = column < of.columns && slice < of.slice_count;
            of.rows[(s * of.angles + k) * stride + column] =
                is_data ? of.b[first * of.angles * of.columns + (k * of.columns + column) * width + slice - first]
                        : 0.0f;
        }
}

static __device__ __forceinline__ float sinc(float t)
{
    return fabsf(t) < 1e-4f ? 1.0f : sinf(t) / t;
}

/* Grid x: frequencies, y: rays. */
static __global__ void __launch_bounds__(THREADS) terms_kernel(Projections of)
{
    const int64_t m = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x, half = of.detector / 2 + 1;
    if (m >= half) return;
    for (int64_t k = blockIdx.y; k < of.angles; k += gridDim.y) {
        const SinoGriddingRay ray = of.ray[k];
        const double turns = static_cast<double>(m) * ray.shift;
        const float at = static_cast<float>(m), one = (m == 0 ? 1.0f : 2.0f) / static_cast<float>(of.detector);
        const float size = one * sinc(at * ray.footprint[0]) * sinc(at * ray.footprint[1]);
        float sine, cosine;
        sincospif(2 * static_cast<float>(turns - floor(turns)), &sine, &cosine);
        for (int s = 0; s < of.count; s++) {
            float2 *const term = reinterpret_cast<float2 *>(of.rows) + (s * of.angles + ray.angle) * half + m;
            const float2 value = *term;
            const float imaginary = size * (value.x * sine + value.y * cosine);
            *term = make_float2(size * (value.x * cosine - value.y * sine), ray.turned ? -imaginary : imaginary);
        }
    }
}

/* ---- sums ---- */

/* Columns first … first + count − 1 of the grid of a batch: [column][slice][G]. */
struct Grid {
    int points, half, slices; /* G, G/2 */
    int first, count;
    int middle;        /* points from the origin, in each direction, whose sums have a warp */
    int angles, terms; /* terms 0 … terms − 1 of a ray */
    const SinoGriddingRay *ray;
    const float2 *term; /* [slice][angle][terms + 1] */
    float2 *columns;
    float window[SINO_POLAR_POWERS];

    __device__ __forceinline__ float weight(float distance) const
    {
        const float s = fmaf(distance * distance, -1.0f / (MARGIN * MARGIN), 1.0f);
        float value = window[0];
        for (int n = 1; n < SINO_POLAR_POWERS; n++) value = fmaf(value, s, window[n]);
        return s > 0 ? value : 0.0f;
    }

    __device__ __forceinline__ bool is_middle(int column, int row) const
    {
        return column <= middle && row <= middle && row >= -middle;
    }

    /* The first ray that is not before a direction. */
    __device__ __forceinline__ int find(float direction) const
    {
        int low = 0, high = angles;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (ray[middle].direction < direction)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
};

/* Narrows the terms m to those with |m·step − at| ≤ MARGIN, and a hundredth more, which rounding may take. */
static __device__ __forceinline__ void narrow(float step, float at, float *low, float *high)
{
    const float least = 1e-6f, more = MARGIN + 0.01f;
    if (fabsf(step) < least) return;
    const float one = (at - more) / step, other = (at + more) / step;
    *low = fmaxf(*low, fminf(one, other));
    *high = fminf(*high, fmaxf(one, other));
}

/* Adds the terms of rays first, first + step, … that lie under the window of the point (column, row): their conjugates
 * if sign is −1. */
template <int LANES>
static __device__ void add_terms(const Grid &of, int column, int row, float sign, int first, int step, float2 *sum)
{
    const float x = static_cast<float>(column), y = static_cast<float>(row), pi = 3.14159265f;
    const float away = sqrtf(x * x + y * y), reach = 1.4143f * MARGIN + 0.01f;
    const bool all = away <= reach;
    const float direction = all ? 0.0f : atan2f(y, x), within = all ? 2 * pi : asinf(reach / away) + 1e-5f;
    const int64_t slice = static_cast<int64_t>(of.angles) * (of.terms + 1);
    for (int k = of.find(direction - within) + first; k < of.angles; k += step) {
        const SinoGriddingRay *const ray = of.ray + k;
        if (ray->direction > direction + within) return;
        const float across = static_cast<float>(ray->across), along = static_cast<float>(ray->along);
        float low = 0, high = static_cast<float>(of.terms - 1);
        narrow(across, x, &low, &high);
        narrow(along, y, &low, &high);
        if (low > high) continue;
        const int begin = static_cast<int>(ceilf(low)), end = static_cast<int>(floorf(high));
        const float beside = static_cast<float>(begin * ray->across - column);
        const float below = static_cast<float>(begin * ray->along - row);
        const float2 *const term = of.term + static_cast<int64_t>(ray->angle) * (of.terms + 1);
        for (int m = begin; m <= end; m++) {
            const float from = static_cast<float>(m - begin);
            const float weight = of.weight(fmaf(from, across, beside)) * of.weight(fmaf(from, along, below));
            for (int s = 0; s < LANES; s++) {
                const float2 value = term[s * slice + m];
                sum[s].x = fmaf(weight, value.x, sum[s].x);
                sum[s].y = fmaf(weight * sign, value.y, sum[s].y);
            }
        }
    }
}

/* The sums of a point 0 ≤ column ≤ G/2, −G/2 ≤ row < G/2. The grid repeats after G points, and opposite points are
 * conjugate: terms that are spread beyond an end come back so. Terms have columns 0 … G/2. */
template <int LANES>
static __device__ void add_images(const Grid &of, int column, int row, int first, int step, float2 *sum)
{
    const int reach = of.half + MARGIN;
    for (int image = 0; image < IMAGES; image++) {
        const int x = image == 0 ? column : image == 1 ? -column : of.points - column;
        const bool is_opposite = image == 1 ? column > 0 && column <= MARGIN : column < of.half && x <= reach;
        if (image > 0 && !is_opposite) continue;
        for (int turn = -1; turn <= 1; turn++) {
            const int y = (image ? -row : row) + turn * of.points;
            if (y >= -reach && y <= reach) add_terms<LANES>(of, x, y, image ? -1.0f : 1.0f, first, step, sum);
        }
    }
}

/* Grid x: rows, y: columns. */
template <int LANES> static __global__ void __launch_bounds__(THREADS) sum_kernel(Grid of)
{
    const int i = static_cast<int>(blockIdx.x * TURN + threadIdx.x), row = i < of.half ? i : i - of.points;
    const int c = static_cast<int>(blockIdx.y * LINES + threadIdx.y), column = of.first + c;
    float2 sum[LANES] = {};
    if (i >= of.points || c >= of.count || of.is_middle(column, row)) return;
    add_images<LANES>(of, column, row, 0, 1, sum);
    for (int s = 0; s < LANES; s++) of.columns[(static_cast<int64_t>(c) * LANES + s) * of.points + i] = sum[s];
}

/* The points in the middle of the grid: a warp has one. Grid x: rows, y: columns. */
template <int LANES> static __global__ void __launch_bounds__(THREADS) sum_middle_kernel(Grid of)
{
    const int lane = static_cast<int>(threadIdx.x),
              row = static_cast<int>(blockIdx.x * LINES + threadIdx.y) - of.middle;
    const int c = static_cast<int>(blockIdx.y), column = of.first + c;
    float2 sum[LANES] = {};
    if (row >= of.half || row < -of.half || !of.is_middle(column, row)) return;
    add_images<LANES>(of, column, row, lane, WARP, sum);
    for (int s = 0; s < LANES; s++) {
        for (unsigned by = WARP / 2; by > 0; by /= 2) {
            sum[s].x += __shfl_down_sync(0xffffffffu, sum[s].x, by);
            sum[s].y += __shfl_down_sync(0xffffffffu, sum[s].y, by);
        }
        if (lane == 0)
            of.columns[(static_cast<int64_t>(c) * LANES + s) * of.points + (row < 0 ? row + of.points : row)] = sum[s];
    }
}

/* ---- rows ---- */

/* Rows of a batch: [slice][N][G/2 + 1] complex numbers. */
struct Rows {
    int64_t size;
    float2 *row;

    /* The place of pixel j of N among G points. */
    static __device__ __forceinline__ int64_t place(int64_t pixel, int64_t size, int64_t points)
    {
        return pixel < size / 2 ? pixel - size / 2 + points : pixel - size / 2;
    }
};

/* A real transform counts columns twice, but 0 and G/2, whose imaginary parts it takes for 0. Grid x: columns, y: rows,
 * z: slices. */
static __global__ void __launch_bounds__(THREADS) turn_kernel(Grid of, Rows to)
{
    SINO_SHARED(float2, turned, TURN * (TURN + 1));
    const int across = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
    const int64_t c = static_cast<int64_t>(blockIdx.x) * TURN, row = static_cast<int64_t>(blockIdx.y) * TURN;
    for (int i = line; i < TURN; i += LINES)
        if (c + i < of.count && row + across < to.size)
            turned[i * (TURN + 1) + across] = of.columns[((c + i) * of.slices + blockIdx.z) * of.points +
                                                         Rows::place(row + across, to.size, of.points)];
    __syncthreads();
    const int64_t column = of.first + c + across;
    for (int i = line; i < TURN; i += LINES) {
        if (c + across >= of.count || row + i >= to.size) continue;
        const float2 value = turned[across * (TURN + 1) + i];
        to.row[(blockIdx.z * to.size + row + i) * (of.half + 1) + column] =
            column == 0 || column == of.half ? make_float2(2 * value.x, 0.0f) : value;
    }
}

static __global__ void __launch_bounds__(SINO_TILE_VOXELS)
    scatter_kernel(SinoTileBatch slices, int64_t points, const float *inverse)
{
    SINO_SHARED(float, turned, SINO_PANEL_MAX *SINO_TILE_GAP);
    sino_scatter_tile(slices, turned, [=](const float *row, int64_t of_slice, int64_t column) {
        return row[Rows::place(column, slices.size, points)] * (inverse[of_slice] * inverse[column] / 2);
    });
}

/* ---- creation ---- */

static SinoStatus make_transforms(SinoGriddingCuda *made)
{
    const SinoGriddingBatch *batch = &made->batch;
    SinoCufftRows *const all[] = {&made->projections, &made->columns, &made->rows};
    for (SinoCufftRows *rows : all) {
        rows->of = "gridding";
        rows->precision = SINO_SINGLE;
        rows->points = rows == &made->projections ? batch->detector : batch->points;
    }
    made->projections.rows = batch->projections;
    made->columns.rows = batch->columns;
    made->columns.complex = true;
    made->rows.rows = batch->rows;
    for (SinoCufftRows *rows : all) SINO_TRY(sino_cufft_rows_make(rows));
    return NULL;
}

static SinoStatus make_tables(const SinoGriddingScan *scan, SinoGriddingCuda *made)
{
    const int64_t side = sino_tile_side(scan->batch.size);
    float *inverse = NULL;
    sino_polar_grid_window(made->window);
    SINO_TRY(sino_cuda_memory_new(scan->ray, static_cast<size_t>(scan->batch.angle_count) * sizeof *scan->ray, "angles",
                                  &made->ray));
    SINO_TRY(sino_cuda_memory_new(scan->map.tile, static_cast<size_t>(side * side) * sizeof *scan->map.tile,
                                  "tile numbers", &made->tile));
    SINO_TRY(sino_allocate(scan->batch.size, sizeof *inverse, "a window", &inverse));
    sino_polar_grid_inverse(scan->batch.size, inverse);
    const SinoStatus status = sino_cuda_memory_new(inverse, static_cast<size_t>(scan->batch.size) * sizeof *inverse,
                                                   "a window", &made->inverse);
    free(inverse);
    return status;
}

SinoStatus sino_gridding_cuda_new(const SinoGriddingScan *scan, SinoGriddingCuda **gridding)
{
    SinoGriddingCuda *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "backprojection on a GPU", &made));
    made->batch = scan->batch;
    made->part_rows = scan->map.part_rows;
    made->part_count = scan->part_count;
    SinoStatus status = make_tables(scan, made);
    if (!status) status = make_transforms(made);
    if (status)
        sino_gridding_cuda_free(made);
    else
        *gridding = made;
    return status;
}

void sino_gridding_cuda_free(SinoGriddingCuda *gridding)
{
    if (!gridding) return;
    sino_cufft_rows_free(&gridding->projections);
    sino_cufft_rows_free(&gridding->columns);
    sino_cufft_rows_free(&gridding->rows);
    (void)cudaFree(gridding->ray);
    (void)cudaFree(gridding->tile);
    (void)cudaFree(gridding->inverse);
    free(gridding);
}

/* ---- Aᵀ ---- */

static SinoStatus make_terms(cudaStream_t stream, const SinoGriddingCuda *gridding, const Projections &of)
{
    const unsigned angles = sino_blocks_for(of.angles, 1, GRID_MAX);
    const dim3 columns(sino_blocks_for(of.detector + 2, THREADS, INT32_MAX), angles),
        terms(sino_blocks_for(of.detector / 2 + 1, THREADS, INT32_MAX), angles);
    SINO_TRY(sino_launch(SinoLaunch{"gridding_project", columns, THREADS, 0, stream}, project_kernel, of));
    SINO_TRY(sino_transform_rows(&gridding->projections, true, of.count * of.angles, of.rows));
    return sino_launch(SinoLaunch{"gridding_terms", terms, THREADS, 0, stream}, terms_kernel, of);
}

template <int LANES> static SinoStatus sum_terms(cudaStream_t stream, const Grid &of)
{
    const dim3 threads(TURN, LINES),
        all(sino_blocks_for(of.points, TURN, INT32_MAX), sino_blocks_for(of.count, LINES, GRID_MAX)),
        middle(sino_blocks_for(2 * of.middle + 1, LINES, INT32_MAX), static_cast<unsigned>(of.count));
    SINO_TRY(sino_launch(SinoLaunch{"gridding_sum", all, threads, 0, stream}, sum_kernel<LANES>, of));
    if (of.first > of.middle) return NULL;
    return sino_launch(SinoLaunch{"gridding_sum_middle", middle, threads, 0, stream}, sum_middle_kernel<LANES>, of);
}

/* The grid of a batch, as many columns at a time as a transform has. */
static SinoStatus make_rows(cudaStream_t stream, const SinoGriddingCuda *gridding, Grid of, const Rows &rows)
{
    const int at_a_time = static_cast<int>(gridding->batch.columns / of.slices);
    const dim3 threads(TURN, LINES);
    for (of.first = 0; of.first <= of.half; of.first += at_a_time) {
        of.count = of.half + 1 - of.first < at_a_time ? of.half + 1 - of.first : at_a_time;
        const dim3 blocks(sino_blocks_for(of.count, TURN, INT32_MAX), sino_blocks_for(rows.size, TURN, GRID_MAX),
                          static_cast<unsigned>(of.slices));
        SINO_TRY(of.slices == 1 ? sum_terms<1>(stream, of) : sum_terms<SINO_GRIDDING_LANES>(stream, of));
        SINO_TRY(sino_cufft_rows_run(&gridding->columns, false, &of.columns->x));
        SINO_TRY(sino_launch(SinoLaunch{"gridding_turn", blocks, threads, 0, stream}, turn_kernel, of, rows));
    }
    return NULL;
}

static Grid grid_of(const SinoGriddingCuda *gridding, char *scratch, int slices)
{
    const SinoGriddingBatch *batch = &gridding->batch;
    Grid of = {};
    of.points = static_cast<int>(batch->points);
    of.half = of.points / 2;
    of.slices = slices;
    of.middle = static_cast<int>(batch->middle);
    of.angles = static_cast<int>(batch->angle_count);
    of.terms = static_cast<int>(batch->detector / 2);
    of.ray = static_cast<const SinoGriddingRay *>(gridding->ray);
    of.term = reinterpret_cast<const float2 *>(scratch);
    of.columns = reinterpret_cast<float2 *>(scratch + sino_gridding_columns_offset(batch));
    for (int n = 0; n < SINO_POLAR_POWERS; n++) of.window[n] = gridding->window[n];
    return of;
}

/* Slices first … first + count − 1 of a minibatch, in as many lanes or more. */
static SinoStatus backproject_batch(cudaStream_t stream, const SinoGriddingCuda *gridding, SinoSlices slices,
                                    int64_t first, int64_t count, const float *b, char *scratch, float *const *x)
{
    const SinoGriddingBatch *batch = &gridding->batch;
    const int lanes = count > 1 ? static_cast<int>(batch->slices) : 1;
    const SinoPanels panels = sino_panels_of(slices);
    float *const rows = reinterpret_cast<float *>(scratch + sino_gridding_rows_offset(batch));
    const Projections projections = {panels,
                                     static_cast<int>(slices.slice_count),
                                     static_cast<int>(first),
                                     lanes,
                                     batch->column_count,
                                     batch->angle_count,
                                     batch->detector,
                                     static_cast<const SinoGriddingRay *>(gridding->ray),
                                     b,
                                     reinterpret_cast<float *>(scratch)};
    SinoTileBatch tiles = {};
    tiles.panels = panels;
    tiles.slice_count = static_cast<int>(slices.slice_count);
    tiles.first = static_cast<int>(first);
    tiles.count = static_cast<int>(count);
    tiles.size = batch->size;
    tiles.stride = batch->points + 2;
    tiles.tile = static_cast<const SinoTileNumber *>(gridding->tile);
    tiles.rows = rows;
    SINO_TRY(make_terms(stream, gridding, projections));
    SINO_TRY(make_rows(stream, gridding, grid_of(gridding, scratch, lanes),
                       Rows{batch->size, reinterpret_cast<float2 *>(rows)}));
    SINO_TRY(sino_transform_rows(&gridding->rows, false, lanes * batch->size, rows));
    return sino_copy_tiles("gridding_scatter", stream, scatter_kernel, tiles, gridding->part_rows, gridding->part_count,
                           NULL, x, batch->points, static_cast<const float *>(gridding->inverse));
}

SinoStatus sino_gridding_adjoint_cuda(cudaStream_t stream, const SinoGriddingCuda *gridding, SinoSlices slices,
                                      const float *b, void *scratch, float *const *x)
{
    const SinoCufftRows *const all[] = {&gridding->projections, &gridding->columns, &gridding->rows};
    for (const SinoCufftRows *rows : all) SINO_TRY(sino_cufft_rows_stream(rows, stream));
    for (int64_t first = 0; first < slices.stride; first += gridding->batch.slices) {
        const int64_t left = slices.stride - first, most = gridding->batch.slices;
        SINO_TRY(backproject_batch(stream, gridding, slices, first, left < most ? left : most, b,
                                   static_cast<char *>(scratch), x));
    }
    return NULL;
}
