/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: where the minibatches of a run stand, and what the log says of them all. */
#pragma once

#include "log.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* How a run divides its slices. */
typedef struct SinoProgressShape {
    int64_t slice_count, slab_slices; /* of the run; of each slab but the last */
    int64_t slab_minibatches;         /* minibatch m of the run lies in slab m / slab_minibatches */
    int64_t minibatch_slices;
    int64_t iteration_count; /* 0: a direct method */
} SinoProgressShape;

/* A minibatch after some of its iterations. */
typedef struct SinoMinibatchProgress {
    int64_t least_iteration, iteration; /* of its slices: the least and the most advanced; stopped slices stay */
    int64_t stopped_slices;
    double residual, residual0; /* sums of the slices' last ‖Ax − b‖², and of those at iteration 0 */
    bool begun, stored;
} SinoMinibatchProgress;

/* The state of `slice_count` slices after `iteration`, from their history[slice][numbers], which begins with ‖Ax − b‖²
 * of each iteration: NaN once a slice has stopped. */
SinoMinibatchProgress sino_minibatch_progress(int64_t slice_count, int64_t numbers, int64_t iteration,
                                              const double *history);

/* The minibatches of a run; callers lock it. */
typedef struct SinoProgressTable SinoProgressTable;
SinoStatus sino_progress_new(const SinoProgressShape *shape, SinoProgressTable **table);
void sino_progress_free(SinoProgressTable *table); /* takes NULL */
void sino_progress_set(SinoProgressTable *table, int64_t minibatch, const SinoMinibatchProgress *now);

/* The first slab with minibatches that are not stored, or the last slab: all members but `done` and `elapsed_s`, which
 * are 0. */
SinoProgress sino_progress_now(SinoProgressTable *table);
