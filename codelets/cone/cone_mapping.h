/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone mapping: where a part's runs are in the image, for the kernels of cone_assemble.h. */
#pragma once

#include "cone_assemble.h"

/* One turn and half of a part. Base run (bx, by), counted from the first one in the box, is at column x_0 + x_step·a
 * and row y_0 + y_step·b of the image, where (a, b) = (bx, by), or (by, bx) after an odd number of quarter turns. Voxel
 * i is in slice z_0 + z_step·i. */
typedef struct SinoConeMapping {
    int64_t x_0, x_step, y_0, y_step, z_0, z_step;
    int64_t from;                                 /* floats from the part's beginning to that run */
    int64_t a_count, b_count, a_stride, b_stride; /* strides: floats from run to run */
    int64_t first, end;                           /* voxels of a run that are in the image's slices */
} SinoConeMapping;

SinoConeMapping sino_cone_mapping(const SinoConeAssembly *assembly, int turn, int half);
