/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume: reconstructed slices on their way to disk, HDF5 (volume_hdf5.c) and/or a TIFF stack (volume_tiff.c).
 *
 * HDF5: /exchange/data (z, y, x) float32, chunked one slice high, written under a temporary name in the same directory
 * ("NAME.partial"), flushed, closed, synced and renamed when whole. Its room on disk is taken at open where the file
 * system can, so a disk too small shows before hours of work. TIFF: DIR/recon_00000.tiff by absolute detector row, each
 * file under a temporary name until whole, so the finished ones stay when a run fails. */
#ifndef SINO_VOLUME_H
#define SINO_VOLUME_H

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoVolume SinoVolume;

typedef struct SinoVolumeRequest {
    const char *hdf5_path;      /* final name; NULL: no HDF5 */
    const char *tiff_directory; /* made when absent (its parent must exist); NULL: no TIFF */
    bool overwrite;
    int64_t slice_count, height, width;
    int64_t first_row, row_step; /* slice i is detector row first_row + i·row_step: names the TIFF files */
    const char *units;           /* attribute of /exchange/data: "1/pixel" or "1/cm" */
} SinoVolumeRequest;

/* SINO_BAD_INPUT: output exists and no overwrite (for TIFF: any file of these rows), directory missing or not writable,
 * path is a directory or device, another run is writing it. SINO_FAILED: no room on disk. */
SinoStatus sino_volume_open(const SinoVolumeRequest *request, SinoVolume **volume);

/* With several processes one opens the volume, and the others join it: they write slices beside it, at the places that
 * it tells. place[slice_count] are offsets in the HDF5 file; no matter without HDF5. SINO_FAILED: slices that HDF5 does
 * not keep in one piece, or a byte order that is not the file's. */
SinoStatus sino_volume_places(SinoVolume *volume, int64_t *place);
SinoStatus sino_volume_join(const SinoVolumeRequest *request, const int64_t *place, SinoVolume **volume);

/* Which slices are complete, 1 or 0: done[2][slice_count], as TIFF and in every format. `take` adds those that others
 * have written. */
void sino_volume_tell_done(const SinoVolume *volume, int64_t *done);
void sino_volume_take_done(SinoVolume *volume, const int64_t *done);

/* The same checks, except for room on disk, and nothing stays behind: for failing before hours of work. */
SinoStatus sino_volume_check(const SinoVolumeRequest *request);

/* slices[count][height][width], at [first, first + count) of the volume. SINO_FAILED: disk full and the like. */
SinoStatus sino_volume_write(SinoVolume *volume, int64_t first, int64_t count, const float *slices);

/* What goes to /process of the HDF5 file, each name once, "GROUP/NAME" for groups within; ignored by TIFF. Call any
 * time before finish. */
SinoStatus sino_volume_process_text(SinoVolume *volume, const char *name, const char *value);
SinoStatus sino_volume_process_doubles(SinoVolume *volume, const char *name, int64_t rows, int64_t columns,
                                       const double *values,
                                       const char *description); /* columns 0: 1-D; both 0: scalar */
SinoStatus sino_volume_process_integers(SinoVolume *volume, const char *name, int64_t count, const int64_t *values,
                                        const char *description); /* count 0: scalar */

/* Frees the volume in either case. Fails without a half-written final name, or when a slice was never written. Take
 * `sino_volume_safe` before, to tell what stands. One that has joined is synced; all do so before the opener finishes.
 */
SinoStatus sino_volume_finish(SinoVolume *volume);
void sino_volume_abandon(SinoVolume *volume); /* removes temporary files, keeps finished TIFF files; takes NULL */

/* For the error message of a failed run, what of the output is complete on disk, as "rows 4 to 9 are complete as TIFF
 * in DIR; out.h5 was not written". NULL without memory. Caller frees. */
char *sino_volume_safe(const SinoVolume *volume);

/* A whole /exchange/data of a file that sinodag or a peer wrote, as float32[slice][height][width]; caller frees. */
SinoStatus sino_volume_read(const char *path, int64_t *slice_count, int64_t *height, int64_t *width, float **slices);

#endif
