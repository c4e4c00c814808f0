/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone plan: how a cone-beam run divides its volume and projections within its memory. */
#ifndef SINO_CONE_PLAN_H
#define SINO_CONE_PLAN_H

#include "cone_streaming.h"
#include "machine_rates.h"
#include "settings.h"

typedef struct SinoConePlanRequest {
    const SinoCone *cone;
    const SinoInput *input;
    SinoMachine machine;
    SinoPrecision precision; /* of lines */
    bool symmetry;           /* quarter turns and mirror images are used where the scan has them */
    int64_t slab_count;      /* 0: the plan chooses */
    int64_t rank_count;
    SinoGridShape grid;   /* rows × columns of ranks; 0 × 0: the plan chooses */
    int64_t field_images; /* flat or dark fields that are averaged; 0: none */
    int64_t record_bytes; /* with compressed slices that wait to be written */
} SinoConePlanRequest;

typedef struct SinoConePlan {
    SinoConeStreaming streaming;
    SinoConeBytes bytes;
    int64_t loading_bytes; /* flat or dark fields being averaged */
    int64_t total_bytes;   /* with the program itself and the record */
    int64_t budget_bytes;
} SinoConePlan;

/* The request of a run of recon with these settings, on rank_count ranks; pointers are not owned. */
SinoConePlanRequest sino_cone_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                           const SinoMachine *machine, int64_t rank_count);

/* The least memory that any plan for one rank takes. */
int64_t sino_cone_plan_least_bytes(const SinoConePlanRequest *request);

/* As few slabs as fit memory, because every slab takes a pass over all projections; one slab may use the mirror
 * symmetry of the volume. Of the grids of ranks, the one with most rows of ranks, each of which has voxels: then ranks
 * need fewest rows of projections, and add up least voxels. SINO_BAD_INPUT: not even slabs of a few slices fit (the
 * text names a memory that would do), or fit the devices; a given grid does not fit the ranks, the volume or the
 * projections. */
SinoStatus sino_cone_plan_new(const SinoConePlanRequest *request, SinoConePlan *plan);

/* The coarse volume by whose planes recon finds the range of an integer volume, and the settings of its run, which is
 * by FDK. It has every step-th voxel along each axis, at least every second one and 64 at most, and takes a pass over
 * all projections. A voxel takes longer than in the volume, since the rows that it needs lie further apart. */
SinoCone sino_cone_coarse(const SinoCone *cone);
SinoSettings sino_cone_coarse_settings(const SinoSettings *settings);

/* What of the scan's symmetry the plan uses, in words. */
const char *sino_cone_plan_kernel(const SinoConePlan *plan);

#endif
