/* SPDX-License-Identifier: BSD-3-Clause */
/* Task trace: the lengths of rays in a run of tiles. */
#pragma once

#include "pack.h"
#include "runtime.h"

/* What a core takes to trace a stored nonzero, in flops of a product (docs/lab/kernels.md). */
enum { SINO_TRACE_FLOPS = 1200 };

/* trace traces a run of tiles into its block in one pass, on a core. trace_measure and trace_fill do the same in two
 * passes, which GPUs can run (trace_sections.h): trace_measure finds the sizes of the run's sections; trace_fill writes
 * the sections to `bytes`, data over the run's place in the block. trace_mark sets touched[ray] = 1 for every ray of
 * such a run, which has `size` bytes. */
typedef struct SinoTraceTables {
    const SinoLayout *layout;
    int64_t section_count;
    SinoData *angles;   /* SinoTraceAngle[angle] */
    SinoData *sections; /* SinoTraceSection[section_count] */
    SinoData *sizes;    /* SinoTraceSize[section_count + 1] */
} SinoTraceTables;
SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run);
SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables);
SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes);
SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched);
