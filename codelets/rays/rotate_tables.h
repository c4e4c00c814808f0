/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate tables: what kernels on devices read in place of the arrays of a SinoRotate, and what their launchers compute
 * from these arrays. */
#ifndef SINO_ROTATE_TABLES_H
#define SINO_ROTATE_TABLES_H

#include "rotate.h"

/* Voxels along a row or column that a sample sees. */
static inline int sino_rotate_taps(SinoInterpolation interpolation)
{
    return interpolation == SINO_INTERPOLATION_NEAREST ? 1 : interpolation == SINO_INTERPOLATION_LINEAR ? 2 : 4;
}

/* Tables in the memory of a device. */
typedef struct SinoRotateTables {
    const double *turn;        /* [angle of the geometry][2]: cosine and sine */
    const SinoTilePlace *tile; /* SinoRotate.tile */
    const int32_t *number; /* [row of tiles][column of tiles]: place in SinoRotate.tile; −1: not one of these tiles */
} SinoRotateTables;

/* Elements of the tables. */
int64_t sino_rotate_turn_count(const SinoGeometry *geometry);
int64_t sino_rotate_number_count(int64_t grid_size);

/* Fill in tables in main memory. */
void sino_rotate_turns(const SinoGeometry *geometry, double *turn);
void sino_rotate_numbers(const SinoRotate *what, int32_t *number);

/* The smallest rectangle that contains the middles of the tiles' voxels, in voxels from the axis. */
typedef struct SinoRotateBox {
    double x, y;           /* of its middle */
    double half_x, half_y; /* half of its sides */
} SinoRotateBox;

/* Without tiles its sides are negative, so that no ray meets it. */
SinoRotateBox sino_rotate_box(const SinoRotate *what);

#endif
