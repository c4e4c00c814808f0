/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes a minibatch's images to the volume, its residuals and repair counts to the run's arrays. */
#include "store_task.h"

#include "task.h"

#include <string.h>

/* Adds the minibatch's undefined values to those of the run. */
static void add_tally(const SinoStore *to, const int64_t *tally)
{
    for (int64_t i = 0; i < to->run_count; i++)
        for (int64_t k = 0; k < to->run[i].count; k++) to->by_angle[to->run[i].first + k] += *tally++;
    for (int64_t c = 0; c < to->column_count; c++) to->by_column[c] += tally[c];
}

static SinoStatus keep(const SinoTask *task, const SinoStore *to)
{
    memcpy(to->residuals + to->first_slice * to->columns, sino_task_buffer(task, 1),
           (size_t)(to->slice_count * to->columns) * sizeof *to->residuals);
    const int64_t picture = to->picture_slice - to->first_slice;
    if (to->picture && picture >= 0 && picture < to->slice_count)
        memcpy(to->picture, (const float *)sino_task_buffer(task, 0) + picture * to->pixel_count,
               (size_t)to->pixel_count * sizeof *to->picture);
    return to->volume ? sino_volume_write(to->volume, to->first_slice, to->slice_count, sino_task_buffer(task, 0))
                      : NULL;
}

static SinoStatus store_cpu(const SinoTask *task)
{
    const SinoStore *to = task->arguments;
    memcpy(to->repaired + to->first_slice, sino_task_buffer(task, 2), (size_t)to->slice_count * sizeof *to->repaired);
    add_tally(to, sino_task_buffer(task, 3));
    if (to->keeper) SINO_TRY(keep(task, to));
    SinoMinibatchProgress now =
        sino_minibatch_progress(to->slice_count, to->columns, to->columns - 1, sino_task_buffer(task, 1));
    now.stored = true;
    sino_runtime_advance(task->runtime, (double)to->slice_count, task->position, &now);
    return NULL;
}

static const SinoTaskKind store_kind = {
    .name = "store", .argument_bytes = sizeof(SinoStore), .access_min = 5, .access_max = 5, .cpu = store_cpu};

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *where, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired, SinoData *tally)
{
    const SinoAccess access[] = {
        {image, SINO_READ}, {history, SINO_READ}, {repaired, SINO_READ}, {tally, SINO_READ}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &store_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = where,
                                               .argument_bytes = sizeof *where,
                                               .access = access,
                                               .access_count = 5,
                                               .urgent = true});
}
