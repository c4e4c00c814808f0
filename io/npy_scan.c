/* SPDX-License-Identifier: BSD-3-Clause */
/* NPY scan: projections, flat or dark fields in an array that NumPy saved. Angles come from --theta. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic.h"
#include "memory.h"
#include "path_kind.h"
#include "plain_values.h"
#include "regular_file.h"
#include "scan_frames.h"
#include "scan_source.h"

typedef struct NpyScan {
    SinoFileList files; /* the only one */
    int descriptor;
    SinoNpy array; /* of three dimensions */
    SinoScanAxes axes;
} NpyScan;

/* Where value (i, j, k) is. */
static int64_t place_of(const SinoNpy *array, int64_t i, int64_t j, int64_t k)
{
    return array->header_bytes + ((i * array->size[1] + j) * array->size[2] + k) * array->item_bytes;
}

/* Reads a layer, values (i, first[1] …, first[2] …), as values[count[1]][count[2]]. */
static SinoStatus read_layer(const NpyScan *npy, int64_t i, const int64_t *first, const int64_t *count,
                             SinoCountType type, char *values)
{
    const SinoNpy *array = &npy->array;
    const bool whole = count[2] == array->size[2];
    const int64_t lines = whole ? count[1] : 1, line = sino_times(lines, count[2]);
    for (int64_t j = 0; j < count[1]; j += lines, values += line * sino_count_bytes(type))
        SINO_TRY(sino_plain_values_read(npy->files.name[0], npy->descriptor, place_of(array, i, first[1] + j, first[2]),
                                        array, line, type, values));
    return NULL;
}

static SinoStatus read_frames(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const NpyScan *npy = file;
    const int64_t bytes = sino_count_bytes(type), whole[3] = {count, box->row_count, box->column_count};
    int64_t corner[3], size[3], start[3] = {0}, layer_values;
    char *layer = NULL;
    int meaning = 0;
    (void)field; /* the file has one field */
    sino_axes_order(npy->axes, (int64_t[]){first, box->first_row, box->first_column}, corner);
    sino_axes_order(npy->axes, whole, size);
    while (sino_axes_dimension(npy->axes, meaning) != 0) meaning++;
    SINO_TRY(sino_multiply(size[1], size[2], "a part of a scan", &layer_values));
    SINO_TRY(sino_allocate(layer_values, bytes, "a part of a scan", &layer));
    SinoStatus status = NULL;
    for (; start[meaning] < size[0] && !status; start[meaning]++) {
        status = read_layer(npy, corner[0] + start[meaning], corner, size, type, layer);
        if (!status) sino_axes_arrange(npy->axes, (int64_t[]){1, size[1], size[2]}, bytes, layer, start, whole, counts);
    }
    free(layer);
    return status;
}

static void close_file(void *file)
{
    NpyScan *npy = file;
    if (npy->descriptor >= 0) close(npy->descriptor);
    sino_file_list_free(&npy->files);
    free(npy);
}

static const SinoScanSource npy_source = {.read = read_frames, .close = close_file};

bool sino_npy_scan_probe(const char *path)
{
    int descriptor;
    int64_t bytes;
    char head[6];
    if (sino_path_kind(path) != SINO_PATH_FILE) return false;
    SinoStatus status = sino_regular_open(path, &descriptor, &bytes);
    bool found = false;
    if (!status) {
        const int64_t count = sino_smaller(bytes, (int64_t)sizeof head);
        status = sino_regular_read(path, descriptor, 0, count, head);
        found = !status && sino_npy_probe(head, count);
        close(descriptor);
    }
    sino_status_free(status);
    return found;
}

static SinoStatus read_header(const char *path, NpyScan *npy)
{
    char *head;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &npy->descriptor, &bytes));
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(sino_larger(head_bytes, 1), 1, "a header", &head));
    SinoStatus status = sino_regular_read(path, npy->descriptor, 0, head_bytes, head);
    if (!status) status = sino_npy_parse(path, head, head_bytes, &npy->array);
    free(head);
    if (status) return status;
    const int64_t needed = sino_npy_bytes(&npy->array), found = bytes - npy->array.header_bytes;
    SINO_CHECK(sino_npy_is_number(&npy->array) && npy->array.kind != SINO_NPY_BOOL, SINO_BAD_INPUT,
               "%s holds %s; allowed: integers or floating-point numbers", path, npy->array.stored_type);
    SINO_CHECK(found >= needed, SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values",
               path, found, needed);
    return NULL;
}

/* Opens an array of three dimensions; of two, if `image` says that an image is allowed. */
static SinoStatus open_array(const char *path, bool image, SinoScanPart *part, NpyScan **opened)
{
    NpyScan *npy;
    SINO_TRY(sino_allocate(1, sizeof *npy, "a scan's file", &npy));
    npy->descriptor = -1;
    *part = (SinoScanPart){.source = &npy_source, .file = npy};
    *opened = npy;
    SINO_TRY(sino_file_list_add(&npy->files, path));
    SINO_TRY(read_header(path, npy));
    SinoNpy *array = &npy->array;
    if (image && array->rank == 2) {
        array->size[2] = array->size[1];
        array->size[1] = array->size[0];
        array->size[0] = 1;
        array->rank = 3;
    }
    SINO_CHECK(array->rank == 3, SINO_BAD_INPUT, "%s has %d dimension%s; allowed: 3%s", path, array->rank,
               array->rank == 1 ? "" : "s", image ? ", or 2 of one image" : "");
    SINO_CHECK(array->count > 0, SINO_BAD_INPUT, "%s has no values; allowed: 1 or more along each dimension", path);
    return NULL;
}

SinoStatus sino_npy_fields_open(const char *path, const SinoScanInfo *info, SinoScanPart *part, int64_t *count,
                                const SinoFileList **files)
{
    NpyScan *npy;
    SINO_TRY(open_array(path, true, part, &npy));
    const int64_t *size = npy->array.size;
    SINO_CHECK(size[1] == info->row_count && size[2] == info->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               path, size[1], size[2], info->row_count, info->column_count);
    *count = size[0];
    *files = &npy->files;
    return NULL;
}

static bool probe_npy(const SinoScanRequest *request)
{
    return sino_npy_scan_probe(request->path);
}

static SinoStatus open_npy(const SinoScanRequest *request, SinoScan *scan)
{
    NpyScan *npy;
    SinoScanInfo *info = &scan->info;
    SINO_TRY(open_array(request->path, false, &scan->data, &npy));
    npy->axes = request->axes;
    const int64_t *size = npy->array.size;
    info->type = sino_plain_count_type(&npy->array);
    info->angle_count = size[sino_axes_dimension(npy->axes, 0)];
    info->row_count = size[sino_axes_dimension(npy->axes, 1)];
    info->column_count = size[sino_axes_dimension(npy->axes, 2)];
    info->chunk_rows = 1;
    info->angle_needed = true;
    info->file_count = 1;
    info->file_name = (const char *const *)npy->files.name;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", npy->array.stored_type);
    return NULL;
}

const SinoScanFormat sino_npy_scan_format = {.name = "NumPy array",
                                             .example = ".npy",
                                             .takes_axes = true,
                                             .evidence = "first bytes of .npy",
                                             .certainty = "certain",
                                             .probe = probe_npy,
                                             .open = open_npy};
