/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF head (TIFF 6.0, BigTIFF): header, description, resolution, then a directory for each slice, a strip per slice.
 *
 * libtiff appends a directory behind the strips of its page, so that pages must come in order, and all from one
 * process; slices come as they are ready, from several. */
#include "volume_private.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiff.h>

/* Files above this are BigTIFF. */
static const int64_t classic_bytes = (int64_t)4000 << 20;

enum { ENTRIES_MOST = 14, RATIONAL_UNIT = 1000 };

typedef struct Head {
    char *bytes;
    int64_t used, room;
    bool big;
} Head;

static void put(Head *head, const void *value, int64_t count)
{
    memcpy(head->bytes + head->used, value, (size_t)count);
    head->used += count;
}

static void put_16(Head *head, int64_t value)
{
    const uint16_t number = (uint16_t)value;
    put(head, &number, sizeof number);
}

static void put_32(Head *head, int64_t value)
{
    const uint32_t number = (uint32_t)value;
    put(head, &number, sizeof number);
}

/* An offset or a count, of 4 or 8 bytes. */
static void put_long(Head *head, int64_t value)
{
    if (head->big)
        put(head, &value, sizeof value);
    else
        put_32(head, value);
}

/* An entry of a directory with one number. */
static void put_entry(Head *head, int tag, int type, int64_t value)
{
    const int64_t field = head->big ? 8 : 4;
    put_16(head, tag);
    put_16(head, type);
    put_long(head, 1);
    const int64_t begin = head->used;
    if (type == TIFF_SHORT)
        put_16(head, value);
    else if (type == TIFF_LONG)
        put_32(head, value);
    else
        put_long(head, value); /* a place in the file, or a number of 8 bytes */
    while (head->used < begin + field) head->bytes[head->used++] = 0;
}

static void put_text(Head *head, int64_t place, int64_t length)
{
    put_16(head, TIFFTAG_IMAGEDESCRIPTION);
    put_16(head, TIFF_ASCII);
    put_long(head, length);
    put_long(head, place);
}

/* Where what several directories refer to lies; 0: there is none. */
typedef struct Shared {
    int64_t text, text_length, across, down;
} Shared;

/* The directory of a slice. With `next` another one follows at once. */
static void put_directory(Head *head, const SinoVolumeRequest *request, const Shared *shared, int64_t place, bool first,
                          bool next)
{
    const int64_t bytes = sino_codes_bytes(request->codes.type);
    const int format = request->codes.type == SINO_OUTPUT_FLOAT32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT;
    const int offset = head->big ? TIFF_LONG8 : TIFF_LONG;
    const int64_t entries = 10 + (first ? 1 : 0) + (shared->across ? 3 : 0);
    if (head->big)
        put_long(head, entries);
    else
        put_16(head, entries);
    put_entry(head, TIFFTAG_IMAGEWIDTH, TIFF_LONG, request->width);
    put_entry(head, TIFFTAG_IMAGELENGTH, TIFF_LONG, request->height);
    put_entry(head, TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 8 * bytes);
    put_entry(head, TIFFTAG_COMPRESSION, TIFF_SHORT, COMPRESSION_NONE);
    put_entry(head, TIFFTAG_PHOTOMETRIC, TIFF_SHORT, PHOTOMETRIC_MINISBLACK);
    if (first) put_text(head, shared->text, shared->text_length);
    put_entry(head, TIFFTAG_STRIPOFFSETS, offset, place);
    put_entry(head, TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1);
    put_entry(head, TIFFTAG_ROWSPERSTRIP, TIFF_LONG, request->height);
    put_entry(head, TIFFTAG_STRIPBYTECOUNTS, offset, sino_times(sino_times(request->height, request->width), bytes));
    if (shared->across) {
        put_entry(head, TIFFTAG_XRESOLUTION, TIFF_RATIONAL, shared->across);
        put_entry(head, TIFFTAG_YRESOLUTION, TIFF_RATIONAL, shared->down);
        put_entry(head, TIFFTAG_RESOLUTIONUNIT, TIFF_SHORT, RESUNIT_CENTIMETER);
    }
    put_entry(head, TIFFTAG_SAMPLEFORMAT, TIFF_SHORT, format);
    put_long(head, next ? head->used + (head->big ? 8 : 4) : 0);
}

/* Pixels per centimetre as a quotient of integers. */
static int64_t put_resolution(Head *head, double pixel_um)
{
    const int64_t place = head->used;
    const double per_cm = 1e4 / pixel_um;
    const int64_t denominator = per_cm < UINT32_MAX / (2.0 * RATIONAL_UNIT) ? RATIONAL_UNIT : 1;
    put_32(head, (int64_t)(per_cm * (double)denominator + 0.5));
    put_32(head, denominator);
    return place;
}

/* "II" or "MM", the version, and the place of the first directory, which is not known yet. */
static void put_header(Head *head)
{
    const uint16_t one = 1;
    put(head, *(const char *)&one ? "II" : "MM", 2);
    put_16(head, head->big ? TIFF_VERSION_BIG : TIFF_VERSION_CLASSIC);
    if (head->big) {
        put_16(head, 8);
        put_16(head, 0);
    }
    put_long(head, 0);
}

static void fill(Head *head, const SinoVolumeRequest *request, const char *text)
{
    const int64_t bytes =
        sino_times(sino_times(request->height, request->width), sino_codes_bytes(request->codes.type));
    const int64_t begin = sino_flat_head_bytes(head->room);
    const bool sized = request->voxel_um[0] > 0 && request->voxel_um[1] > 0;
    Shared shared = {.text_length = (int64_t)strlen(text) + 1};
    put_header(head);
    if (sized) {
        shared.across = put_resolution(head, request->voxel_um[0]);
        shared.down = put_resolution(head, request->voxel_um[1]);
    }
    shared.text = head->used;
    put(head, text, shared.text_length);
    while (head->used % 8 > 0) head->bytes[head->used++] = 0;
    const int64_t directory = head->used, header = head->big ? 8 : 4;
    head->used = header;
    put_long(head, directory);
    head->used = directory;
    for (int64_t i = 0; i < request->slice_count; i++)
        put_directory(head, request, &shared, begin + sino_times(i, bytes), i == 0, i + 1 < request->slice_count);
}

SinoStatus sino_tiff_head_new(const SinoVolumeRequest *request, char **made, int64_t *used)
{
    const int64_t voxels = sino_times(request->height, request->width);
    const int64_t bytes = sino_times(voxels, sino_codes_bytes(request->codes.type));
    const int64_t directory = 16 + ENTRIES_MOST * 20 + 8;
    SINO_CHECK(request->height <= INT32_MAX && request->width <= INT32_MAX / 4, SINO_BAD_INPUT,
               "a slice of %" PRId64 " × %" PRId64 " voxels; allowed in TIFF: 1 × 1 to %d × %d", request->height,
               request->width, INT32_MAX, INT32_MAX / 4);
    char *text = sino_imagej_text(request, request->slice_count);
    SINO_CHECK(text, SINO_FAILED, "no memory for a file's description");
    Head head = {.room = sino_times(request->slice_count, directory) + (int64_t)strlen(text) + 64};
    head.big = sino_times(request->slice_count, bytes) > classic_bytes - head.room;
    SinoStatus status = sino_allocate(head.room, 1, "the head of a TIFF file", &head.bytes);
    if (!status) fill(&head, request, text);
    free(text);
    if (status) return status;
    *made = head.bytes;
    *used = head.room;
    return NULL;
}

char *sino_imagej_text(const SinoVolumeRequest *request, int64_t images)
{
    char *text = NULL;
    size_t size;
    const SinoVoxelCodes *codes = &request->codes;
    const SinoValueRange *range = &codes->range;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fputs("ImageJ=1.54f\n", out);
    if (images > 1) fprintf(out, "images=%" PRId64 "\nslices=%" PRId64 "\n", images, images);
    if (request->voxel_um[0] > 0) fputs("unit=um\n", out);
    if (request->voxel_um[0] > 0 && request->voxel_um[2] > 0) fprintf(out, "spacing=%.9g\n", request->voxel_um[2]);
    if (images > 1) fputs("loop=false\n", out);
    if (codes->type != SINO_OUTPUT_FLOAT32) {
        fprintf(out, "min=0\nmax=%.0f\n", sino_codes_largest(codes));
        fprintf(out, "cf=0\nc0=%.17g\nc1=%.17g\n", range->low, sino_codes_step(codes));
    } else if (range->low < range->high) {
        fprintf(out, "min=%.9g\nmax=%.9g\n", range->low, range->high);
    }
    fprintf(out, "vunit=%s\n", request->units);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
