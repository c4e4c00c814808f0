/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF head: the directories of all pages of a stack of slices, which follow them one after the other. */
#pragma once

#include "volume.h"

/* Makes the first bytes of a file whose slices begin at sino_flat_head_bytes(*used): a directory for each slice in
 * ascending order, in the byte order of the machine. The first one has ImageJ's text. The file is BigTIFF if it is
 * larger than 4000 MiB, else TIFF. The caller frees *head. SINO_BAD_INPUT: a slice is too large for TIFF. */
SinoStatus sino_tiff_head_new(const SinoVolumeRequest *request, char **head, int64_t *used);

/* ImageJ's own words in the description of a file with `images` slices: voxel size, shown range, and what integers
 * mean; the caller frees it. With ResolutionUnit centimetre ImageJ takes "um" for the unit of what it shows, and of the
 * spacing. Integers are calibrated by value = c0 + c1 · code, in `vunit`. NULL:
 * no memory. */
char *sino_imagej_text(const SinoVolumeRequest *request, int64_t images);
