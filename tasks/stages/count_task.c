/* SPDX-License-Identifier: BSD-3-Clause */
/* Task count: adds the undefined values of a few projections to those of many. */
#include "stages_tasks.h"

#include "task.h"

#include <assert.h>
#include <string.h>

typedef struct Count {
    SinoOperand repaired, tally, to, rows;
    SinoCount count;
    bool first;
    int64_t to_count;
} Count;

static SinoStatus count_cpu(const SinoTask *task)
{
    const Count *of = task->arguments;
    const SinoCount *count = &of->count;
    const int64_t *repaired = of->repaired.at, *tally = of->tally.at;
    int64_t *by_angle = of->to.at, *by_column = by_angle + count->angle_total;
    int64_t *by_row = of->rows.at ? of->rows.at : by_column + count->column_count + count->first_row;
    if (of->first) memset(by_angle, 0, (size_t)of->to_count * sizeof *by_angle);
    if (of->first && of->rows.at) memset(by_row, 0, (size_t)count->row_count * sizeof *by_row);
    for (int64_t k = 0; k < count->angle_count; k++) by_angle[count->first_angle + k] += tally[k];
    for (int64_t c = 0; c < count->column_count; c++) by_column[c] += tally[count->angle_count + c];
    for (int64_t r = 0; r < count->row_count; r++) by_row[r] += repaired[r];
    return NULL;
}

static const SinoTaskKind count_kind = {.name = "count",
                                        SINO_ARGUMENTS(Count, SINO_READS(Count, repaired), SINO_READS(Count, tally),
                                                       SINO_UPDATES(Count, to), SINO_MAY_UPDATE(Count, rows)),
                                        .cpu = count_cpu};

SinoStatus sino_insert_count(SinoRuntime *runtime, SinoPosition position, const SinoCount *count, bool first,
                             SinoData *repaired, SinoData *tally, SinoData *to, int64_t to_count, SinoData *rows)
{
    const Count arguments = {.repaired.data = repaired,
                             .tally.data = tally,
                             .to = {.data = to, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                             .rows = {.data = rows, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                             .count = *count,
                             .first = first,
                             .to_count = to_count};
    assert(to_count >= count->angle_total + count->column_count + (rows ? 0 : count->first_row + count->row_count));
    return SINO_SUBMIT(runtime, &count_kind, position, &arguments);
}
