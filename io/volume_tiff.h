/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as a TIFF stack: DIR/recon_00000.tiff by detector row. Functions take the volume's request. */
#ifndef SINO_VOLUME_TIFF_H
#define SINO_VOLUME_TIFF_H

#include "volume.h"

/* SINO_BAD_INPUT: no directory and none can be made, not writable, files of these rows exist and no overwrite. Nothing
 * stays behind. */
SinoStatus sino_volume_tiff_check(const SinoVolumeRequest *request);

/* Makes the directory unless there is one; *made tells. */
SinoStatus sino_volume_tiff_open(const SinoVolumeRequest *request, bool *made);

/* One slice, given its index in the volume. */
SinoStatus sino_volume_tiff_write(const SinoVolumeRequest *request, int64_t slice, const float *values);

#endif
