/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume input, source: what a format of volumes is for volume_input.c. */
#pragma once

#include "volume_input.h"

typedef struct SinoVolumeFormat {
    const char *name;
    bool decodes; /* `read` gives values; false: stored numbers, which stand for values as the info says */
    /* Whether the file has the format. `path`: of `given` without the name of a dataset; NULL: there is no such file.
     */
    bool (*probe)(const char *given, const char *path);
    SinoStatus (*open)(SinoVolumeInput *input); /* sets info and file; what it has set is closed if it fails */
    SinoStatus (*read)(const SinoVolumeInput *input, int64_t slice, float *values);
    void (*close)(void *file); /* not NULL */
} SinoVolumeFormat;

struct SinoVolumeInput {
    const SinoVolumeFormat *format;
    char *given, *path, *inner; /* as given; its file and, or NULL, the dataset in it; owned */
    SinoVolumeShape raw;
    SinoVolumeInputInfo info;
    char stored_type[16];
    void *file; /* of the format; owned */
};

extern const SinoVolumeFormat sino_volume_of_tiff, sino_volume_of_zarr, sino_volume_of_hdf5, sino_volume_of_npy,
    sino_volume_of_raw;
