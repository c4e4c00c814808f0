/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_toeplitz_product by the functions of toeplitz_cuda.h. */
#pragma once

#include "toeplitz.h"

/* scratch: not used. */
void toeplitz_product_on_device(const SinoToeplitz *toeplitz, const SinoTileMap *map, SinoSlices slices,
                                const float *const *x, void *scratch, float *const *y);
