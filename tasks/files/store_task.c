/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes a minibatch's images to the volume, its history and repair counts to the run's arrays. */
#include "store_task.h"

#include "arithmetic.h"
#include "compress_task.h"
#include "memory.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

int64_t sino_tally_count(const SinoTally *to)
{
    int64_t count = to->column_count + to->row_count;
    for (int64_t i = 0; i < to->run_count; i++) count += to->run[i].count;
    return count;
}

void sino_tally_add(const SinoTally *to, const int64_t *tally)
{
    for (int64_t i = 0; i < to->run_count; i++)
        for (int64_t k = 0; k < to->run[i].count; k++) to->by_angle[to->run[i].first + k] += *tally++;
    for (int64_t c = 0; c < to->column_count; c++) to->by_column[c] += *tally++;
    for (int64_t r = 0; r < to->row_count; r++) to->by_row[r] += *tally++;
}

/* Notes that the slices are stored; an end of the program then leaves them for --resume. */
static SinoStatus note(const SinoTask *task, const SinoStore *to)
{
    SinoJournalEntry entry = {.first_slice = to->first_slice,
                              .slice_count = to->slice_count,
                              .repaired = sino_task_buffer(task, 2),
                              .tally_count = to->tallied ? sino_tally_count(&to->tally) : 0,
                              .tally = sino_task_buffer(task, 3)};
    const int64_t pixels = sino_times(to->sections.width, to->sections.height);
    if (!to->journal) return NULL;
    if (to->rounds) {
        SINO_TRY(sino_allocate(sino_times(SINO_CLIPPED, to->slice_count), sizeof *entry.clipped,
                               "an entry of the journal", &entry.clipped));
        sino_volume_clipped(to->volume, to->first_slice, to->slice_count, entry.clipped);
    }
    if (to->keeper) {
        entry.keeper = 1;
        entry.columns = to->numbers;
        entry.residuals = sino_task_buffer(task, 1);
        entry.checksum = sino_journal_checksum(sino_times(to->slice_count, pixels), sino_task_buffer(task, 0));
    }
    sino_journal_append(to->journal, &entry);
    if (to->volume) sino_volume_stay(to->volume);
    free(entry.clipped);
    return NULL;
}

static SinoStatus keep(const SinoTask *task, const SinoStore *to)
{
    float *slices = sino_task_buffer(task, 0);
    memcpy(to->history + to->first_slice * to->numbers, sino_task_buffer(task, 1),
           (size_t)(to->slice_count * to->numbers) * sizeof *to->history);
    if (to->rounds) sino_volume_round(to->volume, to->first_slice, to->slice_count, slices);
    sino_sections_take(&to->sections, to->first_slice, to->slice_count, slices);
    return to->volume ? sino_volume_write(to->volume, to->first_slice, to->slice_count, slices) : NULL;
}

static SinoStatus store_cpu(const SinoTask *task)
{
    const SinoStore *to = task->arguments;
    if (to->repaired)
        memcpy(to->repaired + to->first_slice, sino_task_buffer(task, 2),
               (size_t)to->slice_count * sizeof *to->repaired);
    if (to->tallied) sino_tally_add(&to->tally, sino_task_buffer(task, 3));
    if (to->keeper) SINO_TRY(keep(task, to));
    SINO_TRY(note(task, to));
    SinoMinibatchProgress now =
        sino_minibatch_progress(to->slice_count, to->numbers, to->iteration_count, sino_task_buffer(task, 1));
    now.stored = true;
    sino_runtime_advance(task->runtime, (double)to->slice_count, task->position, &now);
    return NULL;
}

static const SinoTaskKind store_kind = {.name = "store",
                                        .waits = true,
                                        .argument_bytes = sizeof(SinoStore),
                                        .access_min = 5,
                                        .access_max = 5,
                                        .cpu = store_cpu};

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *store, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired, SinoData *tally)
{
    SinoStore where = *store;
    where.rounds = store->keeper && store->volume && sino_volume_rounds(store->volume);
    const bool packs = store->keeper && store->volume && sino_volume_packs(store->volume);
    const int64_t pixels = sino_times(store->sections.width, store->sections.height);
    if (packs)
        SINO_TRY(sino_insert_compress(runtime, position, store->volume, store->first_slice, store->slice_count, pixels,
                                      image));
    /* To write is to wait until the image is compressed. */
    const SinoAccess access[] = {{image, where.rounds || packs ? SINO_READ_WRITE : SINO_READ},
                                 {history, SINO_READ},
                                 {repaired, SINO_READ},
                                 {tally, SINO_READ},
                                 {io, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &store_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &where,
                                               .argument_bytes = sizeof where,
                                               .access = access,
                                               .access_count = 5,
                                               .file_bytes = SINO_FILE_DATA,
                                               .priority = SINO_PRIORITY_URGENT});
}
