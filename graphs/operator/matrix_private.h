/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator, private: shared by matrix_kind.c, matrix_blocks.c and matrix_product.c. */
#pragma once

#include "bricks_tasks.h"
#include "matrix_kind.h"
#include "partial_sums.h"

/* Entries that a task reads at a time, so that rows are packed while they are in L2. */
enum { SINO_MATRIX_RANGE_ENTRIES = 32 << 10 };

/* SinoOperator.own. All members are owned. */
typedef struct SinoMatrixOwn {
    SinoBrickArea *area;    /* [row partition · subset_count + subset]; blocks are NULL if they are in a kept file */
    SinoOperatorFile *kept; /* blocks of a matrix that was too large for memory; NULL: none */
    bool windows;           /* the blocks do not stay in memory */
    bool listed;            /* the areas have lists, with which devices compute */
    SinoData **block;       /* [subset · partition_count + row partition]; NULL: no rows */
    int64_t bytes;          /* of all blocks */
    int64_t lists_bytes;    /* of their lists */
    SinoData *mask;         /* float[voxel row]; NULL: none */
    SinoExchangePart part;
    SinoRayExchange *exchange;
} SinoMatrixOwn;

/* SinoOperatorWork.own. All members are owned. */
typedef struct SinoMatrixWork {
    SinoData **voxels;  /* [row partition]: its share of Aᵀ y; the first is NULL unless there is a mask: the result */
    SinoData **rows;    /* [row partition]: its rows of A x, from devices; NULL until there is a projection */
    SinoData **sums;    /* [row partition]: SinoBrickSums[stride] */
    SinoData *scratch;  /* of devices, or of folded products; NULL: neither */
    SinoData *spread;   /* the orientations of x; NULL: the matrix is not folded */
    SinoData **weights; /* [subset]: packed (bricks_tasks.h); NULL until a turn needs them */
    SinoData *lost;     /* double[stride] */
    SinoVoxelSum *all;  /* over ranks; NULL: one rank */
} SinoMatrixWork;

static inline const SinoMatrixSurvey *sino_matrix_survey_of(const SinoOperator *op)
{
    return op->problem.matrix;
}

/* Units of packing (matrix_survey.h), row partition after row partition. */
static inline int64_t sino_matrix_units(const SinoMatrixSurvey *matrix)
{
    return sino_times(matrix->partition_count, matrix->group_count);
}

/* The blocks: packed from the matrix's file, taken from a kept file, or packed into a kept file that windows read. They
 * and their lists become data. Errors: those of the file, SINO_FAILED without memory. */
SinoStatus sino_matrix_blocks_open(SinoOperator *op, const SinoOperatorRequest *request);
void sino_matrix_blocks_close(SinoOperator *op);

/* SinoOperatorKind.keep. */
void sino_matrix_blocks_keep(SinoOperator *op, const char *folder);

/* SinoOperatorKind.work_bytes, work_open, work_close, project, backproject, sweep, updates and image. */
int64_t sino_matrix_work_bytes(const SinoShape *shape, SinoBatch batch);
SinoStatus sino_matrix_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
void sino_matrix_work_close(SinoOperatorWork *work);
SinoStatus sino_matrix_project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y);
SinoStatus sino_matrix_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x);
SinoStatus sino_matrix_sweep(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep,
                             SinoData *const *x, SinoData *const *to, SinoData *sums);
bool sino_matrix_updates(const SinoOperator *op);
SinoStatus sino_matrix_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                             SinoData *const *x, SinoData *image);
