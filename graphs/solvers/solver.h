/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver: the algorithm that computes a minibatch's tomogram from its sinogram. A solver is one file and one row of the
 * table in solver_table.c. */
#pragma once

#include "filter.h"
#include "minibatch.h"
#include "settings.h"
#include "solvers_tasks.h"
#include "topology.h"

/* Counts of a system matrix: ybar = n · A x + r. Data are not owned. */
typedef struct SinoCountModel {
    SinoData *const *multiplicative; /* n: [subset], a value for each row; NULL: 1 */
    SinoData *sensitivity;           /* [voxel], of all rows, in place of Aᵀ n; NULL: none */
    bool started;                    /* the tomogram is filled in before the solver starts */
} SinoCountModel;

/* What fista adds to the residual, and whether its usual bound holds. */
typedef struct SinoRegularization {
    SinoPriorChoice prior;
    double strength;  /* in units of the line integrals; 0: no prior */
    double threshold; /* of a smooth prior: attenuation per voxel side, > 0 */
    bool rising;      /* of fans above each other: slice z has 2^z times the strength, and total variation the prior */
    bool negative;    /* values may be below 0, though --nonnegativity auto says no: the projections deny it */
} SinoRegularization;

/* Weights of rays that are given. */
typedef struct SinoGivenWeights {
    /* Inserts the task that writes the weights of the minibatch's rays into the vector of this number, of the rays or
     * their subsets. Line integrals in vector 0 whose weight is 0 then have no value. */
    SinoStatus (*load)(void *of, const SinoMinibatch *minibatch, int64_t vector);
    void *of;     /* not owned */
    double scale; /* a power of two near the largest weight */
} SinoGivenWeights;

/* The images of a volume, which x begins from. */
typedef struct SinoGivenStart {
    /* Inserts the tasks that fill a vector of voxels. NULL: those of a minibatch are its images, in tiles. */
    SinoStatus (*fill)(void *of, SinoMinibatch *minibatch, int64_t vector);
    void *of;     /* not owned */
    double scale; /* of x to the images; 0: x starts as the solver says */
} SinoGivenStart;

/* What x is limited to, as attenuation per voxel side; −∞ and ∞: no bound. Each of the two allows 0. */
typedef struct SinoBounds {
    double least, most;
} SinoBounds;

/* The context of a solver during a run. Pointers are not owned. */
typedef struct SinoSolverRun {
    SinoRuntime *runtime;
    const SinoOperator *op;
    const SinoSettings *settings;
    int64_t stride;                /* of the vectors: slices of a minibatch, padding included */
    int64_t iterations;            /* 0 for direct methods */
    bool pad_edges;                /* projections are continued by their outermost values before they are filtered */
    const bool *dropped;           /* [angle of the scan]: fbp leaves its projection out; NULL: none is */
    bool bridge_gaps;              /* undefined values of projections are interpolated before they are filtered */
    bool photon_weights;           /* fista: rays have weights by the photons that are left of them */
    const SinoGivenWeights *given; /* fista, cg, sirt: weights of rays; NULL: they are not given */
    SinoRegularization regularization; /* fista */
    SinoBounds bounds;                 /* fista and sirt */
    const unsigned char *mask;         /* fista, cg and sirt: [y][x] of a slice, 0 where voxels stay 0; NULL: none */
    SinoGivenStart begin;
    double lacking; /* fista: share of the angles of which slices have no value; FBP, the start, is larger for it */
    bool has_likelihood;          /* of the solver */
    const SinoCountModel *counts; /* of sino_solver_counts; else NULL */
    const SinoProcessGrid *grid;  /* which ranks have which slices; NULL: this rank has all */
    void *own;                    /* data that the solver keeps during the run; made by prepare, freed by release */
} SinoSolverRun;

/* The work on a run's tomogram after its last iteration. */
typedef struct SinoFinishWork {
    double backprojections; /* of all rays */
    double flops;           /* of a voxel, at the rate of products */
    double vectors;         /* of voxels that are read or written */
    int64_t tasks;          /* of a minibatch, which have the flops */
} SinoFinishWork;

typedef struct SinoSolver {
    SinoAlgorithmChoice choice;
    bool iterative;
    bool has_subsets; /* the solver uses --subsets; false: the data are one subset */
    int64_t (*turns)(int64_t subsets, int64_t iteration); /* updates in iteration i ≥ 1; NULL: one for each subset */
    bool normal;       /* the solver of --projector toeplitz: it uses AᵀA, and every ray has a value */
    bool weighted;     /* the solver of --weights counts, and of a file */
    bool given;        /* the solver of --weights with a file */
    bool volume;       /* the solver of --prior-dimensions 3: slices depend on each other, so that those of all
                        * ranks are in memory, and minibatches are iterated together */
    bool tiles, bands; /* the solver compares voxels in tiles, or of a volume in bands: a kind of operator has
                        * to have them */
    /* How often the prior of a turn reads or writes a vector of voxels; the partitions share vectors meanwhile. NULL:
     * never. */
    double (*prior_vectors)(int64_t subset_count);
    bool blocks;              /* the scan comes by blocks of angles (SinoProblem.block_angles), for all slices together;
                               * `start` is called for each */
    const char *whole_slices; /* why a slice cannot be shared by ranks, a clause; NULL: it can */
    bool has_likelihood;      /* iterations record the log-likelihood beside the residual */
    SinoVectors vectors;
    const SinoVectors
        *weights;   /* vectors of the one-slice minibatches that `prepare` makes, one for each subset; NULL: none */
    int projection; /* fista: the vector by subset that A x may be written to after the last iteration */
    /* Work memory of the solver's tasks on each worker; NULL: none. */
    int64_t (*scratch_bytes)(const SinoProblem *problem);
    /* Called once per run, after the operator is ready; NULL: nothing to prepare or release. */
    SinoStatus (*prepare)(SinoSolverRun *run);
    void (*release)(SinoSolverRun *run);
    /* Submits the tasks from vector 0 (the line integrals b) to iteration 0, after which the residual ‖b‖² is recorded
     * and the vectors for iteration 1 are ready. With run->begin the images are the first x. A direct method
     * submits its whole reconstruction. With `blocks`: what a block of angles adds to it. */
    SinoStatus (*start)(SinoSolverRun *run, SinoMinibatch *minibatch);
    /* Submits iteration i ≥ 1, which records its residual and writes SINO_SLOT_ACTIVE + i mod SINO_LOOKAHEAD. */
    SinoStatus (*iterate)(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);
    /* In place of `iterate`, if the solver has `volume`: the same for all minibatches of this rank, which follow each
     * other and have been started. */
    SinoStatus (*iterate_together)(SinoSolverRun *run, int64_t count, SinoMinibatch *const *minibatch,
                                   int64_t iteration);
    /* Submits the work on a run's tomogram after its last iteration; trials have none. NULL: none. finish_work: what it
     * takes, if there is a prior. */
    SinoStatus (*finish)(SinoSolverRun *run, SinoMinibatch *minibatch);
    SinoFinishWork (*finish_work)(int64_t subset_count, int64_t iterations);
} SinoSolver;

/* FBP of a scan that comes by blocks of angles. No part of the table of solvers. SINO_BLOCK_ANGLES: angles of a block;
 * what is left to do after the last projection grows with it. */
enum { SINO_BLOCK_ANGLES = 32 };
extern const SinoSolver sino_solver_fbp_blocks;

extern const SinoSolver sino_solver_cg, sino_solver_cg_weighted, sino_solver_cg_normal, sino_solver_sirt,
    sino_solver_sirt_weighted, sino_solver_sirt_given, sino_solver_fbp, sino_solver_mlem, sino_solver_osem,
    sino_solver_fista_normal, sino_solver_fista, sino_solver_fista_volume, sino_solver_fista_band, sino_solver_fdk;

/* The solver of an algorithm by a projector: of toeplitz one that uses AᵀA, if the algorithm has one; a plan refuses
 * the other ones with it. With SINO_WEIGHTS_COUNTS or _FILE one with vectors for weights, if the algorithm has one.
 * With 3 dimensions of the prior, of slices that are reconstructed together, one that has `volume`. NULL: the algorithm
 * reconstructs without a solver (fdk). */
const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice, SinoProjector projector, SinoRayWeights weights,
                                   int64_t prior_dimensions);
/* Whether a kind of operator has what the solver needs: AᵀA, or products in one direction or in both. */
bool sino_solver_fits(const SinoSolver *solver, const SinoOperatorKind *kind);

/* Whether a solver of the algorithm fits the kind. */
bool sino_solver_exists(SinoAlgorithmChoice choice, const SinoOperatorKind *kind);

/* Writes the names of the algorithms that have such a solver, "cg or fista". */
void sino_solver_names(const SinoOperatorKind *kind, char *text, size_t size);

/* The solver of the settings, of a scan with parallel rays; and of a cone beam, whose volume is one slice. */
const SinoSolver *sino_solver_of(const SinoSettings *settings);
const SinoSolver *sino_solver_of_cone(const SinoSettings *settings);

/* Whether undefined rays are left to the solver, marked (correct.h); else they are interpolated before. */
bool sino_solver_weighs_rays(const SinoSolver *solver);

/* The solver of counts with MLEM, OSEM or BSREM (solver_counts.c), in which subsets of rows have vectors of their own
 * from the start, numbered SINO_COUNTS_…. NULL: the algorithm has none. additive: r is known. */
const SinoSolver *sino_solver_counts(SinoAlgorithmChoice choice, bool additive);
/* strength[i]: that of the prior of set i of a minibatch, for which it waits; NaN: the set has no counts. Solvers
 * without a prior leave it. */
SinoStatus sino_solver_counts_strengths(const SinoSolverRun *run, const SinoMinibatch *minibatch, double *strength);
enum { SINO_COUNTS_G, SINO_COUNTS_X, SINO_COUNTS_GRADIENT, SINO_COUNTS_R };

/* The bounds that the settings have, which are in units of the volume: scale times attenuation per voxel side. */
SinoBounds sino_solver_bounds(const SinoSolverSettings *settings, double scale);

/* The window of a setting. */
SinoFilterWindow sino_solver_window(SinoFbpFilter filter);

/* Number of subsets of the data, of which there are `rows`: angles of a scan, or rows of a system matrix. */
int64_t sino_solver_subsets(const SinoSolver *solver, const SinoSolverSettings *settings, int64_t rows);

/* The same of a cone or fan beam without vectors, of which fista takes more subsets and fewer iterations where
 * projections are many. */
int64_t sino_solver_orbit_subsets(const SinoSolver *solver, const SinoSolverSettings *settings, int64_t angles);

/* Usual iterations of fista of such a beam. */
int64_t sino_solver_orbit_iterations(const SinoSolverSettings *settings, int64_t angles);

/* Updates of an iteration on average over so many iterations. */
double sino_solver_updates(const SinoSolver *solver, int64_t subsets, int64_t iterations);

/* Makes the order in which subsets have their turns: 0 … count − 1 by reversed bits, so that consecutive subsets have
 * angles far apart. The caller frees it. */
SinoStatus sino_solver_order_subsets(int64_t count, int64_t **order);

/* Copies the rays of vector `from` (SINO_ROWS_RAYS) to the subsets of vector `to` (SINO_ROWS_SUBSET). */
SinoStatus sino_solver_divide(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t from, int64_t to);

/* Columns of the history of residuals: iterations + 1; column 0 is the state before the first iteration. */
int64_t sino_solver_history_columns(const SinoSolver *solver, const SinoSolverSettings *settings);

/* Numbers of a slice's history: its columns, with log-likelihoods twice as many (SinoHistory). */
int64_t sino_solver_history_numbers(const SinoSolver *solver, const SinoSolverSettings *settings);

/* Rows of this rank's ray vectors; rows of a partition's voxel vectors; partitions of this rank. */
int64_t sino_solver_rays(const SinoSolverRun *run);
int64_t sino_solver_voxels(const SinoSolverRun *run, int64_t partition);
int64_t sino_solver_partitions(const SinoSolverRun *run);

/* Sums of rows or columns of A up to here count as 0: lengths in voxels of scans, the smallest float of matrices. */
double sino_solver_least_sum(const SinoSolverRun *run);

/* The first step of every solver. Applies `formula` to the line integrals in vector 0, adds its sums (squares among
 * them) over all ranks that share the slices, and inserts update_start. *sums: the sums of all ranks; not owned. */
SinoStatus sino_solver_begin(SinoSolverRun *run, SinoMinibatch *minibatch, SinoUpdateFormula formula, SinoData **sums);

/* The part of sino_solver_begin after minibatch->sums. */
SinoStatus sino_solver_begun(SinoSolverRun *run, SinoMinibatch *minibatch, SinoData **sums);

/* sino_solver_start by blocks, of which one is `vector`. */
SinoStatus sino_solver_start_block(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t vector);

/* sino_solver_begin with the formula that sums squares only. */
SinoStatus sino_solver_start(SinoSolverRun *run, SinoMinibatch *minibatch);

/* Applies a formula to voxel vectors of all partitions that have voxels; vector[vector_count] are their numbers in the
 * minibatch's table, update->slices and update->rows are not read. Sums of the formula, of this rank's voxels, go to
 * minibatch->sums. */
SinoStatus sino_solver_update_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                                     const SinoUpdate *update, int vector_count, const int *vector);

/* Whether x starts as images; fills a vector of voxels with them: 0 outside of them and, in tiles, of the circle of
 * --support-ratio. The operator's kind has `tiling`, or the run tells how. */
bool sino_solver_is_started(const SinoSolverRun *run);
SinoStatus sino_solver_fill(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t vector);

/* Inserts update_record from the sums in minibatch->sums, and tells all ranks which slices go on. */
SinoStatus sino_solver_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);

/* Sets minibatch->stopped if all of its slices stopped at an earlier iteration; iterations in between are in flight and
 * are not awaited. The run then expects less by work_left, the work of this iteration and of those after it. */
SinoStatus sino_solver_look_for_stop(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, double work_left);

/* Bytes of a solver's weights: a minibatch of one slice, and the weights of the subsets computed before, of which fista
 * of bands keeps none. */
int64_t sino_solver_weight_bytes(const SinoSolver *solver, const SinoProblem *problem, const SinoShape *shape);

/* A minibatch of one slice, in which `prepare` computes properties of the operator itself, such as sums of rows. The
 * caller frees it with sino_minibatch_free. */
SinoStatus sino_solver_new_weights(SinoSolverRun *run, const SinoVectors *vectors, SinoMinibatch **weights);
