/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks assemble and fill: one partition's voxels are written into the images of a minibatch, or from them. */
#pragma once

#include "assemble.h"
#include "fill.h"
#include "runtime.h"

/* Inserts assemble, which writes the partition's voxels `x` (voxel vector in panels) into `image`, float[slice][N][N].
 * `first`: the first of the image's partitions. `tiles`: the places of the partition's tiles, for devices; NULL: only
 * cores run the task. */
SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *assemble, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image);

/* Inserts fill, which writes the partition's voxels `x` (voxel vector in panels) from `image`, float[slice][S][S]. */
SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x);
