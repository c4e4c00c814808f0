/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture: 8-bit grey PNG of an image (libpng). */
#ifndef SINO_PICTURE_H
#define SINO_PICTURE_H

#include "status.h"

#include <stdint.h>

/* values[height][width] with `low` black and `high` white, linear between, clipped outside; low > high is a negative.
 * low = high = 0 takes the 0.2 and 99.8 percentiles (nearest rank) of the finite values. NaN is black. Where low = high
 * nevertheless, what is at or below is black and what is above white. Written under a temporary name, then renamed; an
 * existing file is replaced. Errors as sino_tiff_image_write. */
SinoStatus sino_picture_write(const char *path, int64_t height, int64_t width, const float *values, float low,
                              float high);

#endif
