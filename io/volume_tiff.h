/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as a TIFF stack: DIR/recon_00000.tiff, numbered by detector row. */
#ifndef SINO_VOLUME_TIFF_H
#define SINO_VOLUME_TIFF_H

#include "volume.h"

/* Checks the output and leaves nothing behind. SINO_BAD_INPUT: the directory is missing and cannot be created, it is
 * not writable, or files of these rows exist without overwrite. */
SinoStatus sino_volume_tiff_check(const SinoVolumeRequest *request);

/* Creates the directory if it is missing; *made: it was created. */
SinoStatus sino_volume_tiff_open(const SinoVolumeRequest *request, bool *made);

/* Reads a slice that an earlier run wrote. SINO_BAD_INPUT: there is none, or of another size. */
SinoStatus sino_volume_tiff_read(const SinoVolumeRequest *request, int64_t slice, float *values);

/* Writes the slice with this index in the volume. */
SinoStatus sino_volume_tiff_write(const SinoVolumeRequest *request, int64_t slice, const float *values);

#endif
