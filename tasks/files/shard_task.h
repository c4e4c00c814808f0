/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks shard and shrink: the levels of a volume that is a pyramid, from the slices that are stored. */
#pragma once

#include "runtime.h"
#include "volume.h"

/* Inserts shard, which compresses and writes a shard of a level. The slices of the level are complete. */
SinoStatus sino_insert_shard(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t shard);

/* Inserts shrink, which makes slices [first, first + count) of the next level. */
SinoStatus sino_insert_shrink(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t first, int64_t count);
