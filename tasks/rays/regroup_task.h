/* SPDX-License-Identifier: BSD-3-Clause */
/* Task regroup: makes the lists that devices gather from. */
#pragma once

#include "regroup_cuda.h"
#include "runtime.h"

/* Data with which GPUs make lists. */
typedef struct SinoRegroupData {
    SinoRegroupShape shape;
    SinoData *block, *table; /* table: sino_regroup_table */
    SinoData *head;          /* head of the lists; NULL while lists are measured */
    SinoData *rays;          /* the footprint's rays; NULL: every ray, in order */
} SinoRegroupData;

/* The visits first … first + count − 1 of one partition and direction. Pointers are not owned. */
typedef struct SinoRegroupPart {
    int64_t partition;
    const SinoRegroup *regroup;
    int64_t first, count;
    const SinoRegroupData *data; /* NULL: only cores run the task */
    int64_t nonzero_count;       /* stored ones of these visits, if they are known; for simulations */
    SinoData *written;           /* if `data` is given: data over the memory of these visits' sizes, or lists */
} SinoRegroupPart;

/* Most bytes of lists that a task on a GPU may write if it reads `input_bytes`; 0: GPUs cannot run the task, or there
 * is no GPU. */
int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes);

/* Insert regroup_measure and regroup_fill (regroup.h). regroup_measure finds the sizes of the visits; `size` points to
 * the size of the first. regroup_fill writes the visits; `lists` points to the lists as a whole, with their tables.
 * Both are in main memory. */
SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size);
SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists);
