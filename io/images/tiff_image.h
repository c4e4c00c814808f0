/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF image: writes one image to one file (libtiff), complete or not at all. */
#pragma once

#include "output_settings.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Writes values[height][width]; `description` becomes the ImageDescription tag, NULL: none. The file is written under a
 * temporary name, then renamed; an existing file is replaced. SINO_BAD_INPUT: the directory is missing or not writable,
 * or the path is not a regular file. SINO_FAILED: disk full and similar errors. */
SinoStatus sino_tiff_image_write(const char *path, int64_t height, int64_t width, const float *values,
                                 const char *description);

/* An image of any type of voxel. */
typedef struct SinoTiffImage {
    int64_t height, width;
    SinoOutputType type;
    const void *pixels;      /* [height][width] of the type */
    const char *description; /* NULL: none */
    bool deflate;            /* compressed; integers by differences, which other readers than libtiff know, too */
    double pixel_um[2];      /* width and height of a pixel, for the resolution tags; 0: unknown */
} SinoTiffImage;

/* sino_tiff_image_write of any type; without `overwrite` an existing file stays, and is SINO_BAD_INPUT. */
SinoStatus sino_tiff_image_save(const char *path, bool overwrite, const SinoTiffImage *image);
