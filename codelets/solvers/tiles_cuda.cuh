/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles, for CUDA kernels of variation.h and prior.h. A block works on one tile of one panel, a thread on 16 bytes of a
 * row of the panel, so always on the same slices, whose θ it keeps in registers. Every vector is read from memory once:
 * neighbours within a tile are in L1, where other threads of the block have them; only the borders of other tiles are
 * read again. */
#pragma once

#include "panel_cuda.cuh"
#define SINO_UPDATE_TEMPLATES
#include "update_formulas.h" /* not within extern "C" */

extern "C" {
#include "variation.h"
}

enum {
    TILE_THREADS = 256,
    ROW = SINO_TILE,                     /* from a voxel to the one below */
    ACROSS = SINO_TILE - 1,              /* from the first voxel of a row to its last one */
    DOWN = SINO_TILE_VOXELS - SINO_TILE, /* from the first voxel of a column to its last one */
    PARTS = SINO_VARIATION_CUDA_PARTS
};

/* The fields of SinoVariation that kernels read, and the vectors of all parts: p and q, or u. They are one argument,
 * because ptxas keeps a copy of an argument that is an array alone in each thread's memory. */
template <class Real> struct Tiles {
    SinoPanels panels;
    int slice_count, part;
    int64_t grid_size;
    int64_t first_tile[PARTS + 1];
    const SinoTilePlace *tile;
    const SinoTileNeighbours *neighbour;
    const SinoSliceState *state;
    const Real *p[PARTS], *q[PARTS], *u[PARTS];
};

/* The first element of a tile in this block's panel of a part's vector. */
template <class Real>
static __device__ __forceinline__ int64_t tile_at(const Tiles<Real> &tiles, int part, int64_t tile)
{
    const int64_t rows = (tiles.first_tile[part + 1] - tiles.first_tile[part]) * SINO_TILE_VOXELS;
    return sino_panel_first(tiles.panels) * rows +
           (tile - tiles.first_tile[part]) * SINO_TILE_VOXELS * sino_panel_slices(tiles.panels);
}

/* The same in the vector of the part that has the tile; NULL: there is no such tile. */
template <class Real>
static __device__ __forceinline__ const Real *find_tile(const Tiles<Real> &tiles, const Real *const (&vector)[PARTS],
                                                        int64_t tile)
{
    int part = tiles.part;
    if (tile < 0) return NULL;
    while (tile < tiles.first_tile[part]) part--;
    while (tile >= tiles.first_tile[part + 1]) part++;
    return vector[part] + tile_at(tiles, part, tile);
}

/* The work of a thread in its block's tile: slices column … column + N − 1 of the panel, of every step-th voxel. */
template <int N> struct Walk {
    int width, column; /* slices of the panel; this thread's first one */
    int voxel, step;
    int64_t tile; /* number among those of all parts */
    SinoTileRange down, across;

    template <class Real>
    __device__ __forceinline__ explicit Walk(const Tiles<Real> &tiles)
        : width(sino_panel_slices(tiles.panels)), column(static_cast<int>(threadIdx.x) % (width / N) * N),
          voxel(static_cast<int>(threadIdx.x) / (width / N)), step(TILE_THREADS / (width / N)),
          tile(tiles.first_tile[tiles.part] + blockIdx.x), down(sino_tile_range(tiles.grid_size, tiles.tile[tile].row)),
          across(sino_tile_range(tiles.grid_size, tiles.tile[tile].column))
    {
    }

    __device__ __forceinline__ bool is_inside(int of) const
    {
        const int row = of / SINO_TILE - static_cast<int>(down.first);
        const int place = of % SINO_TILE - static_cast<int>(across.first);
        return row >= 0 && row < down.count && place >= 0 && place < across.count;
    }
};

/* A scalar of the states of this thread's slices; 0: padding. */
template <int N, class Real>
static __device__ __forceinline__ void load_scalar(const Tiles<Real> &tiles, const Walk<N> &walk, int scalar,
                                                   double (&value)[N])
{
    const int first = sino_panel_first(tiles.panels) + walk.column;
    for (int i = 0; i < N; i++) value[i] = first + i < tiles.slice_count ? tiles.state[first + i].scalar[scalar] : 0;
}

/* The pack `within` of a tile, if the neighbour lies there, else the pack `beyond` of the tile beside; `none` where
 * that is NULL. */
template <int N, class Real>
static __device__ __forceinline__ SinoPack<Real, N>
load_beside(bool is_within, const Real *own, int within, const Real *beside, int beyond, const SinoPack<Real, N> &none)
{
    if (is_within) return sino_pack_load<Real, N>(own + within);
    return beside ? sino_pack_load<Real, N>(beside + beyond) : none;
}

/* A third dimension: the slices beside each other in the vector of the own part. */
template <class Real> struct Along {
    const Real *vector; /* NULL: slices are not compared */
    const Real *edge;   /* [voxel of the part]: the slice before the first one, or after the last one; NULL: none */
    bool same;          /* then it is taken for a copy of the slice at the end; false: for zeros */
};

/* Of a thread's slices of a voxel, whose values are `own`: those of the slice before (side −1) or after (1) each.
 * Padding gets any values. */
template <int N, class Real>
static __device__ __forceinline__ SinoPack<Real, N> load_along(const Tiles<Real> &tiles, const Walk<N> &walk,
                                                               const Along<Real> &along, int voxel, int side,
                                                               const SinoPack<Real, N> &own)
{
    const int64_t rows = (tiles.first_tile[tiles.part + 1] - tiles.first_tile[tiles.part]) * SINO_TILE_VOXELS;
    const int64_t row = (walk.tile - tiles.first_tile[tiles.part]) * SINO_TILE_VOXELS + voxel;
    const int first = sino_panel_first(tiles.panels), stride = tiles.panels.stride;
    const int end = side < 0 ? 0 : tiles.slice_count - 1;
    SinoPack<Real, N> pack;
    for (int i = 0; i < N; i++) {
        const int slice = first + walk.column + i, beside = slice + side;
        if (slice == end)
            pack.value[i] = along.edge ? along.edge[row] : along.same ? own.value[i] : 0;
        else if (i + side >= 0 && i + side < N)
            pack.value[i] = own.value[i + side];
        else if (beside >= stride)
            pack.value[i] = own.value[i];
        else {
            const int panel = beside / tiles.panels.width * tiles.panels.width;
            const int width = min(tiles.panels.width, stride - panel);
            pack.value[i] = along.vector[panel * rows + row * width + beside - panel];
        }
    }
    return pack;
}

/* Without vectors. */
template <class Real> static Tiles<Real> tiles_of(const SinoVariation *variation, const SinoSliceState *state)
{
    Tiles<Real> tiles = {};
    assert(variation->part_count <= PARTS);
    tiles.panels = sino_panels_of(variation->slices);
    tiles.slice_count = static_cast<int>(variation->slices.slice_count);
    tiles.part = static_cast<int>(variation->part);
    tiles.grid_size = variation->grid_size;
    for (int64_t i = 0; i <= variation->part_count; i++) tiles.first_tile[i] = variation->first_tile[i];
    tiles.tile = variation->tile;
    tiles.neighbour = variation->neighbour;
    tiles.state = state;
    return tiles;
}

template <class Real>
static void put_parts(const SinoVariation *variation, const void *const *vector, const Real *(&part)[PARTS])
{
    for (int64_t i = 0; i < variation->part_count; i++) part[i] = static_cast<const Real *>(vector[i]);
}

/* Launch parameters of a block for each tile of the part and each panel. */
static inline SinoLaunch over_tiles(const char *name, cudaStream_t stream, const SinoVariation *variation)
{
    const int64_t count = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    const unsigned panels = sino_panels_count(sino_panels_of(variation->slices));
    return {name, dim3(static_cast<unsigned>(count), panels), TILE_THREADS, 0, stream};
}

static inline bool is_empty(const SinoVariation *variation)
{
    return variation->first_tile[variation->part] == variation->first_tile[variation->part + 1];
}
