/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: what the kinds of operator of a parallel beam without a matrix (rotate, pixels, gridding, toeplitz) share.
 *
 * A slice has partitions of tiles, as those of the kind `rays`. The angles of a subset are those of the kind `rays`, in
 * the order of the scan. Ranks that share a slice share the angles of every subset, and all have every voxel: a
 * projection needs no messages, a backprojection is added up over the ranks (partial_sums.h). */
#pragma once

#include "angle_subsets.h"
#include "angle_work.h"
#include "decomposition.h"
#include "tile_rows.h"

/* SinoOperator.own. All members are owned. */
typedef struct SinoTilesOwn {
    SinoAngleSubsets angles;
    SinoGeometry *subset; /* [subset_count]: the scan with this rank's angles of the subset */
    double *angle_rad;    /* [angle of the scan], subset after subset */
    int64_t *place;       /* SinoOperator.place */
    int64_t *subset_rays; /* rows of SINO_ROWS_SUBSET */
    SinoDecomposition decomposition;
    int64_t *partition_voxels; /* [partition] */
    SinoExchangePart *part;
    SinoRayExchange *exchange;
    SinoData *scratch;   /* of the kind's tasks; NULL: none */
    void *kind;          /* of the kind, which frees it; NULL: nothing */
    int64_t angle_count; /* angles of this rank */
    int64_t task_angles; /* of a task that projects */
} SinoTilesOwn;

/* Functions of the kinds. The problem is of a parallel beam in single precision, and asks for the kind's projector; a
 * kind that does not project takes no subsets. The kind's `size` and `open` add the bytes of scratch memory of a
 * worker. */
bool sino_tiles_take(const SinoOperatorKind *kind, const SinoProblem *problem);
SinoStatus sino_tiles_check(const char *folder);
SinoStatus sino_tiles_outline(const SinoProblem *problem, SinoOperatorOutline *outline);
SinoStatus sino_tiles_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                           int64_t scratch_bytes, SinoOperatorSize *size);
SinoStatus sino_tiles_open(SinoOperator *op, const SinoOperatorRequest *request, int64_t scratch_bytes);
void sino_tiles_close(SinoOperator *op);
SinoStatus sino_tiles_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
SinoStatus sino_tiles_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                            SinoData *const *x, SinoData *image);
SinoTiling sino_tiles_tiling(const SinoOperator *op);

/* The members that these kinds have in common. */
#define SINO_TILES_KIND                                                                                                \
    .takes = sino_tiles_take, .check = sino_tiles_check, .work_bytes = sino_angle_work_bytes,                          \
    .work_open = sino_tiles_work_open, .work_close = sino_angle_work_close, .image = sino_tiles_image,                 \
    .tiling = sino_tiles_tiling

/* Where the tiles of the grid are in the partitions. *tile: the caller frees it. */
SinoStatus sino_tiles_map(const SinoOperator *op, SinoTileNumber **tile);

/* Inserts the task that adds a partition and some angles of the product to y. */
typedef SinoStatus SinoTilesProject(SinoOperatorWork *work, const SinoProduct *product, SinoPosition position,
                                    int64_t first_angle, int64_t angle_count, SinoData *x, SinoData *order,
                                    SinoData *y);

/* Inserts y = A x by such tasks, on cores. Those of one partition follow each other, so that its voxels are in the
 * caches; the first partition's clear their rays. */
SinoStatus sino_tiles_project(SinoOperatorWork *work, const SinoProduct *product, SinoTilesProject *insert,
                              SinoData *const *x, SinoData *y);

/* Inserts the sums of x, what this rank's angles give, over all angles. The last of a kind's backprojection. */
SinoStatus sino_tiles_insert_sums(SinoOperatorWork *work, SinoPosition position, SinoData *const *x);

/* The tiles of a partition, and their number. */
const SinoTilePlace *sino_tiles_of(const SinoTilesOwn *own, int64_t partition, int64_t *count);
