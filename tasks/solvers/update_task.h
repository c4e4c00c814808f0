/* SPDX-License-Identifier: BSD-3-Clause */
/* Task update: the solvers' vector operations. Each task is named by its formula or rule (update_formulas.h). */
#pragma once

#include "runtime.h"
#include "update.h"

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
