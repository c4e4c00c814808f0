/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF image: one float32 image in one file (libtiff), whole or absent. */
#ifndef SINO_TIFF_IMAGE_H
#define SINO_TIFF_IMAGE_H

#include "status.h"

#include <stdint.h>

/* values[height][width]; `description` becomes the ImageDescription tag, or NULL. Written under a temporary name, then
 * renamed; an existing file is replaced. SINO_BAD_INPUT: the directory is missing or not writable, the path is no file.
 * SINO_FAILED: disk full and the like. */
SinoStatus sino_tiff_image_write(const char *path, int64_t height, int64_t width, const float *values,
                                 const char *description);

/* The same, but an existing file is left alone: SINO_BAD_INPUT. */
SinoStatus sino_tiff_image_create(const char *path, int64_t height, int64_t width, const float *values,
                                  const char *description);

#endif
