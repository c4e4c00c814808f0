/* SPDX-License-Identifier: BSD-3-Clause */
/* Plane sums: against a loop in double over single voxels, for numbers of slices, both precisions, and grids that are
 * larger or smaller than the detector. */
#include "memory.h"
#include "plane_sums.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { ANGLES = 70, FIRST = 3, COUNT = 66, VOLUME_SLICES = 40, SIDE_MAX = 24 };

typedef struct Case {
    int64_t columns, grid, margin, slices, first_slice;
    SinoPrecision precision;
} Case;

static float next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (float)(*state >> 8) / 8388608.0F - 1;
}

/* Voxel (row, column) of a slice. */
static double voxel(const SinoPlaneSums *what, const double *rays, int64_t slice, int64_t row, int64_t column)
{
    const SinoGeometry *of = &what->geometry;
    const int64_t columns = of->column_count, rows = COUNT * columns;
    const double middle = 0.5 * (double)(of->grid_size - 1);
    const double x = (double)(column + of->margin) - middle, y = middle - (double)(row + of->margin);
    double sum = 0;
    for (int64_t k = 0; k < COUNT; k++) {
        const double at = of->center + x * cos(of->angle_rad[FIRST + k]) + y * sin(of->angle_rad[FIRST + k]);
        for (int64_t c = 0; c < columns; c++)
            sum += fmax(0, 1 - fabs((double)c - at)) *
                   rays[sino_panel_element(what->slices, rows, k * columns + c, slice - what->first_slice)];
    }
    return sum;
}

static void check(const SinoPlaneSums *what, const double *rays, const float *xy, const float *xz, const float *yz)
{
    const int64_t side = sino_geometry_slice_side(&what->geometry), end = what->first_slice + what->slices.slice_count;
    const bool shows = what->slice >= what->first_slice && what->slice < end;
    for (int64_t s = 0; s < VOLUME_SLICES; s++)
        for (int64_t i = 0; i < side; i++) {
            const bool has = s >= what->first_slice && s < end;
            assert_true(fabs(xz[s * side + i] - 1 - (has ? voxel(what, rays, s, side / 2, i) : 0)) < 2e-3);
            assert_true(fabs(yz[s * side + i] - 1 - (has ? voxel(what, rays, s, i, side / 2) : 0)) < 2e-3);
        }
    for (int64_t r = 0; r < side; r++)
        for (int64_t i = 0; i < side; i++)
            assert_true(fabs(xy[r * side + i] - 1 - (shows ? voxel(what, rays, what->slice, r, i) : 0)) < 2e-3);
}

static void try_case(const Case *of)
{
    static float xy[SIDE_MAX * SIDE_MAX], xz[VOLUME_SLICES * SIDE_MAX], yz[VOLUME_SLICES * SIDE_MAX];
    double angle_rad[ANGLES], *rays = NULL;
    float *single = NULL;
    uint32_t state = 7;
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 0.071 * k - 1;
    const SinoPlaneSums what = {.geometry = {.angle_count = ANGLES,
                                             .column_count = of->columns,
                                             .grid_size = of->grid,
                                             .angle_rad = angle_rad,
                                             .center = 0.4 * (double)of->columns,
                                             .margin = of->margin},
                                .slices = {.precision = of->precision,
                                           .stride = sino_panel_stride(of->precision, of->slices),
                                           .slice_count = of->slices},
                                .first_slice = of->first_slice,
                                .first_angle = FIRST,
                                .angle_count = COUNT,
                                .slice = VOLUME_SLICES / 2};
    const int64_t count = COUNT * of->columns * what.slices.stride;
    assert_success(sino_allocate(count, sizeof *rays, "rays", &rays));
    assert_success(sino_allocate(count, sizeof *single, "rays", &single));
    for (int64_t i = 0; i < count; i++) rays[i] = single[i] = next_random(&state);
    for (int64_t i = 0; i < SIDE_MAX * SIDE_MAX; i++) xy[i] = 1;
    for (int64_t i = 0; i < VOLUME_SLICES * SIDE_MAX; i++) xz[i] = yz[i] = 1;
    sino_plane_sums_add(&what, of->precision == SINO_DOUBLE ? (const void *)rays : single, xy, xz, yz);
    check(&what, rays, xy, xz, yz);
    free(rays);
    free(single);
}

static void sums_match_a_loop(void **state)
{
    static const Case cases[] = {
        {20, 20, 0, 1, 20, SINO_SINGLE}, {20, 24, 0, 37, 2, SINO_SINGLE}, {21, 17, 0, 16, 8, SINO_DOUBLE},
        {13, 24, 3, 33, 7, SINO_SINGLE}, {1, 5, 0, 3, 0, SINO_SINGLE},    {31, 1, 0, 19, 21, SINO_DOUBLE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) try_case(&cases[i]);
}

static void planes_are_masked(void **state)
{
    enum { SIDE = 5 };
    float sums[SIDE * SIDE], plane[SIDE * SIDE];
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) sums[i] = (float)i;
    sino_plane_sums_show(SIDE, SIDE, 0, 1, 2, 1, sums, plane);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_true(plane[i] == (hypot(i % SIDE - 2, i / SIDE - 2) > 2.5 ? 0 : 2 * sums[i]));
    sino_plane_sums_show(SIDE, SIDE, SIDE / 2, 0, 2, 0.5, sums, plane);
    for (int i = 0; i < SIDE * SIDE; i++) assert_true(plane[i] == (abs(i % SIDE - 2) > 1 ? 0 : 2 * sums[i]));
    sino_plane_sums_show(SIDE, SIDE, 0, 1, 1, 0, sums, plane);
    assert_memory_equal(plane, sums, sizeof plane);
}

TESTING_SUBJECT(plane_sums)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_match_a_loop), cmocka_unit_test(planes_are_masked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
