/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts problem: a system matrix and its counts as files of a small scanner, and MLEM of them in double precision,
 * written plainly, as reference for the tests of the command line. */
#pragma once

#include "testing_matrix.h"

#include <stdint.h>

typedef struct CountsProblem {
    int64_t row_count, voxel_count;
    uint64_t *start; /* [row + 1]; owned, as are the following */
    uint32_t *column;
    float *value;
} CountsProblem;

/* What is counted, and the model of what is expected: n · (A f) + r. */
typedef struct CountsModel {
    const double *counts;         /* [row] */
    const double *multiplicative; /* n: [row]; NULL: 1 */
    const double *additive;       /* r: [row]; NULL: 0 */
    const double *sensitivity;    /* [voxel]; NULL: Aᵀ n */
} CountsModel;

/* Reads a csr4 file without mirrors, byte by byte as its format says, and not as the program does. */
CountsProblem counts_read_matrix(const char *directory, const char *name);
void counts_free(CountsProblem *problem);

/* Raw int32 or float32 values as doubles; caller frees. */
double *counts_read_int32(const char *directory, const char *name, int64_t count);
double *counts_read_float32(const char *directory, const char *name, int64_t count);

void counts_write_float32(const char *directory, const char *name, int64_t count, const double *values);

/* The entries, for the writers of testing_matrix.h; caller frees matrix.entry. */
TestingMatrix counts_entries(const CountsProblem *problem);

/* sum[voxel] = Σ n over the rows; n NULL: 1 */
void counts_backproject(const CountsProblem *problem, const double *n, double *sum);
void counts_project(const CountsProblem *problem, const double *image, double *expected);

/* Σ counts of the rows that have entries. */
double counts_explained(const CountsProblem *problem, const double *counts);

/* Iterations of f = f/s · Aᵀ(n·g/(n·A f + r)), from and into image[voxel]; where s is 0, f stays 0. Rows that expect
 * nothing have the ratio 0. With subset_count > 1 an iteration is an update by each subset of rows, subset i holding
 * the rows i, i + subset_count …, in the order of `order`, and s is that of the subset. */
void counts_mlem(const CountsProblem *problem, const CountsModel *model, int iterations, double *image);
void counts_osem(const CountsProblem *problem, const CountsModel *model, int subset_count, const int *order,
                 int iterations, double *image);

/* Σ g·ln(ybar) − ybar over the rows with ybar > 0. */
double counts_likelihood(const CountsProblem *problem, const CountsModel *model, const double *image);
