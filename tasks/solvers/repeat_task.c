/* SPDX-License-Identifier: BSD-3-Clause */
/* Task repeat: copies one row to many. */
#include "solvers_tasks.h"

#include "task.h"

#include <string.h>

typedef struct Repeat {
    SinoOperand from, to;
    int64_t row_count, row_bytes, row;
} Repeat;

static SinoStatus repeat_cpu(const SinoTask *task)
{
    const Repeat *of = task->arguments;
    const char *from = (const char *)of->from.at + of->row * of->row_bytes;
    for (int64_t i = 0; i < of->row_count; i++)
        memcpy((char *)of->to.at + i * of->row_bytes, from, (size_t)of->row_bytes);
    return NULL;
}

static const SinoTaskKind repeat_kind = {
    .name = "repeat", SINO_ARGUMENTS(Repeat, SINO_READS(Repeat, from), SINO_WRITES(Repeat, to)), .cpu = repeat_cpu};

SinoStatus sino_insert_repeat(SinoRuntime *runtime, SinoPosition position, int64_t row_count, int64_t row_bytes,
                              int64_t row, SinoData *from, SinoData *to)
{
    const Repeat arguments = {
        .from.data = from, .to.data = to, .row_count = row_count, .row_bytes = row_bytes, .row = row};
    return SINO_SUBMIT(runtime, &repeat_kind, position, &arguments);
}
