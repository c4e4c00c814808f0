/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation, on a CPU core. */
#include "variation.h"

#include "vector.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

enum { ROW_MAX = SINO_TILE * SINO_PANEL_MAX };

/* The voxels of a tile that lie in the grid. */
typedef struct Extent {
    SinoTileRange down, across;
} Extent;

/* `down` is empty where the tile has no voxel in the grid. */
static Extent extent_of(const SinoVariation *variation, int64_t tile)
{
    const SinoTilePlace place = variation->tile[tile];
    Extent extent = {.down = sino_tile_range(variation->grid_size, place.row),
                     .across = sino_tile_range(variation->grid_size, place.column)};
    if (extent.across.count == 0) extent.down.count = 0;
    return extent;
}

/* First element of a panel in a part's vector. */
static void *vector_of(const SinoVariation *variation, SinoPanel at, int64_t part, const void *vector)
{
    const int64_t rows = (variation->first_tile[part + 1] - variation->first_tile[part]) * SINO_TILE_VOXELS;
    return (char *)vector + (size_t)(at.first * rows) * sino_precision_bytes(at.slices.precision);
}

/* First element of a tile in the panel of its part's vector. */
static const void *tile_of(const SinoVariation *variation, SinoPanel at, int64_t tile, const void *const *vector)
{
    int64_t part = variation->part;
    while (tile < variation->first_tile[part]) part--;
    while (tile >= variation->first_tile[part + 1]) part++;
    const int64_t row = (tile - variation->first_tile[part]) * SINO_TILE_VOXELS;
    return (const char *)vector_of(variation, at, part, vector[part]) +
           (size_t)(row * at.slices.stride) * sino_precision_bytes(at.slices.precision);
}

/* The same; NULL: there is no such tile (−1). */
static const void *beside_of(const SinoVariation *variation, SinoPanel at, int64_t tile, const void *const *vector)
{
    return tile < 0 ? NULL : tile_of(variation, at, tile, vector);
}

#define REAL    float
#define NAME(x) x##_single
#include "variation_tmpl.c"
#undef REAL
#undef NAME

#define REAL    double
#define NAME(x) x##_double
#include "variation_tmpl.c"
#undef REAL
#undef NAME

void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const SinoSliceState *state, void *u)
{
    const SinoSlices slices = variation->slices;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            primal_double(variation, at, z, p, q, state, u);
        else
            primal_single(variation, at, z, p, q, state, u);
    }
}

void sino_variation_dual(const SinoVariation *variation, const void *const *u, const SinoSliceState *state, void *p,
                         void *q)
{
    const SinoSlices slices = variation->slices;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        if (slices.precision == SINO_DOUBLE)
            dual_double(variation, at, u, state, p, q);
        else
            dual_single(variation, at, u, state, p, q);
    }
}
