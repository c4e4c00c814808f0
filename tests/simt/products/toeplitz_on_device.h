/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_toeplitz_product by the functions of toeplitz_cuda.h; in a test that is compiled with this header before it,
 * under the CPU's name. */
#pragma once

#include "toeplitz.h"

void toeplitz_product_on_device(const SinoToeplitz *toeplitz, const SinoTileMap *map, SinoSlices slices,
                                const float *const *x, float *const *y);

#define sino_toeplitz_product(toeplitz, map, slices, x, scratch, y)                                                    \
    ((void)(scratch), toeplitz_product_on_device(toeplitz, map, slices, x, y))
