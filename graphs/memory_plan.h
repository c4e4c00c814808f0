/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory plan: how many slices are fused, in flight and loaded at once, so that a run stays within its budget whatever
 * the number of slices. */
#ifndef SINO_MEMORY_PLAN_H
#define SINO_MEMORY_PLAN_H

#include "device_plan.h"
#include "input.h"
#include "solver.h"
#include "topology.h"

typedef struct SinoMemoryPlan {
    int64_t minibatch;   /* F: slices of a minibatch */
    int64_t stride;      /* F padded to whole panels (panel.h) */
    int64_t slots;       /* minibatches of a slab, each in a slot of its own */
    int64_t slab_slices; /* slots·F */
    int64_t slab_count;
    SinoTopology topology;
    int64_t partition_count; /* P: of this process */
    int64_t window_count;    /* blocks of partitions in memory at a time; 0: all */
    int64_t operator_bytes;  /* in memory */
    int64_t slot_bytes;      /* of one minibatch */
    int64_t slab_bytes;      /* counts and fields of one slab; two are in flight, one loading */
    int64_t total_bytes;
    int64_t budget_bytes;
} SinoMemoryPlan;

/* Who a plan is for. All processes of a run plan with the same numbers: the least budget, the most workers. */
typedef struct SinoPlanShare {
    int64_t worker_count;       /* of a process; 0: one slot's worth, however many there are */
    int64_t slice_count;        /* of the largest batch group */
    int64_t data_count;         /* processes that share each slice */
    int64_t budget_bytes;       /* of a process */
    const SinoDeviceRoom *room; /* of the devices that compute; NULL: none does; not owned */
} SinoPlanShare;

/* One process that does everything, with the budget of the settings or of this machine. */
SinoPlanShare sino_plan_alone(const SinoSettings *settings, const SinoInput *input, int64_t worker_count);

/* The shape of the exchange between processes; what a plan does not know is 0. */
SinoExchangeShape sino_plan_shape(const SinoSettings *settings, const SinoMemoryPlan *plan);

/* operator_bytes 0: estimated, and in windows when one slice does not fit beside all of it and no other process has a
 * share. `operator_bytes` are those of this process's share. SINO_BAD_INPUT, with the budget that would do, when not
 * even one slice fits, or when a task does not fit a device. */
SinoStatus sino_memory_plan(const SinoSettings *settings, const SinoInput *input, const SinoSolver *solver,
                            const SinoPlanShare *share, int64_t operator_bytes, SinoMemoryPlan *plan);

#endif
