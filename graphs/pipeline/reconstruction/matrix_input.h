/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix input: a system matrix, the counts of its rows, and what goes with them, opened as settings say. */
#pragma once

#include "log.h"
#include "matrix_solution.h"
#include "settings.h"

typedef struct SinoMatrixInput {
    const SinoSolver *solver;
    SinoMatrixSurvey *survey; /* owned */
    SinoMatrixFiles files;
    int64_t set_count;   /* of the counts */
    SinoProblem problem; /* of the kind matrix */
} SinoMatrixInput;

/* The solver of a run of recon with these settings. */
const SinoSolver *sino_matrix_solver(const SinoSettings *settings);

/* The rank whose share of the rows is meant. */
typedef struct SinoMatrixShare {
    int64_t rank, rank_count; /* 0, 1: it has all rows */
} SinoMatrixShare;

/* The request for the matrix that settings name. */
SinoMatrixRequest sino_matrix_request(const SinoSettings *settings, SinoMatrixShare share);

/* The survey of a matrix, or of the one that --operator-cache keeps, with its mask. The caller frees *survey, after a
 * failure, too, if it was NULL before. Errors: those of matrix_survey.h; the directory of the cache. */
SinoStatus sino_matrix_input_survey(const SinoProjectionSettings *settings, SinoLog *log,
                                    const SinoMatrixRequest *request, SinoMatrixSurvey **survey);

/* Opens the files that settings name, for a rank's share of the rows; the caller closes them, after a failure, too, if
 * *input was zeroed. Takes the survey of a matrix that --operator-cache keeps; else reads
 * matrices without row access as a whole, to count the entries of rows. SINO_BAD_INPUT: a file is refused
 * (matrix_survey.h, counts_file.h), the directory of the cache, or the number of node weights. */
SinoStatus sino_matrix_input_open(const SinoSettings *settings, SinoMatrixShare share, SinoLog *log,
                                  SinoMatrixInput *input);

/* Unfolds a matrix that settings do not ask to fold (matrix_survey.h), for devices, which take part in products with
 * unfolded matrices only. Errors as above; the input is then as it was. */
SinoStatus sino_matrix_input_unfold(const SinoSettings *settings, SinoMatrixShare share, SinoLog *log,
                                    SinoMatrixInput *input);

/* SINO_BAD_INPUT: the algorithm compares neighbours, and the grid of voxels is not known. */
SinoStatus sino_matrix_check_grid(const SinoSolverSettings *settings, const SinoVoxelGrid *grid);

/* The post-filter of the settings in voxels of the grid. SINO_BAD_INPUT: the grid or the size of its voxels is not
 * known, or the filter is wider than four times the volume. */
SinoStatus sino_matrix_filter(const SinoCountSettings *settings, const SinoVoxelGrid *grid, SinoGaussian *filter);

void sino_matrix_input_close(SinoMatrixInput *input);

/* The shape of a run's record. Its slices are those of the volume: x, y and z of the grid, set after set, or one row of
 * all voxels if nothing is known of a grid. */
SinoRecordShape sino_matrix_record_shape(const SinoSettings *settings, const SinoMatrixInput *input);
