/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: traces the tiles of a partition into its block, whose size is unknown before. */
#pragma once

#include "reduce.h"
#include "trace_sections.h"

/* Memory of a block. Many threads append traced pieces to it at once. */
typedef struct SinoPackArea {
    uint8_t *block;
    int64_t capacity; /* bytes */
    int64_t used;     /* bytes in use, the block's head included; atomic while runs are packed */
} SinoPackArea;

/* Consecutive tiles of a partition that one call packs. */
typedef struct SinoPackRun {
    const SinoLayout *layout;
    int64_t first_tile, tile_count;
    const SinoTilePlace *tile; /* [tile_count] of the run; not owned */
    SinoPackArea *area;
    SinoBlockPiece *piece; /* [sino_pack_piece_count]; not owned */
    uint8_t *touched;      /* [ray] flags; NULL: not wanted; not owned */
    /* results */
    int64_t nonzero_count, stored_nonzero_count, stored_count;
} SinoPackRun;

/* Number of pieces of a run: one per super-tile. */
int64_t sino_pack_piece_count(int64_t tile_count, const SinoTilePlace *tile);

/* Traces the tiles and appends their pieces to the area. Sets touched[ray] = 1 for every ray that crosses a tile, in
 * every orientation. Safe from many threads at once. SINO_FAILED: out of memory, or the area is too small. */
SinoStatus sino_pack_run(SinoPackRun *run);

/* The same in two passes, for callers that trace on a GPU. sino_pack_place allocates the run's part of the area, which
 * starts on a multiple of 64 bytes, and its consecutive pieces, from the sizes of all sections of its tiles; on one
 * thread at a time. After the caller has written the sections there, sino_pack_mark marks the rays that they contain.
 * SINO_FAILED: the area is too small. */
SinoStatus sino_pack_place(SinoPackRun *run, const SinoTraceSection *section, const SinoTraceSize *size);
void sino_pack_mark(SinoPrecision precision, int64_t bytes, const void *sections, uint8_t *touched);

/* local[ray]: the row of the ray in a footprint that lists its rays; other elements are unchanged. */
void sino_pack_local(const SinoFootprint *footprint, uint32_t *local);

/* Replaces every ray r in the groups of the pieces by local[r], and adapts the sections' steps. */
void sino_pack_renumber(SinoPrecision precision, int64_t piece_count, const SinoBlockPiece *piece,
                        const uint32_t *local, uint8_t *block);

/* Writes the head of a block whose table of pieces is complete: the header, and the place of each tile in every
 * orientation. If the layout has several orientations, `tile` must contain whole orbits. SINO_FAILED: out of memory. */
SinoStatus sino_pack_head(const SinoBlockHeader *header, const SinoLayout *layout, const SinoTilePlace *tile,
                          void *block);

/* A whole block, packed by one thread. */
typedef struct SinoPackBlock {
    const SinoLayout *layout;
    int64_t tile_count;
    const SinoTilePlace *tile;      /* of the partition; not owned */
    const SinoFootprint *footprint; /* without a list of rays they keep the layout's numbers; not owned */
    int64_t capacity;               /* bytes at `block` */
    uint8_t *touched;               /* as in SinoPackRun */
} SinoPackBlock;

/* SINO_FAILED: out of memory, or the capacity is too small. */
SinoStatus sino_pack_block(const SinoPackBlock *pack, void *block);
