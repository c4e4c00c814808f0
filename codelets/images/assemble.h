/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: copies the tiles of a partition from interleaved slices into images. */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"
#include "trace.h"

typedef struct SinoAssemble {
    SinoSlices slices;
    int64_t grid_size, tile_count;
    int64_t margin;            /* voxels at each side of the grid that the images leave out (geometry.h) */
    const SinoTilePlace *tile; /* not owned */
    double scale;              /* factor that converts to the units of the output */
    double mask_ratio; /* voxels beyond this share of the radius of the images' inscribed circle become 0; 0: no mask */
} SinoAssemble;

/* Reads x in panels (panel.h), one row per voxel of the tiles: tile_count·T² rows. Writes the voxels of these tiles,
 * and no others, in float image[slice][S][S], S = grid_size − 2·margin. */
void sino_assemble(const SinoAssemble *assemble, const void *x, float *image);

/* On a GPU, bit for bit, with x, the images and assemble->tile in device memory (cuda_stream.h). */
SinoStatus sino_assemble_cuda(cudaStream_t stream, const SinoAssemble *assemble, const void *x, float *image);
