/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume, process: the entries of /process and the attributes of the data, in HDF5. */
#include "volume_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "text.h"

/* Begins a member of the attributes of a Zarr volume. */
static SinoJson attribute(SinoVolume *volume)
{
    const SinoJson json = {
        .out = volume->attribute_file, .compact = true, .depth = 1, .has_members = ftell(volume->attribute_file) > 0};
    return json;
}

/* "/process/NAME"; NULL without memory. Caller frees. */
static char *process_path(const char *name)
{
    char *path;
    return asprintf(&path, "/process/%s", name) < 0 ? NULL : path;
}

SinoStatus sino_volume_process_text(SinoVolume *volume, const char *name, const char *value)
{
    if (volume->attribute_file) {
        SinoJson json = attribute(volume);
        sino_json_text(&json, name, value);
    }
    if (!volume->hdf5.output) return NULL;
    char *path = process_path(name);
    SINO_CHECK(path, SINO_FAILED, "no memory for a name");
    SinoStatus status = sino_hdf5_output_text(volume->hdf5.output, path, value);
    free(path);
    return status;
}

static SinoStatus write_numbers(SinoVolume *volume, const char *name, SinoHdf5Shape *shape, hid_t memory_type,
                                const void *values, const char *description)
{
    if (!volume->hdf5.output) return NULL;
    char *path = process_path(name);
    SINO_CHECK(path, SINO_FAILED, "no memory for a name");
    shape->name = path;
    SinoStatus status = sino_hdf5_output_values(volume->hdf5.output, shape, memory_type, values, description);
    free(path);
    return status;
}

/* A number, a list, or a list of lists; NaN is null. */
static void print_doubles(SinoVolume *volume, const char *name, int64_t rows, int64_t columns, const double *values)
{
    SinoJson json = attribute(volume);
    if (rows == 0) {
        sino_json_real(&json, name, values[0]);
        return;
    }
    sino_json_open_list(&json, name);
    for (int64_t i = 0; i < rows; i++) {
        if (columns > 0) sino_json_open_list(&json, NULL);
        for (int64_t k = 0; k < sino_larger(columns, 1); k++) sino_json_real(&json, NULL, *values++);
        if (columns > 0) sino_json_close_list(&json);
    }
    sino_json_close_list(&json);
}

static void print_integers(SinoVolume *volume, const char *name, int64_t count, const int64_t *values)
{
    SinoJson json = attribute(volume);
    if (count == 0) {
        sino_json_integer(&json, name, values[0]);
        return;
    }
    sino_json_open_list(&json, name);
    for (int64_t i = 0; i < count; i++) sino_json_integer(&json, NULL, values[i]);
    sino_json_close_list(&json);
}

SinoStatus sino_volume_process_doubles(SinoVolume *volume, const char *name, int64_t rows, int64_t columns,
                                       const double *values, const char *description)
{
    const hsize_t size[] = {(hsize_t)rows, (hsize_t)columns};
    if (volume->attribute_file) print_doubles(volume, name, rows, columns, values);
    SinoHdf5Shape shape = {.file_type = H5T_IEEE_F64LE, .rank = columns > 0 ? 2 : rows > 0 ? 1 : 0, .size = size};
    return write_numbers(volume, name, &shape, H5T_NATIVE_DOUBLE, values, description);
}

SinoStatus sino_volume_process_integers(SinoVolume *volume, const char *name, int64_t count, const int64_t *values,
                                        const char *description)
{
    const hsize_t size = (hsize_t)count;
    if (volume->attribute_file) print_integers(volume, name, count, values);
    SinoHdf5Shape shape = {.file_type = H5T_STD_I64LE, .rank = count > 0 ? 1 : 0, .size = &size};
    return write_numbers(volume, name, &shape, H5T_NATIVE_INT64, values, description);
}
