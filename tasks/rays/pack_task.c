/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pack: replaces ray numbers in a traced run of tiles by row numbers of the partition's footprint. mark: marks
 * the rays of a run. Task touch: touches reserved memory. */
#include "rays_tasks.h"

#include "memory.h"
#include "task.h"

typedef struct Arguments {
    const SinoPackRun *run;
    const uint32_t *local;
} Arguments;

static SinoStatus pack_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoPackRun *run = arguments->run;
    sino_pack_renumber(run->layout->precision, sino_pack_piece_count(run->tile_count, run->tile), run->piece,
                       arguments->local, run->area->block);
    return NULL;
}

static const SinoTaskKind pack_kind = {.name = "pack", .argument_bytes = sizeof(Arguments), .cpu = pack_cpu};

SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local)
{
    const Arguments arguments = {.run = run, .local = local};
    return SINO_SUBMIT(runtime, &pack_kind, SINO_AT_PARTITION(partition), &arguments, .work = (double)run->stored_count,
                       .effort = (double)run->stored_count);
}

static SinoStatus mark_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoPackRun *run = arguments->run;
    const int64_t pieces = sino_pack_piece_count(run->tile_count, run->tile);
    for (int64_t i = 0; i < pieces; i++)
        sino_pack_mark(run->layout->precision, run->piece[i].bytes, run->area->block + run->piece[i].offset,
                       run->touched);
    return NULL;
}

static const SinoTaskKind mark_kind = {.name = "mark", .argument_bytes = sizeof(Arguments), .cpu = mark_cpu};

SinoStatus sino_insert_mark(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run)
{
    const Arguments arguments = {.run = run};
    return SINO_SUBMIT(runtime, &mark_kind, SINO_AT_PARTITION(partition), &arguments, .work = (double)run->stored_count,
                       .effort = (double)run->stored_count);
}

typedef struct Touch {
    void *memory;
    int64_t bytes;
} Touch;

static SinoStatus touch_cpu(const SinoTask *task)
{
    const Touch *arguments = task->arguments;
    sino_touch(arguments->memory, arguments->bytes);
    return NULL;
}

static const SinoTaskKind touch_kind = {.name = "touch", .argument_bytes = sizeof(Touch), .cpu = touch_cpu};

SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes)
{
    const Touch arguments = {.memory = memory, .bytes = bytes};
    return SINO_SUBMIT(runtime, &touch_kind, SINO_AT_PARTITION(partition), &arguments, .work = (double)bytes);
}
