/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pack: replaces ray numbers in a traced run of tiles by row numbers of the partition's footprint: ray r becomes
 * local[r]. mark: sets run->touched[ray] = 1 for every ray of a run that another process has traced.
 * Task touch: touches reserved memory, so that many cores take its pages from the system at once. */
#pragma once

#include "pack.h"
#include "runtime.h"

SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local);
SinoStatus sino_insert_mark(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run);

/* `partition` is for labels only. */
SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes);
