/* SPDX-License-Identifier: BSD-3-Clause */
/* Task store: writes a minibatch's images to the volume, its history and repair counts to the run's arrays. */
#include "files_tasks.h"

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

typedef struct Store {
    SinoOperand image, history, repaired, tally, io;
    SinoStore to;
} Store;

/* Notes that the slices are stored; an end of the program then leaves them for --resume. */
static SinoStatus note(const Store *of)
{
    const SinoStore *to = &of->to;
    SinoJournalEntry entry = {.first_slice = to->first_slice,
                              .slice_count = to->slice_count,
                              .repaired = of->repaired.at,
                              .tally_count = to->tallied ? sino_tally_count(&to->tally) : 0,
                              .tally = of->tally.at};
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
        entry.residuals = of->history.at;
        entry.checksum = sino_journal_checksum(sino_times(to->slice_count, pixels), of->image.at);
    }
    sino_journal_append(to->journal, &entry);
    if (to->volume) sino_volume_stay(to->volume);
    free(entry.clipped);
    return NULL;
}

static SinoStatus keep(const Store *of)
{
    const SinoStore *to = &of->to;
    memcpy(to->history + to->first_slice * to->numbers, of->history.at,
           (size_t)(to->slice_count * to->numbers) * sizeof *to->history);
    if (to->rounds) sino_volume_round(to->volume, to->first_slice, to->slice_count, of->image.at);
    sino_sections_take(&to->sections, to->first_slice, to->slice_count, of->image.at);
    return to->volume ? sino_volume_write(to->volume, to->first_slice, to->slice_count, of->image.at) : NULL;
}

static SinoStatus store_cpu(const SinoTask *task)
{
    const Store *of = task->arguments;
    const SinoStore *to = &of->to;
    if (to->repaired)
        memcpy(to->repaired + to->first_slice, of->repaired.at, (size_t)to->slice_count * sizeof *to->repaired);
    if (to->tallied) sino_tally_add(&to->tally, of->tally.at);
    if (to->keeper) SINO_TRY(keep(of));
    SINO_TRY(note(of));
    SinoMinibatchProgress now =
        sino_minibatch_progress(to->slice_count, to->numbers, to->iteration_count, of->history.at);
    now.stored = true;
    sino_runtime_advance(task->runtime, (double)to->slice_count, task->position, &now);
    return NULL;
}

static const SinoTaskKind store_kind = {.name = "store",
                                        .waits = true,
                                        SINO_ARGUMENTS(Store, SINO_READS(Store, image), SINO_READS(Store, history),
                                                       SINO_READS(Store, repaired), SINO_READS(Store, tally),
                                                       SINO_UPDATES(Store, io)),
                                        .cpu = store_cpu};

SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *store, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired, SinoData *tally)
{
    const bool rounds = store->keeper && store->volume && sino_volume_rounds(store->volume);
    const bool packs = store->keeper && store->volume && sino_volume_packs(store->volume);
    const int64_t pixels = sino_times(store->sections.width, store->sections.height);
    /* To write is to wait until the image is compressed. */
    Store arguments = {.image = {.data = image, .mode = rounds || packs ? SINO_READ_WRITE : SINO_READ},
                       .history.data = history,
                       .repaired.data = repaired,
                       .tally.data = tally,
                       .io.data = io,
                       .to = *store};
    arguments.to.rounds = rounds;
    if (packs)
        SINO_TRY(sino_insert_compress(runtime, position, store->volume, store->first_slice, store->slice_count, pixels,
                                      image));
    return SINO_SUBMIT(runtime, &store_kind, position, &arguments, .file_bytes = SINO_FILE_DATA,
                       .priority = SINO_PRIORITY_URGENT);
}
