/* SPDX-License-Identifier: BSD-3-Clause */
/* EDF scan: projections, flat or dark fields as EDF files, each of one image or more. Angles come from --theta. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic.h"
#include "child.h"
#include "edf_file.h"
#include "memory.h"
#include "path_kind.h"
#include "plain_values.h"
#include "regular_file.h"
#include "scan_limits.h"
#include "scan_source.h"

static const char *const endings[] = {".edf", NULL};

/* Where the pixels of an image are. */
typedef struct Place {
    int64_t file, offset;
} Place;

typedef struct EdfStack {
    SinoFileList files;
    SinoEdfImage shape; /* of every image */
    int64_t image_count;
    Place *place; /* [image_count]; owned */
    char *text;   /* [SINO_EDF_HEADER_BYTES]: a header that is parsed; owned */
} EdfStack;

static SinoStatus read_image(const EdfStack *stack, const Place *place, int descriptor, const SinoScanBox *box,
                             SinoCountType type, char *values)
{
    const int64_t columns = stack->shape.column_count, item = stack->shape.type.item_bytes;
    const int64_t lines = box->column_count == columns ? box->row_count : 1,
                  line = sino_times(lines, box->column_count);
    for (int64_t row = 0; row < box->row_count; row += lines, values += line * sino_count_bytes(type)) {
        const int64_t offset = place->offset + ((box->first_row + row) * columns + box->first_column) * item;
        SINO_TRY(sino_plain_values_read(stack->files.name[place->file], descriptor, offset, &stack->shape.type, line,
                                        type, values));
    }
    return NULL;
}

static SinoStatus read_images(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const EdfStack *stack = file;
    const int64_t image = sino_times(box->row_count, box->column_count) * sino_count_bytes(type);
    (void)field; /* one stack holds one field */
    for (int64_t i = 0; i < count; i++) {
        const Place *place = &stack->place[first + i];
        int descriptor;
        int64_t bytes;
        SINO_TRY(sino_regular_open(stack->files.name[place->file], &descriptor, &bytes));
        SinoStatus status = read_image(stack, place, descriptor, box, type, (char *)counts + i * image);
        close(descriptor);
        if (status) return status;
    }
    return NULL;
}

static void close_stack(void *file)
{
    EdfStack *stack = file;
    sino_file_list_free(&stack->files);
    free(stack->place);
    free(stack->text);
    free(stack);
}

static const SinoScanSource edf_source = {.read = read_images, .close = close_stack};

static SinoStatus add_image(EdfStack *stack, const char *name, const SinoEdfImage *image, const Place *place)
{
    const SinoEdfImage *shape = &stack->shape;
    if (stack->image_count == 0) stack->shape = *image;
    SINO_CHECK(image->row_count == shape->row_count && image->column_count == shape->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the first image has",
               name, image->row_count, image->column_count, shape->row_count, shape->column_count);
    SINO_CHECK(strcmp(image->type.stored_type, shape->type.stored_type) == 0 &&
                   image->type.swapped == shape->type.swapped,
               SINO_BAD_INPUT, "%s holds %s%s; allowed: %s, in the order of bytes of the first image", name,
               image->type.stored_type, image->type.swapped != shape->type.swapped ? " in another order of bytes" : "",
               shape->type.stored_type);
    SINO_CHECK(stack->image_count < SINO_IMAGES_MAX, SINO_BAD_INPUT, "%s: more than %d images; allowed: up to %d", name,
               (int)SINO_IMAGES_MAX, (int)SINO_IMAGES_MAX);
    if ((stack->image_count & (stack->image_count - 1)) == 0) { /* room for 1, 2, 4 … images */
        Place *more = reallocarray(stack->place, (size_t)sino_larger(1, 2 * stack->image_count), sizeof *more);
        SINO_CHECK(more, SINO_FAILED, "no memory for the images of a scan");
        stack->place = more;
    }
    stack->place[stack->image_count++] = *place;
    return NULL;
}

/* Adds the images of an open file. */
static SinoStatus look_through(EdfStack *stack, int64_t file, int descriptor, int64_t bytes)
{
    const char *name = stack->files.name[file];
    for (int64_t at = 0; at < bytes;) {
        SinoEdfImage image;
        const int64_t head = sino_smaller(bytes - at, SINO_EDF_HEADER_BYTES);
        SINO_TRY(sino_regular_read(name, descriptor, at, head, stack->text));
        SINO_TRY(sino_edf_parse(name, stack->text, head, &image));
        const Place place = {.file = file, .offset = at + image.header_bytes};
        const int64_t pixels = sino_times(image.row_count, image.column_count);
        const int64_t needed = sino_times(pixels, image.type.item_bytes), found = bytes - place.offset;
        SINO_CHECK(found >= needed, SINO_BAD_INPUT,
                   "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its pixels", name, found, needed);
        SINO_TRY(add_image(stack, name, &image, &place));
        at = place.offset + needed;
        if (bytes - at < 16) break; /* padding */
    }
    return NULL;
}

static SinoStatus look_at(EdfStack *stack, int64_t file)
{
    int descriptor;
    int64_t bytes;
    sino_child_step();
    SINO_TRY(sino_regular_open(stack->files.name[file], &descriptor, &bytes));
    SinoStatus status = NULL;
    if (bytes == 0) status = sino_error(SINO_BAD_INPUT, "%s is empty", stack->files.name[file]);
    if (!status) status = look_through(stack, file, descriptor, bytes);
    close(descriptor);
    return status;
}

static SinoStatus open_stack(const char *named, SinoScanPart *part, EdfStack **opened)
{
    EdfStack *stack;
    SINO_TRY(sino_allocate(1, sizeof *stack, "images", &stack));
    *part = (SinoScanPart){.source = &edf_source, .file = stack};
    *opened = stack;
    SINO_TRY(sino_allocate(SINO_EDF_HEADER_BYTES, 1, "a header", &stack->text));
    SINO_TRY(sino_file_list_new(1, &named, endings, &stack->files));
    for (int64_t i = 0; i < stack->files.count; i++) SINO_TRY(look_at(stack, i));
    return NULL;
}

static bool probe_file(const char *path)
{
    char head[1024];
    int descriptor;
    int64_t bytes;
    SinoStatus status = sino_regular_open(path, &descriptor, &bytes);
    bool found = false;
    if (!status) {
        const int64_t count = sino_smaller(bytes, (int64_t)sizeof head);
        status = sino_regular_read(path, descriptor, 0, count, head);
        found = !status && sino_edf_probe(head, count);
        close(descriptor);
    }
    sino_status_free(status);
    return found;
}

/* Of a pattern the first file decides. */
static bool probe_pattern(const char *named)
{
    SinoFileList files;
    SinoStatus status = sino_file_list_new(1, &named, endings, &files);
    const bool found = !status && files.count > 0 && probe_file(files.name[0]);
    if (!status) sino_file_list_free(&files);
    sino_status_free(status);
    return found;
}

static bool probe_edf(const SinoScanRequest *request)
{
    const char *named = request->path;
    switch (sino_path_kind(named)) {
    case SINO_PATH_FILE:
        return probe_file(named);
    case SINO_PATH_ABSENT:
        return sino_file_list_is_pattern(named) && probe_pattern(named);
    case SINO_PATH_FOLDER:
        return sino_file_list_has(named, endings);
    case SINO_PATH_OTHER:
        break;
    }
    return false;
}

static SinoStatus open_edf_fields(const char *named, const char *variable, const SinoScanInfo *info, SinoScanPart *part,
                                  int64_t *count, const SinoFileList **files)
{
    (void)variable;
    EdfStack *stack;
    SINO_TRY(open_stack(named, part, &stack));
    const SinoEdfImage *shape = &stack->shape;
    SINO_CHECK(shape->row_count == info->row_count && shape->column_count == info->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               stack->files.name[0], shape->row_count, shape->column_count, info->row_count, info->column_count);
    *count = stack->image_count;
    *files = &stack->files;
    return NULL;
}

static SinoStatus open_edf(const SinoScanRequest *request, SinoScan *scan)
{
    EdfStack *stack;
    SinoScanInfo *info = &scan->info;
    SINO_TRY(open_stack(request->path, &scan->data, &stack));
    info->type = sino_plain_count_type(&stack->shape.type);
    info->angle_count = stack->image_count;
    info->row_count = stack->shape.row_count;
    info->column_count = stack->shape.column_count;
    info->angle_needed = true;
    info->chunk_rows = 1;
    info->file_count = stack->files.count;
    info->file_name = (const char *const *)stack->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stack->shape.type.stored_type);
    sino_file_list_remark(&stack->files, "a missing projection gives others wrong angles", sizeof scan->remark,
                          scan->remark);
    return NULL;
}

const SinoScanFormat sino_edf_format = {.name = "EDF images",
                                        .example = "a folder, a quoted pattern such as 'scan/p_*.edf', or a file of "
                                                   "several images",
                                        .evidence = "headers of the ESRF data format",
                                        .certainty = "certain",
                                        .probe = probe_edf,
                                        .open = open_edf,
                                        .open_fields = open_edf_fields};
