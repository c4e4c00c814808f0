/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts in Interfile: a header, and a file with the values of every frame. Each frame is a set. */
#include "counts_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "interfile.h"
#include "memory.h"

/* Bytes that show whether a file is a header, and values that are read at a time, of 8 bytes at most. */
enum { TELLING_BYTES = 256, PIECE_VALUES = 1 << 16, VALUE_BYTES = 8 };

typedef struct InterfileCounts {
    SinoInterfile header;
    int descriptor;
    char *piece; /* [PIECE_VALUES · VALUE_BYTES]; owned */
} InterfileCounts;

static bool probe_interfile(const SinoCountsFile *file)
{
    char head[TELLING_BYTES];
    return sino_interfile_probe(head, sino_regular_head(file->path, sizeof head, head));
}

static void close_interfile(void *content)
{
    InterfileCounts *counts = content;
    if (counts->descriptor >= 0) close(counts->descriptor);
    free(counts->header.data_path);
    free(counts->piece);
    free(counts);
}

/* A frame is an image [z][y][x] if that can be compared, and else a list of values in the order of the file. */
static SinoStatus take_shape(SinoCountsFile *file, const SinoInterfile *header)
{
    const bool box = file->request.image && file->request.grid.x_count > 0 && header->rank == 3;
    const bool framed = header->frame_count > 1;
    const int64_t list[] = {header->frame_count, header->value_count};
    const int64_t volume[] = {header->frame_count, header->size[2], header->size[1], header->size[0]};
    const bool integers = false; /* even then no events: a frame has values */
    return sino_counts_take_array(file, (box ? 3 : 1) + framed, (box ? volume : list) + !framed, integers);
}

/* Voxels of an image have the sizes of the request, where both are known. */
static SinoStatus check_voxel(const SinoCountsFile *file, const SinoInterfile *header)
{
    const SinoCountsRequest *request = &file->request;
    for (int d = 0; d < 3 && request->image && request->grid.x_count > 0; d++) {
        const double has = header->voxel_mm[d], wanted = request->grid.size[d];
        SINO_CHECK(!(has > 0 && wanted > 0) || fabs(has - wanted) <= 0.01 * wanted, SINO_BAD_INPUT,
                   "%s has voxels of %g mm along %c; allowed: %g mm, as the image", file->path, has, "xyz"[d], wanted);
    }
    return NULL;
}

static SinoStatus check_size(const char *path, const InterfileCounts *counts, int64_t bytes)
{
    int64_t last = 0;
    const SinoInterfile *header = &counts->header;
    for (int64_t i = 0; i < header->frame_count; i++) {
        const int64_t end = header->frame[i].offset + sino_times(header->value_count, header->number->bytes);
        SINO_CHECK(end <= bytes, SINO_BAD_INPUT,
                   "%s has %" PRId64 " bytes; needed by its header: %" PRId64 " (%" PRId64 " values of %" PRId64
                   " bytes from byte %" PRId64 ")",
                   header->data_path, bytes, end, header->value_count, header->number->bytes, header->frame[i].offset);
        if (end > last) last = end;
    }
    SINO_CHECK(last == bytes, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; its header, %s, tells of %" PRId64 "; allowed: a header of all values",
               header->data_path, bytes, path, last);
    return NULL;
}

static SinoStatus open_interfile(SinoCountsFile *file)
{
    InterfileCounts *counts;
    int64_t bytes;
    SINO_CHECK(file->request.events != SINO_EVENTS_ONLY, SINO_BAD_INPUT,
               "%s is an Interfile header; allowed for events: text, a NumPy array or HDF5", file->path);
    SINO_TRY(sino_allocate(1, sizeof *counts, "a file", &counts));
    counts->descriptor = -1;
    file->content = counts;
    SINO_TRY(sino_allocate(PIECE_VALUES, VALUE_BYTES, "values", &counts->piece));
    SINO_TRY(sino_interfile_read(file->path, &counts->header));
    SINO_TRY(sino_regular_open(counts->header.data_path, &counts->descriptor, &bytes));
    SINO_TRY(take_shape(file, &counts->header));
    SINO_TRY(check_voxel(file, &counts->header));
    file->info.stored_type = counts->header.number->name;
    return check_size(file->path, counts, bytes);
}

/* Counts are no integers beyond 2²⁴, and values no reals that are tiny or huge: of another type, or in another byte
 * order, they would be. Images of integers have any range. */
static SinoStatus check_values(const SinoCountsFile *file, const SinoInterfile *header, int64_t first, int64_t count,
                               const float *values)
{
    const bool real = header->number->kind == SINO_NUMBER_REAL;
    for (int64_t i = 0; i < count; i++) {
        const float size = fabsf(values[i]);
        const bool usual =
            real ? size == 0 || (size >= 1e-36f && size <= 1e36f) : size < 1 << 24 || file->request.image;
        SINO_CHECK(usual || !isfinite(size), SINO_BAD_INPUT,
                   "%s: value %" PRId64
                   " of a frame is %g as %s in %s byte order, as %s says; allowed: %s, or the type and "
                   "the byte order that they have",
                   header->data_path, first + i, (double)values[i], header->number->name,
                   header->swapped ? "the other" : "this machine's", file->path,
                   real ? "values from 1e-36 to 1e36 in size" : "counts below 2^24");
    }
    return NULL;
}

static SinoStatus read_frame(const SinoCountsFile *file, const SinoInterfileFrame *frame, float *values)
{
    const InterfileCounts *counts = file->content;
    const SinoInterfile *header = &counts->header;
    const int64_t bytes = header->number->bytes;
    for (int64_t done = 0; done < header->value_count; done += PIECE_VALUES) {
        const int64_t count = sino_smaller(header->value_count - done, PIECE_VALUES);
        SINO_TRY(sino_regular_read(header->data_path, counts->descriptor, frame->offset + done * bytes,
                                   sino_times(count, bytes), counts->piece));
        if (header->swapped) sino_number_swap(bytes, count, counts->piece);
        header->number->to_float(counts->piece, count, values + done);
        SINO_TRY(check_values(file, header, done, count, values + done));
        for (int64_t i = 0; i < count && frame->scale != 1; i++)
            values[done + i] = (float)((double)values[done + i] * frame->scale);
    }
    return NULL;
}

static SinoStatus read_interfile(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    const InterfileCounts *counts = file->content;
    for (int64_t set = 0; set < set_count; set++)
        SINO_TRY(read_frame(file, &counts->header.frame[first_set + set],
                            values + sino_times(set, counts->header.value_count)));
    return NULL;
}

const SinoCountsFormat sino_counts_interfile = {.name = "an Interfile header",
                                                .probe = probe_interfile,
                                                .open = open_interfile,
                                                .read = read_interfile,
                                                .close = close_interfile};
