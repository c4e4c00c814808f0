/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaussian: smooths an image, as post-filters of emission tomography do. */
#pragma once

#include "status.h"

#include <stdint.h>

typedef struct SinoGaussian {
    int64_t count[3]; /* voxels along x, y and z */
    double fwhm[3];   /* full width at half maximum along x, y and z, in voxels; 0: not smoothed along this axis */
} SinoGaussian;

/* Convolves image[z][y][x] with a Gaussian whose samples add up to 1 and reach 4 standard deviations; beyond the image
 * lies 0. SINO_FAILED: no memory. */
SinoStatus sino_gaussian(const SinoGaussian *gaussian, float *image);
