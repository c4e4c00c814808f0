/* SPDX-License-Identifier: BSD-3-Clause */
/* Runtime settings: memory, processors and scheduling of a run, and its records. */
#pragma once

#include "device.h"
#include "model_use.h"

#include <stdint.h>

typedef struct SinoRuntimeSettings {
    int64_t partitions, minibatch; /* minibatch 0: sinodag chooses */
    int64_t memory_bytes;          /* 0: from the available memory of the machine */
    char *scratch_folder;          /* of vectors that memory has no room for; NULL: that of the output */
    int64_t workers;               /* 0: every core */
    unsigned devices;              /* bits of device.h */
    char *scheduler;               /* NULL: STARPU_SCHED, or a choice by the hardware */
    SinoModelUse models;           /* of StarPU */
    char *graph;                   /* path of a DOT file of the task graph; NULL: none */
    char *profile;                 /* "yes": log a profile; else also write this JSON file; NULL: no profile */
    char *trace;                   /* path of a trace of all tasks; NULL: none */
    double stall_limit_s;          /* a run in which no task ends for so long ends; 0: never */
} SinoRuntimeSettings;
