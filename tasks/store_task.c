/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes a minibatch's images to the volume, its residuals and repair counts to the run's arrays. */
#include "store_task.h"

#include "task.h"

#include <math.h>
#include <string.h>

typedef struct Arguments {
    int64_t slab;
    SinoStore store;
} Arguments;

/* ‖Ax − b‖/‖b‖ of the minibatch at the iterations where its slices stopped or ended; NaN without iterations. */
static double last_residual(const SinoStore *to, const double *history)
{
    double residual = 0, residual0 = 0;
    for (int64_t f = 0; f < to->slice_count; f++) {
        const double *row = history + f * to->columns;
        int64_t last = to->columns - 1;
        while (last > 0 && isnan(row[last])) last--;
        residual += row[last];
        residual0 += row[0];
    }
    return to->columns > 1 && residual0 > 0 ? sqrt(residual / residual0) : NAN;
}

/* Notes that the slices are stored. */
static void note(const SinoTask *task, const SinoStore *to)
{
    SinoJournalEntry entry = {
        .first_slice = to->first_slice, .slice_count = to->slice_count, .repaired = sino_task_buffer(task, 2)};
    if (!to->journal) return;
    if (to->keeper) {
        entry.keeper = 1;
        entry.columns = to->columns;
        entry.residuals = sino_task_buffer(task, 1);
        entry.checksum = sino_journal_checksum(to->slice_count * to->pixel_count, sino_task_buffer(task, 0));
    }
    sino_journal_append(to->journal, &entry);
}

static SinoStatus store_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoStore *to = &arguments->store;
    memcpy(to->repaired + to->first_slice, sino_task_buffer(task, 2), (size_t)to->slice_count * sizeof *to->repaired);
    if (!to->keeper) {
        note(task, to);
        return NULL;
    }
    memcpy(to->residuals + to->first_slice * to->columns, sino_task_buffer(task, 1),
           (size_t)(to->slice_count * to->columns) * sizeof *to->residuals);
    const int64_t picture = to->picture_slice - to->first_slice;
    if (to->picture && picture >= 0 && picture < to->slice_count)
        memcpy(to->picture, (const float *)sino_task_buffer(task, 0) + picture * to->pixel_count,
               (size_t)to->pixel_count * sizeof *to->picture);
    if (to->volume)
        SINO_TRY(sino_volume_write(to->volume, to->first_slice, to->slice_count, sino_task_buffer(task, 0)));
    note(task, to);
    const SinoProgress where = {.slab = arguments->slab + 1,
                                .iteration = to->columns - 1,
                                .iteration_count = to->columns - 1,
                                .residual = last_residual(to, sino_task_buffer(task, 1))};
    sino_runtime_advance(task->runtime, (double)to->slice_count, &where);
    return NULL;
}

static const SinoTaskKind store_kind = {
    .name = "store", .argument_bytes = sizeof(Arguments), .access_min = 4, .access_max = 4, .cpu = store_cpu};

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *where, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired)
{
    const Arguments arguments = {.slab = position.slab, .store = *where};
    const SinoAccess access[] = {
        {image, SINO_READ}, {history, SINO_READ}, {repaired, SINO_READ}, {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &store_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 4,
                                               .urgent = true});
}
