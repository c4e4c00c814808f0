/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT scan: projections, flat and dark fields, and angles in variables of a MATLAB file of level 5. What MATLAB calls
 * the first dimension is the last one here. */
#include "mat_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "angle_unit.h"
#include "arithmetic.h"
#include "array_scan.h"
#include "mat_file.h"
#include "memory.h"
#include "plain_values.h"
#include "scan_limits.h"

/* Dimensions of more than one element. */
static int width_of(const SinoMatVariable *variable)
{
    int wide = 0;
    for (int d = 0; d < variable->rank; d++) wide += variable->size[d] > 1;
    return wide;
}

static bool is_array(const SinoMatVariable *variable)
{
    return variable->class == SINO_MAT_NUMBERS && !variable->complex && width_of(variable) >= 2;
}

static bool is_row(const SinoMatVariable *variable)
{
    return variable->class == SINO_MAT_NUMBERS && !variable->complex && width_of(variable) == 1;
}

static SinoStatus check_numbers(const char *path, const SinoMatVariable *variable)
{
    SINO_CHECK(variable->class == SINO_MAT_NUMBERS && !variable->complex, SINO_BAD_INPUT,
               "%s: %s is %s%s; allowed: arrays of real numbers", path, variable->name,
               variable->complex ? "complex " : "", variable->class_name);
    return NULL;
}

static SinoStatus prepare(void *owner, int *descriptor)
{
    return sino_mat_unpack(owner, descriptor);
}

static void close_owner(void *owner)
{
    sino_mat_close(owner);
}

/* Describes the variable as an array whose last dimension is contiguous. */
static SinoNpy array_of(const SinoMatVariable *variable)
{
    SinoNpy array = variable->values;
    array.rank = variable->rank;
    for (int d = 0; d < variable->rank; d++) array.size[d] = variable->size[variable->rank - 1 - d];
    snprintf(array.stored_type, sizeof array.stored_type, "%s", variable->class_name);
    return array;
}

static SinoStatus open_array(const char *path, const char *name, SinoScanPart *part, SinoArrayScan **arrays)
{
    SinoMatFile *file;
    SINO_TRY(sino_array_scan_new(path, part, arrays));
    SINO_TRY(sino_mat_open((*arrays)->files.name[0], name, is_array, "arrays of two or three dimensions", &file));
    (*arrays)->owner = file;
    (*arrays)->prepare = prepare;
    (*arrays)->close = close_owner;
    SINO_TRY(check_numbers(path, sino_mat_variable(file)));
    (*arrays)->array = array_of(sino_mat_variable(file));
    return NULL;
}

/* By the class, which may be wider than what is stored. */
static SinoCountType count_type(const SinoMatVariable *variable)
{
    if (strcmp(variable->class_name, "uint8") == 0) return SINO_COUNT_UINT8;
    return strcmp(variable->class_name, "uint16") == 0 ? SINO_COUNT_UINT16 : SINO_COUNT_FLOAT32;
}

static SinoStatus open_mat_fields(const char *path, const char *name, const SinoScanInfo *info, SinoScanPart *part,
                                  int64_t *count, const SinoFileList **files)
{
    SinoArrayScan *arrays;
    SINO_TRY(open_array(path, name, part, &arrays));
    return sino_array_scan_images(arrays, info, count, files);
}

static SinoStatus read_numbers(const char *path, SinoMatFile *file, int64_t count, double *numbers)
{
    const SinoNpy *type = &sino_mat_variable(file)->values;
    int descriptor;
    SINO_TRY(sino_mat_unpack(file, &descriptor));
    return sino_plain_doubles_read(path, descriptor, type->header_bytes, type, count, numbers);
}

/* MATLAB has no units, so the name decides. */
static SinoStatus read_angles(const char *path, SinoMatFile *file, SinoAngleUnit *unit, int64_t projections,
                              int64_t *count, double **angle_rad)
{
    const SinoMatVariable *variable = sino_mat_variable(file);
    SINO_TRY(check_numbers(path, variable));
    const int64_t found = variable->values.count;
    SINO_CHECK(width_of(variable) <= 1 && found > 0 && found <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "%s: %s is no row or column of 1 to %d angles", path, variable->name, SINO_IMAGES_MAX);
    SINO_CHECK(projections == 0 || projections == found, SINO_BAD_INPUT,
               "%s: %s has %" PRId64 " angles; allowed: %" PRId64 ", one per projection", path, variable->name, found,
               projections);
    SINO_TRY(sino_allocate(found, sizeof **angle_rad, "angles", angle_rad));
    SINO_TRY(read_numbers(path, file, found, *angle_rad));
    if (*unit == SINO_ANGLE_UNIT_AUTO && sino_angle_unit_in_name(variable->name)) *unit = SINO_ANGLE_UNIT_RADIANS;
    const double rad = sino_angle_unit_rad(*unit, SINO_ANGLE_UNIT_DEGREES);
    for (int64_t k = 0; k < found; k++) {
        double *angle = *angle_rad + k;
        SINO_CHECK(isfinite(*angle), SINO_BAD_INPUT, "%s: %s(%" PRId64 ") is %f; allowed: finite angles in %s", path,
                   variable->name, k + 1, *angle, rad < 1 ? "degrees" : "radians");
        *angle *= rad;
    }
    *count = found;
    return NULL;
}

SinoStatus sino_mat_angles_read(const char *path, const char *name, SinoAngleUnit *unit, int64_t projections,
                                int64_t *count, double **angle_rad)
{
    SinoMatFile *file;
    double *angles = NULL;
    SINO_TRY(sino_mat_open(path, name, is_row, "rows or columns of numbers", &file));
    SinoStatus status = read_angles(path, file, unit, projections, count, &angles);
    sino_mat_close(file);
    if (status)
        free(angles);
    else
        *angle_rad = angles;
    return status;
}

static bool probe_mat(const SinoScanRequest *request)
{
    return sino_mat_probe_file(request->path);
}

static SinoStatus open_mat(const SinoScanRequest *request, SinoScan *scan)
{
    SinoArrayScan *arrays;
    SINO_TRY(open_array(request->path, request->dataset, &scan->data, &arrays));
    const SinoMatVariable *variable = sino_mat_variable(arrays->owner);
    scan->info.type = count_type(variable);
    scan->info.angle_named = true;
    scan->info.certainty = request->dataset ? "by your option" : "likely";
    snprintf(scan->evidence, sizeof scan->evidence, "%s %.200s", request->dataset ? "variable" : "the only array,",
             request->dataset ? request->dataset : variable->name);
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", variable->class_name);
    return sino_array_scan_data(arrays, request, &scan->info);
}

const SinoScanFormat sino_mat_scan_format = {.name = "MATLAB array",
                                             .example = ".mat",
                                             .takes_dataset = true,
                                             .takes_axes = true,
                                             .probe = probe_mat,
                                             .open = open_mat,
                                             .open_fields = open_mat_fields};
