/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix, the kind of operator: a system matrix from a file, kept as blocks of bricks (brick.h). One slice of the
 * engine is a count set. All voxels are one partition, in the order of the survey (matrix_survey.h). Vectors of rays
 * have the rows of a subset in the order of the survey. Single and mixed precision. Ranks share the rows, and
 * all of them have every voxel. */
#pragma once

#include "matrix_survey.h"
#include "operator.h"

/* Work that the products or the sweeps of an iteration tell (sino_runtime_advance), from iteration 1 on: what solvers
 * do before depends on them. */
double sino_matrix_iteration_work(const SinoMatrixSurvey *matrix);

/* Bytes of the blocks that the operator holds. */
int64_t sino_matrix_bytes(const SinoOperator *op);

/* Bytes of the vectors of orientations of a folded matrix: the orientations of x, and their sums in each worker. 0: the
 * matrix is not folded. stride: of count sets. */
int64_t sino_matrix_mirror_bytes(const SinoMatrixSurvey *matrix, int64_t stride, int64_t worker_count);

/* Count sets that a product takes, at most: all orientations of all sets are in one panel. */
int64_t sino_matrix_sets_most(const SinoMatrixSurvey *matrix);

/* The counts that no voxel explained in the last sweeps over all subsets: double[stride]; not owned. */
SinoData *sino_matrix_lost(const SinoOperatorWork *work);
