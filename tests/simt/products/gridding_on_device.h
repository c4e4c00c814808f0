/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_gridding_adjoint by the functions of gridding_cuda.h. */
#pragma once

#include "gridding.h"

/* scratch: not used. */
void gridding_adjoint_on_device(const SinoGridding *gridding, const SinoTileMap *map, SinoSlices slices, const float *b,
                                void *scratch, float *const *x);
