/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as a TIFF stack: DIR/recon_00000.tiff, numbered by detector row, and a marker until all of them are there. */
#pragma once

#include "volume_marker.h"

/* Checks the output and leaves nothing behind. SINO_BAD_INPUT: the directory is missing and cannot be created, it is
 * not writable, another run is writing these rows, or files of these rows exist without overwrite, unless all of them
 * are those of an unfinished run. */
SinoStatus sino_volume_tiff_check(const SinoVolumeRequest *request);

/* Creates the directory if it is missing (*made: it was created) and the marker, which the caller owns, and removes the
 * slices that an unfinished run has left (*removed: their number). */
SinoStatus sino_volume_tiff_open(const SinoVolumeRequest *request, int64_t token, bool *made, SinoVolumeMarker **marker,
                                 int64_t *removed);

/* Reads a slice that an earlier run wrote, as it is stored. SINO_BAD_INPUT: there is none, or of another size or type.
 */
SinoStatus sino_volume_tiff_read(const SinoVolumeRequest *request, int64_t slice, void *stored);

/* Writes the slice with this index in the volume. */
SinoStatus sino_volume_tiff_write(const SinoVolumeRequest *request, int64_t slice, const void *stored);

/* Whether the slice is complete on disk, by whichever process since the marker was made. */
bool sino_volume_tiff_is_done(const SinoVolumeRequest *request, const SinoVolumeMarker *marker, int64_t slice);
