/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT scan: projections, flat and dark fields, and angles in variables of a MATLAB file of level 5. What MATLAB calls
 * the first dimension is the last one here. */
#include <stdio.h>
#include <string.h>

#include "array_scan.h"
#include "mat_file.h"

/* Whether the variable may be projections: real numbers in two or more dimensions. */
static bool is_array(const SinoMatVariable *variable)
{
    int wide = 0; /* dimensions of more than one element */
    for (int d = 0; d < variable->rank; d++) wide += variable->size[d] > 1;
    return variable->class == SINO_MAT_NUMBERS && !variable->complex && wide >= 2;
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
                                             .open_array = open_array};
