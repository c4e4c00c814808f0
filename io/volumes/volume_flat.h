/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in a flat file: slices one after the other behind a head, each at a place that is known beforehand. So they
 * may be written in any order, by several processes, and a later run finds those of a killed one. */
#pragma once

#include "output_file.h"
#include "volume.h"

/* The last bytes of the head are zeros, where the opener leaves its token for those that join. */
enum { SINO_FLAT_TOKEN = 8, SINO_FLAT_ALIGNMENT = 64 };

typedef struct SinoVolumeFlat {
    SinoOutputFile *file; /* NULL: none */
    const char *path;     /* not owned */
    int64_t head_bytes, slice_bytes;
    bool joined;
} SinoVolumeFlat;

/* The bytes before the first slice, for `used` bytes that say what the file is. */
int64_t sino_flat_head_bytes(int64_t used);

/* Creates the file, or opens that of a killed run, writes head[used], and reserves disk space for all slices. `path`
 * must outlive it. Errors as of sino_output_open. */
SinoStatus sino_volume_flat_open(const SinoVolumeRequest *request, const char *path, const void *head, int64_t used,
                                 SinoVolumeFlat *flat);

/* For another process: `used` must be the same. SINO_BAD_INPUT: the file has another token. */
SinoStatus sino_volume_flat_join(const SinoVolumeRequest *request, const char *path, int64_t used, int64_t token,
                                 SinoVolumeFlat *flat);

/* The opener leaves a token, or takes it away (0). */
SinoStatus sino_volume_flat_stamp(SinoVolumeFlat *flat, int64_t token);

/* Slices as they are stored. */
SinoStatus sino_volume_flat_write(SinoVolumeFlat *flat, int64_t first, int64_t count, const void *slices);
SinoStatus sino_volume_flat_read(const SinoVolumeFlat *flat, int64_t slice, void *stored);
