/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory plan: how many slices are fused, in flight and loaded at once, so that a run stays within its budget whatever
 * the number of slices. */
#ifndef SINO_MEMORY_PLAN_H
#define SINO_MEMORY_PLAN_H

#include "device_plan.h"
#include "input.h"
#include "solver.h"

typedef struct SinoMemoryPlan {
    int64_t minibatch;   /* F: slices of a minibatch */
    int64_t stride;      /* F padded to whole panels (panel.h) */
    int64_t slots;       /* minibatches of a slab, each in a slot of its own */
    int64_t slab_slices; /* slots·F */
    int64_t slab_count;
    int64_t partition_count; /* P */
    int64_t window_count;    /* blocks of partitions in memory at a time; 0: all */
    int64_t operator_bytes;  /* in memory */
    int64_t slot_bytes;      /* of one minibatch */
    int64_t slab_bytes;      /* counts and fields of one slab; two are in flight, one loading */
    int64_t total_bytes;
    int64_t budget_bytes;
} SinoMemoryPlan;

/* operator_bytes 0: estimated, and in windows when one slice does not fit beside all of it. `room`: of the devices that
 * compute; NULL: none does. SINO_BAD_INPUT, with the budget that would do, when not even one slice fits, or when a task
 * does not fit a device. */
SinoStatus sino_memory_plan(const SinoSettings *settings, const SinoInput *input, const SinoSolver *solver,
                            int64_t worker_count, int64_t operator_bytes, const SinoDeviceRoom *room,
                            SinoMemoryPlan *plan);

#endif
