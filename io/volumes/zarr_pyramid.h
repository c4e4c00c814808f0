/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr pyramid: a volume as Zarr v3 arrays of shards, each level half as fine as the one before.
 *
 * The slices of level 0 are in a flat file (volume_flat.h); those of the other levels are put behind them. A shard is a
 * file of chunks of at most 64 × 64 × 64 voxels, one after the other, and an index: offset and size of each chunk, both
 * 2⁶⁴ − 1 for a chunk of zeros, and a CRC-32C. Chunks at the end of the volume are filled up with zeros. Functions may
 * be called by several threads at a time. */
#pragma once

#include "volume_flat.h"

enum { SINO_ZARR_LEVELS = 32, SINO_ZARR_CHUNK = 64, SINO_ZARR_SHARD = 512, SINO_ZARR_SMALLEST = 256 };

/* Numbers of voxels, along z, y and x. */
typedef struct SinoZarrLevel {
    int64_t size[3], chunk[3], shard[3];
    int64_t first_byte; /* in the flat file */
} SinoZarrLevel;

typedef struct SinoZarrPyramid {
    const SinoVolumeRequest *request; /* not owned */
    const SinoVolumeFlat *flat;       /* not owned */
    const char *folder;               /* where the arrays "0", "1" … are; not owned */
    int64_t level_count;              /* until no side has more than SINO_ZARR_SMALLEST voxels */
    SinoZarrLevel level[SINO_ZARR_LEVELS];
} SinoZarrPyramid;

SinoZarrPyramid sino_zarr_pyramid(const SinoVolumeRequest *request, const SinoVolumeFlat *flat, const char *folder);

/* Shards of a level, and their numbers along z, y and x. */
int64_t sino_zarr_shard_count(const SinoZarrLevel *level, int64_t count[3]);

/* Writes shard number `shard` of a level, whose folders exist. SINO_FAILED: disk full and similar errors. */
SinoStatus sino_zarr_write_shard(const SinoZarrPyramid *pyramid, int64_t level, int64_t shard);

/* Writes slice `slice` of level + 1: each voxel is the mean of the up to 8 voxels of `level` that it covers, of which
 * those that are NaN do not count; integers are rounded. */
SinoStatus sino_zarr_shrink(const SinoZarrPyramid *pyramid, int64_t level, int64_t slice);
