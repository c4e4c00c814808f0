/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in memory: the array of a caller, in any steps, as a format. */
#include "counts_source.h"

#include "memory.h"

#include <stdlib.h>

/* The array outlives the file, but what describes it need not. */
static SinoStatus open_array(SinoCountsFile *file)
{
    SinoMemoryCounts *copy = NULL;
    SINO_TRY(sino_allocate(1, sizeof *copy, "values", &copy));
    *copy = *file->request.memory;
    file->request.memory = copy;
    file->content = copy;
    file->info.set_count = copy->set_count;
    return NULL;
}

static SinoStatus read_sets(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    const SinoMemoryCounts *counts = file->content;
    const int64_t elements = file->request.element_count;
    for (int64_t s = first_set; s < first_set + set_count; s++)
        for (int64_t i = 0; i < elements; i++) {
            const int64_t at = s * counts->set_step + i * counts->element_step;
            *values++ =
                counts->doubles ? (float)((const double *)counts->first)[at] : ((const float *)counts->first)[at];
        }
    return NULL;
}

const SinoCountsFormat sino_counts_memory = {.name = "an array", .open = open_array, .read = read_sets, .close = free};
