/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: computes exact lengths of rays in voxels (R. L. Siddon, Med. Phys. 12, 252 (1985)), tile by tile, in groups.
 */
#pragma once

#include "arithmetic.h"
#include "block.h"
#include "status.h"
#include "vector.h"

#include <stdint.h>

/* Tile (column, row) of a grid of `side`² tiles, row 0 on top. The grid of tiles is centered on the voxel grid, so that
 * turned and mirrored tiles are tiles again. Super-tiles also turn into super-tiles: the side is a multiple of two
 * super-tiles, and outer tiles may lie beyond the voxel grid. */
typedef struct SinoTilePlace {
    int32_t column, row;
} SinoTilePlace;

SINO_INLINE int64_t sino_tile_side(int64_t grid_size)
{
    return sino_block_align(grid_size, 2 * (int64_t)SINO_SUPER_TILE * SINO_TILE) / SINO_TILE;
}

/* Grid row or column of the first voxel of the tiles in row or column `index`; negative if they begin outside the grid.
 */
SINO_INLINE int64_t sino_tile_first_voxel(int64_t grid_size, int64_t index)
{
    return index * SINO_TILE - (sino_tile_side(grid_size) * SINO_TILE - grid_size) / 2;
}

/* The voxels inside the grid of the tiles in row or column `index`: first … first + count − 1 of the tile's T; count 0:
 * none. */
typedef struct SinoTileRange {
    int64_t first, count;
} SinoTileRange;

SINO_INLINE SinoTileRange sino_tile_range(int64_t grid_size, int64_t index)
{
    const int64_t voxel = sino_tile_first_voxel(grid_size, index);
    const int64_t tile = SINO_TILE, left = grid_size - voxel;
    const int64_t first = voxel < 0 ? -voxel : 0, end = left < tile ? left : tile;
    return (SinoTileRange){.first = first, .count = end > first ? end - first : 0};
}

/* Number of voxels of all tiles that lie in the grid, at least in part. */
static inline int64_t sino_tile_voxels(int64_t grid_size)
{
    int64_t count = 0;
    for (int64_t i = 0; i < sino_tile_side(grid_size); i++) count += sino_tile_range(grid_size, i).count > 0;
    return sino_times(sino_times(count, count), SINO_TILE_VOXELS);
}

/* The end of the run of tiles from `first` on that lie in one super-tile: at most SINO_SUPER_TILE². */
static inline int64_t sino_tile_run_end(const SinoTilePlace *tile, int64_t first, int64_t tile_count)
{
    int64_t end = first + 1;
    while (end < tile_count && tile[end].row / SINO_SUPER_TILE == tile[first].row / SINO_SUPER_TILE &&
           tile[end].column / SINO_SUPER_TILE == tile[first].column / SINO_SUPER_TILE)
        end++;
    return end;
}

/* Traced tiles: the sections of a block (block.h), with ray numbers of the whole layout. */
typedef struct SinoTrace {
    uint8_t *bytes; /* owned; from sino_allocate_large */
    int64_t size;   /* bytes in use */
    int64_t capacity;
    struct SinoTraceWorkspace *workspace; /* owned */
    int64_t nonzero_count;                /* of every orientation */
    int64_t stored_nonzero_count;
    int64_t stored_count;
    SinoPrecision precision;
} SinoTrace;

/* Traces `tile_count` tiles; the first one is number `first_tile` of its partition. The trace is zero before its first
 * use; later calls reuse its memory. The caller frees it with sino_trace_free. The layout has at most 2³² rays.
 * SINO_FAILED: out of memory; the trace is then empty. */
SinoStatus sino_trace_tiles(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTrace *trace);
void sino_trace_free(SinoTrace *trace);

/* Number of tiles, from the first one on, that lie in the same super-tile. */
int64_t sino_trace_super_tile(int64_t tile_count, const SinoTilePlace *tile);

/* Number of nonzeros of each tile to about 1 %: Σ of the covered area times |cosθ| + |sinθ| over some of the angles,
 * which have the order of a layout. nonzeros: [tile_count]. */
void sino_trace_estimate(const SinoGeometry *geometry, int64_t tile_count, const SinoTilePlace *tile, double *nonzeros);
