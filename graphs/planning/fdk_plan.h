/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK plan: how a run of FDK divides its volume and projections (cone_streaming.h). */
#pragma once

#include "unit_plan.h"

/* The request of a run of recon with these settings, on rank_count ranks; pointers are not owned. */
SinoUnitPlanRequest sino_fdk_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                          const SinoMachine *machine, int64_t rank_count);

/* The coarse volume by whose planes recon finds the range of an integer volume, and the settings of its run, which is
 * by FDK. It has every step-th voxel along each axis, at least every second one and 64 at most, and takes a pass over
 * all projections. A voxel takes longer than in the volume, since the rows that it needs lie further apart. */
SinoCone sino_cone_coarse(const SinoCone *cone);
SinoSettings sino_cone_coarse_settings(const SinoSettings *settings);

/* What of the scan's symmetry the plan uses, in words. */
const char *sino_fdk_plan_kernel(const SinoUnitPlan *plan);
