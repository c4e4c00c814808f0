/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation, tiles: where the voxels of tiles lie in the vectors of several parts. */
#pragma once

#include "panel.h"
#include "variation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vector of `rows` rows, and the slice beyond one of its ends. Nothing is owned. */
typedef struct SinoBeside {
    SinoSlices slices;
    int64_t rows;
    const void *vector;
    const void *edge; /* [row]: the slice before the first one, or after the last one; NULL: there is none */
    bool same;        /* then it is taken for a copy of the slice at the end; false: for zeros */
} SinoBeside;

enum { SINO_TILE_ROW_MAX = SINO_TILE * SINO_PANEL_MAX }; /* elements of a row of a tile */

/* The voxels of a tile that lie in the grid. `down` is empty where there are none. */
typedef struct SinoTileExtent {
    SinoTileRange down, across;
} SinoTileExtent;
static inline SinoTileExtent sino_tile_extent(const SinoVariation *variation, int64_t tile)
{
    const SinoTilePlace place = variation->tile[tile];
    SinoTileExtent extent = {.down = sino_tile_range(variation->grid_size, place.row),
                             .across = sino_tile_range(variation->grid_size, place.column)};
    if (extent.across.count == 0) extent.down.count = 0;
    return extent;
}

/* First element of a panel in a part's vector. */
static inline void *sino_tile_panel(const SinoVariation *variation, SinoPanel at, int64_t part, const void *vector)
{
    const int64_t rows = (variation->first_tile[part + 1] - variation->first_tile[part]) * SINO_TILE_VOXELS;
    return (char *)vector + (size_t)(at.first * rows) * sino_precision_bytes(at.slices.precision);
}

/* The slices beside those of the part's vector. */
static inline SinoBeside sino_tile_beside(const SinoVariation *variation, const void *vector, const void *edge,
                                          bool same)
{
    const int64_t tiles = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    return (SinoBeside){
        .slices = variation->slices, .rows = tiles * SINO_TILE_VOXELS, .vector = vector, .edge = edge, .same = same};
}

/* First element of a tile in the panel of its part's vector; NULL: there is no such tile (−1). */
static inline const void *sino_tile_vector(const SinoVariation *variation, SinoPanel at, int64_t tile,
                                           const void *const *vector)
{
    int64_t part = variation->part;
    if (tile < 0) return NULL;
    while (tile < variation->first_tile[part]) part--;
    while (tile >= variation->first_tile[part + 1]) part++;
    const int64_t row = (tile - variation->first_tile[part]) * SINO_TILE_VOXELS;
    return (const char *)sino_tile_panel(variation, at, part, vector[part]) +
           (size_t)(row * at.slices.stride) * sino_precision_bytes(at.slices.precision);
}
