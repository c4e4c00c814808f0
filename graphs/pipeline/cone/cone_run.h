/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone run, for cone_reconstruction.c and cone_live.c only: what a reconstruction of a cone beam makes once, and the
 * memory that its tasks use in turn. */
#pragma once

#include "cone_pieces.h"
#include "cone_reconstruction.h"
#include "fourier_tasks.h"
#include "stages.h"

enum { SINO_CONE_FIELD_SETS = 2, SINO_CONE_IMAGES_MAX = 64 };

/* Zeros where nothing has been made yet. */
typedef struct SinoConeRun {
    SinoConeReconstruction of;
    SinoCone filtered; /* of.cone, as filtered projections see it */
    SinoConeRank rank;
    int64_t rows;         /* of the slab with most */
    int64_t blocks;       /* of all columns */
    SinoSpan share;       /* the largest one of this rank */
    SinoAngleRun *piece;  /* [block][SINO_BLOCK_PIECES]: the angles of each piece; owned */
    double *angle_rad;    /* [block][SINO_BLOCK_PROJECTIONS]; owned */
    float *ray_weight;    /* [angle][column of the filtered detector]; owned */
    SinoData *weights;    /* ray_weight for GPUs; NULL: none computes */
    SinoConeLines *lines; /* [slab][row of ranks], and this rank's of the last block, which may be smaller; owned */
    double one[SINO_PIECE_PROJECTIONS];
    SinoFilter *filter;
    SinoFilterPlans *plans[SINO_PIECE_PROJECTIONS + 1]; /* [angles of a piece]; NULL: no piece has as many */
    SinoConePieces *pieces;
    SinoData *weighed[SINO_COUNT_SETS_MAX]; /* of each set of pieces; NULL: as the line integrals */
    SinoData *block[SINO_CONE_BLOCKS_MAX][SINO_BLOCK_PIECES];
    SinoData **part; /* [chunk][band] */
    SinoData *image[SINO_CONE_IMAGES_MAX];
    SinoData **sent;                           /* [send_sets][row]: lines for other ranks */
    SinoData **arrival;                        /* [arrival_sets]: parts of other ranks */
    SinoData *undefined[SINO_CONE_FIELD_SETS]; /* of a slab: as the tally of the record */
    SinoData *none;                            /* zeros: no residuals, no undefined values */
    SinoData *pack_scratch, *scratch;          /* work memory of tasks lines and backproject_cone */
    int64_t pieces_begun, blocks_begun, images_begun, arrivals_begun;
} SinoConeRun;

/* A run without memory. */
SinoConeRun sino_cone_run_of(const SinoConeReconstruction *reconstruction);

/* Allocates everything; after a failure, too, the caller frees it. */
SinoStatus sino_cone_run_allocate(SinoConeRun *run);
void sino_cone_run_free(SinoConeRun *run);

/* The lines that the share of a row of ranks needs of a slab; row R: those that this rank needs of the last block. */
const SinoConeLines *sino_cone_run_lines(const SinoConeRun *run, int64_t slab, int64_t row);

/* Floats of the largest part. */
int64_t sino_cone_run_part_voxels(const SinoConeRun *run);

/* For cone_reconstruction.c only: inserts the tasks that take planes of the volume from the parts of a share of a slab,
 * after a block was added to them, and show them; none if the run has no page. */
SinoStatus sino_cone_live_show(const SinoConeRun *run, int64_t slab, SinoSpan share, int64_t block);
