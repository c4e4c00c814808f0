/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: both sights of a ray weigh 2 together; which scans are weighed; panels. */
#include "memory.h"
#include "redundancy.h"
#include "testing.h"

#include <math.h>

enum { COLUMNS = 61, ANGLES = 36 };

static SinoGeometry make_geometry(double center, int64_t grid, double turn_degrees, double angle_rad[ANGLES])
{
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = turn_degrees * M_PI / 180 * k / ANGLES;
    return (SinoGeometry){
        .angle_count = ANGLES, .column_count = COLUMNS, .grid_size = grid, .angle_rad = angle_rad, .center = center};
}

/* Columns whose mirror image about the axis is a column, too, see each ray twice. */
static void two_sights_weigh_two(void **state)
{
    (void)state;
    double angle_rad[ANGLES], weight[COLUMNS];
    for (int twice_center = 0; twice_center <= 2 * (COLUMNS - 1); twice_center++) {
        const double center = 0.5 * twice_center;
        const SinoGeometry geometry = make_geometry(center, 2 * COLUMNS, 360, angle_rad);
        sino_redundancy_weights(&geometry, weight);
        for (int c = 0; c < COLUMNS; c++) {
            const int mirror = twice_center - c;
            const bool twice = mirror >= 0 && mirror < COLUMNS;
            const double sum = weight[c] + (twice ? weight[mirror] : 0);
            if (!(fabs(sum - 2) < 1e-12)) fail_msg("center %g column %d: %g", center, c, sum);
            assert_true(weight[c] >= 0);
        }
    }
}

static void only_half_acquisitions_are_weighed(void **state)
{
    (void)state;
    double angle_rad[ANGLES];
    const struct {
        double turn;
        int64_t grid;
        bool matters;
    } row[] = {{360, COLUMNS + 1, true},  {360, COLUMNS, false},    {180, 2 * COLUMNS, false},
               {-360, 2 * COLUMNS, true}, {352, 2 * COLUMNS, true}, {340, 2 * COLUMNS, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const SinoGeometry geometry = make_geometry(10, row[i].grid, row[i].turn, angle_rad);
        assert_true(sino_redundancy_matters(&geometry) == row[i].matters);
    }
    const SinoGeometry middle = make_geometry(COLUMNS / 2 + 3, 2 * COLUMNS, 360, angle_rad);
    assert_false(sino_redundancy_matters(&middle));
    SinoGeometry one = make_geometry(10, 2 * COLUMNS, 360, angle_rad);
    one.angle_count = 1;
    assert_false(sino_redundancy_matters(&one));
}

static void panels_are_weighed(void **state)
{
    (void)state;
    double weight[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) weight[c] = 0.25 * c;
    for (int64_t slices = 1; slices < 70; slices = slices * 2 + 3)
        for (int precision = 0; precision < 2; precision++) {
            const SinoPrecision of = precision ? SINO_DOUBLE : SINO_SINGLE;
            const SinoSlices panels = {of, sino_panel_stride(of, slices), slices};
            const int64_t rays = 3 * COLUMNS;
            void *sinogram = NULL;
            assert_success(sino_allocate(rays * panels.stride, sino_precision_bytes(of), "test", &sinogram));
            for (int64_t ray = 0; ray < rays; ray++)
                for (int64_t f = 0; f < slices; f++)
                    testing_set_element(of, sinogram, sino_panel_element(panels, rays, ray, f), (double)(ray + f));
            sino_redundancy_weigh(3, COLUMNS, panels, weight, sinogram);
            for (int64_t ray = 0; ray < rays; ray++)
                for (int64_t f = 0; f < slices; f++) {
                    const double found = testing_element(of, sinogram, sino_panel_element(panels, rays, ray, f));
                    assert_true(found == (double)(ray + f) * weight[ray % COLUMNS]);
                }
            free(sinogram);
        }
}

TESTING_SUBJECT(redundancy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sights_weigh_two),
        cmocka_unit_test(only_half_acquisitions_are_weighed),
        cmocka_unit_test(panels_are_weighed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
