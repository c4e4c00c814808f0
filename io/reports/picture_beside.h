/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture beside: an image, its reference and their difference side by side, as 8-bit grey PNG. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Writes a, b and a − b, each [height][width], from left to right with white between. a and b have one range of grey,
 * the 0.2 to the 99.8 percentile of b, *range. Of the difference 0 is the middle grey, and the range reaches
 * symmetrically to the larger of the sizes of its 0.2 and 99.8 percentiles, *reach. NaN is black. The range is that of
 * finite values, and zero if there is none. Errors as of sino_picture_write. */
SinoStatus sino_picture_beside_write(const char *path, int64_t height, int64_t width, const float *a, const float *b,
                                     float range[2], float *reach);
