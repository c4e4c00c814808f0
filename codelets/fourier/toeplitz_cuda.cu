/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz: products with AᵀA on a GPU, for a batch of slices at a time. A kernel gathers the N rows of each slice from
 * its tiles, with zeros behind them. cuFFT transforms the rows in place, to L/2 + 1 frequencies. As many columns of
 * frequencies as caches hold are turned into rows of their own, with N values and L − N zeros, transformed, multiplied
 * by the spectrum of AᵀA, transformed back, and turned into rows again, N of their values. cuFFT transforms the rows
 * back; a last kernel writes them to the tiles. So rows of zeros are not transformed along the slice's rows, nor rows
 * that are not wanted back, and columns go through the device's memory once in each direction. */
#include "cufft_rows.cuh"

#include <stdlib.h>

extern "C" {
#include "memory.h"
#include "toeplitz_cuda.h"
}

enum {
    TURN = 32, /* rows and columns that a block transposes */
    LINES = 8,
    THREADS = SINO_TILE_VOXELS, /* a thread has a voxel of a tile */
    PARTS = 16,                 /* whose vectors a launch knows */
    GAP = SINO_TILE_VOXELS + 1, /* from slice to slice in shared memory */
    GRID_MAX = 65535
};

struct SinoToeplitzCuda {
    SinoToeplitzBatch batch;
    SinoCufftRows rows, columns;
};

/* A batch of slices, and the vectors of the parts from first_part on. One argument, because ptxas keeps a copy of an
 * argument that is an array alone in each thread's memory. */
struct Slices {
    SinoPanels panels;
    int slice_count, first, count; /* of the minibatch; of the batch, padding included */
    int first_part;
    int64_t size, stride; /* N; numbers of a row: L + 2 */
    const SinoTileNumber *tile;
    float *rows; /* [slice of the batch][N][stride] */
    int64_t part_rows[PARTS];
    const float *x[PARTS];
    float *y[PARTS];
};

/* What a block has of a batch: a tile, in the slices of one panel. Grid x: tiles, y: panels. A thread has a voxel. */
struct Tile {
    int first, width;      /* the panel's first slice and its slices */
    int begin, count;      /* those of the batch: in the panel */
    int part;              /* of those that the launch knows; −1: none has the tile */
    bool mine;             /* whether this launch copies the tile */
    bool in_row, is_voxel; /* of the thread: in a row of the grid, in the grid */
    int64_t tiles, across; /* tiles of a row of the grid; number of this one in its row */
    int64_t row, column;   /* of the thread's voxel */
    int64_t element;       /* of the tile's first voxel, first slice of the batch, in its part's vector */

    __device__ __forceinline__ explicit Tile(const Slices &slices)
        : first((slices.first / slices.panels.width + static_cast<int>(blockIdx.y)) * slices.panels.width),
          width(min(slices.panels.width, slices.panels.stride - first)), begin(max(slices.first - first, 0)),
          count(min(slices.first + slices.count - first, width) - begin), tiles(sino_tile_side(slices.size)),
          across(blockIdx.x % tiles)
    {
        const int voxel = static_cast<int>(threadIdx.x);
        const int64_t down = blockIdx.x / tiles;
        const SinoTileNumber of = slices.tile[blockIdx.x];
        const SinoTileRange rows = sino_tile_range(slices.size, down), columns = sino_tile_range(slices.size, across);
        part = of.part < 0 ? -1 : of.part - slices.first_part;
        mine = of.part < 0 ? slices.first_part == 0 : part >= 0 && part < PARTS;
        row = sino_tile_first_voxel(slices.size, down) + voxel / SINO_TILE;
        column = sino_tile_first_voxel(slices.size, across) + voxel % SINO_TILE;
        in_row = rows.count > 0 && row >= 0 && row < slices.size;
        is_voxel = in_row && columns.count > 0 && column >= 0 && column < slices.size;
        element = mine && part >= 0 ? first * slices.part_rows[part] +
                                          static_cast<int64_t>(of.number) * SINO_TILE_VOXELS * width + begin
                                    : 0;
    }

    /* The thread's row of slice `slice` of the panel's slices in the batch. */
    __device__ __forceinline__ float *row_of(const Slices &slices, int slice) const
    {
        return slices.rows + ((first + begin + slice - slices.first) * slices.size + row) * slices.stride;
    }

    __device__ __forceinline__ bool is_padding(const Slices &slices, int slice) const
    {
        return first + begin + slice >= slices.slice_count;
    }
};

/* Tiles to rows. The zeros behind the N columns are divided among the tiles of a row. */
static __global__ void __launch_bounds__(THREADS) gather_kernel(Slices slices)
{
    SINO_SHARED(float, turned, SINO_PANEL_MAX *GAP);
    const Tile tile(slices);
    const int me = static_cast<int>(threadIdx.x);
    if (!tile.mine) return;
    if (tile.part >= 0) {
        const float *const x = slices.x[tile.part] + tile.element;
        for (int i = me; i < THREADS * tile.count; i += THREADS)
            turned[i % tile.count * GAP + i / tile.count] = x[i / tile.count * tile.width + i % tile.count];
    }
    __syncthreads();
    if (!tile.in_row) return;
    for (int s = 0; s < tile.count; s++) {
        float *const row = tile.row_of(slices, s);
        const bool is_zero = tile.part < 0 || tile.is_padding(slices, s);
        if (tile.is_voxel) row[tile.column] = is_zero ? 0.0f : turned[s * GAP + me];
        for (int64_t c = slices.size + tile.across * SINO_TILE + me % SINO_TILE; c < slices.stride;
             c += tile.tiles * SINO_TILE)
            row[c] = 0.0f;
    }
}

/* Rows to tiles. What is no voxel becomes 0. */
static __global__ void __launch_bounds__(THREADS) scatter_kernel(Slices slices)
{
    SINO_SHARED(float, turned, SINO_PANEL_MAX *GAP);
    const Tile tile(slices);
    const int me = static_cast<int>(threadIdx.x);
    if (!tile.mine || tile.part < 0) return;
    for (int s = 0; s < tile.count; s++)
        turned[s * GAP + me] =
            tile.is_voxel && !tile.is_padding(slices, s) ? tile.row_of(slices, s)[tile.column] : 0.0f;
    __syncthreads();
    float *const y = slices.y[tile.part] + tile.element;
    for (int i = me; i < THREADS * tile.count; i += THREADS)
        y[i / tile.count * tile.width + i % tile.count] = turned[i % tile.count * GAP + i / tile.count];
}

/* Columns first … end − 1 of those of a batch: [slice][frequency of a row]. */
struct Columns {
    int64_t size, side, half; /* N, L, L/2 + 1 */
    int64_t first, end;
    const float *spectrum;
    float2 *rows;    /* [slice][N][half] */
    float2 *columns; /* [column][L] */

    __device__ __forceinline__ float2 &in_rows(int64_t column, int64_t row) const
    {
        return rows[(column / half * size + row) * half + column % half];
    }

    __device__ __forceinline__ float2 &in_columns(int64_t column, int64_t row) const
    {
        return columns[(column - first) * side + row];
    }
};

/* Grid x: columns, y: rows of the padded slice. */
static __global__ void __launch_bounds__(TURN *LINES) turn_kernel(Columns of)
{
    SINO_SHARED(float2, turned, TURN * (TURN + 1));
    const int across = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
    const int64_t column = of.first + static_cast<int64_t>(blockIdx.x) * TURN;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * TURN;
    for (int i = line; i < TURN; i += LINES)
        turned[i * (TURN + 1) + across] = column + across < of.end && row + i < of.size
                                              ? of.in_rows(column + across, row + i)
                                              : make_float2(0.0f, 0.0f);
    __syncthreads();
    for (int i = line; i < TURN; i += LINES)
        if (column + i < of.end && row + across < of.side)
            of.in_columns(column + i, row + across) = turned[across * (TURN + 1) + i];
}

/* Grid x: columns, y: rows of the slice. */
static __global__ void __launch_bounds__(TURN *LINES) turn_back_kernel(Columns of)
{
    SINO_SHARED(float2, turned, TURN * (TURN + 1));
    const int across = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
    const int64_t column = of.first + static_cast<int64_t>(blockIdx.x) * TURN;
    const int64_t row = static_cast<int64_t>(blockIdx.y) * TURN;
    for (int i = line; i < TURN; i += LINES)
        if (column + i < of.end && row + across < of.size)
            turned[i * (TURN + 1) + across] = of.in_columns(column + i, row + across);
    __syncthreads();
    for (int i = line; i < TURN; i += LINES)
        if (column + across < of.end && row + i < of.size)
            of.in_rows(column + across, row + i) = turned[across * (TURN + 1) + i];
}

/* Grid x: pairs of frequencies of a column, y: columns. */
static __global__ void __launch_bounds__(THREADS) multiply_kernel(Columns of)
{
    const int64_t pair = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (2 * pair >= of.side) return;
    for (int64_t c = of.first + blockIdx.y; c < of.end; c += gridDim.y) {
        float *const at = &of.in_columns(c, 2 * pair).x;
        const SinoPack<float, 2> factor = sino_pack_load<float, 2>(of.spectrum + c % of.half * of.side + 2 * pair);
        SinoPack<float, 4> value = sino_pack_load<float, 4>(at);
        for (int i = 0; i < 4; i++) value.value[i] *= factor.value[i / 2];
        sino_pack_store(at, value);
    }
}

static SinoStatus make(SinoToeplitzCuda *made)
{
    const SinoToeplitzBatch *batch = &made->batch;
    made->rows.of = made->columns.of = "the normal operator";
    made->rows.precision = made->columns.precision = SINO_SINGLE;
    made->rows.rows = batch->rows;
    made->columns.rows = batch->columns;
    made->rows.points = made->columns.points = batch->side;
    made->columns.complex = true;
    SINO_TRY(sino_cufft_rows_make(&made->rows));
    return sino_cufft_rows_make(&made->columns);
}

SinoStatus sino_toeplitz_cuda_new(const SinoToeplitzBatch *batch, SinoToeplitzCuda **toeplitz)
{
    SinoToeplitzCuda *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the normal operator on a GPU", &made));
    made->batch = *batch;
    const SinoStatus status = make(made);
    if (status)
        sino_toeplitz_cuda_free(made);
    else
        *toeplitz = made;
    return status;
}

void sino_toeplitz_cuda_free(SinoToeplitzCuda *toeplitz)
{
    if (!toeplitz) return;
    sino_cufft_rows_free(&toeplitz->rows);
    sino_cufft_rows_free(&toeplitz->columns);
    free(toeplitz);
}

/* Copies the tiles of a batch, of as many parts at a time as a launch knows. */
static SinoStatus copy_tiles(const char *name, cudaStream_t stream, void (*kernel)(Slices), Slices slices,
                             const SinoToeplitzTables *tables, const float *const *x, float *const *y)
{
    const int last_panel = (slices.first + slices.count - 1) / slices.panels.width;
    const int64_t tiles = sino_tile_side(slices.size);
    const dim3 blocks(static_cast<unsigned>(tiles * tiles),
                      static_cast<unsigned>(last_panel - slices.first / slices.panels.width + 1));
    for (int64_t first = 0; first < tables->part_count; first += PARTS) {
        slices.first_part = static_cast<int>(first);
        for (int64_t i = 0; i < PARTS && first + i < tables->part_count; i++) {
            slices.part_rows[i] = tables->map.part_rows[first + i];
            slices.x[i] = x[first + i];
            slices.y[i] = y[first + i];
        }
        SINO_TRY(sino_launch(SinoLaunch{name, blocks, THREADS, 0, stream}, kernel, slices));
    }
    return NULL;
}

/* Transforms whole rows, `count` at least. */
static SinoStatus transform(const SinoCufftRows *rows, bool forward, int64_t count, float *at)
{
    for (int64_t i = 0; i < count; i += rows->rows)
        SINO_TRY(sino_cufft_rows_run(rows, forward, at + i * (rows->points + 2)));
    return NULL;
}

/* Convolves columns of frequencies with the kernel of AᵀA. */
static SinoStatus convolve(cudaStream_t stream, const SinoToeplitzCuda *toeplitz, const Columns &of)
{
    const int64_t count = of.end - of.first;
    float *const at = &of.columns->x;
    assert(of.side <= static_cast<int64_t>(GRID_MAX) * TURN);
    const unsigned turns = sino_blocks_for(count, TURN, INT32_MAX);
    const dim3 turn(TURN, LINES), there(turns, sino_blocks_for(of.side, TURN, GRID_MAX)),
        back(turns, sino_blocks_for(of.size, TURN, GRID_MAX)),
        all(sino_blocks_for(of.side / 2, THREADS, INT32_MAX), sino_blocks_for(count, 1, GRID_MAX));
    SINO_TRY(sino_launch(SinoLaunch{"toeplitz_turn", there, turn, 0, stream}, turn_kernel, of));
    SINO_TRY(sino_cufft_rows_run(&toeplitz->columns, true, at));
    SINO_TRY(sino_launch(SinoLaunch{"toeplitz_multiply", all, THREADS, 0, stream}, multiply_kernel, of));
    SINO_TRY(sino_cufft_rows_run(&toeplitz->columns, false, at));
    return sino_launch(SinoLaunch{"toeplitz_turn_back", back, turn, 0, stream}, turn_back_kernel, of);
}

static SinoStatus convolve_batch(cudaStream_t stream, const SinoToeplitzCuda *toeplitz, int64_t slices,
                                 const float *spectrum, void *scratch)
{
    const SinoToeplitzBatch *batch = &toeplitz->batch;
    const int64_t half = batch->side / 2 + 1, end = slices * half;
    char *const behind = static_cast<char *>(scratch) + sino_toeplitz_rows_bytes(batch);
    for (int64_t first = 0; first < end; first += batch->columns) {
        const int64_t next = first + batch->columns;
        const Columns of = {batch->size,
                            batch->side,
                            half,
                            first,
                            next < end ? next : end,
                            spectrum,
                            static_cast<float2 *>(scratch),
                            reinterpret_cast<float2 *>(behind)};
        SINO_TRY(convolve(stream, toeplitz, of));
    }
    return NULL;
}

SinoStatus sino_toeplitz_product_cuda(cudaStream_t stream, const SinoToeplitzCuda *toeplitz,
                                      const SinoToeplitzTables *tables, SinoSlices slices, const float *const *x,
                                      void *scratch, float *const *y)
{
    const SinoToeplitzBatch *batch = &toeplitz->batch;
    float *const rows = static_cast<float *>(scratch);
    SINO_TRY(sino_cufft_rows_stream(&toeplitz->rows, stream));
    SINO_TRY(sino_cufft_rows_stream(&toeplitz->columns, stream));
    for (int64_t first = 0; first < slices.stride; first += batch->slices) {
        const int64_t left = slices.stride - first, count = left < batch->slices ? left : batch->slices;
        Slices of = {};
        of.panels = sino_panels_of(slices);
        of.slice_count = static_cast<int>(slices.slice_count);
        of.first = static_cast<int>(first);
        of.count = static_cast<int>(count);
        of.size = batch->size;
        of.stride = batch->side + 2;
        of.tile = tables->map.tile;
        of.rows = rows;
        SINO_TRY(copy_tiles("toeplitz_gather", stream, gather_kernel, of, tables, x, y));
        SINO_TRY(transform(&toeplitz->rows, true, count * batch->size, rows));
        SINO_TRY(convolve_batch(stream, toeplitz, count, tables->spectrum, scratch));
        SINO_TRY(transform(&toeplitz->rows, false, count * batch->size, rows));
        SINO_TRY(copy_tiles("toeplitz_scatter", stream, scatter_kernel, of, tables, x, y));
    }
    return NULL;
}
