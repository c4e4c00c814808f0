/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: a slice's voxels in Hilbert-ordered tiles, cut into partitions with nearly equal (or given) shares of
 * the nonzeros. */
#pragma once

#include "trace.h"

typedef struct SinoDecomposition {
    int64_t tile_count, partition_count;
    SinoTilePlace *tile; /* [tile_count]: super-tile by super-tile along the Hilbert curve, within a partition; owned */
    double *weight;      /* [tile_count]: expected nonzeros; owned */
    int64_t *first; /* [partition_count + 1]: tiles of partition p: first[p] … first[p+1] − 1, or none; owned */
    double nonzero_count; /* expected */
    int64_t coarseness;   /* voxels of the scan along a side of a voxel of the tiles: 1, or more in a sketch */
} SinoDecomposition;

/* Cuts the slice into partition_count ≥ 1 partitions; if there are more partitions than tiles, some are empty. share[p]
 * ≥ 0, not all 0, is partition p's relative share of the nonzeros; NULL: equal shares. If the layout has several
 * orientations, a super-tile is followed by the other super-tiles of its orbit under the orientations' group
 * (layout.h). An orbit of tiles is never cut; an orbit of super-tiles is, between its orbits of tiles. SINO_FAILED: no
 * memory. */
SinoStatus sino_decomposition_new(const SinoLayout *layout, int64_t partition_count, const double *share,
                                  SinoDecomposition *result);

/* The same for sizes of a plan, in a time that does not grow with the slice: where partitions have many tiles, the
 * slice is cut at a lower resolution. Weights are those of the scan. */
SinoStatus sino_decomposition_sketch(const SinoLayout *layout, int64_t partition_count, const double *share,
                                     SinoDecomposition *result);

/* Voxels along a side of the grid that the tiles cover, which is grid_size for a coarseness of 1. */
int64_t sino_decomposition_grid(int64_t grid_size, int64_t coarseness);

/* Voxels of the scan in partitions first … end − 1. */
int64_t sino_decomposition_voxels(const SinoDecomposition *decomposition, int64_t first, int64_t end);

/* Number of units that cannot be cut: tiles, or orbits of tiles. More partitions than units are of no use. */
int64_t sino_decomposition_units(const SinoLayout *layout);
void sino_decomposition_free(SinoDecomposition *decomposition);

/* Position of (x, y) on the Hilbert curve through a square of 2^order cells a side. */
uint64_t sino_decomposition_hilbert(int order, uint32_t x, uint32_t y);
