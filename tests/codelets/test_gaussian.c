/* SPDX-License-Identifier: BSD-3-Clause */
/* Gaussian: against the sum over all voxels, in double precision. */
#include "gaussian.h"
#include "testing.h"

#include <math.h>

enum { X = 9, Y = 7, Z = 5, VOXELS = X * Y * Z };

/* The weight of a distance, of all up to four standard deviations. */
static double weight(double fwhm, int distance)
{
    const double sigma = fwhm / 2.3548200450309493;
    const int reach = (int)ceil(4 * sigma);
    double sum = 0;
    if (fwhm == 0) return distance == 0;
    if (abs(distance) > reach) return 0;
    for (int i = -reach; i <= reach; i++) sum += exp(-0.5 * i * i / (sigma * sigma));
    return exp(-0.5 * distance * distance / (sigma * sigma)) / sum;
}

static double expected(const SinoGaussian *gaussian, const float *image, int at)
{
    const int x = at % X, y = at / X % Y, z = at / (X * Y);
    double sum = 0;
    for (int i = 0; i < VOXELS; i++)
        sum += (double)image[i] * weight(gaussian->fwhm[0], i % X - x) * weight(gaussian->fwhm[1], i / X % Y - y) *
               weight(gaussian->fwhm[2], i / (X * Y) - z);
    return sum;
}

static void sums_are_those_of_a_gaussian(void **state)
{
    (void)state;
    static const double widths[][3] = {{2, 3, 1.5}, {0, 2, 0}, {0.3, 0, 30}, {0, 0, 0}};
    for (int w = 0; w < 4; w++) {
        const SinoGaussian gaussian = {{X, Y, Z}, {widths[w][0], widths[w][1], widths[w][2]}};
        float image[VOXELS], smooth[VOXELS];
        for (int i = 0; i < VOXELS; i++) smooth[i] = image[i] = (float)(i * 7919 % 101) / 10;
        assert_success(sino_gaussian(&gaussian, smooth));
        for (int i = 0; i < VOXELS; i++) assert_true(fabs((double)smooth[i] - expected(&gaussian, image, i)) < 1e-5);
    }
}

static void points_keep_their_sum_and_width(void **state)
{
    (void)state;
    enum { COUNT = 65 };
    const SinoGaussian gaussian = {{COUNT, 1, 1}, {6, 0, 0}};
    float line[COUNT] = {[COUNT / 2] = 1};
    double sum = 0;
    assert_success(sino_gaussian(&gaussian, line));
    for (int i = 0; i < COUNT; i++) sum += (double)line[i];
    assert_true(fabs(sum - 1) < 1e-6);
    assert_true(fabs((double)(line[COUNT / 2 + 3] / line[COUNT / 2]) - 0.5) < 1e-6);
}

TESTING_SUBJECT(gaussian)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_a_gaussian),
        cmocka_unit_test(points_keep_their_sum_and_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
