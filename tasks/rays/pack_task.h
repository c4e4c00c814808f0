/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pack: replaces ray numbers in a traced run of tiles by row numbers of the partition's footprint: ray r becomes
 * local[r]. mark: sets run->touched[ray] = 1 for every ray of a run that another process has traced. */
#pragma once

#include "pack.h"
#include "runtime.h"

SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local);
SinoStatus sino_insert_mark(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run);
