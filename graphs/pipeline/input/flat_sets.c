/* SPDX-License-Identifier: BSD-3-Clause */
/* Flat sets: flat fields that were taken at several times of a scan. */
#include "flat_sets.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>

static SinoStatus allocate(int64_t count, SinoFlatSets *sets)
{
    SINO_TRY(sino_allocate(count, sizeof *sets->end, "sets of flat fields", &sets->end));
    return sino_allocate(count, sizeof *sets->position, "sets of flat fields", &sets->position);
}

static void add(SinoFlatSets *sets, int64_t end, int64_t projections_before)
{
    sets->end[sets->count] = end;
    sets->position[sets->count++] = (double)projections_before - 0.5;
}

/* Flat fields between the same projections are one set. */
static SinoStatus sets_of_scan(const SinoScanInfo *info, SinoFlatSets *sets)
{
    SINO_TRY(allocate(info->flat_count, sets));
    for (int64_t i = 0; i < info->flat_count; i++)
        if (i + 1 == info->flat_count || info->flat_position[i + 1] != info->flat_position[i])
            add(sets, i + 1, info->flat_position[i]);
    return NULL;
}

static SinoStatus sets_of_settings(const SinoCountList *list, const SinoScanInfo *info, SinoFlatSets *sets)
{
    const int64_t each = info->flat_count / list->count;
    SINO_CHECK(each > 0 && each * list->count == info->flat_count, SINO_BAD_INPUT,
               "flat-positions has %" PRId64 " numbers, and the scan %" PRId64
               " flat fields; allowed: one number for each of several sets of equally many flat fields",
               list->count, info->flat_count);
    SINO_TRY(allocate(list->count, sets));
    for (int64_t s = 0; s < list->count; s++) {
        const int64_t least = s > 0 ? list->value[s - 1] + 1 : 0;
        SINO_CHECK(list->value[s] >= least && list->value[s] <= info->file_angle_count, SINO_BAD_INPUT,
                   "flat-positions has %" PRId64 " as number %" PRId64 "; allowed: rising numbers from 0 to %" PRId64
                   ", the projections of the scan",
                   list->value[s], s + 1, info->file_angle_count);
        add(sets, (s + 1) * each, list->value[s]);
    }
    return NULL;
}

SinoStatus sino_flat_sets_new(const SinoInputSettings *settings, const SinoScanInfo *info, SinoFlatSets *result)
{
    const SinoCountList *given = &settings->flat_positions;
    SinoFlatSets sets = {0};
    SinoStatus status = NULL;
    if (given->count > 0 && info->flat_count > 0)
        status = sets_of_settings(given, info, &sets);
    else if (info->flat_position && info->flat_count > 0)
        status = sets_of_scan(info, &sets);
    if (status || sets.count < 2 || settings->flat_interpolation == SINO_FLATS_AS_ONE) sino_flat_sets_free(&sets);
    if (!status) *result = sets;
    return status;
}

void sino_flat_sets_free(SinoFlatSets *sets)
{
    free(sets->end);
    free(sets->position);
    *sets = (SinoFlatSets){0};
}

double sino_flat_sets_at(const SinoFlatSets *sets, const SinoScanInfo *info, int64_t k)
{
    const int64_t first = info->projection ? info->projection[k] : k;
    const double at = (double)first + (double)(info->angle_binning - 1) / 2;
    if (at <= sets->position[0]) return 0;
    for (int64_t s = 1; s < sets->count; s++) {
        const double before = sets->position[s - 1], after = sets->position[s];
        if (at < after) return (double)(s - 1) + (at - before) / (after - before);
    }
    return (double)(sets->count - 1);
}
