/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail on a GPU: slice after slice, as plain images in scratch memory. A block finds sums of g over squares of a tile
 * in shared memory: along rows, then along columns. Squares whose score is too small, nearly all, take no sums of x.
 * Then a voxel looks for the largest f of the squares that it lies in, so that no two threads write to the same place,
 * and results are the same to the bit in every run. */
#include "tiles_cuda.cuh"

extern "C" {
#include "detail.h"
#include "detail_rule.h"
}

enum {
    THREADS = TILE_THREADS,
    SIDE = 32,                      /* of the images' tiles */
    REACH = SINO_DETAIL_WIDEST / 2, /* of the widest square */
    REGION = SIDE + 2 * REACH       /* of a tile and the voxels that its squares reach */
};

static const unsigned MOST_DOWN = 32; /* blocks one above the other */

/* A slice of the vectors g, m and x, which are tiles.p, q and u, and its images [size][size]. */
template <class Real> struct Slice {
    Tiles<Real> tiles;
    int64_t panel;               /* first slice of its panel */
    int width, column;           /* of the panel; slice within the panel */
    float *g, *m, *x, *lack, *f; /* lack: l of the last square; f: of squares, with the sign of l */
    double *sums;                /* [block]: sum of t²/m and number of voxels; then the root of the mean */
};

/* A voxel of a tile: its part and element in the vectors, and its place in the image; −1: beyond the grid. */
struct Voxel {
    int part;
    int64_t element, pixel;
};

template <class Real>
static __device__ __forceinline__ Voxel voxel_of(const Slice<Real> &slice, int64_t tile, int voxel)
{
    const Tiles<Real> &tiles = slice.tiles;
    const int64_t size = tiles.grid_size;
    const int64_t row = sino_tile_first_voxel(size, tiles.tile[tile].row) + voxel / SINO_TILE;
    const int64_t column = sino_tile_first_voxel(size, tiles.tile[tile].column) + voxel % SINO_TILE;
    const bool inside = row >= 0 && row < size && column >= 0 && column < size;
    int part = 0;
    while (tile >= tiles.first_tile[part + 1]) part++;
    const int64_t rows = (tiles.first_tile[part + 1] - tiles.first_tile[part]) * SINO_TILE_VOXELS;
    const int64_t at = (tile - tiles.first_tile[part]) * SINO_TILE_VOXELS + voxel;
    return {part, slice.panel * rows + at * slice.width + slice.column, inside ? row * size + column : -1};
}

template <class Real> static __global__ void __launch_bounds__(THREADS) take_kernel(Slice<Real> slice)
{
    for (int i = static_cast<int>(threadIdx.x); i < SINO_TILE_VOXELS; i += THREADS) {
        const Voxel voxel = voxel_of(slice, blockIdx.x, i);
        if (voxel.pixel < 0) continue;
        slice.g[voxel.pixel] = static_cast<float>(slice.tiles.p[voxel.part][voxel.element]);
        slice.m[voxel.pixel] = static_cast<float>(slice.tiles.q[voxel.part][voxel.element]);
        slice.x[voxel.pixel] = static_cast<float>(slice.tiles.u[voxel.part][voxel.element]);
    }
}

/* Adds the two numbers of all threads, which become those of thread 0. */
static __device__ __forceinline__ void add_all(double *total, double *count)
{
    SINO_SHARED(double, shared, 2 * THREADS);
    const int me = static_cast<int>(threadIdx.x);
    shared[me] = *total;
    shared[THREADS + me] = *count;
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (me >= half) continue;
        shared[me] += shared[me + half];
        shared[THREADS + me] += shared[THREADS + me + half];
    }
    *total = shared[me];
    *count = shared[THREADS + me];
}

/* The sum of `count` numbers that lie `step` apart. */
static __device__ __forceinline__ float sum_of(const float *number, int count, int step)
{
    float sum = 0;
    for (int i = 0; i < count; i++) sum += number[i * step];
    return sum;
}

/* Fills own and around, [REGION][SIDE], with sums along rows of the squares of a tile. */
static __device__ __forceinline__ void sum_rows(const SinoDetailSquare &square, const float *image, int64_t top,
                                                int64_t left, float *own, float *around)
{
    SINO_SHARED(float, g, REGION *REGION);
    const int side = static_cast<int>(square.side), wide = static_cast<int>(square.around);
    for (int i = static_cast<int>(threadIdx.x); i < REGION * REGION; i += THREADS) {
        const int64_t row = top - REACH + i / REGION, column = left - REACH + i % REGION;
        const bool inside = row >= 0 && row < square.size && column >= 0 && column < square.size;
        g[i] = inside ? image[row * square.size + column] : 0;
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < REGION * SIDE; i += THREADS) {
        const float *const middle = g + i / SIDE * REGION + REACH + i % SIDE;
        own[i] = sum_of(middle - side / 2, side, 1);
        around[i] = sum_of(middle - wide / 2, wide, 1);
    }
    __syncthreads();
}

/* l of all voxels, and the block's sums. */
static __global__ void __launch_bounds__(THREADS)
    lack_kernel(SinoDetailSquare square, const float *g, const float *m, float *lack, double *sums)
{
    SINO_SHARED(float, own, REGION *SIDE);
    SINO_SHARED(float, around, REGION *SIDE);
    const int64_t left = blockIdx.x * static_cast<int64_t>(SIDE);
    const int side = static_cast<int>(square.side), wide = static_cast<int>(square.around);
    const double part = 1 / square.response;
    double total = 0, count = 0;
    for (int64_t top = blockIdx.y * static_cast<int64_t>(SIDE); top < square.size;
         top += gridDim.y * static_cast<int64_t>(SIDE)) {
        sum_rows(square, g, top, left, own, around);
        for (int i = static_cast<int>(threadIdx.x); i < SIDE * SIDE; i += THREADS) {
            const int64_t row = top + i / SIDE, column = left + i % SIDE, pixel = row * square.size + column;
            const int middle = REACH * SIDE + i;
            if (row >= square.size || column >= square.size) continue;
            const int64_t first = sino_detail_first_of_row(&square, row);
            const double of_m = static_cast<double>(m[pixel]);
            double t_of_m = 0;
            if (column >= first && column < square.size - first && of_m > 0) {
                const double t =
                    static_cast<double>(sum_of(own + middle - side / 2 * SIDE, side, SIDE)) -
                    square.share * static_cast<double>(sum_of(around + middle - wide / 2 * SIDE, wide, SIDE));
                t_of_m = t / of_m;
                total += t * t_of_m;
                count += 1;
            }
            lack[pixel] = static_cast<float>(part * t_of_m);
        }
        __syncthreads();
    }
    add_all(&total, &count);
    if (threadIdx.x != 0) return;
    double *const to = sums + 2 * (blockIdx.y * static_cast<int64_t>(gridDim.x) + blockIdx.x);
    to[0] = total;
    to[1] = count;
}

/* The root of the mean from the sums of all blocks, behind them. */
static __global__ void __launch_bounds__(THREADS) deviation_kernel(int blocks, double *sums)
{
    double total = 0, count = 0;
    for (int i = static_cast<int>(threadIdx.x); i < blocks; i += THREADS) {
        total += sums[2 * i];
        count += sums[2 * i + 1];
    }
    add_all(&total, &count);
    if (threadIdx.x == 0) sums[2 * blocks] = count > 0 ? sqrt(total / count) : 0;
}

/* The mean and the mean square of x in a square about a voxel. */
static __device__ void average(const float *middle, int64_t size, int side, double *mean, double *mean_square)
{
    double sum = 0, sum_squares = 0;
    for (int y = -(side / 2); y <= side / 2; y++)
        for (int x = -(side / 2); x <= side / 2; x++) {
            const double value = static_cast<double>(middle[y * size + x]);
            sum += value;
            sum_squares += value * value;
        }
    *mean = sum / (side * side);
    *mean_square = sum_squares / (side * side);
}

/* f of the squares about all voxels. */
static __global__ void __launch_bounds__(THREADS) judge_kernel(SinoDetailSquare square, const float *m, const float *x,
                                                               const float *lack, const double *deviation, float *f)
{
    const int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    if (i >= square.size * square.size) return;
    const double l = static_cast<double>(lack[i]);
    const double score =
        l != 0 && *deviation > 0 ? fabs(l) * square.response * sqrt(static_cast<double>(m[i])) / *deviation : 0;
    double result = 0;
    if (score > SINO_DETAIL_LEAST_SCORE) {
        double own, around, unused, mean_square;
        average(x + i, square.size, static_cast<int>(square.side), &own, &unused);
        average(x + i, square.size, static_cast<int>(square.around), &around, &mean_square);
        result = sino_detail_factor(&square, score, l, own, around, mean_square);
    }
    f[i] = static_cast<float>(l < 0 ? -result : result);
}

/* The largest f of the squares about a voxel whose l has the sign of its own one. */
static __device__ __forceinline__ float largest_about(const SinoDetailSquare &square, const float *f, int64_t pixel,
                                                      float lack)
{
    const int64_t row = pixel / square.size, column = pixel % square.size, half = square.side / 2;
    const int64_t last = square.size - 1;
    float most = 0;
    for (int64_t y = max(row - half, int64_t(0)); y <= min(row + half, last); y++)
        for (int64_t x = max(column - half, int64_t(0)); x <= min(column + half, last); x++) {
            const float value = f[y * square.size + x];
            if ((value > 0) == (lack > 0)) most = fmaxf(most, fabsf(value));
        }
    return most;
}

/* The vectors of the parts that are written, and the bounds of x. */
template <class Real> struct Gain {
    Real *u[PARTS];
    double least, most;
};

/* Gives voxels f times what they lack, where this is more than they have got from the squares before. */
template <class Real>
static __global__ void __launch_bounds__(THREADS)
    give_kernel(Slice<Real> slice, Gain<Real> gain, SinoDetailSquare square, bool is_first, bool is_last)
{
    for (int i = static_cast<int>(threadIdx.x); i < SINO_TILE_VOXELS; i += THREADS) {
        const Voxel voxel = voxel_of(slice, blockIdx.x, i);
        if (voxel.pixel < 0) continue;
        const float lack = slice.lack[voxel.pixel], x = slice.x[voxel.pixel];
        Real *const u = gain.u[voxel.part] + voxel.element;
        float to = is_first ? 0 : static_cast<float>(*u);
        const float value = lack != 0 ? lack * largest_about(square, slice.f, voxel.pixel, lack) : 0;
        if (fabsf(value) > fabsf(to)) to = value;
        if (is_last)
            to = static_cast<float>(
                     fmin(fmax(static_cast<double>(x) + static_cast<double>(to), gain.least), gain.most)) -
                 x;
        *u = static_cast<Real>(to);
    }
}

/* ---- launches ---- */

static unsigned tiles_along(int64_t size)
{
    return static_cast<unsigned>((size + SIDE - 1) / SIDE);
}

/* Images of a slice in scratch memory, as the CPU's: 2 · (blocks + 1) sums take no more than 4 · (size + 1). */
template <class Real> static void put_images(int64_t size, void *scratch, Slice<Real> *slice)
{
    const int64_t voxels = size * size;
    slice->sums = static_cast<double *>(scratch);
    slice->g = reinterpret_cast<float *>(slice->sums + 4 * (size + 1));
    slice->m = slice->g + voxels;
    slice->x = slice->g + 2 * voxels;
    slice->lack = slice->g + 3 * voxels;
    slice->f = slice->g + 4 * voxels;
}

template <class Real>
static SinoStatus restore(cudaStream_t stream, const Slice<Real> &slice, const Gain<Real> &gain, int64_t tile_count,
                          double share)
{
    const int64_t size = slice.tiles.grid_size;
    const unsigned tiles = static_cast<unsigned>(tile_count);
    const unsigned across = tiles_along(size), down = across < MOST_DOWN ? across : MOST_DOWN;
    const unsigned voxel_blocks = static_cast<unsigned>((size * size + THREADS - 1) / THREADS);
    const int blocks = static_cast<int>(across * down);
    const SinoLaunch of_images = {"detail_lack", dim3(across, down), THREADS, 0, stream};
    const double *const deviation = slice.sums + 2 * blocks;
    SINO_TRY(sino_launch(SinoLaunch{"detail_take", tiles, THREADS, 0, stream}, take_kernel<Real>, slice));
    for (int k = 0; k < SINO_DETAIL_SQUARES; k++) {
        const SinoDetailSquare square = sino_detail_square(k, size, share);
        SINO_TRY(sino_launch(of_images, lack_kernel, square, slice.g, slice.m, slice.lack, slice.sums));
        SINO_TRY(
            sino_launch(SinoLaunch{"detail_deviation", 1, THREADS, 0, stream}, deviation_kernel, blocks, slice.sums));
        SINO_TRY(sino_launch(SinoLaunch{"detail_judge", voxel_blocks, THREADS, 0, stream}, judge_kernel, square,
                             slice.m, slice.x, slice.lack, deviation, slice.f));
        SINO_TRY(sino_launch(SinoLaunch{"detail_give", tiles, THREADS, 0, stream}, give_kernel<Real>, slice, gain,
                             square, k == 0, k == SINO_DETAIL_SQUARES - 1));
    }
    return NULL;
}

template <class Real>
static SinoStatus launch(cudaStream_t stream, const SinoVariation *variation, SinoDetailSlices slices, double share,
                         const void *const *g, const void *const *m, const void *const *x, void *scratch,
                         void *const *u)
{
    const int64_t stride = variation->slices.stride;
    Slice<Real> slice = {};
    Gain<Real> gain = {};
    slice.tiles = tiles_of<Real>(variation, NULL);
    slice.tiles.neighbour = NULL; /* in host memory */
    put_parts(variation, g, slice.tiles.p);
    put_parts(variation, m, slice.tiles.q);
    put_parts(variation, x, slice.tiles.u);
    put_images(variation->grid_size, scratch, &slice);
    gain.least = variation->least;
    gain.most = variation->most;
    for (int64_t p = 0; p < variation->part_count; p++) {
        const int64_t rows = (variation->first_tile[p + 1] - variation->first_tile[p]) * SINO_TILE_VOXELS;
        gain.u[p] = static_cast<Real *>(u[p]);
        if (rows > 0) SINO_TRY(sino_clear(stream, u[p], static_cast<size_t>(rows * stride) * sizeof(Real)));
    }
    for (int64_t i = slices.first; i < variation->slices.slice_count; i += slices.step) {
        const SinoPanels panels = slice.tiles.panels;
        slice.panel = i / panels.width * panels.width;
        slice.width = static_cast<int>(stride - slice.panel < panels.width ? stride - slice.panel : panels.width);
        slice.column = static_cast<int>(i - slice.panel);
        SINO_TRY(restore(stream, slice, gain, variation->first_tile[variation->part_count], share));
    }
    return NULL;
}

SinoStatus sino_detail_cuda(cudaStream_t stream, const SinoVariation *tiles, SinoDetailSlices slices, double share,
                            const void *const *g, const void *const *m, const void *const *x, void *scratch,
                            void *const *u)
{
    return tiles->slices.precision == SINO_DOUBLE ? launch<double>(stream, tiles, slices, share, g, m, x, scratch, u)
                                                  : launch<float>(stream, tiles, slices, share, g, m, x, scratch, u);
}
