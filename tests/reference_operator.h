/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference operator: the system matrix of a small geometry, dense and in double, independent of the kernels. */
#pragma once

#include "geometry.h"

#include <stdint.h>

/* length[ray·N² + row·N + column], row 0 on top. A ray meets the voxels met[ray·N² + i] of i < met_count[ray]. */
typedef struct ReferenceOperator {
    int64_t ray_count, voxel_count;
    double *length;           /* owned */
    int64_t *met_count, *met; /* owned */
} ReferenceOperator;

/* Siddon: a ray's crossings with all grid lines, sorted; each stretch between two goes to the voxel of its middle. */
ReferenceOperator reference_operator_create(const SinoGeometry *geometry);
void reference_operator_free(ReferenceOperator *reference);

/* y[ray_count] = A x, x[voxel_count] += scale·Aᵀ y, and x = Aᵀ y. */
void reference_operator_project(const ReferenceOperator *reference, const double *x, double *y);
void reference_operator_add_backprojection(const ReferenceOperator *reference, const double *y, double scale,
                                           double *x);
void reference_operator_backproject(const ReferenceOperator *reference, const double *y, double *x);

/* ‖A‖² by power iterations, rounded up. */
double reference_operator_norm_square(const ReferenceOperator *reference);

/* The lengths above `least`. */
int64_t reference_operator_nonzero_count(const ReferenceOperator *reference, double least);

/* The length of the ray within the grid's square, in closed form: a trapezoid over the distance from the center. */
double reference_chord(const SinoGeometry *geometry, int64_t ray);

/* The ray's distance from the axis: column − center. */
double reference_ray_offset(const SinoGeometry *geometry, int64_t ray);

/* A number in [−1, 1); the same sequence on every machine for each seed. */
double reference_random(uint64_t *seed);
