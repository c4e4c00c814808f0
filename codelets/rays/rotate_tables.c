/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate tables: what kernels on devices read in place of the arrays of a SinoRotate. */
#include "rotate_tables.h"

#include "arithmetic.h"
#include "block.h"

#include <math.h>

int64_t sino_rotate_turn_count(const SinoGeometry *geometry)
{
    return sino_times(2, geometry->angle_count);
}

int64_t sino_rotate_number_count(int64_t grid_size)
{
    return sino_times(sino_tile_side(grid_size), sino_tile_side(grid_size));
}

void sino_rotate_turns(const SinoGeometry *geometry, double *turn)
{
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        turn[2 * k] = cos(geometry->angle_rad[k]);
        turn[2 * k + 1] = sin(geometry->angle_rad[k]);
    }
}

void sino_rotate_numbers(const SinoRotate *what, int32_t *number)
{
    const int64_t size = what->geometry.grid_size, side = sino_tile_side(size);
    for (int64_t i = 0; i < sino_rotate_number_count(size); i++) number[i] = -1;
    for (int64_t i = 0; i < what->tile_count; i++) number[what->tile[i].row * side + what->tile[i].column] = (int32_t)i;
}

SinoRotateBox sino_rotate_box(const SinoRotate *what)
{
    const int64_t size = what->geometry.grid_size, last = SINO_TILE - 1;
    const double middle = 0.5 * (double)(size - 1);
    if (what->tile_count == 0) return (SinoRotateBox){.half_x = -SINO_TILE, .half_y = -SINO_TILE};
    int64_t left = INT64_MAX, right = INT64_MIN, top = INT64_MAX, bottom = INT64_MIN;
    for (int64_t i = 0; i < what->tile_count; i++) {
        const int64_t column = sino_tile_first_voxel(size, what->tile[i].column);
        const int64_t row = sino_tile_first_voxel(size, what->tile[i].row);
        left = sino_smaller(left, column);
        right = sino_larger(right, column + last);
        top = sino_smaller(top, row);
        bottom = sino_larger(bottom, row + last);
    }
    return (SinoRotateBox){.x = 0.5 * (double)(left + right) - middle,
                           .y = middle - 0.5 * (double)(top + bottom),
                           .half_x = 0.5 * (double)(right - left),
                           .half_y = 0.5 * (double)(bottom - top)};
}
