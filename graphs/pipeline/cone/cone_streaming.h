/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone streaming: how a cone-beam run divides its volume and its projections, and the bytes that this takes.
 *
 * The volume is divided into slabs of slices; all projections pass once through memory for each slab. A slab is divided
 * into parts (cone_lines.h): bands of rows, chunks of voxels along z. Projections come in pieces of consecutive angles,
 * each of which is loaded, filtered and made lines of by itself. Pieces form blocks, which are added to all parts. With
 * quarter turns the pieces of a block are a quarter turn apart.
 *
 * Ranks form a grid of rows × columns (P. Chen et al., "iFDK", SC 2019). A row of ranks has a share of each slab's
 * voxels, and a column of ranks has a share of the blocks. Of the pieces of a column's block, each rank of the column
 * loads and filters some, and sends each of the others the lines that its share is seen by. The ranks of a row add up
 * their voxels. */
#pragma once

#include "cone_tasks.h"
#include "input.h"
#include "unit_bytes.h"

enum {
    SINO_CONE_BLOCKS_MAX = 8,    /* blocks of lines in memory at the same time, at most */
    SINO_CONE_IMAGE_SLICES = 16, /* that are stored together: a cache line of voxels along z */
    SINO_CONE_IMAGE_SETS_MAX = 16
};

typedef struct SinoConeStreaming {
    SinoConeSymmetry symmetry;
    SinoPrecision precision; /* of lines: SINO_SINGLE or SINO_MIXED */
    int64_t slab_slices;     /* slices of each slab but the last; with halves: all slices */
    int64_t slab_count;
    int64_t band_rows;               /* rows of base runs of a part */
    int64_t part_voxels;             /* voxels of a part's runs: a multiple of image_slices */
    int64_t image_slices;            /* slices that are stored together */
    int64_t piece_sets;              /* pieces that are loaded and filtered at the same time */
    int64_t block_sets;              /* blocks of lines in memory at the same time, up to SINO_CONE_BLOCKS_MAX */
    int64_t send_sets;               /* pieces of a rank whose lines are on their way to the others of its column */
    int64_t arrival_sets;            /* parts of other columns of ranks that arrive at the same time */
    int64_t image_sets;              /* images in memory at the same time */
    int64_t grid_rows, grid_columns; /* of the ranks: R, C */
} SinoConeStreaming;

/* The place of a rank in the grid. */
typedef struct SinoConeRank {
    int64_t row, column;
} SinoConeRank;

static inline SinoConeRank sino_cone_rank(const SinoConeStreaming *streaming, int64_t process)
{
    return (SinoConeRank){process % streaming->grid_rows, process / streaming->grid_rows};
}

static inline int64_t sino_cone_process(const SinoConeStreaming *streaming, SinoConeRank rank)
{
    return rank.column * streaming->grid_rows + rank.row;
}

/* Consecutive numbers. */
typedef struct SinoSpan {
    int64_t first, count;
} SinoSpan;

/* Slices of a slab. */
SinoSpan sino_cone_slab(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab);

/* The detector rows that see voxels of `slices`, at least one of them. */
SinoSpan sino_cone_rows(const SinoCone *cone, SinoSpan slices);

/* The share that a row of ranks has of a slab: voxels of runs, counted as those of a part (SinoConePart.first). */
SinoSpan sino_cone_share(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab, int64_t row);

/* The lines that a share needs: group_count is that of the first block. */
SinoConeLines sino_cone_share_lines(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share);

/* Blocks of a run, and pieces of a block. */
int64_t sino_cone_block_count(const SinoCone *cone, const SinoConeStreaming *streaming);
int64_t sino_cone_piece_count(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block);

/* The angles of a piece of a block. */
SinoSpan sino_cone_piece(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block, int64_t piece);

/* The largest share that a row has of a slab. */
SinoSpan sino_cone_largest_share(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t row);

/* The parts of a share: chunks of voxels along z, and bands of each. */
int64_t sino_cone_chunk_count(const SinoConeStreaming *streaming, SinoSpan share);
int64_t sino_cone_band_count(const SinoCone *cone, const SinoConeStreaming *streaming);
SinoConePart sino_cone_part(const SinoCone *cone, const SinoConeStreaming *streaming, SinoSpan share, int64_t chunk,
                            int64_t band);

/* Pieces of a block that a rank of a column loads, at most. */
int64_t sino_cone_own_pieces(const SinoCone *cone, const SinoConeStreaming *streaming);

/* Bytes of the lines of a piece in the largest share of a row. */
int64_t sino_cone_piece_bytes(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t row);

/* Bytes of a weighed piece of so many rows; 0: it takes the place of the line integrals, which have as many columns. */
int64_t sino_cone_weighed_bytes(const SinoCone *cone, int64_t rows);

/* Of the rank that needs most. */
SinoUnitBytes sino_cone_bytes(const SinoCone *cone, const SinoInput *input, const SinoConeStreaming *streaming,
                              int64_t worker_count);
