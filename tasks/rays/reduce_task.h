/* SPDX-License-Identifier: BSD-3-Clause */
/* Task reduce: adds partial projections level by level, or spreads totals back. */
#pragma once

#include "reduce.h"
#include "runtime.h"

/* The levels of the sums of partial projections: over a socket's partitions, over a node's sockets, over all nodes. */
typedef enum SinoReduction { SINO_REDUCE_SOCKET, SINO_REDUCE_NODE, SINO_REDUCE_GLOBAL, SINO_REDUCTIONS } SinoReduction;

/* Partial vectors whose sum is a vector; nothing is owned. */
typedef struct SinoParts {
    int64_t count;         /* 0: there are none */
    const SinoRowMap *map; /* [count]: whole, to the rows of the vector; outlive the tasks */
    SinoData *const *vector;
} SinoParts;

/* Inserts reduce_socket, reduce_node or reduce_global: total += partial on the map's rows; `first` starts the sum.
 * Tasks on one total run in insertion order, so its bits are the same every time. `list`: the map's rows for devices;
 * NULL: cores run the task. */
SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total);

/* Inserts the tasks of the same name that add up all partials at once on cores, with the bits of sino_insert_reduce for
 * one partial after another: total = Σ partial. `count` partials with maps that are whole and outlive the tasks; the
 * total's rows are shared among up to `part_count` tasks. */
SinoStatus sino_insert_reduce_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                                  int64_t count, const SinoRowMap *map, SinoData *const *partial, int64_t part_count,
                                  SinoData *total);

/* Inserts spread_global, spread_node or spread_socket: fills the map's rows of `partial` from `total`. `first`: no task
 * has filled rows of it yet. */
SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *total, SinoData *partial);
