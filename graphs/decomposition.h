/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: a slice's voxels in Hilbert-ordered tiles, cut into partitions of nearly equal, or given, shares of
 * the nonzeros. */
#ifndef SINO_DECOMPOSITION_H
#define SINO_DECOMPOSITION_H

#include "tasks.h"

typedef struct SinoDecomposition {
    int64_t tile_count, partition_count;
    SinoTilePlace *tile;  /* super-tile by super-tile along the Hilbert curve; owned */
    double *weight;       /* expected nonzeros of each tile; owned */
    int64_t *first;       /* partition p has tiles first[p] … first[p+1] − 1; owned; possibly none */
    double nonzero_count; /* expected */
} SinoDecomposition;

/* partition_count ≥ 1; more partitions than tiles leave some empty. share[p] ≥ 0, not all 0, is how much of the
 * nonzeros partition p is to have, relative to the others; NULL: all the same. Where the layout has several
 * orientations a super-tile is followed by the same one in each of their group (layout.h), and all are in one
 * partition. */
SinoStatus sino_decomposition_new(const SinoLayout *layout, int64_t partition_count, const double *share,
                                  SinoDecomposition *result);

/* What must stay in one partition: a tile, or an orbit of super-tiles. Their number bounds that of useful partitions.
 */
int64_t sino_decomposition_units(const SinoLayout *layout);
void sino_decomposition_free(SinoDecomposition *decomposition);

/* Position of (x, y) on the Hilbert curve through a square of 2^order cells a side. */
uint64_t sino_decomposition_hilbert(int order, uint32_t x, uint32_t y);

#endif
