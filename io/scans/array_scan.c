/* SPDX-License-Identifier: BSD-3-Clause */
/* Array scan: reads layers of the first dimension, whatever it means. */
#include "array_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "angle_list.h"
#include "files.h"
#include "memory.h"
#include "scan_frames.h"
#include "scan_limits.h"

/* A layer in its open file. */
typedef struct Layer {
    const char *path;
    int descriptor;
    int64_t offset;
} Layer;

/* Reads a layer, values (first[1] …, first[2] …), as values[count[1]][count[2]]. */
static SinoStatus read_layer(const SinoArrayScan *arrays, const Layer *layer, const int64_t *first,
                             const int64_t *count, SinoCountType type, char *values)
{
    const SinoNpy *array = &arrays->array;
    const bool whole = count[2] == array->size[2];
    const int64_t lines = whole ? count[1] : 1, line = sino_times(lines, count[2]);
    for (int64_t j = 0; j < count[1]; j += lines, values += line * sino_count_bytes(type)) {
        const int64_t at = layer->offset + ((first[1] + j) * array->size[2] + first[2]) * array->item_bytes;
        SINO_TRY(arrays->scale.factor == 0
                     ? sino_plain_values_read(layer->path, layer->descriptor, at, array, line, type, values)
                     : sino_plain_scaled_read(layer->path, layer->descriptor, at, array, &arrays->scale, line, type,
                                              values));
    }
    return NULL;
}

/* Reads layer i, whose file is open unless each layer may have its own. */
static SinoStatus open_layer(const SinoArrayScan *arrays, int64_t i, const int64_t *first, const int64_t *count,
                             SinoCountType type, char *values)
{
    const SinoNpy *array = &arrays->array;
    int64_t bytes;
    Layer layer = {.path = arrays->files.name[0],
                   .descriptor = arrays->descriptor,
                   .offset = array->header_bytes + i * array->size[1] * array->size[2] * array->item_bytes};
    if (!arrays->layer) return read_layer(arrays, &layer, first, count, type, values);
    layer.path = arrays->files.name[arrays->layer[i].file];
    layer.offset = arrays->layer[i].offset;
    SINO_TRY(sino_regular_open(layer.path, &layer.descriptor, &bytes));
    SinoStatus status = read_layer(arrays, &layer, first, count, type, values);
    close(layer.descriptor);
    return status;
}

static SinoStatus read_box(const SinoArrayScan *arrays, int64_t first, int64_t count, const SinoScanBox *box,
                           SinoCountType type, void *counts)
{
    const int64_t bytes = sino_count_bytes(type), whole[3] = {count, box->row_count, box->column_count};
    int64_t corner[3], size[3], start[3] = {0}, layer_values;
    char *layer = NULL;
    int meaning = 0;
    sino_axes_order(arrays->axes, (int64_t[]){first, box->first_row, box->first_column}, corner);
    sino_axes_order(arrays->axes, whole, size);
    while (sino_axes_dimension(arrays->axes, meaning) != 0) meaning++;
    SINO_TRY(sino_multiply(size[1], size[2], "a part of a scan", &layer_values));
    SINO_TRY(sino_allocate(layer_values, bytes, "a part of a scan", &layer));
    SinoStatus status = NULL;
    for (; start[meaning] < size[0] && !status; start[meaning]++) {
        status = open_layer(arrays, corner[0] + start[meaning], corner, size, type, layer);
        if (!status)
            sino_axes_arrange(arrays->axes, (int64_t[]){1, size[1], size[2]}, bytes, layer, start, whole, counts);
    }
    free(layer);
    return status;
}

static SinoStatus read_frames(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    SinoArrayScan *arrays = file;
    (void)field; /* the file has one field */
    if (arrays->prepare) SINO_TRY(arrays->prepare(arrays->owner, &arrays->descriptor));
    return read_box(arrays, first, count, box, type, counts);
}

static void close_file(void *file)
{
    SinoArrayScan *arrays = file;
    if (arrays->close)
        arrays->close(arrays->owner);
    else if (arrays->descriptor >= 0)
        close(arrays->descriptor);
    sino_file_list_free(&arrays->files);
    free(arrays->layer);
    free(arrays);
}

static const SinoScanSource array_source = {.read = read_frames, .close = close_file};

SinoStatus sino_array_scan_new(const char *path, SinoScanPart *part, SinoArrayScan **opened)
{
    SinoArrayScan *arrays;
    SINO_TRY(sino_allocate(1, sizeof *arrays, "a scan's file", &arrays));
    arrays->descriptor = -1;
    *part = (SinoScanPart){.source = &array_source, .file = arrays};
    *opened = arrays;
    return path ? sino_file_list_add(&arrays->files, path) : NULL;
}

/* An array of two dimensions is one layer of three. */
static SinoStatus take_layer(SinoArrayScan *arrays, const char *of)
{
    SinoNpy *array = &arrays->array;
    const char *path = arrays->files.name[0];
    if (array->rank == 2) {
        array->size[2] = array->size[1];
        array->size[1] = array->size[0];
        array->size[0] = 1;
        array->rank = 3;
    }
    SINO_CHECK(array->rank == 3, SINO_BAD_INPUT, "%s has %d dimension%s; allowed: 3, or 2 of one %s", path, array->rank,
               array->rank == 1 ? "" : "s", of);
    SINO_CHECK(array->count > 0, SINO_BAD_INPUT, "%s has no values; allowed: 1 or more along each dimension", path);
    return NULL;
}

SinoStatus sino_array_scan_data(SinoArrayScan *arrays, const SinoScanRequest *request, SinoScanInfo *info)
{
    SINO_CHECK(arrays->array.rank != 2 || sino_axes_dimension(request->axes, 0) > 0, SINO_BAD_INPUT,
               "%s has 2 dimensions; allowed: 3, or a sinogram with --axes row,angle,column, whose first line is the "
               "first projection",
               arrays->files.name[0]);
    SINO_TRY(take_layer(arrays, "layer"));
    const int64_t *size = arrays->array.size;
    arrays->axes = request->axes;
    info->angle_count = size[sino_axes_dimension(arrays->axes, 0)];
    info->row_count = size[sino_axes_dimension(arrays->axes, 1)];
    info->column_count = size[sino_axes_dimension(arrays->axes, 2)];
    info->angle_needed = true;
    info->file_count = arrays->files.count;
    info->file_name = (const char *const *)arrays->files.name;
    return NULL;
}

SinoStatus sino_array_scan_images(SinoArrayScan *arrays, const SinoScanInfo *info, int64_t *count,
                                  const SinoFileList **files)
{
    SINO_TRY(take_layer(arrays, "image"));
    const int64_t *size = arrays->array.size;
    SINO_CHECK(size[1] == info->row_count && size[2] == info->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64
               ", as the projections have",
               arrays->files.name[0], size[1], size[2], info->row_count, info->column_count);
    *count = size[0];
    *files = &arrays->files;
    return NULL;
}

static SinoStatus read_angles(SinoArrayScan *arrays, const char *name, SinoAngleUnit *unit, int64_t projections,
                              double **angle_rad)
{
    const SinoNpy *array = &arrays->array;
    const char *path = arrays->files.name[0];
    SINO_CHECK(sino_npy_is_list(array) && array->count <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s: %s is no list of 1 to %d angles", path, name, (int)SINO_IMAGES_MAX);
    SINO_CHECK(projections == 0 || projections == array->count, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " angles; allowed: %" PRId64 ", one per projection", path, name, array->count,
               projections);
    SINO_TRY(sino_allocate(array->count, sizeof **angle_rad, "angles", angle_rad));
    SINO_TRY(arrays->prepare(arrays->owner, &arrays->descriptor));
    SINO_TRY(sino_plain_doubles_read(path, arrays->descriptor, array->header_bytes, array, array->count, *angle_rad));
    if (*unit == SINO_ANGLE_UNIT_AUTO && sino_angle_unit_in_name(name)) *unit = SINO_ANGLE_UNIT_RADIANS;
    const double rad = sino_angle_unit_rad(*unit, SINO_ANGLE_UNIT_DEGREES);
    for (int64_t k = 0; k < array->count; k++) {
        double *angle = *angle_rad + k;
        SINO_CHECK(isfinite(*angle), SINO_BAD_INPUT, "%s: %s[%" PRId64 "] is %f; allowed: finite angles in %s", path,
                   name, k, *angle, rad < 1 ? "degrees" : "radians");
        *angle *= rad;
    }
    return NULL;
}

SinoStatus sino_array_scan_angles(const SinoScanFormat *format, const char *path, const char *name, SinoAngleUnit *unit,
                                  int64_t projections, int64_t *count, double **angle_rad)
{
    SinoScanPart part = {.file = NULL};
    SinoArrayScan *arrays;
    double *angles = NULL;
    SinoStatus status = format->open_array(path, name, &part, &arrays);
    if (!status) status = read_angles(arrays, name + (*name == '/'), unit, projections, &angles);
    if (!status) *count = arrays->array.count;
    if (part.file) part.source->close(part.file);
    SINO_GIVE(status, angles, free, angle_rad);
}
