/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack: a partition's tiles, traced, into its block, whose size is not known before. */
#ifndef SINO_PACK_H
#define SINO_PACK_H

#include "reduce.h"
#include "trace_sections.h"

/* Where the pieces of a block go, one after another as they are traced, by many threads at once. */
typedef struct SinoPackArea {
    uint8_t *block;
    int64_t capacity; /* bytes */
    int64_t used;     /* bytes, the head of the block included; atomic while runs are packed */
} SinoPackArea;

/* A run of a partition's tiles. */
typedef struct SinoPackRun {
    const SinoLayout *layout;
    int64_t first_tile, tile_count;
    const SinoTilePlace *tile; /* of the run; not owned */
    SinoPackArea *area;
    SinoBlockPiece *piece; /* sino_pack_piece_count of them; not owned */
    uint8_t *touched;      /* of each ray; NULL: not wanted */
    /* what came out */
    int64_t nonzero_count, stored_nonzero_count, stored_count;
} SinoPackRun;

/* Pieces of a run: one for each super-tile. */
int64_t sino_pack_piece_count(int64_t tile_count, const SinoTilePlace *tile);

/* Traces the tiles and appends them to the area; touched[ray] = 1 for every ray that they meet, in every orientation.
 * Safe from many threads at once. SINO_FAILED: out of memory, or the area is too small. */
SinoStatus sino_pack_run(SinoPackRun *run);

/* The same in two passes, for whoever traces elsewhere: `place` gives the run its room in the area, from a multiple of
 * 64 bytes on, and its pieces, which follow each other there, by the sizes of all sections of its tiles; one thread at
 * a time. What is filled in by these sizes at the first piece then has its rays marked. SINO_FAILED: the area is too
 * small. */
SinoStatus sino_pack_place(SinoPackRun *run, const SinoTraceSection *section, const SinoTraceSize *size);
void sino_pack_mark(SinoPrecision precision, int64_t bytes, const void *sections, uint8_t *touched);

/* Where each ray is in a footprint that lists its rays: local[ray] for those that it has. */
void sino_pack_local(const SinoFootprint *footprint, uint32_t *local);

/* Rays r of the pieces' groups become local[r]. */
void sino_pack_renumber(SinoPrecision precision, int64_t piece_count, const SinoBlockPiece *piece,
                        const uint32_t *local, uint8_t *block);

/* The head of a block, whose pieces are in its table already: the header, and where each tile lies in every
 * orientation. Orbits of tiles are whole where the layout has several. SINO_FAILED: no memory. */
SinoStatus sino_pack_head(const SinoBlockHeader *header, const SinoLayout *layout, const SinoTilePlace *tile,
                          void *block);

/* A whole block, by one thread. */
typedef struct SinoPackBlock {
    const SinoLayout *layout;
    int64_t tile_count;
    const SinoTilePlace *tile;      /* of the partition; not owned */
    const SinoFootprint *footprint; /* without a list the rays keep the layout's numbers; not owned */
    int64_t capacity;               /* bytes at `block` */
    uint8_t *touched;               /* as in SinoPackRun */
} SinoPackBlock;

/* SINO_FAILED: out of memory, or the capacity is too small. */
SinoStatus sino_pack_block(const SinoPackBlock *pack, void *block);

#endif
