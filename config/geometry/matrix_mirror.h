/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix mirror: the planes of symmetry of a PET scanner of blocks on a circle, in several layers and rings, and of its
 * grid of voxels, as the symmetry flags of csr4 files mean them (T. Küstner, 2011).
 *
 * Crystal number: ((ring · layers + layer) · blocks + block) · blocksize + place, places and blocks being in the order
 * of the circle. The middle of block 0 lies on the y axis. A row is a pair of crystals a ≤ b: row = a · crystals + b. A
 * mirror takes an entry to the row of the mirrored crystals, the lower number first, and to the mirrored voxel. */
#pragma once

#include "system_matrix.h"

typedef struct SinoMirror {
    int64_t layer_count, block_count, block_size, ring_count; /* block_size: crystals of a block along the circle */
    int64_t x_count, y_count, z_count;
} SinoMirror;

int64_t sino_mirror_crystals(const SinoMirror *mirror);

/* The mirrored crystal. With SINO_MIRROR_Y the number of blocks is even. */
int64_t sino_mirror_crystal(const SinoMirror *mirror, int which, int64_t crystal);

/* The row to which the mirrors `which` take a row of crystals a ≤ b. The number of blocks as above. */
int64_t sino_mirror_row(const SinoMirror *mirror, int which, int64_t row);

/* The mirrored voxel. */
uint32_t sino_mirror_column(const SinoMirror *mirror, int which, uint32_t column);
