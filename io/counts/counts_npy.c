/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in NPY: an array of numbers that NumPy saved. */
#include "counts_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "npy.h"

/* Values that are read at a time, of 8 bytes at most. */
enum { PIECE_VALUES = 1 << 16, VALUE_BYTES = 8 };

typedef struct NpyCounts {
    int descriptor;
    SinoNpy array;
    char *items; /* [PIECE_VALUES · VALUE_BYTES]; owned */
    union {
        double *real;
        int64_t *integer;
        void *memory;
    } piece; /* [PIECE_VALUES]; owned */
} NpyCounts;

static bool probe_npy(const SinoCountsFile *file)
{
    return sino_npy_probe_file(file->path);
}

static void close_npy(void *content)
{
    NpyCounts *counts = content;
    if (counts->descriptor >= 0) close(counts->descriptor);
    free(counts->items);
    free(counts->piece.memory);
    free(counts);
}

static SinoStatus read_header(const SinoCountsFile *file, NpyCounts *counts)
{
    char *head;
    int64_t bytes;
    SINO_TRY(sino_regular_open(file->path, &counts->descriptor, &bytes));
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(head_bytes, 1, "a header", &head));
    SinoStatus status = sino_regular_read(file->path, counts->descriptor, 0, head_bytes, head);
    if (!status) status = sino_npy_parse(file->path, head, head_bytes, &counts->array);
    free(head);
    if (status) return status;
    const int64_t needed = sino_npy_bytes(&counts->array), found = bytes - counts->array.header_bytes;
    SINO_CHECK(found >= needed, SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values",
               file->path, found, needed);
    return NULL;
}

static SinoStatus open_npy(SinoCountsFile *file)
{
    NpyCounts *counts;
    SINO_TRY(sino_allocate(1, sizeof *counts, "a file", &counts));
    counts->descriptor = -1;
    file->content = counts;
    SINO_TRY(sino_allocate(PIECE_VALUES, VALUE_BYTES, "values", &counts->items));
    SINO_TRY(sino_allocate(PIECE_VALUES, VALUE_BYTES, "values", &counts->piece.memory));
    SINO_TRY(read_header(file, counts));
    const SinoNpy *array = &counts->array;
    SINO_CHECK(sino_npy_is_number(array), SINO_BAD_INPUT, "%s holds texts; allowed: numbers", file->path);
    snprintf(file->stored_type, sizeof file->stored_type, "%s", array->stored_type);
    return sino_counts_take_array(file, array->rank, array->size, sino_npy_is_integer(array));
}

/* Reads values `first` … into counts->items. */
static SinoStatus read_items(const SinoCountsFile *file, int64_t first, int64_t count)
{
    const NpyCounts *counts = file->content;
    const int64_t bytes = counts->array.item_bytes;
    return sino_regular_read(file->path, counts->descriptor, counts->array.header_bytes + first * bytes,
                             sino_times(count, bytes), counts->items);
}

static SinoStatus count_events(const SinoCountsFile *file, SinoEventCounter *counter)
{
    const NpyCounts *counts = file->content;
    const int members = counts->array.rank;
    for (int64_t first = 0; first < counts->array.count; first += PIECE_VALUES) {
        const int64_t count = sino_smaller(counts->array.count - first, PIECE_VALUES);
        SINO_TRY(read_items(file, first, count));
        sino_npy_integers(&counts->array, counts->items, count, counts->piece.integer);
        for (int64_t i = 0; i < count; i += members)
            SINO_TRY(sino_event_counter_add(counter, (first + i) / members, members, counts->piece.integer + i));
    }
    return NULL;
}

static SinoStatus read_events(const SinoCountsFile *file, float *values)
{
    SinoEventCounter counter = {0};
    SINO_TRY(sino_event_counter_new(&file->request, "event", &counter));
    SinoStatus status = count_events(file, &counter);
    if (!status) sino_event_counter_take(&counter, values);
    sino_event_counter_free(&counter);
    return status;
}

static SinoStatus read_npy(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    const NpyCounts *counts = file->content;
    if (file->info.events) return read_events(file, values);
    const int64_t first = sino_times(first_set, file->request.element_count);
    const int64_t count = sino_times(set_count, file->request.element_count);
    for (int64_t done = 0; done < count; done += PIECE_VALUES) {
        const int64_t piece = sino_smaller(count - done, PIECE_VALUES);
        SINO_TRY(read_items(file, first + done, piece));
        sino_npy_doubles(&counts->array, counts->items, piece, counts->piece.real);
        for (int64_t i = 0; i < piece; i++) values[done + i] = (float)counts->piece.real[i];
    }
    return NULL;
}

const SinoCountsFormat sino_counts_npy = {
    .name = "a NumPy array", .probe = probe_npy, .open = open_npy, .read = read_npy, .close = close_npy};
