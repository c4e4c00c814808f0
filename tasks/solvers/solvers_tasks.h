/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of solvers and priors. */
#pragma once

#include "band.h"
#include "detail.h"
#include "gaussian.h"
#include "panel.h"
#include "prior.h"
#include "runtime.h"
#include "update.h"

/* Task band: band_primal, band_dual and band_prior are the priors of a volume (codelets/solvers/band.h), for one of its
 * bands. Cores run them, or a GPU that is the only device. */

/* Vectors of a band, and that of the band above or below whose row is read (band.h); NULL: there is none. Data are not
 * owned. state: SinoSliceState[1]. */
typedef struct SinoBandTask {
    SinoBand band;
    SinoData *p, *q, *r, *u, *state;
    SinoData *above, *below;
} SinoBandTask;

/* u from z, p, q and r; above: q. */
SinoStatus sino_insert_band_primal(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task, SinoData *z);

/* p, q and r from u; below: u. */
SinoStatus sino_insert_band_dual(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task);

/* z −= θ·∇R(u); above, below: u. */
SinoStatus sino_insert_band_prior(SinoRuntime *runtime, SinoPosition position, const SinoBandTask *task,
                                  const SinoSmoothPrior *prior, SinoData *z);

/* Task coupling: edge, coupling_steps and coupling_sums tie minibatches of slices together
 * (codelets/solvers/coupling.h). Cores run them, and CUDA GPUs edge. */

/* edge[row] = a slice of a vector of `rows` rows. host: cores alone run it. */
SinoStatus sino_insert_edge(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows, int64_t slice,
                            bool host, SinoData *vector, SinoData *edge);

/* Steps of the dual vectors in `state`. before: there is a slice before. after: the states of the minibatch after;
 * NULL: there is none. */
SinoStatus sino_insert_coupling_steps(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, bool before,
                                      SinoData *after, SinoData *state);

/* Sums over all slices of `count` minibatches, plus first[0] of each of the totals that have arrived: the result is in
 * every one of the `stride` sums of `total`. Minibatches have slices.slice_count slices, the last one last_count. */
typedef struct SinoCouplingSums {
    SinoSlices slices;
    int64_t count, last_count;
    SinoData *const *sums, *const *state; /* [count]: SinoSliceSums[slice], SinoSliceState[slice] */
    int64_t arrived_count;
    SinoData *const *arrived; /* [arrived_count]: totals of other ranks */
} SinoCouplingSums;
SinoStatus sino_insert_coupling_sums(SinoRuntime *runtime, SinoPosition position, const SinoCouplingSums *of,
                                     SinoData *total);

/* Tasks of the priors of a minibatch's slices, for one partition: variation_primal and variation_dual are the halves of
 * a step that lowers the total variation (codelets/solvers/variation.h), prior is a step down the gradient of a smooth
 * prior (codelets/solvers/prior.h). In 3-D, with the slices beside the minibatch, they are volume_primal, volume_dual
 * and volume_prior.
 *
 * Cores run all; a single CUDA GPU, too, if its memory holds the vectors of all of up to 16 partitions; several CUDA
 * GPUs, and other devices in 2-D the halves, where one partition has all voxels. */

/* The tables variation.tile and variation.neighbour as data, for devices; NULL: for cores only. Not owned. */
typedef struct SinoTileTables {
    SinoData *tiles, *neighbours;
} SinoTileTables;

/* The tables where devices may run a task with so many vectors and bytes of scratch memory; NULL: cores run it. */
SinoTileTables sino_tile_tables_choose(const SinoRuntime *runtime, const SinoVariation *variation,
                                       SinoTileTables tables, int vector_count, int64_t scratch_bytes);

/* Whether devices may run the tasks of a prior in 3-D, of all partitions of a minibatch. */
bool sino_volume_prior_suits_devices(const SinoRuntime *runtime, const SinoVariation *variation, SinoTileTables tables);

/* Vectors of the partitions, [part_count]; NULL where a partition has no voxels. r NULL: in 2-D. Data are not owned.
 * state: SinoSliceState[slice]. */
typedef struct SinoVariationTask {
    SinoVariation variation; /* its tables outlive the task */
    SinoData *const *p, *const *q, *const *r, *const *u;
    SinoData *state;
    SinoTileTables tables;
} SinoVariationTask;

/* u of the partition variation.part from z and r, and from p and q of all partitions. before: r of the slice before, of
 * the partition; NULL: none. */
SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z, SinoData *before);

/* p, q and r of the partition from u of all partitions. after: u of the slice after, of the partition; NULL: none. */
SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                      SinoData *after);

/* z −= θ·∇R(u) of the partition prior->tiles.part. u: vectors of the partitions. before, after: u of the slices beside,
 * of the partition; NULL: none. Tables of prior->tiles outlive the task. */
SinoStatus sino_insert_prior(SinoRuntime *runtime, SinoPosition position, const SinoSmoothPrior *prior,
                             SinoTileTables tables, SinoData *const *u, SinoData *before, SinoData *after,
                             SinoData *state, SinoData *z);

/* Task detail: finds the contrast that a prior has flattened in the slices of a minibatch (codelets/solvers/detail.h).
 * Cores run it, and CUDA GPUs as the tasks of priors. */

/* A voxel takes as long as so many operations of a product. */
enum { SINO_DETAIL_FLOPS = 1200 };

/* Vectors of all partitions, [tiles->part_count]; NULL where one has no voxels. Data are not owned. scratch: of
 * sino_detail_bytes. The tables of tiles outlive the task. */
typedef struct SinoDetailTask {
    SinoVariation tiles;
    SinoDetailSlices slices;
    double share;
    SinoData *const *g, *const *m, *const *x, *const *u;
    SinoData *scratch;
    SinoTileTables tables;
} SinoDetailTask;
SinoStatus sino_insert_detail(SinoRuntime *runtime, SinoPosition position, const SinoDetailTask *task);

/* Task gaussian: smooths an image (gaussian.h). */
SinoStatus sino_insert_gaussian(SinoRuntime *runtime, SinoPosition position, const SinoGaussian *gaussian,
                                SinoData *image);

/* Inserts repeat: `to` gets row_count rows of row_bytes bytes, each of them row `row` of `from`, such as the residuals
 * of a volume. */
SinoStatus sino_insert_repeat(SinoRuntime *runtime, SinoPosition position, int64_t row_count, int64_t row_bytes,
                              int64_t row, SinoData *from, SinoData *to);

/* Inserts stop: each slice f with last[f] = iteration keeps its values from here on. last: [slices.slice_count], must
 * stay until the task has run. state: SinoSliceState[slice]. Only cores run it. */
SinoStatus sino_insert_stop(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t iteration,
                            const int64_t *last, SinoData *state);

/* Tasks subset and put: copy some rays from the sinogram, or into it. */
typedef struct SinoSubset {
    int64_t total_rows;           /* rows of the sinogram */
    int64_t first_row, row_count; /* the subset's consecutive rows */
} SinoSubset;

/* Inserts subset, which copies the subset's rows of `sinogram` to `part` (row_count rows). Only cores run it. */
SinoStatus sino_insert_subset(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSubset *subset,
                              SinoData *sinogram, SinoData *part);

/* Consecutive angles of a scan, and where they are in its sinogram. */
typedef struct SinoPut {
    int64_t angle_total, columns;
    int64_t first_angle, angle_count;
    const int64_t *place; /* [angle_total]: number of each angle in the sinogram; not owned */
} SinoPut;

/* Inserts put, which copies the rays of the angles, `part`, to `sinogram`, of which nothing is kept if first_angle is
 * 0. Only cores run it. */
SinoStatus sino_insert_put(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoPut *put,
                           SinoData *part, SinoData *sinogram);

/* Task update: the solvers' vector operations. Each task is named by its formula or rule (update_formulas.h). */

/* A formula and its operands. */
typedef struct SinoUpdateTask {
    SinoUpdate update;
    SinoData *vector[SINO_UPDATE_VECTORS]; /* in the order of the formula's row */
    SinoData *state;                       /* SinoSliceState[slice]; NULL if the formula reads none */
    SinoData *sums;                        /* SinoSliceSums[slice]; NULL if the formula has no sums */
    int64_t part_count;                    /* above 1: cores share the rows among up to so many tasks */
    SinoData *const *part_sums;            /* [part_count]: sums of each of them */
} SinoUpdateTask;
SinoStatus sino_insert_update(SinoRuntime *runtime, SinoPosition position, const SinoUpdateTask *task);

/* Inserts a task that applies a rule to the state of every slice. sums: SinoSliceSums[slice]; state:
 * SinoSliceState[slice]; `argument` and `first` are the rule's. */
SinoStatus sino_insert_update_slices(SinoRuntime *runtime, SinoPosition position, SinoUpdateRule rule,
                                     SinoSlices slices, bool first, double argument, SinoData *sums, SinoData *state);

/* Inserts update_residual: sums = ‖Ax − b‖² of every slice, from the states of CG on the normal equations. Cores only.
 */
SinoStatus sino_insert_update_residual(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *state,
                                       SinoData *sums);

/* Inserts update_collect: total = Σ part, in the order of the parts; parts are not NULL. */
SinoStatus sino_insert_update_collect_all(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t count,
                                          SinoData *const *part, SinoData *total);

/* An iteration's column in the history, double[slice][numbers] (SinoHistory). */
typedef struct SinoIteration {
    int64_t columns;   /* iterations + 1 */
    int64_t numbers;   /* columns, or twice as many: residuals, then log-likelihoods */
    int64_t iteration; /* 0 … columns − 1 */
    double tolerance, likelihood_tolerance;
} SinoIteration;

/* Inserts update_start, iteration 0 of every solver: records the residuals ‖b‖² from the sums of b and resets the
 * states. */
SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history);

/* Inserts update_record, which writes an iteration's residuals, and log-likelihoods if the history has them, from the
 * sums to the history and decides which slices stop. active: int64_t, receives the number of slices that go on. If
 * devices compute, a second task, progress, reports the progress of the run. */
SinoStatus sino_insert_update_record(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                     SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history,
                                     SinoData *active);

/* Sets the strength of the prior in the state of a slice that FISTA has begun; the state must have been acquired. */
void sino_update_strengthen(SinoSliceState *state, double strength);
