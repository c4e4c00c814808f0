/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom: a 3-D Shepp-Logan-like head of ellipsoids, or a texture of many (phantom_texture.h), its exact line
 * integrals, and photon counts. */
#pragma once

#include "cone.h"
#include "geometry.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* The head fits the cylinder of the grid. `height`: slices of the whole head, z = 0 … height − 1 from its bottom; a
 * single slice is the middle one, which shows every feature. Values are attenuation per voxel side, never negative,
 * scaled so that the transmission along the longest path is about exp(−2) for any N. */
typedef struct SinoPhantom {
    int64_t size;   /* N */
    int64_t height; /* slices */
    bool whole;     /* the slices reach beyond the head, as far as the grid does when height = N; false: they lie within
                     * the head, each with something to see */
    bool textured;  /* a texture instead of the head; of parallel beams only */
} SinoPhantom;

/* slice[N][N]: voxel averages (mean of 8×8 points per voxel) of slice z, row 0 on top (largest y). */
void sino_phantom_slice(const SinoPhantom *phantom, int64_t z, float *slice);

/* sinogram[K][M]: exact line integrals of slice z along the rays' centers. The grid is the phantom's;
 * geometry->grid_size is ignored. */
void sino_phantom_sinogram(const SinoPhantom *phantom, int64_t z, const SinoGeometry *geometry, double *sinogram);

/* projection[row][column] of angle `angle`: exact line integrals along the rays from the source to the middles of the
 * detector's pixels, through the head. The grid's X and Y must be the phantom's size, and Z its height. Values are
 * attenuation per voxel side. */
void sino_phantom_cone(const SinoPhantom *phantom, const SinoCone *cone, int64_t angle, double *projection);

/* Poisson deviate with this mean from a counter-based generator: the same (seed, index) gives the same count on any
 * machine with any number of threads. A mean of 0 or below, or NaN, gives 0. */
double sino_phantom_poisson(double mean, uint64_t seed, uint64_t index);
