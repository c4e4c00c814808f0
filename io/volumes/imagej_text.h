/* SPDX-License-Identifier: BSD-3-Clause */
/* ImageJ text: the description of a TIFF image in ImageJ's own words: voxel size, shown range, and what integers mean.
 */
#pragma once

#include "volume.h"

/* The text for a file with `images` slices; the caller frees it. With ResolutionUnit centimetre ImageJ takes "um" for
 * the unit of what it shows, and of the spacing. Integers are calibrated by value = c0 + c1 · code, in `vunit`. NULL:
 * no memory. */
char *sino_imagej_text(const SinoVolumeRequest *request, int64_t images);
