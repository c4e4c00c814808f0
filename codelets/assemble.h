/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: a partition's tiles of interleaved slices into images. */
#ifndef SINO_ASSEMBLE_H
#define SINO_ASSEMBLE_H

#include "trace.h"
#include "update.h"

typedef struct SinoAssemble {
    SinoSlices slices;
    int64_t grid_size, tile_count;
    const SinoTilePlace *tile; /* not owned */
    double scale;              /* to the units of the output */
    double mask_ratio;         /* voxels beyond this share of the inscribed circle's radius become 0; 0: none does */
} SinoAssemble;

/* x, a row per voxel of the tiles, in panels (panel.h), into float image[slice][N][N]; only the voxels of these tiles
 * are written. */
void sino_assemble(const SinoAssemble *assemble, const void *x, float *image);

#endif
