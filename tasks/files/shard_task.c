/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks shard and shrink. */
#include "files_tasks.h"

#include "task.h"

typedef struct Arguments {
    SinoVolume *volume;
    int64_t level, first, count;
} Arguments;

static SinoStatus shard_cpu(const SinoTask *task)
{
    const Arguments *of = task->arguments;
    return sino_volume_write_shard(of->volume, of->level, of->first);
}

static SinoStatus shrink_cpu(const SinoTask *task)
{
    const Arguments *of = task->arguments;
    for (int64_t i = of->first; i < of->first + of->count; i++) SINO_TRY(sino_volume_shrink(of->volume, of->level, i));
    return NULL;
}

static const SinoTaskKind shard_kind = {
    .name = "shard", .waits = true, .argument_bytes = sizeof(Arguments), .cpu = shard_cpu};
static const SinoTaskKind shrink_kind = {
    .name = "shrink", .waits = true, .argument_bytes = sizeof(Arguments), .cpu = shrink_cpu};

SinoStatus sino_insert_shard(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t shard)
{
    const Arguments arguments = {.volume = volume, .level = level, .first = shard};
    return SINO_SUBMIT(runtime, &shard_kind, SINO_NOWHERE, &arguments, .work = 1);
}

SinoStatus sino_insert_shrink(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t first, int64_t count)
{
    const Arguments arguments = {.volume = volume, .level = level, .first = first, .count = count};
    return SINO_SUBMIT(runtime, &shrink_kind, SINO_NOWHERE, &arguments, .work = 1);
}
