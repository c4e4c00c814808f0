/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cost: how long a task takes on a kind of processor: as earlier runs have measured it, else by a curve through
 * what they have measured of tasks of its kind, else by the rates of a machine.
 *
 * Needs neither StarPU nor a run. Costs are read only once they are open, from any thread. */
#pragma once

#include "machine_file.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoCostSource {
    SINO_COST_MEASURED, /* of tasks with this footprint and this work */
    SINO_COST_FITTED,
    SINO_COST_RATE,
    SINO_COST_SOURCES
} SinoCostSource;

/* What the time of a task depends on, as it was submitted (SinoTaskRequest). */
typedef struct SinoTaskFeatures {
    const char *symbol; /* of its performance model, "sinodag_<kind>[_<revision>]" */
    uint32_t footprint; /* StarPU's, of the same model; 0: not known */
    double work, flops; /* 0: not given */
    int64_t bytes;      /* of its data, scratch left out */
    int64_t width;      /* stride of its vectors; 0: it has none */
    int precision;      /* 1 + SinoPrecision; 0: it has none */
    uint32_t variant;   /* which data it reads and writes: a hash; 0: not known */
} SinoTaskFeatures;

typedef struct SinoTaskCosts SinoTaskCosts;

/* Reads what runs on this machine have kept in `directory` (sino_models_directory). NULL: nothing, so that rates give
 * every time. A file there that is missing or damaged counts as empty; nothing is written. `machine` is copied.
 * SINO_FAILED: no memory. */
SinoStatus sino_task_costs_open(const char *directory, const SinoMachineFile *machine, SinoTaskCosts **costs);
void sino_task_costs_free(SinoTaskCosts *costs); /* takes NULL */

/* Seconds of a task by rates alone: of its flops in single precision or its bytes, whichever takes longer. */
double sino_processor_s(const SinoProcessorRates *rates, double flops, double bytes);

/* Whether GPUs alone run iterations: of `devices` (bits of device.h, as the user asked for) cores are none; or the user
 * named none, and cores together have so little of the rate of memory, at which vectors are updated, that a part in
 * iterations saves less than copies of vectors cost: below an eighth of the GPUs' rate. Policies place each task by
 * itself; on cores they would save one a short wait, and its vectors would travel there and back. The policy
 * sino-affinity leaves tasks where their data are; scheduler NULL: the usual one. */
bool sino_devices_iterate_alone(unsigned devices, const char *scheduler, double cores_gbps, double devices_gbps);

/* Seconds that the task takes on one processor of a kind: SINO_DEVICE_CPU, _CUDA or _OPENCL. `source`, `error`: NULL,
 * or where the time is from, and by which part of it a run is expected to differ (standard deviation). If the machine
 * has no device of the kind and nothing was measured on one, the result is infinite. */
double sino_task_cost_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task,
                        SinoCostSource *source, double *error);

/* Seconds that a core takes between two tasks under a policy, before one with these bytes of data: the median of what
 * runs have measured with this policy, else with another. 0: nothing was measured. */
double sino_task_between_s(const SinoTaskCosts *costs, const char *policy, int64_t bytes);

/* "measured", "fitted", "rate". */
const char *sino_cost_source_name(SinoCostSource source);
