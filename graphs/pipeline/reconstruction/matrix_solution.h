/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix solution: the graph of a reconstruction from counts and a system matrix, from the files to the volume. */
#pragma once

#include "counts_file.h"
#include "gaussian.h"
#include "journal.h"
#include "log.h"
#include "matrix_kind.h"
#include "record.h"
#include "settings.h"
#include "solver.h"
#include "unit_bytes.h"
#include "volume.h"

/* Values that go with a matrix; NULL: none. All owned. */
typedef struct SinoMatrixFiles {
    SinoCountsFile *counts;
    SinoCountsFile *multiplicative, *additive; /* of rows; additive: one set, or as many as there are of counts */
    SinoCountsFile *sensitivity, *start;       /* images; start: one, or as many as there are sets of counts */
} SinoMatrixFiles;

void sino_matrix_files_close(SinoMatrixFiles *files);

/* Where the matrix is: members of SinoOperatorRequest. */
typedef struct SinoMatrixStay {
    int64_t window_count;
    bool listed;
} SinoMatrixStay;

/* set_count: sets that are solved together. */
SinoStatus sino_matrix_solution_bytes(const SinoProblem *problem, const SinoSolver *solver,
                                      const SinoMatrixFiles *files, int64_t history_numbers, int64_t set_count,
                                      int64_t worker_count, SinoMatrixStay stay, SinoUnitBytes *bytes);

/* Most bytes that one task has on a device. */
typedef struct SinoMatrixDeviceNeed {
    int64_t block;   /* of the matrix, with its lists */
    int64_t vectors; /* and work memory */
} SinoMatrixDeviceNeed;

SinoStatus sino_matrix_device_need(const SinoProblem *problem, const SinoMatrixFiles *files, int64_t set_count,
                                   SinoMatrixDeviceNeed *need);

/* An image of each set, on its way; save NULL: none. Called from the thread that submits. image[z][y][x] of set `set`,
 * after iteration `iteration`. */
typedef struct SinoMatrixSave {
    SinoStatus (*save)(void *of, int64_t iteration, int64_t set, const float *image);
    void *of;
    int64_t every; /* iterations; 0: none on its way. Without a volume the last image is saved, too */
} SinoMatrixSave;

/* The parts of a run; nothing is owned. */
typedef struct SinoMatrixSolution {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoOperator *op; /* of the kind matrix */
    const SinoSolver *solver;
    const SinoMatrixFiles *files;
    int64_t first_set, set_count; /* of the counts */
    bool halved; /* the counts of each set are divided at random: sets 2i and 2i + 1 are the halves of set first_set +
                  * i, whose progress is not told */
    int64_t batch_sets;        /* that are solved together */
    const int64_t *iterations; /* [set]; NULL: as many as the record has */
    SinoGaussian filter;       /* of finished images */
    SinoVolume *volume;   /* of the last images; sets that are done already are left out; NULL: they are not kept */
    SinoJournal *journal; /* gets an entry for each set that is stored; NULL: none */
    SinoRecord *record;   /* every slice gets the history of its set */
    SinoMatrixSave save;
    double *lost; /* [set]: counts that no voxel explains, by solvers of counts; NaN: of a set that was done already */
    double *strength; /* [set]: that of the prior; NaN: as above, or without a prior; NULL: not wanted */
} SinoMatrixSolution;

/* Sets that are solved together at most, of so many, where other memory is not short. */
int64_t sino_matrix_batch_sets(const SinoMatrixSurvey *matrix, int64_t set_count);

/* Warns of counts that no voxel explains, which are the user's to know of: rows of the matrix are missing, the mask is
 * too small, or there are too many subsets for so few counts. lost: [set_count]. */
void sino_matrix_tell_lost(SinoLog *log, int64_t subset_count, int64_t set_count, const double *lost);

/* Submits every task, and returns when the last image is stored. */
SinoStatus sino_matrix_solve(const SinoMatrixSolution *solution);

/* Matrix input: a system matrix, the counts of its rows, and what goes with them, opened as settings say. */

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
