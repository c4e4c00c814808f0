/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, system matrices: products of bricks and an iteration of MLEM, by the tasks of recon. */
#pragma once

#include "bench.h"
#include "matrix_survey.h"
#include "settings.h"

typedef enum SinoBenchMatrixStep {
    SINO_BENCH_MATRIX_PROJECT,     /* y = A x */
    SINO_BENCH_MATRIX_BACKPROJECT, /* x = Aᵀ y */
    SINO_BENCH_MATRIX_MLEM,        /* an iteration: voxels are updated, then A is swept */
    SINO_BENCH_MATRIX_STEPS
} SinoBenchMatrixStep;

typedef struct SinoBenchMatrixRow {
    SinoPrecision precision;
    int64_t sets; /* F */
    int count;    /* repetitions: fewer where they take long */
    double seconds[SINO_BENCH_MATRIX_STEPS][SINO_BENCH_REPEATS];
} SinoBenchMatrixRow;

/* The bricks of one precision. */
typedef struct SinoBenchPacking {
    int64_t bytes, nonzero_count; /* 0: not packed */
    double elapsed_s;             /* reading and packing */
} SinoBenchPacking;

typedef struct SinoBenchMatrix {
    const SinoSettings *settings; /* not owned */
    SinoMatrixSurvey *survey;     /* owned */
    SinoBenchMachine machine;
    SinoBenchPacking packing[SINO_PRECISIONS];
    int64_t row_count;
    SinoBenchMatrixRow *row; /* owned */
} SinoBenchMatrix;

/* Bytes of bricks in a precision and of vectors of so many sets. */
SinoStatus sino_bench_bricks_bytes(const SinoBenchMatrix *bench, SinoPrecision precision, int64_t sets, int64_t *bytes);

/* The matrix as bricks. Sets bench->packing[precision]. */
typedef struct SinoBenchBricks SinoBenchBricks;
SinoStatus sino_bench_bricks_new(SinoBenchMatrix *bench, SinoPrecision precision, SinoBenchBricks **bricks);
void sino_bench_bricks_free(SinoBenchBricks *bricks); /* takes NULL */

/* Vectors of so many sets, in place of those before. Counts are 1, and MLEM has started. _settle: makes counts of the
 * image as it is, so that no iteration drives voxels to numbers that processors are slow with. */
SinoStatus sino_bench_bricks_vectors(SinoBenchBricks *bricks, int64_t sets);
SinoStatus sino_bench_bricks_settle(SinoBenchBricks *bricks);

/* Each does a step once, and returns when its tasks are done. */
SinoStatus sino_bench_bricks_project(SinoBenchBricks *bricks);
SinoStatus sino_bench_bricks_backproject(SinoBenchBricks *bricks);
SinoStatus sino_bench_bricks_iterate(SinoBenchBricks *bricks);

/* Of a SinoBenchMatrix. */
void sino_bench_matrix_print(const void *own, FILE *out);
void sino_bench_matrix_print_csv(const void *own, FILE *out);
