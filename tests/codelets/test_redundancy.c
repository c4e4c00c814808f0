/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: completed projections see the other side; both sights of a ray weigh 2 together; which scans are
 * completed. */
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

static void only_half_acquisitions_are_completed(void **state)
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
        assert_true((sino_redundancy_width(&geometry) > 0) == row[i].matters);
    }
    const SinoGeometry middle = make_geometry(COLUMNS / 2 + 3, 2 * COLUMNS, 360, angle_rad);
    assert_int_equal(sino_redundancy_width(&middle), 0);
    SinoGeometry one = make_geometry(10, 2 * COLUMNS, 360, angle_rad);
    one.angle_count = 1;
    assert_int_equal(sino_redundancy_width(&one), 0);
}

/* A value that both sights of a ray have, and that columns interpolate without an error; of slice f. */
static double line_integral(double s, double angle_rad, int64_t f)
{
    return 3 + 0.1 * (double)f + 0.02 * s * cos(angle_rad - 0.3);
}

/* The sinogram [angle][column] of the geometry, whose projection k is number place[k]. */
static void *make_sinogram(const SinoGeometry *geometry, const int64_t *place, SinoSlices slices)
{
    void *sinogram = NULL;
    const int64_t columns = geometry->column_count, rays = geometry->angle_count * columns;
    assert_success(sino_allocate(rays * slices.stride, sino_precision_bytes(slices.precision), "test", &sinogram));
    for (int64_t k = 0; k < geometry->angle_count; k++)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t f = 0; f < slices.slice_count; f++)
                testing_set_element(slices.precision, sinogram,
                                    sino_panel_element(slices, rays, place[k] * columns + c, f),
                                    line_integral((double)c - geometry->center, geometry->angle_rad[k], f));
    return sinogram;
}

/* Largest difference of completed projections from what a detector of their width would see; then weighs them. */
static double complete(const SinoGeometry *geometry, const int64_t *place, SinoSlices slices)
{
    const int64_t width = sino_redundancy_width(geometry), angles = geometry->angle_count;
    const int64_t columns = geometry->column_count, rays = angles * columns, wide = angles * width;
    const int64_t first = geometry->center < (double)(columns - 1) / 2 ? width - columns : 0;
    const bool is_double = slices.precision == SINO_DOUBLE;
    double weight[COLUMNS], most = 0;
    void *sinogram = make_sinogram(geometry, place, slices), *completed = NULL;
    SinoRedundancy *redundancy = NULL;
    assert_success(sino_allocate(wide * slices.stride, sino_precision_bytes(slices.precision), "test", &completed));
    assert_success(sino_redundancy_new(geometry, place, &redundancy));
    sino_redundancy_complete(redundancy, slices, sinogram, completed);
    for (int64_t k = 0; k < angles; k++)
        for (int64_t i = 0; i < width; i++)
            for (int64_t f = 0; f < slices.slice_count; f++) {
                const double s = (double)(i - first) - geometry->center;
                const int64_t at = sino_panel_element(slices, wide, place[k] * width + i, f);
                const double expected = line_integral(s, geometry->angle_rad[k], f);
                most = fmax(most, fabs(testing_element(slices.precision, completed, at) - expected));
            }
    sino_redundancy_weigh(redundancy, slices, completed, sinogram);
    sino_redundancy_weights(geometry, weight);
    for (int64_t ray = 0; ray < rays; ray++)
        for (int64_t f = 0; f < slices.slice_count; f++) {
            const int64_t k = ray / columns, c = ray % columns;
            const int64_t from = sino_panel_element(slices, wide, k * width + first + c, f);
            const double found = testing_element(slices.precision, sinogram, sino_panel_element(slices, rays, ray, f));
            assert_true(fabs(found - weight[c] * testing_element(slices.precision, completed, from)) <=
                        (is_double ? 1e-12 : 1e-5));
        }
    sino_redundancy_free(redundancy);
    free(completed);
    free(sinogram);
    return most;
}

/* With exact pairs, and with angles between which the opposite one lies (an odd number of them): the axis on either
 * side, at and between columns; the sinogram has the angles in another order. */
static void projections_are_completed(void **state)
{
    (void)state;
    static const double centers[] = {0, 3, 10.25, 20.5, 40.5, 49.8, 60};
    double angle_rad[ANGLES];
    int64_t place[ANGLES];
    for (int odd = 0; odd < 2; odd++)
        for (size_t i = 0; i < sizeof centers / sizeof *centers; i++)
            for (int64_t slices = 1; slices < 70; slices = slices * 2 + 3) {
                const SinoPrecision of = slices % 3 ? SINO_DOUBLE : SINO_SINGLE;
                SinoGeometry geometry = make_geometry(centers[i], 2 * COLUMNS, 360, angle_rad);
                geometry.angle_count -= odd;
                for (int k = 0; k < ANGLES; k++) angle_rad[k] = 0.1 + 2 * M_PI * k / (double)geometry.angle_count;
                for (int64_t k = 0; k < geometry.angle_count; k++) place[k] = geometry.angle_count - 1 - k;
                const double most = complete(&geometry, place, (SinoSlices){of, sino_panel_stride(of, slices), slices});
                const double step = 2 * M_PI / (double)geometry.angle_count, off = 0.02 * COLUMNS * step * step / 8;
                if (!(most <= (odd ? off : 1e-12) + (of == SINO_SINGLE ? 2e-6 : 0)))
                    fail_msg("center %g, %d angles, %d slices: %g", centers[i], (int)geometry.angle_count, (int)slices,
                             most);
            }
}

/* What an undefined value goes into is undefined; a value that is off by 1 tells what that is. */
static void undefined_values_stay(void **state)
{
    (void)state;
    enum { LOST_ANGLE = 7, WIDE_MOST = 2 * COLUMNS };
    static const double centers[] = {0, 10.25, 49.8, 60};
    const SinoSlices one = {SINO_DOUBLE, 1, 1};
    double angle_rad[ANGLES], completed[3][ANGLES * WIDE_MOST];
    int64_t place[ANGLES];
    for (int64_t k = 0; k < ANGLES; k++) place[k] = k;
    for (size_t i = 0; i < sizeof centers / sizeof *centers; i++)
        for (int64_t column = 0; column < COLUMNS; column += 6) {
            const SinoGeometry geometry = make_geometry(centers[i], 2 * COLUMNS, 360, angle_rad);
            const int64_t wide = ANGLES * sino_redundancy_width(&geometry);
            double *sinogram = make_sinogram(&geometry, place, one), *value = sinogram + LOST_ANGLE * COLUMNS + column;
            SinoRedundancy *redundancy = NULL;
            const double put[] = {*value, *value + 1, -0.0};
            int64_t undefined = 0;
            assert_success(sino_redundancy_new(&geometry, place, &redundancy));
            for (int round = 0; round < 3; round++) {
                *value = put[round];
                sino_redundancy_complete(redundancy, one, sinogram, completed[round]);
            }
            for (int64_t at = 0; at < wide; at++) {
                const bool lost = completed[2][at] == 0 && signbit(completed[2][at]);
                assert_true(lost == (completed[1][at] != completed[0][at]));
                assert_true(lost || completed[2][at] == completed[0][at]);
                undefined += lost;
            }
            assert_true(undefined > 0 && undefined < 9);
            sino_redundancy_free(redundancy);
            free(sinogram);
        }
}

/* A rank has a part of the angles: pairs suffice; a projection without its opposite one is refused. */
static void other_ranks_may_have_the_rest(void **state)
{
    (void)state;
    double angle_rad[ANGLES];
    int64_t place[ANGLES];
    SinoRedundancy *redundancy = NULL;
    const SinoGeometry geometry = make_geometry(10, 2 * COLUMNS, 360, angle_rad);
    for (int64_t k = 0; k < ANGLES; k++) place[k] = k % 2 ? -1 : k / 2;
    assert_success(sino_redundancy_new(&geometry, place, &redundancy));
    sino_redundancy_free(redundancy);
    for (int64_t k = 0; k < ANGLES; k++) place[k] = k < ANGLES / 2 ? k : -1;
    assert_error(sino_redundancy_new(&geometry, place, &redundancy), SINO_BAD_INPUT, "projection 0 of the half");
}

TESTING_SUBJECT(redundancy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sights_weigh_two),          cmocka_unit_test(only_half_acquisitions_are_completed),
        cmocka_unit_test(projections_are_completed),     cmocka_unit_test(undefined_values_stay),
        cmocka_unit_test(other_ranks_may_have_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
