/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: exact lengths of rays in voxels (R. L. Siddon, Med. Phys. 12, 252 (1985)), tile by tile, grouped. */
#ifndef SINO_TRACE_H
#define SINO_TRACE_H

#include "block.h"
#include "geometry.h"
#include "status.h"

#include <stdint.h>

/* Tile (column, row) of the grid of ⌈N/T⌉² tiles, row 0 on top. Voxels beyond N are never crossed. */
typedef struct SinoTilePlace {
    int32_t column, row;
} SinoTilePlace;

/* A run of tiles as traced: the tiles of a block (block.h), with ray numbers of the whole sinogram. */
typedef struct SinoTrace {
    uint8_t *bytes; /* owned; malloc */
    int64_t size;   /* bytes in use */
    int64_t capacity;
    int64_t nonzero_count;
    int64_t stored_count;
    SinoPrecision precision;
} SinoTrace;

/* Traces `tile_count` tiles, of which the first is number `first_tile` of its partition; trace->bytes is NULL before.
 * At most 2³² rays. SINO_FAILED: out of memory. */
SinoStatus sino_trace_tiles(const SinoGeometry *geometry, SinoPrecision precision, int64_t first_tile,
                            int64_t tile_count, const SinoTilePlace *tile, SinoTrace *trace);
void sino_trace_free(SinoTrace *trace);

/* The number of nonzeros of the tile to about 1 %: Σ over angles of the covered area times |cosθ| + |sinθ|. */
double sino_trace_estimate(const SinoGeometry *geometry, SinoTilePlace tile);

/* Bytes of a block per nonzero, headers and padding included: measured 6.2 to 7.5 and 11.5 to 13.8, more where angles
 * are few for the columns and groups hold more zeros. */
double sino_trace_bytes_per_nonzero(SinoPrecision precision);

#endif
