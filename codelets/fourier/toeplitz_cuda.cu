/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz: products with AᵀA on a GPU, for a batch of slices at a time. A kernel gathers the N rows of each slice from
 * its tiles, with zeros behind them. cuFFT transforms the rows in place, to L/2 + 1 frequencies. As many columns of
 * frequencies as caches hold are turned into rows of their own, with N values and L − N zeros, transformed, multiplied
 * by the spectrum of AᵀA, transformed back, and turned into rows again, N of their values. cuFFT transforms the rows
 * back; a last kernel writes them to the tiles. So rows of zeros are not transformed along the slice's rows, nor rows
 * that are not wanted back, and columns go through the device's memory once in each direction. */
#include "slice_tiles.cuh"

#include <stdlib.h>

extern "C" {
#include "memory.h"
#include "toeplitz_cuda.h"
}

enum {
    TURN = 32, /* rows and columns that a block transposes */
    LINES = 8,
    THREADS = SINO_TILE_VOXELS,
    GRID_MAX = 65535
};

struct SinoToeplitzCuda {
    SinoToeplitzBatch batch;
    SinoCufftRows rows, columns;
};

/* Tiles to rows. The zeros behind the N columns are divided among the tiles of a row. */
static __global__ void __launch_bounds__(THREADS) gather_kernel(SinoTileBatch slices)
{
    SINO_SHARED(float, turned, SINO_PANEL_MAX *SINO_TILE_GAP);
    const SinoBatchTile tile(slices);
    const int me = static_cast<int>(threadIdx.x);
    if (!tile.mine) return;
    if (tile.part >= 0) {
        const float *const x = slices.x[tile.part] + tile.element;
        for (int i = me; i < THREADS * tile.count; i += THREADS)
            turned[i % tile.count * SINO_TILE_GAP + i / tile.count] = x[i / tile.count * tile.width + i % tile.count];
    }
    __syncthreads();
    if (!tile.in_row) return;
    for (int s = 0; s < tile.count; s++) {
        float *const row = tile.row_of(slices, s);
        const bool is_zero = tile.part < 0 || tile.is_padding(slices, s);
        if (tile.is_voxel) row[tile.column] = is_zero ? 0.0f : turned[s * SINO_TILE_GAP + me];
        for (int64_t c = slices.size + tile.across * SINO_TILE + me % SINO_TILE; c < slices.stride;
             c += tile.tiles * SINO_TILE)
            row[c] = 0.0f;
    }
}

static __global__ void __launch_bounds__(THREADS) scatter_kernel(SinoTileBatch slices)
{
    SINO_SHARED(float, turned, SINO_PANEL_MAX *SINO_TILE_GAP);
    sino_scatter_tile(slices, turned, [](const float *row, int64_t of_slice, int64_t column) {
        (void)of_slice;
        return row[column];
    });
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
        SinoTileBatch of = {};
        of.panels = sino_panels_of(slices);
        of.slice_count = static_cast<int>(slices.slice_count);
        of.first = static_cast<int>(first);
        of.count = static_cast<int>(count);
        of.size = batch->size;
        of.stride = batch->side + 2;
        of.tile = tables->map.tile;
        of.rows = rows;
        SINO_TRY(sino_copy_tiles("toeplitz_gather", stream, gather_kernel, of, tables->map.part_rows,
                                 tables->part_count, x, NULL));
        SINO_TRY(sino_transform_rows(&toeplitz->rows, true, count * batch->size, rows));
        SINO_TRY(convolve_batch(stream, toeplitz, count, tables->spectrum, scratch));
        SINO_TRY(sino_transform_rows(&toeplitz->rows, false, count * batch->size, rows));
        SINO_TRY(sino_copy_tiles("toeplitz_scatter", stream, scatter_kernel, of, tables->map.part_rows,
                                 tables->part_count, NULL, y));
    }
    return NULL;
}
