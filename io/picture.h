/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture: 8-bit grey PNG of an image (libpng). */
#ifndef SINO_PICTURE_H
#define SINO_PICTURE_H

#include "status.h"

#include <stdint.h>

/* values[height][width] with `low` black and `high` white; low = high = 0 takes the 0.2 and 99.8 percentiles of the
 * finite values. Written under a temporary name, then renamed; an existing file is replaced. */
SinoStatus sino_picture_write(const char *path, int64_t height, int64_t width, const float *values, float low,
                              float high);

#endif
