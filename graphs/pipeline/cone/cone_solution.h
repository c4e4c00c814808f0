/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone solution: the graph of an iterative reconstruction of a cone beam, from the scan to the volume. */
#pragma once

#include "cone_pieces.h"
#include "journal.h"
#include "settings.h"
#include "solver.h"
#include "unit_bytes.h"
#include "volume.h"
#include "volume_input.h"

/* What is in memory at the same time, beside the vectors of the solver. */
typedef struct SinoConeSets {
    int64_t piece_sets;   /* pieces of projections that are loaded */
    int64_t image_slices; /* slices that are stored together */
    int64_t image_sets;   /* such images */
    bool paged;           /* the vectors of the solver are in scratch files */
} SinoConeSets;

/* Of one of rank_count ranks; supported: some voxels stay 0. SINO_BAD_INPUT: the kind of operator does not take the
 * problem. */
SinoStatus sino_cone_solution_bytes(const SinoProblem *problem, const SinoInput *input, const SinoSolver *solver,
                                    bool supported, int64_t history_numbers, const SinoConeSets *sets,
                                    int64_t worker_count, int64_t rank_count, SinoUnitBytes *bytes);

/* Called from the thread that submits; slice[y][x]. */
typedef void SinoConeIterated(void *of, int64_t iteration, const float *slice);

/* The parts of a run; nothing is owned. */
typedef struct SinoConeSolution {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoOperator *op; /* of the kind cone; tells this rank's angles */
    const SinoSolver *solver;
    const SinoConeSets *sets;
    bool photon_weights;               /* fista: SinoSolverRun */
    SinoRegularization regularization; /* fista */
    const int64_t *iterations;         /* NULL: as the record has columns, less 1 */
    double scale;                      /* output value = scale · attenuation per voxel */
    const unsigned char *mask;         /* SinoSolverRun */
    SinoVolumeInput *start;            /* the first volume; NULL: as the solver says */
    SinoConeIterated *iterated;        /* gets the only slice after each iteration; NULL: nothing does */
    void *of;
    SinoVolume *volume;   /* slices that are done already are left out; NULL: only pictures are wanted */
    SinoJournal *journal; /* gets an entry for each image that is stored; NULL: none */
    SinoRecord *record;   /* every slice gets the history of the volume */
    bool aside;           /* SinoSolve; other ranks do not take part either */
} SinoConeSolution;

/* Submits every task, and returns when the last slice is stored. */
SinoStatus sino_cone_solve(const SinoConeSolution *solution);
