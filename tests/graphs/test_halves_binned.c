/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, binned: where averaged columns and voxels lie, and what they hold. */
#include "halves.h"

#include "testing.h"
#include "undefined.h"

#include <math.h>
#include <stdlib.h>

/* Two columns have their middle where the averaged one is, and the grid covers that of the scan, whatever is odd. */
static void columns_stay_where_they_are(void **state)
{
    (void)state;
    const double rad[40] = {0};
    for (int64_t columns = 200; columns < 208; columns++)
        for (int64_t size = 190; size < 220; size += 3)
            for (int64_t margin = 0; margin < 9; margin += 2) {
                const SinoGeometry scan = {40, columns, size, rad, 0.3 + (double)columns / 2, margin};
                const SinoGeometry binned = sino_halves_binned(&scan, 2);
                const double pair = (0 + 1 - 2 * scan.center) / 2, beyond = 2 * (double)binned.grid_size;
                assert_true(fabs(2 * (0 - binned.center) - pair) < 1e-12);
                assert_int_equal(binned.column_count, (columns + 1) / 2);
                assert_true(binned.grid_size % 2 == 0 && beyond >= (double)size && beyond < (double)size + 4);
                const int64_t side = 2 * sino_geometry_slice_side(&binned);
                assert_true(side >= size - 2 * margin && side < size - 2 * margin + 4);
            }
    const SinoGeometry few = {59, 1000, 1000, rad, 499.5, 0}, narrow = {1000, 100, 100, rad, 49.5, 0};
    assert_int_equal(sino_halves_binning(&few), 1);
    assert_int_equal(sino_halves_binning(&narrow), 1);
}

static void counts_and_line_integrals_are_averaged(void **state)
{
    (void)state;
    enum { ANGLES = 2, COLUMNS = 5, BINNED = 3 };
    const double rad[ANGLES] = {0, 1};
    const SinoGeometry scan = {ANGLES, COLUMNS, COLUMNS, rad, 2, 0};
    for (int of_counts = 0; of_counts < 2; of_counts++) {
        float value[ANGLES * COLUMNS] = {1, 3, -0.0F, 2, 5, 90, 200, -0.0F, -0.0F, -0.0F};
        const float expected[ANGLES * BINNED] = {of_counts ? -logf((expf(-1) + expf(-3)) / 2) : 2, 2, 5,
                                                 of_counts ? 90 + logf(2) : 145};
        sino_halves_bin(&scan, of_counts, value);
        for (int i = 0; i < 4; i++) assert_true(fabsf(value[i] - expected[i]) < 1e-5F * expected[i]);
        assert_true(sino_is_undefined(value[4]) && sino_is_undefined(value[5]));
    }
}

/* Of a disk a mask keeps a disk of half the radius. */
static void masks_keep_their_shape(void **state)
{
    (void)state;
    const double rad[1] = {0};
    for (int64_t side = 60; side < 64; side++) {
        const SinoGeometry scan = {1, side, side + 6, rad, 30, 3}, binned = sino_halves_binned(&scan, 2);
        const int64_t narrow = sino_geometry_slice_side(&binned);
        unsigned char *mask = calloc((size_t)(side * side), 1), *found;
        assert_non_null(mask);
        for (int64_t i = 0; i < side * side; i++) {
            const double y = (double)(i / side) - (double)(side - 1) / 2,
                         x = (double)(i % side) - (double)(side - 1) / 2;
            mask[i] = hypot(x, y) < 24;
        }
        assert_success(sino_halves_bin_mask(&scan, &binned, mask, &found));
        for (int64_t i = 0; i < narrow * narrow; i++) {
            const double y = (double)(i / narrow) - (double)(narrow - 1) / 2;
            const double radius = hypot((double)(i % narrow) - (double)(narrow - 1) / 2, y);
            if (radius < 11) assert_true(found[i] != 0);
            if (radius > 13.5) assert_true(found[i] == 0);
        }
        free(mask);
        free(found);
    }
}

/* A pair of columns is seen from where it was, or every second projection; never both, nor with weights of a file. */
static void fans_see_half(void **state)
{
    (void)state;
    double rad[301], seen_rad[301];
    SinoSettings settings = {0};
    for (int k = 0; k < 301; k++) rad[k] = 0.01 * k;
    const SinoCone wide = {.angle_count = 60,
                           .column_count = 129,
                           .x_count = 129,
                           .y_count = 128,
                           .angle_rad = rad,
                           .source_object = 400,
                           .source_detector = 600,
                           .pixel_width = 1.5,
                           .voxel_size = 1,
                           .center = 64.3};
    const SinoGeometry columns = {60, 129, 129, rad, 64.3, 0};
    SinoCone many = wide, near = wide;
    many.angle_count = 301;
    near.source_object = 91;
    SinoProblem row = {.geometry = columns, .cone = &wide, .subset_count = 200};
    SinoCone seen;
    SinoHalvesFan fan = sino_halves_fan(&settings, &wide);
    assert_true(fan.binning == 2 && fan.step == 1);
    SinoGeometry geometry = sino_halves_fan_problem(fan, &row, seen_rad, &seen).geometry;
    assert_true(seen.column_count == 65 && geometry.column_count == 65 && seen.x_count == 65 && seen.y_count == 64);
    assert_true(fabs((0 - seen.center) * seen.pixel_width - (0.5 - wide.center) * wide.pixel_width) < 1e-9);
    /* Voxels smaller than pixels become as wide as these. */
    SinoCone small = wide;
    small.voxel_size = wide.pixel_width * wide.source_object / wide.source_detector / 1.5;
    row.cone = &small;
    fan = sino_halves_fan(&settings, &small);
    (void)sino_halves_fan_problem(fan, &row, seen_rad, &seen);
    assert_true(fan.binning == 2 && fabs(fan.voxels - 1.5) < 1e-9 &&
                fabs(seen.voxel_size / small.voxel_size - 3) < 1e-9);
    assert_int_equal(seen.x_count, (int64_t)ceil((double)small.x_count / 3));
    settings.solver.mask = "mask.h5";
    assert_true(sino_halves_fan(&settings, &small).voxels == 1);
    settings.solver.mask = NULL;
    fan = sino_halves_fan(&settings, &many);
    assert_true(fan.binning == 1 && fan.step == 2 && fan.voxels == 1);
    row.cone = &many;
    const SinoProblem trials = sino_halves_fan_problem(fan, &row, seen_rad, &seen);
    geometry = trials.geometry;
    assert_true(trials.cone == &seen && trials.subset_count == 150);
    assert_true(seen.angle_count == 150 && geometry.angle_count == 150 && seen.column_count == 129);
    assert_true(seen.angle_rad[149] == rad[298] && seen.center == many.center);
    assert_int_equal(sino_halves_fan(&settings, &near).binning, 1); /* larger voxels would reach the source */
    /* Four strengths at a time, as fans above each other, or as many as a volume has slices. */
    assert_true(fan.count == 4 && seen.row_count == 4 && seen.z_count == 4);
    many.z_count = 8;
    assert_int_equal(sino_halves_fan(&settings, &many).count, 8);
    settings.prior.kind = SINO_PRIOR_OF_HUBER;
    assert_int_equal(sino_halves_fan(&settings, &many).count, 1);
    settings.prior.kind = SINO_PRIOR_TOTAL_VARIATION;
    settings.solver.weights = SINO_WEIGHTS_FILE;
    assert_int_equal(sino_halves_fan(&settings, &many).count, 1);
    assert_int_equal(sino_halves_fan(&settings, &wide).binning, 1);
    assert_int_equal(sino_halves_fan(&settings, &many).step, 1);
}

TESTING_SUBJECT(halves_binned)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_stay_where_they_are),
        cmocka_unit_test(counts_and_line_integrals_are_averaged),
        cmocka_unit_test(masks_keep_their_shape),
        cmocka_unit_test(fans_see_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
