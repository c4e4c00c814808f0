/* SPDX-License-Identifier: BSD-3-Clause */
/* Task compress: compresses a slice of a minibatch, which `store` then writes. */
#pragma once

#include "runtime.h"
#include "volume.h"

/* Inserts a task for each of the images [count], which are slices first_slice, first_slice + 1 … of the volume. The
 * volume packs (sino_volume_packs). */
SinoStatus sino_insert_compress(SinoRuntime *runtime, SinoPosition position, SinoVolume *volume, int64_t first_slice,
                                int64_t count, int64_t pixels, SinoData *image);

/* Bytes of a slice of so many voxels as it is stored. */
int64_t sino_compress_slice_bytes(SinoOutputType type, int64_t voxels);
