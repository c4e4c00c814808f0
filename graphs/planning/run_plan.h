/* SPDX-License-Identifier: BSD-3-Clause */
/* Run plan: how a run divides its work into ranks, partitions, minibatches and slabs, and the memory that it needs. The
 * plan keeps every rank within its memory for any number of slices. `recon` follows the plan that `plan` and `info`
 * print. */
#pragma once

#include "resources.h"
#include "settings.h"
#include "topology.h"

/* The user's choices; 0 or empty: the plan chooses. */
typedef struct SinoChoices {
    int64_t minibatch, partitions; /* slices of a minibatch; partitions of each rank */
    int64_t worker_products;       /* of a minibatch that cores share, for each of them; 0: 2 */
    SinoGridShape grid;
    SinoTopologyShape topology;
    unsigned devices;      /* --device */
    const char *scheduler; /* --scheduler; not owned; NULL: the usual one */
    bool direct;           /* --communication direct */
    bool kept;             /* --operator-cache keeps ray lengths on disk */
    bool overlap;          /* exchanges between ranks go on while other minibatches compute */
    int64_t weight_count;
    const double *rank_weight; /* [weight_count]: relative speed of each rank; not owned */
} SinoChoices;

/* The choices in the settings, whose weights are not copied. */
SinoChoices sino_choices_of(const SinoSettings *settings);

typedef struct SinoPlanRequest {
    SinoWorkload job;
    const SinoWorkload
        *normal; /* the same work by the normal operator, which a forecast may choose; NULL: it may not */
    SinoChoices choices;
    SinoMachine machine;
    int64_t rank_count;
    bool least; /* plan one slice and one slot, to find the least memory */
} SinoPlanRequest;

/* Work by the normal operator, and its settings, which own nothing. */
typedef struct SinoNormalWork {
    SinoSettings settings;
    SinoWorkload job;
} SinoNormalWork;

/* The request of a run of recon with these settings on rank_count ranks; pointers are not owned. *normal is what
 * `normal` of the request points to, if the normal operator serves the settings (sino_settings_by_normal) and a sample
 * of the input does not speak against it (SinoInput.uneven). */
SinoPlanRequest sino_run_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoMachine *machine,
                                      int64_t rank_count, SinoNormalWork *normal);

typedef struct SinoRunPlan {
    SinoProblem problem; /* with the plan's choice of symmetry */
    SinoProcessGrid grid;
    SinoDivision division;   /* the slowest batch group's */
    int64_t group_slices;    /* slices of the largest batch group */
    int64_t slowest_slices;  /* slices of the slowest batch group */
    int64_t partition_count; /* partitions of each rank */
    int64_t window_count;    /* blocks in memory at a time; 0: all */
    int64_t worker_count;    /* CPU workers of a rank */
    int64_t idle_ranks;
    SinoStreaming streaming;
    SinoOperatorSize size;
    SinoResources resources;
    int64_t budget_bytes;
    int64_t trial_binning; /* of the search for a prior's strength, SinoWorkload */
} SinoRunPlan;

/* Whether cores alone compute, or the devices have kernels of the kind. */
bool sino_plan_has_kernels(const SinoDeviceRoom *devices, const SinoOperatorKind *kind);

/* Makes the plan for one way of storing A. If memory is short, the plan gives up slots first, then slices of a
 * minibatch, then (with one rank) the operator as a whole. If fewer minibatches are in flight than there are workers,
 * slices get more partitions. SINO_BAD_INPUT: not even one slice fits, or a task does not fit a device (the text names
 * a memory that would do); a grid, weights or a topology do not fit the ranks; more than 2³² rays. */
SinoStatus sino_run_plan_new(const SinoPlanRequest *request, SinoRunPlan *plan);
void sino_run_plan_free(SinoRunPlan *plan);

/* The share of a rank's CPU workers that have a product to compute at a time: each partition of each minibatch in
 * flight is a task. */
double sino_plan_busy_share(const SinoRunPlan *plan);

/* The shape of the exchange for rank `rank` of the job. */
SinoRayExchangeShape sino_run_plan_shape(const SinoRunPlan *plan, int64_t rank);
