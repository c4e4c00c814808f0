/* SPDX-License-Identifier: BSD-3-Clause */
/* Task fill: writes one partition's voxels from the images of a minibatch. */
#pragma once

#include "fill.h"
#include "runtime.h"

/* Inserts fill, which writes the partition's voxels `x` (voxel vector in panels) from `image`, float[slice][S][S]. */
SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x);
