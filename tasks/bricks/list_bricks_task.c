/* SPDX-License-Identifier: BSD-3-Clause */
/* Task list_bricks: makes the lists that devices need behind the blocks of a row partition. */
#include "list_bricks_task.h"

#include "task.h"

#include <inttypes.h>
#include <string.h>

static SinoStatus list(SinoBrickArea *area)
{
    const int64_t at = sino_brick_area_lists_at(area->bytes);
    SinoBrickLists *const lists = (SinoBrickLists *)(void *)((char *)area->block + at);
    int64_t bytes = 0;
    SINO_TRY(sino_brick_lists_bytes(area->block, &bytes));
    SINO_CHECK(at + bytes <= area->capacity, SINO_FAILED,
               "lists of a block of bricks take %" PRId64 " bytes; there is room for %" PRId64, bytes,
               area->capacity - at);
    SINO_TRY(sino_brick_lists_fill(area->block, lists));
    area->lists = lists;
    return NULL;
}

static SinoStatus list_cpu(const SinoTask *task)
{
    const SinoListBricks *what = task->arguments;
    for (int64_t s = 0; s < what->subset_count; s++) {
        SinoBrickArea *area = &what->area[s];
        if (what->from) memcpy(area->block, what->from[s], (size_t)area->bytes);
        SINO_TRY(list(area));
    }
    return NULL;
}

static const SinoTaskKind list_kind = {
    .name = "list_bricks", .argument_bytes = sizeof(SinoListBricks), .cpu = list_cpu};

SinoStatus sino_insert_list_bricks(SinoRuntime *runtime, int64_t partition, const SinoListBricks *what, double work)
{
    return SINO_SUBMIT(runtime, &list_kind, SINO_AT_PARTITION(partition), what, .work = work);
}
