/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts source: what the sizes of an array say about its values. */
#include "counts_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 200 };

const char *sino_counts_elements(const SinoCountsRequest *request)
{
    return request->image ? "voxels" : "rows";
}

/* "2 × 30 × 40"; "one value" for no sizes. */
static const char *sizes_text(int rank, const int64_t *size, char text[TEXT_SIZE])
{
    size_t length = (size_t)snprintf(text, TEXT_SIZE, "%s", rank == 0 ? "one value" : "");
    for (int d = 0; d < rank && length < TEXT_SIZE; d++)
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, "%s%" PRId64, d ? " × " : "", size[d]);
    return text;
}

static const char *allowed_text(const SinoCountsRequest *request, char text[TEXT_SIZE])
{
    const SinoVoxelGrid *grid = &request->grid;
    const int64_t count = request->element_count;
    if (request->events == SINO_EVENTS_ONLY)
        snprintf(text, TEXT_SIZE, "events%s", request->crystal_count > 0 ? " or events × 2" : "");
    else if (request->image && grid->x_count > 0)
        snprintf(text, TEXT_SIZE,
                 "%" PRId64 " × %" PRId64 " × %" PRId64 " (z, y, x) or %" PRId64 " voxels, or sets of that",
                 grid->z_count, grid->y_count, grid->x_count, count);
    else
        snprintf(
            text, TEXT_SIZE, "%" PRId64 " %s, or sets × %" PRId64 "%s", count, sino_counts_elements(request), count,
            request->events == SINO_EVENTS_ALLOWED && request->crystal_count > 0 ? ", or events × 2 crystals" : "");
    return text;
}

static bool holds_events(const SinoCountsRequest *request, int rank, const int64_t *size, bool integers)
{
    const bool pairs = rank == 2 && size[1] == 2 && request->crystal_count > 0;
    if (request->events == SINO_EVENTS_ONLY) return rank == 1 || pairs;
    return request->events == SINO_EVENTS_ALLOWED && pairs && integers && request->element_count != 2;
}

/* Whether the last sizes of an array are those of a set; *sets: the dimension before them, or 1. */
static bool holds_sets(const SinoCountsRequest *request, int rank, const int64_t *size, int64_t *sets)
{
    const SinoVoxelGrid *grid = &request->grid;
    const int64_t box[] = {grid->z_count, grid->y_count, grid->x_count};
    const bool is_box = rank >= 3 && request->image && grid->x_count > 0;
    const int dimensions = is_box ? 3 : 1;
    const int64_t *expected = is_box ? box : &request->element_count;
    if (rank != dimensions && rank != dimensions + 1) return false;
    *sets = rank > dimensions ? size[0] : 1;
    return memcmp(size + rank - dimensions, expected, (size_t)dimensions * sizeof *size) == 0 && *sets >= 1;
}

SinoStatus sino_counts_take_array(SinoCountsFile *file, int rank, const int64_t *size, bool integers)
{
    const SinoCountsRequest *request = &file->request;
    char found[TEXT_SIZE], allowed[TEXT_SIZE];
    file->info.set_count = 1;
    file->info.events = holds_events(request, rank, size, integers);
    SINO_CHECK(integers || request->events != SINO_EVENTS_ONLY, SINO_BAD_INPUT,
               "%s holds %s; allowed for events: integers", file->path, file->stored_type);
    if (file->info.events) return NULL;
    const bool fits = request->events != SINO_EVENTS_ONLY && holds_sets(request, rank, size, &file->info.set_count);
    SINO_CHECK(fits, SINO_BAD_INPUT, "%s%s%s is %s; allowed: %s", file->path, file->inner ? ":" : "",
               file->inner ? file->inner : "", sizes_text(rank, size, found), allowed_text(request, allowed));
    return NULL;
}
