/* SPDX-License-Identifier: BSD-3-Clause */
/* Convergence: CG's residuals on MemXCT's sinograms against an independent float64 CGLS and the published logs, its
 * images against the published ones (docs/lab/accuracy.md). The argument names the set: ads1, ads2 or cds1. */
#include "platform.h"
#include "testing.h"
#include "testing_recon.h"

#include <math.h>

typedef struct Set {
    const char *name;
    int angles, columns;
    int64_t nonzeros;
} Set;

static const Set ads1 = {"ADS1", 360, 256, 28201212};
static const Set ads2 = {"ADS2", 750, 512, 235015306};
static const Set cds1 = {"CDS1", 750, 512, 235011121}; /* as MemXCT counts */

/* One slice by CG from zero. */
static TestingVolume reconstruct(const Set *set, const char *directory, const char *precision, int iterations)
{
    char sinogram[TESTING_PATH], theta[TESTING_PATH], name[64];
    snprintf(name, sizeof name, "memxct/%s_sinogram.bin", set->name);
    testing_data(sinogram, name);
    snprintf(name, sizeof name, "memxct/%s_theta.bin", set->name);
    testing_data(theta, name);
    TestingVolume volume = testing_recon(
        directory,
        "%s --theta %s --columns %d --rotation-axis %g --algorithm cg --projector rays --iterations %d --precision %s",
        sinogram, theta, set->columns, (double)(set->columns - 1) / 2, iterations, precision);
    assert_int_equal(volume.size, set->columns);
    print_message("%s %s: %lld nonzeros;", set->name, precision, (long long)volume.nonzeros);
    for (int64_t i = 0; i < volume.columns; i++) print_message(" %.6g", volume.residual[i]);
    print_message("\n");
    assert_true(fabs((double)volume.nonzeros / (double)set->nonzeros - 1) < 1e-4);
    return volume;
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found / expected - 1) <= tolerance)) fail_msg("%.7g is not %.7g to %g", found, expected, tolerance);
}

static void assert_between(double found, double low, double high)
{
    if (!(found >= low && found <= high)) fail_msg("%.7g is not in %.7g … %.7g", found, low, high);
}

/* Relative L2 error within `radius` against an image of MemXCT, whose rows go upwards: row i is our row N − 1 − i. */
static double published_error(const TestingVolume *volume, const char *name, double radius, bool upwards)
{
    char path[TESTING_PATH];
    const int64_t size = volume->size;
    float *image = testing_read_file(testing_data(path, name), size * size * (int64_t)sizeof *image);
    float *turned = malloc((size_t)(size * size) * sizeof *turned);
    assert_non_null(turned);
    for (int64_t row = 0; row < size; row++)
        memcpy(turned + row * size, image + (upwards ? size - 1 - row : row) * size, (size_t)size * sizeof *image);
    const double error = testing_error_within(1, size, radius, turned, volume->value);
    print_message("%s: relative L2 difference %.4f\n", name, error);
    free(image);
    free(turned);
    return error;
}

static void ads1_in_double(void **state)
{
    TestingVolume volume = reconstruct(&ads1, *state, "double", 24);
    assert_near(volume.residual[0], 2.235911e8, 1e-6);
    assert_near(volume.residual[1], 5.746498e7, 1e-3);
    assert_near(volume.residual[5], 2.986113e5, 1e-3);
    assert_near(volume.residual[10], 1.224332e4, 1e-3);
    assert_between(volume.residual[24], 3.5e2, 4.8e2); /* 4.2e2 … 4.5e2 by the order of summation */
    testing_volume_free(&volume);
}

/* Without its orthogonal gradients (update.h) CG in single precision has 1.94e4 at iteration 10 and 680 at 24. */
static void ads1_in_single(void **state)
{
    TestingVolume volume = reconstruct(&ads1, *state, "single", 24);
    assert_near(volume.residual[0], 2.235911e8, 1e-5);
    assert_near(volume.residual[1], 5.746498e7, 1e-4);
    assert_near(volume.residual[5], 2.986113e5, 1e-3);
    assert_near(volume.residual[10], 1.224332e4, 1e-2);
    assert_between(volume.residual[24], 3.5e2, 5.5e2);
    assert_true(published_error(&volume, "memxct/published/recon_ADS1.bin", 128, true) < 0.03);
    testing_volume_free(&volume);
}

static void ads2_in_double(void **state)
{
    TestingVolume volume = reconstruct(&ads2, *state, "double", 10);
    assert_near(volume.residual[0], 1.926989e9, 1e-6);
    assert_near(volume.residual[1], 6.12707e8, 1e-3);
    assert_near(volume.residual[5], 5.03997e6, 1e-3);
    assert_near(volume.residual[10], 2.88988e5, 1e-3);
    testing_volume_free(&volume);
}

static void cds1_in_single(void **state)
{
    static const double published[] = {4.959034e4, 5.316517e3, 5.074576e2, 2.940087e2, 1.716261e2, 1.154524e2};
    const char *image = "memxct/published/16.CDS1.128.128.512.512.32.32.bin";
    TestingVolume volume = reconstruct(&cds1, *state, "single", 24);
    for (int i = 0; i <= 5; i++) assert_near(volume.residual[i], published[i], 1e-3);
    assert_near(volume.residual[10], 42.38, 1e-2); /* float64; published, of float32: 48.7 */
    assert_near(volume.residual[24], 19.88, 3e-2); /* float64; published: 20.7 … 21.0 */
    assert_true(published_error(&volume, image, 200, true) < 0.05);
    assert_true(published_error(&volume, image, 200, false) > 0.5);
    testing_volume_free(&volume);
}

/* A set's sinogram, and memory for its operator. */
static bool possible(const char *name, int64_t need_bytes)
{
    char sinogram[64];
    snprintf(sinogram, sizeof sinogram, "memxct/%s_sinogram.bin", name);
    if (!testing_data_there(sinogram)) return false;
    if (sino_platform_available_bytes() >= need_bytes) return true;
    print_message("skipped: %s needs %lld MiB of free memory\n", name, (long long)(need_bytes >> 20));
    return false;
}

/* The tests of one set; the program counts as skipped where they are not possible. */
static int run_set(const Set *set, const char *pattern, int64_t need_mib)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ads1_in_double, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(ads1_in_single, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(ads2_in_double, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(cds1_in_single, testing_directory_make, testing_directory_remove),
    };
    if (!possible(set->name, need_mib << 20)) return TESTING_SKIPPED;
    cmocka_set_test_filter(pattern);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

TESTING_SUBJECT(convergence_ads1)
{
    return run_set(&ads1, "ads1_*", 1024);
}

TESTING_SUBJECT(convergence_ads2)
{
    return run_set(&ads2, "ads2_*", 4096);
}

TESTING_SUBJECT(convergence_cds1)
{
    return run_set(&cds1, "cds1_*", 2560);
}
