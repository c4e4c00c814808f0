/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_cone_project_with by the functions of cone_project_cuda.cu. */
#pragma once

#include "cone_project_isa.h"

/* The instruction set and the work memory are not used. */
void cone_project_on_device(const SinoConeProjectIsa *isa, bool back, const SinoCone *cone, SinoConeBand band,
                            SinoConeAngles angles, const float *from, void *scratch, float *to);

/* `first`: the sums count as 0 before. */
void cone_project_first_on_device(bool back, const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, bool first,
                                  const float *from, float *to);
