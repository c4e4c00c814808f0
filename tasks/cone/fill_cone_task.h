/* SPDX-License-Identifier: BSD-3-Clause */
/* Task fill_cone: writes a part's voxels from slices of a volume. */
#ifndef SINO_FILL_CONE_TASK_H
#define SINO_FILL_CONE_TASK_H

#include "cone_assemble.h"
#include "runtime.h"

/* Inserts fill_cone (sino_cone_fill). The part's voxels in other slices stay, but with slice 0 they are written as new.
 * The cone is not owned, and outlives the task. */
SinoStatus sino_insert_fill_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                 SinoData *image, SinoData *part);

#endif
