/* SPDX-License-Identifier: BSD-3-Clause */
/* Task add_cone: adds the voxels that another rank has summed to a part. */
#pragma once

#include "runtime.h"

/* Inserts add_cone, which adds `voxel_count` floats. */
SinoStatus sino_insert_add_cone(SinoRuntime *runtime, SinoPosition position, int64_t voxel_count, SinoData *arrival,
                                SinoData *part);
