/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture: writes an image, or one beside its reference and their difference, as 8-bit grey PNG (libpng). */
#pragma once

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Writes values[height][width]: `low` is black, `high` is white, linear between, clipped outside; low > high gives a
 * negative. low = high = 0 selects the 0.2 and 99.8 percentiles (nearest rank) of the finite values. NaN is black. If
 * low = high in the end, values at or below it are black and values above it are white. The file is written under a
 * temporary name, then renamed; an existing file is replaced. Errors as of sino_tiff_image_write. */
SinoStatus sino_picture_write(const char *path, int64_t height, int64_t width, const float *values, float low,
                              float high);

/* The 0.2 and 99.8 percentiles of the finite values; unchanged where there are none. SINO_FAILED: no memory. */
SinoStatus sino_picture_window(int64_t count, const float *values, float *low, float *high);

/* The same as a file in memory, which the caller frees. SINO_BAD_INPUT: the picture is empty or too large. */
SinoStatus sino_picture_encode(int64_t height, int64_t width, const float *values, float low, float high, size_t *bytes,
                               unsigned char **png);

/* Writes a, b and a − b, each [height][width], from left to right with white between. a and b have one range of grey,
 * the 0.2 to the 99.8 percentile of b, *range. Of the difference 0 is the middle grey, and the range reaches
 * symmetrically to the larger of the sizes of its 0.2 and 99.8 percentiles, *reach. NaN is black. The range is that of
 * finite values, and zero if there is none. Errors as of sino_picture_write. */
SinoStatus sino_picture_beside_write(const char *path, int64_t height, int64_t width, const float *a, const float *b,
                                     float range[2], float *reach);
