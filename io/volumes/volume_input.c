/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input: finds the format, and turns stored numbers into values. */
#include "volume_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "memory.h"
#include "paths.h"
#include "volume_input_source.h"

static const SinoVolumeFormat *const formats[] = {&sino_volume_of_tiff, &sino_volume_of_hdf5, &sino_volume_of_npy,
                                                  &sino_volume_of_raw};

static SinoStatus find_format(SinoVolumeInput *input)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !input->format; i++)
        if (formats[i]->probe(input->given, input->path)) input->format = formats[i];
    SINO_CHECK(input->format, SINO_BAD_INPUT,
               "%s is no volume; allowed: HDF5 (FILE or FILE:/DATASET), TIFF (a file with all slices, a folder or a "
               "quoted pattern), .npy, raw float32",
               input->given);
    return NULL;
}

static SinoStatus open_file(SinoVolumeInput *input)
{
    const SinoVolumeInputInfo *info = &input->info;
    if (sino_volume_of_tiff.probe(input->given, NULL)) {
        input->format = &sino_volume_of_tiff; /* a pattern is no file */
    } else if (sino_volume_of_zarr.probe(input->given, NULL)) {
        input->format = &sino_volume_of_zarr;
    } else if (sino_path_kind(input->given) == SINO_PATH_FOLDER) {
        return sino_error(
            SINO_BAD_INPUT,
            "%s is a folder without TIFF files or zarr.json; allowed: one that has them, or an HDF5, TIFF, "
            ".npy or raw file",
            input->given);
    } else {
        SINO_TRY(sino_inner_path_split(input->given, &input->path, &input->inner));
        SINO_TRY(find_format(input));
    }
    SINO_TRY(input->format->open(input));
    SINO_CHECK(info->slice_count > 0 && info->height > 0 && info->width > 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " x %" PRId64 " x %" PRId64 " voxels; allowed: 1 or more of each", input->given,
               info->width, info->height, info->slice_count);
    const int64_t size[] = {info->slice_count, info->height, info->width};
    int64_t count;
    return sino_product(3, size, "a volume", &count);
}

SinoStatus sino_volume_input_open(const char *given, const SinoVolumeShape *raw, SinoVolumeInput **opened)
{
    SinoVolumeInput *input = NULL;
    SINO_TRY(sino_allocate(1, sizeof *input, "a volume's file", &input));
    input->raw = *raw;
    input->given = strdup(given);
    input->info = (SinoVolumeInputInfo){.scale = 1, .stored_type = input->stored_type};
    SinoStatus status = input->given ? open_file(input) : sino_error(SINO_FAILED, "no memory for a file name");
    SINO_GIVE(status, input, sino_volume_input_close, opened);
}

void sino_volume_input_close(SinoVolumeInput *input)
{
    if (!input) return;
    if (input->file) input->format->close(input->file);
    free(input->given);
    free(input->path);
    free(input->inner);
    free(input);
}

const SinoVolumeInputInfo *sino_volume_input_info(const SinoVolumeInput *input)
{
    return &input->info;
}

SinoStatus sino_volume_input_read(SinoVolumeInput *input, int64_t slice, float *values)
{
    const SinoVolumeInputInfo *info = &input->info;
    SINO_TRY(input->format->read(input, slice, values));
    const int64_t count = sino_times(info->height, info->width);
    for (int64_t i = 0; info->scaled && !input->format->decodes && i < count; i++)
        values[i] = (float)(info->offset + info->scale * (double)values[i]);
    return NULL;
}

typedef struct Trial {
    const char *given;
    SinoVolumeShape raw;
} Trial;

static SinoStatus open_and_close(const void *context)
{
    const Trial *trial = context;
    SinoVolumeInput *input = NULL;
    SINO_TRY(sino_volume_input_open(trial->given, &trial->raw, &input));
    sino_volume_input_close(input);
    return NULL;
}

SinoStatus sino_volume_input_try(const char *given, const SinoVolumeShape *raw)
{
    const Trial trial = {.given = given, .raw = *raw};
    return sino_child_try_headers(given, 10, open_and_close, &trial);
}
