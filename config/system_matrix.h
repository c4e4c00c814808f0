/* SPDX-License-Identifier: BSD-3-Clause */
/* System matrix: a sparse matrix whose rows are measured values (lines of response, detector bins) and whose columns
 * are voxels, with values ≥ 0. Readers (io/matrix_file.h) deliver it in ranges of rows. */
#ifndef SINO_SYSTEM_MATRIX_H
#define SINO_SYSTEM_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

/* The voxels of a matrix: column (z·y_count + y)·x_count + x. All counts 0: the file does not say. */
typedef struct SinoVoxelGrid {
    int64_t x_count, y_count, z_count;
    double size[3]; /* mm, along x, y and z; 0: unknown */
} SinoVoxelGrid;

/* What is known of a matrix before its values are read. */
typedef struct SinoMatrixOutline {
    int64_t row_count;
    int64_t column_count;  /* at most 2³² − 1 */
    int64_t nonzero_count; /* at most: mirrored entries are counted, those of the same row and column not yet added */
    SinoVoxelGrid grid;
    int64_t crystal_count; /* row = a · crystal_count + b with crystals a < b; 0: rows are not pairs of crystals */
    bool row_access;       /* any range of rows is read without reading the rest */
} SinoMatrixOutline;

/* A range of rows. The arrays belong to whoever made them. */
typedef struct SinoSparseRows {
    int64_t first_row, row_count;
    int64_t *start;   /* [row_count + 1]: row first_row + i has the entries start[i] … start[i + 1] − 1 */
    uint32_t *column; /* [entry]: ascending within a row, each column once */
    float *value;     /* [entry]: finite, at least 0 */
} SinoSparseRows;

#endif
