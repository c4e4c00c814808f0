/* SPDX-License-Identifier: BSD-3-Clause */
/* Task restore: checks the slices that an unfinished run has stored. */
#include "files_tasks.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const SinoJournalEntry *entry, const SinoRestore *to)
{
    return entry->first_slice <= to->slice_count - entry->slice_count &&
           (entry->tally_count == to->tally_count || entry->tally_count == 0) &&
           entry->columns == (entry->keeper ? to->numbers : 0);
}

/* Reads the slices of an entry; *equal: they are what was stored. */
static SinoStatus verify(const SinoJournalEntry *entry, const SinoRestore *to, float *slices, bool *equal)
{
    SINO_TRY(sino_volume_read_back(to->volume, entry->first_slice, entry->slice_count, slices, equal));
    const int64_t voxels = sino_times(entry->slice_count, sino_times(to->sections.width, to->sections.height));
    *equal = *equal && sino_journal_checksum(voxels, slices) == entry->checksum;
    return NULL;
}

/* Copies what an entry tells; `slices` are read only if this rank stored them. */
static void restore(const SinoJournalEntry *entry, const SinoRestore *to, const float *slices)
{
    const int64_t first = entry->first_slice, count = entry->slice_count;
    if (to->repaired) memcpy(to->repaired + first, entry->repaired, (size_t)count * sizeof *to->repaired);
    for (int64_t i = first; i < first + count; i++) to->told[i] = 1;
    if (!entry->keeper) return;
    memcpy(to->history + first * to->numbers, entry->residuals, (size_t)(count * to->numbers) * sizeof(double));
    sino_volume_mark_clipped(to->volume, first, count, entry->clipped);
    sino_sections_take(&to->sections, first, count, slices);
    for (int64_t i = first; i < first + count; i++) to->told[to->slice_count + i] = 1;
}

static SinoStatus restore_cpu(const SinoTask *task)
{
    const SinoRestore *to = task->arguments;
    const int64_t count = sino_journal_count(to->journal);
    float *slices = NULL;
    SinoStatus status = NULL;
    int64_t most = 0;
    for (int64_t e = 0; e < count; e++) {
        const SinoJournalEntry *entry = sino_journal_entry(to->journal, e);
        if (entry->keeper && fits(entry, to)) most = sino_larger(most, entry->slice_count);
    }
    const int64_t pixels = sino_times(to->sections.width, to->sections.height);
    SINO_TRY(sino_allocate(sino_times(most, pixels), sizeof *slices, "slices to be checked", &slices));
    for (int64_t e = 0; !status && e < count; e++) {
        const SinoJournalEntry *entry = sino_journal_entry(to->journal, e);
        bool equal = fits(entry, to);
        if (equal && entry->keeper) status = verify(entry, to, slices, &equal);
        if (!status && equal) restore(entry, to, slices);
    }
    free(slices);
    return status;
}

static const SinoTaskKind restore_kind = {
    .name = "restore", .waits = true, .argument_bytes = sizeof(SinoRestore), .cpu = restore_cpu};

SinoStatus sino_insert_restore(SinoRuntime *runtime, const SinoRestore *restore)
{
    return SINO_SUBMIT(runtime, &restore_kind, SINO_NOWHERE, restore, .work = 1);
}
