/* SPDX-License-Identifier: BSD-3-Clause */
/* Air: against the definition, computed plainly in double; panels, undefined values, sides without values. */
#include "air.h"
#include "memory.h"
#include "testing.h"

#include <inttypes.h>
#include <math.h>

enum { K = 11, M = 29, RAYS = K * M, STRIDE_MOST = 64 };

static bool is_marked(double value)
{
    return value == 0 && signbit(value);
}

/* Line integrals of −0.5 to 2, some of them undefined: in one row all of the left side, in one all. */
static void make_sinogram(uint32_t seed, int64_t width, double *sinogram)
{
    for (int64_t i = 0; i < RAYS; i++) {
        const int64_t k = i / M, c = i % M;
        sinogram[i] = (double)(float)(2.5 * testing_uniform(&seed) - 0.5);
        if (testing_uniform(&seed) < 0.1 || (k == 3 && c < width) || k == 5) sinogram[i] = -0.0;
    }
}

static double mean_of(int64_t count, const double *p)
{
    double sum = 0, number = 0;
    for (int64_t c = 0; c < count; c++) {
        if (is_marked(p[c])) continue;
        sum += exp(-p[c]);
        number++;
    }
    return number > 0 ? sum / number : 0;
}

/* TomoPy's normalize_bg of one row, in transmissions. */
static double expected_at(const double *row, int64_t width, int64_t c)
{
    double left = mean_of(width, row), right = mean_of(width, row + M - width);
    if (is_marked(row[c])) return -0.0;
    if (left == 0 && right == 0) return row[c];
    if (left == 0) left = right;
    if (right == 0) right = left;
    return -log(exp(-row[c]) / (left + (right - left) * (double)c / (M - 1)));
}

static void check(SinoPrecision precision, int64_t slice_count, int64_t width)
{
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count), slice_count};
    const SinoAir air = {.angle_count = K, .column_count = M, .width = width};
    const double tolerance = precision == SINO_DOUBLE ? 1e-13 : 1e-6;
    int64_t place[K];
    static double original[STRIDE_MOST][RAYS];
    void *sinogram = NULL;
    assert_true(slices.stride <= STRIDE_MOST);
    assert_success(sino_allocate(RAYS * slices.stride, sino_precision_bytes(precision), "test", &sinogram));
    for (int64_t k = 0; k < K; k++) place[k] = width % 2 ? k * 7 % K : k;
    for (int64_t f = 0; f < slice_count; f++) {
        make_sinogram((uint32_t)f + 1, width, original[f]);
        for (int64_t i = 0; i < RAYS; i++)
            testing_set_element(precision, sinogram, sino_panel_element(slices, RAYS, place[i / M] * M + i % M, f),
                                original[f][i]);
    }
    sino_air_normalise(&air, slices, width % 2 ? place : NULL, sinogram);
    for (int64_t f = 0; f < slices.stride; f++)
        for (int64_t i = 0; i < RAYS; i++) {
            const int64_t at = sino_panel_element(slices, RAYS, place[i / M] * M + i % M, f);
            const double found = testing_element(precision, sinogram, at);
            const double wanted = f < slice_count ? expected_at(original[f] + i / M * M, width, i % M) : 0;
            const bool marked = f < slice_count && is_marked(original[f][i]);
            if (!(fabs(found - wanted) <= tolerance) || is_marked(found) != marked)
                fail_msg("width %" PRId64 " slice %" PRId64 " ray %" PRId64 ": %g, not %g", width, f, i, found, wanted);
        }
    free(sinogram);
}

static void agrees_with_the_definition(void **state)
{
    (void)state;
    const int64_t width[] = {1, 2, 5, M / 2, M};
    for (int i = 0; i < 20; i++) check(i % 2 ? SINO_SINGLE : SINO_DOUBLE, 1 + i * i % 41, width[i % 5]);
}

/* A beam that loses light unevenly leaves no trace: the result is that of the steady beam. */
static void decay_leaves_no_trace(void **state)
{
    (void)state;
    const SinoSlices slices = {SINO_DOUBLE, 1, 1};
    const SinoAir air = {.angle_count = K, .column_count = M, .width = 1};
    double sinogram[RAYS], steady[RAYS];
    for (int64_t i = 0; i < RAYS; i++) {
        const double k = (double)(i / M), c = (double)(i % M), light = 1 - 0.02 * k + 0.01 * k * c / (M - 1);
        steady[i] = i % M == 0 || i % M == M - 1 ? 0 : sin(M_PI * c / (M - 1));
        sinogram[i] = steady[i] - log(light);
    }
    sino_air_normalise(&air, slices, NULL, sinogram);
    for (int64_t i = 0; i < RAYS; i++) assert_true(fabs(sinogram[i] - steady[i]) < 1e-14);
}

TESTING_SUBJECT(air)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(decay_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
