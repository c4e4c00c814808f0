/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill: copies images into the tiles of a partition, interleaved; the inverse of assemble. */
#pragma once

#include "panel.h"
#include "trace.h"

typedef struct SinoFill {
    SinoSlices slices;
    int64_t grid_size, tile_count;
    int64_t margin;            /* voxels at each side of the grid that the images leave out (geometry.h): 0 */
    const SinoTilePlace *tile; /* not owned */
    double scale;              /* factor that converts from the units of the images */
    double
        support_ratio; /* voxels beyond this share of the radius of the grid's inscribed circle are 0; 0: no circle */
} SinoFill;

/* Reads float image[slice][S][S], S = grid_size − 2·margin. Writes x in panels (panel.h), one row per voxel of the
 * tiles: tile_count·T² rows. Voxels of tiles that lie outside of the grid, and padding, are 0. */
void sino_fill(const SinoFill *fill, const float *image, void *x);
