/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix mirror: crystals on a circle are mirrored by counting backwards from another one. */
#include "system_matrix.h"

#include "arithmetic.h"

int64_t sino_mirror_crystals(const SinoMirror *mirror)
{
    return sino_times(sino_times(mirror->layer_count, mirror->block_count),
                      sino_times(mirror->block_size, mirror->ring_count));
}

int64_t sino_mirror_crystal(const SinoMirror *mirror, int which, int64_t crystal)
{
    const int64_t circle = mirror->block_count * mirror->block_size;
    int64_t place = crystal % circle, ring = crystal / circle / mirror->layer_count;
    const int64_t layer = crystal / circle % mirror->layer_count;
    if (which & SINO_MIRROR_X) place = (circle - place + mirror->block_size - 1) % circle;
    if (which & SINO_MIRROR_Y)
        place = (circle - place + mirror->block_size * (mirror->block_count / 2 + 1) - 1) % circle;
    if (which & SINO_MIRROR_Z) ring = mirror->ring_count - 1 - ring;
    return (ring * mirror->layer_count + layer) * circle + place;
}

int64_t sino_mirror_row(const SinoMirror *mirror, int which, int64_t row)
{
    const int64_t crystals = sino_mirror_crystals(mirror);
    const int64_t a = sino_mirror_crystal(mirror, which, row / crystals);
    const int64_t b = sino_mirror_crystal(mirror, which, row % crystals);
    return sino_smaller(a, b) * crystals + sino_larger(a, b);
}

uint32_t sino_mirror_column(const SinoMirror *mirror, int which, uint32_t column)
{
    const uint32_t across = (uint32_t)mirror->x_count, down = (uint32_t)mirror->y_count;
    const uint32_t line = column / across;
    uint32_t x = column % across, y = line % down, z = line / down;
    if (which & SINO_MIRROR_X) x = across - 1 - x;
    if (which & SINO_MIRROR_Y) y = down - 1 - y;
    if (which & SINO_MIRROR_Z) z = (uint32_t)mirror->z_count - 1 - z;
    return (z * down + y) * across + x;
}
