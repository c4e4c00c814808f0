/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: what the kinds of operator of a parallel beam without a matrix (rotate, pixels, toeplitz) share.
 *
 * A slice has partitions of tiles, as those of the kind `rays`. A rank has all rays of its slices; the angles of a
 * subset are those of the kind `rays`, in the order of the scan. Tasks run on cores, those of rotate on devices, too. */
#ifndef SINO_TILES_KIND_H
#define SINO_TILES_KIND_H

#include "angle_subsets.h"
#include "decomposition.h"

/* SinoOperator.own. All members are owned. */
typedef struct SinoTilesOwn {
    SinoAngleSubsets angles;
    SinoGeometry *subset; /* [subset_count]: the scan with the subset's angles */
    double *angle_rad;    /* [angle], subset after subset */
    int64_t *place;       /* SinoOperator.place */
    int64_t *subset_rays; /* rows of SINO_ROWS_SUBSET */
    SinoDecomposition decomposition;
    int64_t *partition_voxels; /* [partition] */
    SinoExchangePart *part;
    SinoRayExchange *exchange;
    SinoData *scratch;   /* of the kind's tasks; NULL: none */
    void *kind;          /* of the kind, which frees it; NULL: nothing */
    int64_t task_angles; /* of a task that projects */
} SinoTilesOwn;

/* SinoOperatorWork.own: void data that order the tasks of the same angles. */
typedef struct SinoTilesWork {
    int64_t count;
    SinoData **order;
} SinoTilesWork;

/* Whether the problem is of a parallel beam in single precision, and asks for the projector. */
bool sino_tiles_take(const SinoProblem *problem, SinoProjector projector);

/* Functions of the kinds. The kind's `size` and `open` add the bytes of scratch memory of a worker. */
SinoStatus sino_tiles_check(const char *folder);
SinoStatus sino_tiles_outline(const SinoProblem *problem, SinoOperatorOutline *outline);
SinoStatus sino_tiles_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                           int64_t scratch_bytes, SinoOperatorSize *size);
SinoStatus sino_tiles_open(SinoOperator *op, const SinoOperatorRequest *request, int64_t scratch_bytes);
void sino_tiles_close(SinoOperator *op);
int64_t sino_tiles_work_bytes(const SinoShape *shape, SinoBatch batch);
SinoStatus sino_tiles_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
void sino_tiles_work_close(SinoOperatorWork *work);
SinoStatus sino_tiles_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                            SinoData *const *x, SinoData *image);
SinoTiling sino_tiles_tiling(const SinoOperator *op);
void sino_tiles_keep(SinoOperator *op, const char *folder);

/* The tiles of a partition, and their number. */
const SinoTilePlace *sino_tiles_of(const SinoTilesOwn *own, int64_t partition, int64_t *count);

#endif
