/* SPDX-License-Identifier: BSD-3-Clause */
/* System matrix: a sparse matrix whose rows are measured values (lines of response, detector bins) and whose columns
 * are voxels, with values ≥ 0. Readers (io/matrices/matrix_file.h) deliver it in ranges of rows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The voxels of a matrix: column (z·y_count + y)·x_count + x. All counts 0: the file does not say. */
typedef struct SinoVoxelGrid {
    int64_t x_count, y_count, z_count;
    double size[3]; /* mm, along x, y and z; 0: unknown */
} SinoVoxelGrid;

/* Bits of a combination of mirrors: x becomes −x, and so on. */
enum { SINO_MIRROR_X = 1, SINO_MIRROR_Y = 2, SINO_MIRROR_Z = 4, SINO_MIRRORS = 8 };

/* Orientations: the combinations of some mirrors, in ascending order; number 0 leaves everything where it is. */
static inline int64_t sino_orientation_count(int mirrors)
{
    static const int8_t count[SINO_MIRRORS] = {1, 2, 2, 4, 2, 4, 4, 8};
    return count[mirrors & (SINO_MIRRORS - 1)];
}

/* The combination of orientation k. */
static inline int sino_orientation(int mirrors, int64_t k)
{
    int which = 0;
    for (int bit = 1; bit < SINO_MIRRORS; bit <<= 1) {
        if (!(mirrors & bit)) continue;
        which |= k & 1 ? bit : 0;
        k >>= 1;
    }
    return which;
}

/* Crystals in rings: crystal (ring − first)·size + place. */
typedef struct SinoRings {
    int64_t first, count; /* the number of the first ring; rings */
    int64_t size;         /* crystals of each; 0: rings are unknown */
} SinoRings;

/* What is known of a matrix before its values are read. */
typedef struct SinoMatrixOutline {
    int64_t row_count;
    int64_t column_count;  /* at most 2³² − 1 */
    int64_t nonzero_count; /* at most: mirrored entries are counted, those of the same row and column not yet added; 0
                              if the file does not tell */
    SinoVoxelGrid grid;
    int64_t crystal_count; /* row = a · crystal_count + b with crystals a < b; 0: rows are not pairs of crystals */
    SinoRings rings;       /* of the crystals */
    bool row_access;       /* any range of rows is read without reading the rest */
    int mirrors;           /* that take the matrix to itself, as the file says: bits SINO_MIRROR_X …; 0: none */
    int64_t image_bytes;   /* of an image that computed rows need; whoever reads rows has one more of its own */
} SinoMatrixOutline;

/* A range of rows. The arrays belong to whoever made them. */
typedef struct SinoSparseRows {
    int64_t first_row, row_count;
    int64_t *start;   /* [row_count + 1]: row first_row + i has the entries start[i] … start[i + 1] − 1 */
    uint32_t *column; /* [entry]: ascending within a row, each column once */
    float *value;     /* [entry]: finite, at least 0 */
} SinoSparseRows;
