/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes a minibatch's images to the volume, its residuals and repair counts to the run's arrays. */
#include "store_task.h"

#include "task.h"

#include <string.h>

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
    if (to->keeper) SINO_TRY(keep(task, to));
    SinoMinibatchProgress now =
        sino_minibatch_progress(to->slice_count, to->columns, to->columns - 1, sino_task_buffer(task, 1));
    now.stored = true;
    sino_runtime_advance(task->runtime, (double)to->slice_count, task->position, &now);
    return NULL;
}

static const SinoTaskKind store_kind = {
    .name = "store", .argument_bytes = sizeof(SinoStore), .access_min = 4, .access_max = 4, .cpu = store_cpu};

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *where, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired)
{
    const SinoAccess access[] = {
        {image, SINO_READ}, {history, SINO_READ}, {repaired, SINO_READ}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &store_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = where,
                                               .argument_bytes = sizeof *where,
                                               .access = access,
                                               .access_count = 4,
                                               .urgent = true});
}
