/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedule: how long a planned run takes where devices compute, by a list schedule of its tasks.
 *
 * Tasks have the times that a simulation gives them (sino_processor_s, sino_spmm_efficiency). A task goes where it ends
 * first, transfers of its data included, which is the rule of the policy dmda. Transfers share links. Left out are
 * memory of devices that is short, stages other than the correction, and messages between ranks. */
#pragma once

#include "run_plan.h"

/* Whether the machine's devices have rates and compute; only then there is a schedule. */
bool sino_schedule_serves(const SinoMachine *machine);

typedef struct SinoScheduleTimes {
    double iteration; /* of all slices of the busiest rank */
    double run;       /* from the first correction to the last slice that is written; the operator is there */
} SinoScheduleTimes;

/* SINO_FAILED: no memory. */
SinoStatus sino_schedule_times(const SinoPlanRequest *request, const SinoRunPlan *plan, SinoScheduleTimes *times);
