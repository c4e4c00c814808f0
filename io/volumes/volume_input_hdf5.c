/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input from HDF5: a dataset of three dimensions, or of four. */
#include <stdio.h>
#include <stdlib.h>

#include "hdf5_files.h"
#include "memory.h"
#include "volume_input_source.h"

static const char usual_name[] = "/exchange/data";

typedef struct Hdf5Volume {
    hid_t id;
    SinoFileList files; /* with values of the dataset */
    SinoDataset data;
} Hdf5Volume;

static bool probe(const char *given, const char *path)
{
    (void)given;
    return path && sino_hdf5_probe(path);
}

/* The sets of four dimensions follow each other; an image of two is one slice. */
static SinoStatus take_sizes(SinoVolumeInput *input, const SinoDataset *data)
{
    const int more = data->rank - 3;
    int64_t slices = 0;
    SINO_CHECK(more >= -1 && more <= 1, SINO_BAD_INPUT,
               "%s: %s has %d dimension%s; allowed: 3, 4 of several sets, or 2 of one slice (FILE:/DATASET names "
               "another dataset)",
               data->file, data->name, data->rank, data->rank == 1 ? "" : "s");
    SINO_TRY(sino_multiply(more == 1 ? data->size[0] : 1, more < 0 ? 1 : data->size[more], "a volume", &slices));
    input->info.slice_count = slices;
    input->info.height = data->size[more + 1];
    input->info.width = data->size[more + 2];
    snprintf(input->stored_type, sizeof input->stored_type, "%s", data->stored_type);
    return NULL;
}

static SinoStatus open_dataset(SinoVolumeInput *input)
{
    Hdf5Volume *volume = NULL;
    SinoVolumeInputInfo *info = &input->info;
    SINO_TRY(sino_allocate(1, sizeof *volume, "a volume's file", &volume));
    volume->id = H5I_INVALID_HID;
    volume->data.id = H5I_INVALID_HID;
    input->file = volume;
    info->kind = "HDF5";
    SINO_TRY(sino_hdf5_open(input->path, &volume->id));
    SINO_TRY(sino_dataset_open_whole(input->path, volume->id, input->inner ? input->inner : usual_name, SINO_ANY_RANK,
                                     false, &volume->files, &volume->data));
    SINO_TRY(take_sizes(input, &volume->data));
    info->scaled = volume->data.scaled;
    info->scale = volume->data.scale;
    info->offset = volume->data.offset;
    return NULL;
}

static SinoStatus read_slice(const SinoVolumeInput *input, int64_t slice, float *values)
{
    const Hdf5Volume *volume = input->file;
    const SinoDataset *data = &volume->data;
    const int more = data->rank - 3;
    int64_t first[4] = {0}, count[4] = {1, 1, input->info.height, input->info.width};
    if (more >= 0) first[more] = slice % data->size[more];
    if (more > 0) first[0] = slice / data->size[1];
    return sino_dataset_read(data, first, count + 1 - more, H5T_NATIVE_FLOAT, values);
}

static void close_dataset(void *file)
{
    Hdf5Volume *volume = file;
    if (volume->data.id >= 0) sino_dataset_close(&volume->data);
    if (volume->id >= 0) (void)H5Fclose(volume->id); /* opened for reading: nothing can be lost */
    sino_file_list_free(&volume->files);
    free(volume);
}

const SinoVolumeFormat sino_volume_of_hdf5 = {
    .name = "HDF5", .decodes = true, .probe = probe, .open = open_dataset, .read = read_slice, .close = close_dataset};
