/* SPDX-License-Identifier: BSD-3-Clause */
/* Task coupling: edge, coupling_steps and coupling_sums tie minibatches of slices together
 * (codelets/solvers/coupling.h). Cores run them, and CUDA GPUs edge. */
#pragma once

#include "panel.h"
#include "runtime.h"

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
