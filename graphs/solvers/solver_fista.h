/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA, inside: what the solvers of a prior in 2-D (solver_fista.c), in 3-D (solver_fista_volume.c), of a volume in
 * bands (solver_fista_band.c) and on the normal equations (solver_fista_normal.c) share. */
#pragma once

#include "settings.h"
#include "solver.h"
#include "solver_fbp.h"
#include "solvers_tasks.h"

/* B: the sinogram, then filtered. PART: the sinogram by subset. W: weights of rays. Q: A y, then W(b − A y). G: the
 * gradient, then z. U: the x to come. P, D: dual vectors. COMPLETED: for FBP of a half acquisition. SUMS: of voxels,
 * for the momentum. In 3-D: R: dual vector. FIRST: the first slice of the point that neighbours compare with; LAST: the
 * last one, or that of R; BEFORE, AFTER: LAST of the rank before, FIRST of the rank after, in the first and the last
 * minibatch. TOTAL: sums of all slices, of the first minibatch; LOWER, UPPER: of other ranks. STATE_AFTER: the state of
 * the first minibatch of the rank after. */
enum {
    SINO_FISTA_B,
    SINO_FISTA_PART,
    SINO_FISTA_W,
    SINO_FISTA_Q,
    SINO_FISTA_X,
    SINO_FISTA_Y,
    SINO_FISTA_G,
    SINO_FISTA_U,
    SINO_FISTA_P,
    SINO_FISTA_D,
    SINO_FISTA_COMPLETED,
    SINO_FISTA_SUMS,
    SINO_FISTA_PLANE_VECTORS,

    SINO_FISTA_R = SINO_FISTA_PLANE_VECTORS,
    SINO_FISTA_FIRST,
    SINO_FISTA_LAST,
    SINO_FISTA_BEFORE,
    SINO_FISTA_AFTER,
    SINO_FISTA_TOTAL,
    SINO_FISTA_LOWER,
    SINO_FISTA_UPPER,
    SINO_FISTA_STATE_AFTER,
    SINO_FISTA_VOLUME_VECTORS
};

/* Rows of the table of vectors: those that all solvers have, then these and the rows of rays of the solvers that have
 * subsets. */
#define SINO_FISTA_VOXEL_BUFFERS                                                                                       \
    [SINO_FISTA_X] = {"tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                             \
    [SINO_FISTA_Y] = {"extrapolated tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                \
    [SINO_FISTA_G] = {"gradient", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                             \
    [SINO_FISTA_U] = {"next tomogram", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                        \
    [SINO_FISTA_P] = {"dual across", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                          \
    [SINO_FISTA_D] = {"dual down", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                            \
    [SINO_FISTA_COMPLETED] = {"completed projections", SINO_ROWS_COMPLETED, SINO_ELEMENT_REAL, SINO_LANES_SLICES},     \
    [SINO_FISTA_SUMS] = {"sums of voxels", SINO_ROWS_MINIBATCH, SINO_ELEMENT_SUMS, SINO_LANES_SLICES}
#define SINO_FISTA_BUFFERS                                                                                             \
    [SINO_FISTA_B] = {"sinogram", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                               \
    [SINO_FISTA_PART] = {"subset of the sinogram", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},            \
    [SINO_FISTA_W] = {"weights", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},                              \
    [SINO_FISTA_Q] = {"projection", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES}, SINO_FISTA_VOXEL_BUFFERS

typedef struct SinoFista {
    int64_t subset_count;
    int64_t *order;      /* [subset_count]: the order in which subsets have their turns; owned */
    int64_t sampled;     /* so many subsets tell the step length: all, or of a volume in bands LEAST_TURNS at most */
    SinoData **row_sums; /* A 1: [subset], of the sampled ones */
    SinoData **support;  /* support.h */
    double curvature;    /* largest (AᵀA 1)_j */
    bool prior;          /* there is one */
    bool smooth;         /* the prior is */
    double bend;         /* of a smooth prior of threshold 1: bound of its Hessian */
    /* Inserts U from z, which is in G, by a proximal prior, or lowers a smooth one of z; not in 3-D. */
    SinoStatus (*lower)(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);
    /* Of tiles. Without them x starts from 0. */
    SinoSolverRun filter; /* of FBP, for the start */
    SinoTiling tiling;
    SinoTileNeighbours *neighbour; /* NULL: no prior; owned */
    SinoTileTables tables;         /* owned; NULL: no prior, or no device computes */
    SinoData *scratch;             /* for details; owned; NULL: no prior */
    bool volume;                   /* the prior is in 3-D */
    SinoSettings endless;          /* in 3-D: the run's settings, with which no slice stops; owns nothing */
    int64_t *rank;                 /* in 3-D: [rank_count]: ranks with slices, in their order; owned */
    int64_t rank_count, own_rank;  /* own_rank: of this rank in the list */
} SinoFista;

extern const SinoVectors sino_fista_weight_vectors;

/* Functions of the solver in 2-D; those in 3-D and of bands begin with its prepare and start. */
SinoStatus sino_fista_prepare(SinoSolverRun *run);
void sino_fista_release(SinoSolverRun *run);
SinoStatus sino_fista_start(SinoSolverRun *run, SinoMinibatch *minibatch);
SinoStatus sino_fista_iterate(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);
SinoStatus sino_fista_finish(SinoSolverRun *run, SinoMinibatch *minibatch);
SinoFinishWork sino_fista_finish_work(int64_t subset_count, int64_t iterations);
int64_t sino_fista_scratch_bytes(const SinoProblem *problem);

/* The parts of `prepare` and `start` that no product belongs to: all but the sums of rows and the largest (AᵀA 1)_j;
 * the strength of the prior, after the step length; and y from x, both within the bounds and the support, with zeros
 * where the prior writes none. */
SinoStatus sino_fista_open(SinoSolverRun *run);
SinoStatus sino_fista_insert_strength(SinoSolverRun *run, SinoMinibatch *minibatch);
SinoStatus sino_fista_insert_start(SinoSolverRun *run, SinoMinibatch *minibatch, bool started);

/* Applies a formula with sums to voxels, and a rule to sums. */
SinoStatus sino_fista_insert_sums(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                                  const SinoUpdate *update, int vector_count, const int *vector);
SinoStatus sino_fista_insert_rule(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoUpdateRule rule,
                                  double argument, SinoData *sums);

/* Updates x and y from z, which is in G, by SinoFista.lower, and the momentum. */
SinoStatus sino_fista_insert_change(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);

/* SinoSolver.turns of the solvers that have subsets. */
int64_t sino_fista_turns(int64_t subsets, int64_t iteration);

/* Turn k, in parts. `back` inserts z into G, without what a smooth prior adds to it. */
SinoStatus sino_fista_insert_back(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k);

/* Inserts x and y from G, or from U if the prior is proximal, and their sums into SUMS. */
SinoStatus sino_fista_insert_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);

/* Inserts the rule of the momentum. sums: SinoSliceSums[slice]. */
SinoStatus sino_fista_insert_momentum(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, SinoData *sums);

/* Projects y for the subsets of the turn after turn k, which may be the first of the next iteration, and turns A y into
 * W(b − A y). Their residuals are added to those of the iteration's earlier turns. */
SinoStatus sino_fista_insert_residual(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int64_t k);

/* Records the iteration's residual, after all turns. If turns of the next iteration have more subsets, the rest of its
 * first turn is projected. */
SinoStatus sino_fista_insert_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration);

/* Sets voxels of a vector to 0: all of them, or those outside of the support. */
SinoStatus sino_fista_insert_zeros(SinoSolverRun *run, SinoMinibatch *minibatch, int vector);
SinoStatus sino_fista_insert_support(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, int vector);

/* Steps towards the minimum of a proximal prior in an update. */
int sino_fista_dual_steps(int64_t subset_count);

/* Tables of tiles, and of a smooth prior, for the minibatch. */
SinoVariation sino_fista_tiles(const SinoSolverRun *run, const SinoMinibatch *minibatch);
SinoSmoothPrior sino_fista_smooth_prior(const SinoSolverRun *run, const SinoMinibatch *minibatch);
