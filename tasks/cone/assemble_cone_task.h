/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks assemble_cone and fill_cone: write a part's voxels into slices of the volume, and the slices into the part. */
#pragma once

#include "cone_assemble.h"
#include "runtime.h"

/* Inserts assemble_cone, from the part to `image`, of the box of slices. `first`: the first of the image's parts; a
 * later one without voxels in the box gets no task. The cone is not owned, and outlives the task. */
SinoStatus sino_insert_assemble_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                     bool first, SinoData *part, SinoData *image);

/* Inserts fill_cone (sino_cone_fill). The part's voxels in other slices stay, but with slice 0 they are written as new.
 * The cone is not owned, and outlives the task. */
SinoStatus sino_insert_fill_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                 SinoData *image, SinoData *part);
