/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of cone_pack.h and cone_assemble.h, and sino_cone_weigh, by launchers. */
#pragma once

#include "cone_assemble.h"
#include "cone_pack.h"

/* The work memory is not used. */
void cone_pack_on_device(const SinoConePacking *packing, const float *sinogram, void *scratch, void *line, float *unit);

void cone_weigh_on_device(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                          const float *ray_weight, const float *sinogram, float *weighed);

void cone_assemble_on_device(const SinoConeAssembly *assembly, const float *part, float *image);
