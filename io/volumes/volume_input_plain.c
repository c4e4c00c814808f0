/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input from plain values: a NumPy array, or raw float32. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"
#include "paths.h"
#include "volume_input_source.h"

typedef struct PlainVolume {
    int descriptor;
    int64_t bytes;
    SinoNpy array; /* of raw values, too */
} PlainVolume;

static SinoStatus open_plain(SinoVolumeInput *input, PlainVolume **opened)
{
    PlainVolume *volume = NULL;
    SINO_CHECK(!input->inner, SINO_BAD_INPUT,
               "%s: %s has no datasets; allowed: the file alone, or FILE:/DATASET of HDF5", input->given, input->path);
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's file", &volume));
    volume->descriptor = -1;
    input->file = volume;
    *opened = volume;
    return sino_regular_open(input->path, &volume->descriptor, &volume->bytes);
}

static void close_plain(void *file)
{
    PlainVolume *volume = file;
    if (volume->descriptor >= 0) close(volume->descriptor);
    free(volume);
}

static void take_sizes(SinoVolumeInput *input, const SinoNpy *array)
{
    const int more = array->rank - 2; /* an image is a volume of one slice */
    input->info.slice_count = more ? array->size[0] : 1;
    input->info.height = array->size[more];
    input->info.width = array->size[more + 1];
    snprintf(input->stored_type, sizeof input->stored_type, "%s", array->stored_type);
}

static SinoStatus read_slice(const SinoVolumeInput *input, int64_t slice, float *values)
{
    const PlainVolume *volume = input->file;
    const SinoNpy *array = &volume->array;
    const int64_t count = sino_times(input->info.height, input->info.width);
    const int64_t place = array->header_bytes + sino_times(slice, sino_times(count, array->item_bytes));
    return sino_plain_values_read(input->path, volume->descriptor, place, array, count, SINO_COUNT_FLOAT32, values);
}

static bool probe_npy(const char *given, const char *path)
{
    (void)given;
    return path && sino_npy_probe_file(path);
}

static SinoStatus parse_header(const char *path, PlainVolume *volume)
{
    char *head = NULL;
    const int64_t bytes = sino_smaller(volume->bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(bytes, 1, "a header", &head));
    SinoStatus status = sino_regular_read(path, volume->descriptor, 0, bytes, head);
    if (!status) status = sino_npy_parse(path, head, bytes, &volume->array);
    free(head);
    return status;
}

static SinoStatus open_npy(SinoVolumeInput *input)
{
    PlainVolume *volume = NULL;
    SINO_TRY(open_plain(input, &volume));
    SINO_TRY(parse_header(input->path, volume));
    const SinoNpy *array = &volume->array;
    const int64_t needed = sino_npy_bytes(array), found = volume->bytes - array->header_bytes;
    input->info.kind = "NumPy array";
    SINO_CHECK(array->rank == 2 || array->rank == 3, SINO_BAD_INPUT,
               "%s has %d dimension%s; allowed: 3, or 2 of one slice", input->path, array->rank,
               array->rank == 1 ? "" : "s");
    SINO_CHECK(sino_npy_is_number(array), SINO_BAD_INPUT,
               "%s holds %s; allowed: integers, floating-point numbers or bool", input->path, array->stored_type);
    SINO_CHECK(found >= needed, SINO_BAD_INPUT, "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values",
               input->path, found, needed);
    take_sizes(input, array);
    return NULL;
}

static bool probe_raw(const char *given, const char *path)
{
    (void)given;
    return path && sino_path_kind(path) == SINO_PATH_FILE;
}

static SinoStatus open_raw(SinoVolumeInput *input)
{
    PlainVolume *volume = NULL;
    const SinoVolumeShape *raw = &input->raw;
    SINO_TRY(open_plain(input, &volume));
    SINO_CHECK(raw->x > 0, SINO_BAD_INPUT,
               "%s is neither HDF5, TIFF nor .npy; allowed: one of them, or raw float32 with --volume XxYxZ",
               input->path);
    SINO_CHECK(raw->z > 0, SINO_BAD_INPUT, "--volume is %" PRId64 "x%" PRId64 "; allowed for raw float32: XxYxZ",
               raw->x, raw->y);
    const int64_t count = sino_times(sino_times(raw->z, raw->y), raw->x), bytes = sino_times(count, 4);
    SINO_CHECK(volume->bytes == bytes, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed: %" PRId64 ", float32 of --volume %" PRId64 "x%" PRId64 "x%" PRId64,
               input->path, volume->bytes, bytes, raw->x, raw->y, raw->z);
    volume->array = (SinoNpy){.kind = SINO_NPY_FLOAT,
                              .item_bytes = 4,
                              .rank = 3,
                              .size = {raw->z, raw->y, raw->x},
                              .count = count,
                              .stored_type = "float32"};
    input->info.kind = "raw";
    take_sizes(input, &volume->array);
    return NULL;
}

const SinoVolumeFormat sino_volume_of_npy = {
    .name = "NumPy array", .probe = probe_npy, .open = open_npy, .read = read_slice, .close = close_plain};
const SinoVolumeFormat sino_volume_of_raw = {
    .name = "raw", .probe = probe_raw, .open = open_raw, .read = read_slice, .close = close_plain};
