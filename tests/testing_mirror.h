/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with mirrors: a scanner with the mirrors x, y and z, from the places of its crystals, and matrices that leave
 * out what the mirrors give. */
#pragma once

#include "system_matrix.h"
#include "testing_matrix.h"

#include <math.h>

/* 2 · 4 · 3 · 3 = 72 crystals, 5 × 4 × 3 = 60 voxels: voxels on planes of symmetry, pairs that mirror to themselves. */
enum { TESTING_MIRROR_CRYSTALS = 72, TESTING_MIRROR_VOXELS = 60 };
__attribute__((unused)) static const TestingScanner testing_mirror_scanner = {
    .layers = 2, .blocks = 4, .block_size = 3, .rings = 3, .grid = {5, 4, 3}};

typedef struct TestingPoint {
    double x, y, z;
} TestingPoint;

/* Where a crystal is: rings along z, block 0 on the y axis, blocks at equal angles, crystals along their tangents. */
__attribute__((unused)) static TestingPoint testing_crystal_place(const TestingScanner *about, int64_t crystal)
{
    const int64_t place = crystal % about->block_size, block = crystal / about->block_size % about->blocks;
    const int64_t circle = about->block_size * about->blocks;
    const double radius = (double)(10 + crystal / circle % about->layers * 5),
                 turn = 2 * M_PI * (double)block / about->blocks;
    const double along = (double)place - (about->block_size - 1) / 2.0;
    return (TestingPoint){radius * sin(turn) + along * cos(turn), radius * cos(turn) - along * sin(turn),
                          (double)(crystal / circle / about->layers) - (about->rings - 1) / 2.0};
}

/* The crystal at a mirrored place. */
__attribute__((unused)) static int64_t testing_image_crystal(const TestingScanner *about, int64_t crystal_count,
                                                             int which, int64_t crystal)
{
    TestingPoint wanted = testing_crystal_place(about, crystal);
    if (which & SINO_MIRROR_X) wanted.x = -wanted.x;
    if (which & SINO_MIRROR_Y) wanted.y = -wanted.y;
    if (which & SINO_MIRROR_Z) wanted.z = -wanted.z;
    for (int64_t i = 0; i < crystal_count; i++) {
        const TestingPoint at = testing_crystal_place(about, i);
        if (fabs(at.x - wanted.x) + fabs(at.y - wanted.y) + fabs(at.z - wanted.z) < 1e-9) return i;
    }
    fail_msg("no crystal is the mirror image of %ld", (long)crystal);
    return -1;
}

__attribute__((unused)) static int64_t testing_image_row(int which, int64_t row)
{
    const int64_t a =
        testing_image_crystal(&testing_mirror_scanner, TESTING_MIRROR_CRYSTALS, which, row / TESTING_MIRROR_CRYSTALS);
    const int64_t b =
        testing_image_crystal(&testing_mirror_scanner, TESTING_MIRROR_CRYSTALS, which, row % TESTING_MIRROR_CRYSTALS);
    return a < b ? a * TESTING_MIRROR_CRYSTALS + b : b * TESTING_MIRROR_CRYSTALS + a;
}

__attribute__((unused)) static int64_t testing_image_voxel(int which, int64_t voxel)
{
    int64_t x = voxel % 5, y = voxel / 5 % 4, z = voxel / 20;
    if (which & SINO_MIRROR_X) x = 4 - x;
    if (which & SINO_MIRROR_Y) y = 3 - y;
    if (which & SINO_MIRROR_Z) z = 2 - z;
    return (z * 4 + y) * 5 + x;
}

/* Fills orbits with equal values until there are enough entries; dense[row][voxel]. */
__attribute__((unused)) static void testing_fill_orbits(int flags, int orbits, double *dense)
{
    uint64_t seed = (uint64_t)flags;
    for (int i = 0; i < orbits; i++) {
        const int64_t a = testing_random(&seed) % TESTING_MIRROR_CRYSTALS,
                      b = a + testing_random(&seed) % (TESTING_MIRROR_CRYSTALS - a);
        const int64_t voxel = testing_random(&seed) % TESTING_MIRROR_VOXELS;
        const double value = testing_random(&seed) % 99 + 1;
        for (int which = 0; which < SINO_MIRRORS; which++)
            if (!(which & ~flags))
                dense[testing_image_row(which, a * TESTING_MIRROR_CRYSTALS + b) * TESTING_MIRROR_VOXELS +
                      testing_image_voxel(which, voxel)] = value;
    }
}

/* Takes from each orbit one member or a few. */
__attribute__((unused)) static TestingMatrix testing_fold(int flags, const double *dense, bool lean)
{
    const int64_t size = TESTING_MIRROR_CRYSTALS * TESTING_MIRROR_CRYSTALS * TESTING_MIRROR_VOXELS;
    TestingMatrix matrix = {.row_count = TESTING_MIRROR_CRYSTALS * TESTING_MIRROR_CRYSTALS,
                            .column_count = TESTING_MIRROR_VOXELS};
    bool *seen = calloc((size_t)size, 1);
    uint64_t seed = 77;
    matrix.entry = calloc(20000, sizeof *matrix.entry);
    assert_true(seen && matrix.entry);
    for (int64_t at = 0; at < size; at++) {
        if (dense[at] == 0 || seen[at]) continue;
        const int kept = lean ? (int)(testing_random(&seed) % SINO_MIRRORS) & flags : -1;
        for (int which = 0; which < SINO_MIRRORS; which++) {
            if (which & ~flags) continue;
            const int64_t row = testing_image_row(which, at / TESTING_MIRROR_VOXELS),
                          voxel = testing_image_voxel(which, at % TESTING_MIRROR_VOXELS);
            const bool before = seen[row * TESTING_MIRROR_VOXELS + voxel];
            seen[row * TESTING_MIRROR_VOXELS + voxel] = true;
            if (lean ? which == kept : !before && testing_random(&seed) % 4 > 0)
                matrix.entry[matrix.count++] = (TestingEntry){row, voxel, dense[at]};
            else if (!lean && which == 0 && !before)
                matrix.entry[matrix.count++] = (TestingEntry){row, voxel, dense[at]};
            assert_true(matrix.count < 20000);
        }
    }
    free(seen);
    return matrix;
}
