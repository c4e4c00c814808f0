/* SPDX-License-Identifier: BSD-3-Clause */
/* Tooth: a real scan (APS, Data Exchange) from counts to volume: its center, its shape, its sharpness. */
#include "testing.h"
#include "testing_recon.h"

#include <math.h>

enum { COLUMNS = 640, ROWS = 2 };

/* The mean of a slice between two radii, in pixels. */
static double ring_mean(const TestingVolume *volume, int64_t slice, double inner, double outer)
{
    const double middle = (double)(volume->size - 1) / 2;
    const float *values = testing_slice(volume, slice);
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < volume->size * volume->size; i++) {
        const double radius = hypot((double)(i % volume->size) - middle, (double)(i / volume->size) - middle);
        if (radius < inner || radius >= outer) continue;
        sum += (double)values[i];
        count++;
    }
    return sum / (double)count;
}

/* Entropy of the histogram: a wrong center smears two grey levels into many. */
static double entropy(const TestingVolume *volume, int64_t slice, double low, double high)
{
    enum { BINS = 256 };
    int64_t bins[BINS] = {0};
    const double middle = (double)(volume->size - 1) / 2, radius = 0.875 * middle;
    const float *values = testing_slice(volume, slice);
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < volume->size * volume->size; i++) {
        const double x = (double)(i % volume->size) - middle, y = (double)(i / volume->size) - middle;
        const double place = ((double)values[i] - low) / (high - low);
        if (x * x + y * y > radius * radius || !(place >= 0 && place < 1)) continue;
        bins[(int)(place * BINS)]++;
        count++;
    }
    for (int b = 0; b < BINS; b++)
        if (bins[b] > 0) sum -= (double)bins[b] / (double)count * log((double)bins[b] / (double)count);
    return sum;
}

/* Attenuation per pixel: the tooth about 0.0055 within 100 pixels of the axis, air beyond 180. */
static void check_tooth(const TestingVolume *volume)
{
    assert_int_equal(volume->slice_count, ROWS);
    assert_int_equal(volume->size, COLUMNS);
    for (int row = 0; row < ROWS; row++) {
        const double inside = ring_mean(volume, row, 40, 100), air = ring_mean(volume, row, 200, 300);
        print_message("row %d: tooth %.6f, air %.2g\n", row, inside, air);
        assert_true(inside > 0.0050 && inside < 0.0060);
        assert_true(fabs(air) < 0.02 * inside);
        assert_int_equal(volume->repaired[row], 0);
    }
}

static void cg_and_fbp_find_center_and_tooth(void **state)
{
    char path[TESTING_PATH];
    testing_data(path, "tooth/tooth.h5");
    TestingVolume cg = testing_recon(*state, "%s --algorithm cg --iterations 10", path);
    print_message("center by Vo's method: %.3f\n", cg.center);
    assert_true(fabs(cg.center - 296) <= 0.5); /* TomoPy's documentation: 296 */
    check_tooth(&cg);
    TestingVolume fbp =
        testing_recon(*state, "%s --algorithm fbp --fbp-filter shepp --rotation-axis %g", path, cg.center);
    check_tooth(&fbp);
    for (int row = 0; row < ROWS; row++) {
        const double ratio = ring_mean(&fbp, row, 40, 100) / ring_mean(&cg, row, 40, 100);
        print_message("row %d: FBP/CG %.5f\n", row, ratio);
        assert_true(fabs(ratio - 1) < 0.01);
    }
    testing_volume_free(&cg);
    testing_volume_free(&fbp);
}

/* 0.3 columns off, for the last projection is 0.994° short of half a turn from the first. */
static void phase_correlation_comes_near(void **state)
{
    char path[TESTING_PATH];
    TestingVolume found = testing_recon(*state, "%s --rotation-axis-auto phase --binning 2 --algorithm fbp",
                                        testing_data(path, "tooth/tooth.h5"));
    print_message("center by phase correlation: %.3f\n", found.center);
    assert_true(fabs(found.center - 296) <= 1.5);
    testing_volume_free(&found);
}

/* The found center gives the sharpest image: the least entropy among its neighbours. */
static void found_center_is_sharpest(void **state)
{
    static const double offsets[] = {-6, -3, 0, 3, 6};
    char path[TESTING_PATH];
    double center = NAN, found[5];
    testing_data(path, "tooth/tooth.h5");
    TestingVolume automatic = testing_recon(*state, "%s --binning 2 --algorithm fbp --fbp-filter shepp", path);
    center = automatic.center;
    testing_volume_free(&automatic);
    assert_true(fabs(center - 296) <= 1); /* half a binned column */
    for (int i = 0; i < 5; i++) {
        TestingVolume volume = testing_recon(
            *state, "%s --binning 2 --algorithm fbp --fbp-filter shepp --rotation-axis %g", path, center + offsets[i]);
        found[i] = entropy(&volume, 0, -0.004, 0.012);
        print_message("center %.2f: entropy %.4f\n", center + offsets[i], found[i]);
        testing_volume_free(&volume);
    }
    assert_true(found[2] < found[1] - 0.02 && found[2] < found[3] - 0.02);
    assert_true(found[1] < found[0] - 0.02 && found[3] < found[4] - 0.02);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(tooth)
{
    const struct CMUnitTest tests[] = {
        TEST(cg_and_fbp_find_center_and_tooth),
        TEST(phase_correlation_comes_near),
        TEST(found_center_is_sharpest),
    };
    if (!testing_data_there("tooth/tooth.h5")) return TESTING_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
