/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume marker: the file DIR/recon_00000_to_00007.partial, beside the TIFF slices of a volume that is not finished. It
 * names the rows of the volume, is locked by the run that writes them, and stays if that run ends early. */
#pragma once

#include "volume.h"

typedef struct SinoVolumeMarker SinoVolumeMarker;

/* What an earlier run has left. */
typedef enum SinoMarkerState {
    SINO_MARKER_NONE,     /* no run of these rows is unfinished */
    SINO_MARKER_OWN,      /* an unfinished run; all slices of these rows are its own */
    SINO_MARKER_REPLACING /* an unfinished run, which was replacing the slices of an earlier one (--overwrite) */
} SinoMarkerState;

/* SINO_BAD_INPUT: a run is writing these rows, or the marker cannot be read. */
SinoStatus sino_volume_marker_look(const SinoVolumeRequest *request, SinoMarkerState *state);

/* Makes and locks the marker, or takes over that of an unfinished run; `replacing`: slices of these rows are there that
 * are not its own. `token` is a number of this run. SINO_BAD_INPUT: a run is writing these rows, or the marker cannot
 * be written or belongs to another user. */
SinoStatus sino_volume_marker_open(const SinoVolumeRequest *request, bool replacing, int64_t token,
                                   SinoVolumeMarker **marker);

/* For another process of the run. SINO_BAD_INPUT: there is no marker with this token. */
SinoStatus sino_volume_marker_check(const SinoVolumeRequest *request, int64_t token);

/* Whether the file at `path` exists and was written after the marker. */
bool sino_volume_marker_precedes(const SinoVolumeMarker *marker, const char *path);

/* Unlocks the marker, and removes its file unless it is to stay. Takes NULL. */
void sino_volume_marker_close(SinoVolumeMarker *marker, bool stays);

/* The name of the marker's file, without its folder, in the caller's `name`, which it returns. */
enum { SINO_MARKER_NAME = 64 };
const char *sino_volume_marker_name(const SinoVolumeRequest *request, char name[SINO_MARKER_NAME]);
