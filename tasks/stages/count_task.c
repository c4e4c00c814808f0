/* SPDX-License-Identifier: BSD-3-Clause */
/* Task count: adds the undefined values of a few projections to those of many. */
#include "count_task.h"

#include "task.h"

#include <string.h>

typedef struct Arguments {
    SinoCount count;
    bool first;
    int64_t to_count;
} Arguments;

static SinoStatus count_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoCount *count = &arguments->count;
    const int64_t *repaired = sino_task_buffer(task, 0), *tally = sino_task_buffer(task, 1);
    int64_t *by_angle = sino_task_buffer(task, 2), *by_column = by_angle + count->angle_total;
    int64_t *by_row = by_column + count->column_count + count->first_row;
    if (arguments->first) memset(by_angle, 0, (size_t)arguments->to_count * sizeof *by_angle);
    for (int64_t k = 0; k < count->angle_count; k++) by_angle[count->first_angle + k] += tally[k];
    for (int64_t c = 0; c < count->column_count; c++) by_column[c] += tally[count->angle_count + c];
    for (int64_t r = 0; r < count->row_count; r++) by_row[r] += repaired[r];
    return NULL;
}

static const SinoTaskKind count_kind = {
    .name = "count", .argument_bytes = sizeof(Arguments), .access_min = 3, .access_max = 3, .cpu = count_cpu};

SinoStatus sino_insert_count(SinoRuntime *runtime, SinoPosition position, const SinoCount *count, bool first,
                             SinoData *repaired, SinoData *tally, SinoData *to, int64_t to_count)
{
    const Arguments arguments = {.count = *count, .first = first, .to_count = to_count};
    const SinoAccess access[] = {{repaired, SINO_READ}, {tally, SINO_READ}, {to, first ? SINO_WRITE : SINO_READ_WRITE}};
    return sino_task_submit(runtime, &count_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 3});
}
