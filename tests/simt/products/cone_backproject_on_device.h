/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_cone_backproject by the function of cone_cuda.h. */
#pragma once

#include "cone_isa.h"

/* The instruction set and the work memory are not used. */
void cone_backproject_on_device(const SinoConeIsa *isa, const SinoConeBackprojection *what, void *scratch, float *part);

/* `first`: the part counts as 0 before. */
void cone_backproject_first_on_device(const SinoConeBackprojection *what, bool first, float *part);
