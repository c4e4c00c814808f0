/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers: against the definition, computed plainly in double; panels, undefined values, noise. */
#include "memory.h"
#include "testing.h"
#include "zingers.h"

#include <math.h>

enum { K = 60, M = 37, RAYS = K * M };

/* Smooth columns with noise of their own, some values that are far too low, and some that are undefined. */
static void make_sinogram(uint32_t seed, double *sinogram)
{
    for (int64_t i = 0; i < RAYS; i++) {
        const double noise = 0.01 + 0.05 * (double)(i % M) / M, k = (double)(i / M) / K;
        sinogram[i] = 1 + sin(3 * k + (double)(i % M)) + noise * (testing_uniform(&seed) + testing_uniform(&seed) - 1);
        if (testing_uniform(&seed) < 0.01) sinogram[i] -= 0.05 + 2 * testing_uniform(&seed);
        if (testing_uniform(&seed) < 0.01) sinogram[i] = -0.0;
        sinogram[i] = (double)(float)sinogram[i]; /* the same in both precisions */
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_marked(double value)
{
    return value == 0 && signbit(value);
}

/* The median of a value and its neighbours in angle; false: one of them is undefined. */
static bool median_at(int64_t angles, const double *sinogram, int64_t k, int64_t c, double *median)
{
    const int64_t a = k == 0 ? 2 : k - 1, b = k == angles - 1 ? angles - 3 : k + 1;
    double value[] = {sinogram[a * M + c], sinogram[k * M + c], sinogram[b * M + c]};
    for (int i = 0; i < 3; i++)
        if (is_marked(value[i])) return false;
    qsort(value, 3, sizeof *value, ascending);
    *median = value[1];
    return true;
}

/* How far below the median a zinger of the column is. */
static double threshold_of(int64_t angles, const double *sinogram, int64_t c, const SinoZingers *zingers)
{
    double most = INFINITY, mean = 0;
    for (int round = 0; round < 2; round++) {
        double sum = 0, count = 0, median;
        for (int64_t k = 0; k < angles; k++) {
            if (!median_at(angles, sinogram, k, c, &median)) continue;
            const double distance = fabs(sinogram[k * M + c] - median);
            if (distance > most) continue;
            sum += distance;
            count++;
        }
        mean = count > 0 ? sum / count : 0;
        most = 6 * mean;
    }
    return fmax(zingers->level * mean / (1 / sqrt(M_PI)), zingers->least);
}

static void check(int64_t angles, SinoPrecision precision, int64_t slice_count, bool marked, double level)
{
    enum { STRIDE_MOST = 64 };
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count + 2), slice_count};
    SinoZingers zingers = {.angle_count = angles,
                           .column_count = M,
                           .level = level,
                           .least = slice_count % 3 ? 0.1 : 0.4,
                           .uncounted = 1,
                           .marked = marked};
    const int64_t rays = angles * M;
    int64_t place[K] = {0}, order[K] = {0}, undefined[STRIDE_MOST] = {0}, by_angle[K] = {0}, by_column[M] = {0},
            found = 0, total = 0;
    static double original[STRIDE_MOST][RAYS];
    void *sinogram = NULL;
    assert_true(slices.stride <= STRIDE_MOST);
    assert_success(sino_allocate(rays * slices.stride, sino_precision_bytes(precision), "test", &sinogram));
    for (int64_t k = 0; k < angles; k++) {
        place[k] = angles % 7 ? k * 7 % angles : k;
        order[k] = slice_count % 2 ? (k * 11 + 3) % angles : k; /* 11 divides none of the numbers of angles */
    }
    if (slice_count % 2) zingers.order = order;
    for (int64_t f = 0; f < slices.stride; f++) {
        make_sinogram((uint32_t)f + 1, original[f]);
        for (int64_t i = 0; i < rays; i++)
            testing_set_element(precision, sinogram,
                                sino_panel_element(slices, rays, place[order[i / M]] * M + i % M, f), original[f][i]);
    }
    assert_success(sino_zingers_remove(&zingers, slices, place, sinogram, undefined, by_angle, by_column));
    for (int64_t i = 0; i < rays * slices.stride; i++) {
        const int64_t f = i % slices.stride, ray = i / slices.stride, k = ray / M, c = ray % M;
        double median = 0, expected = original[f][ray];
        const double now =
            testing_element(precision, sinogram, sino_panel_element(slices, rays, place[order[k]] * M + c, f));
        if (f < slice_count && angles >= 3 && median_at(angles, original[f], k, c, &median) &&
            median - expected > threshold_of(angles, original[f], c, &zingers)) {
            expected = marked ? -0.0 : median;
            found++;
            if (marked && f >= zingers.uncounted) undefined[f]--, by_angle[order[k]]--, by_column[c]--;
        }
        if (now != expected || is_marked(now) != is_marked(expected))
            fail_msg("K %ld slice %ld angle %ld column %ld: %g, not %g", angles, f, k, c, now, expected);
    }
    for (int64_t f = 0; f < slices.stride; f++) total += labs(undefined[f]);
    for (int64_t k = 0; k < angles; k++) total += labs(by_angle[k]);
    for (int64_t c = 0; c < M; c++) total += labs(by_column[c]);
    assert_int_equal(total, 0);
    if (angles == K && level < 100) assert_true(found > 5 * slice_count);
    free(sinogram);
}

static void agrees_with_the_definition(void **state)
{
    (void)state;
    const int64_t angles[] = {1, 2, 3, 4, 17, K};
    for (int i = 0; i < 24; i++) {
        check(angles[i % 6], i % 4 < 2 ? SINO_SINGLE : SINO_DOUBLE, 1 + i * i % 41, i % 2, i % 5 ? 10 : 4);
        check(angles[i % 6], i % 2 ? SINO_SINGLE : SINO_DOUBLE, 5, i % 3, 1000);
    }
}

/* Noise alone, even of columns that differ, has no zingers; a value of a tenth too much light above the noise is one.
 */
static void noise_has_none(void **state)
{
    (void)state;
    enum { ANGLES = 2000, COLUMNS = 50 };
    const SinoSlices slices = {SINO_SINGLE, 1, 1};
    const SinoZingers zingers = {
        .angle_count = ANGLES, .column_count = COLUMNS, .level = 10, .least = 0.1, .marked = true};
    static float sinogram[ANGLES * COLUMNS];
    static int64_t undefined[1], by_angle[ANGLES], by_column[COLUMNS];
    uint32_t seed = 8;
    for (int64_t i = 0; i < ANGLES * COLUMNS; i++) {
        double normal = -6;
        for (int j = 0; j < 12; j++) normal += testing_uniform(&seed);
        sinogram[i] = (float)(2 + 0.002 * (double)(i % COLUMNS) * normal);
    }
    sinogram[700 * COLUMNS + 3] -= 0.3F;
    assert_success(sino_zingers_remove(&zingers, slices, NULL, sinogram, undefined, by_angle, by_column));
    assert_int_equal(undefined[0], 1);
    assert_int_equal(by_angle[700], 1);
    assert_int_equal(by_column[3], 1);
}

/* Neighbouring angles show zingers by themselves, as deep as three ranges of the values around them; a thin part of the
 * object that moves by two columns is none. */
static void neighbours_show_them(void **state)
{
    (void)state;
    enum { COLUMNS = 40 };
    float before[COLUMNS], here[COLUMNS], after[COLUMNS];
    uint32_t seed = 5;
    for (int c = 0; c < COLUMNS; c++) {
        before[c] = (float)(2 + 0.1 * testing_uniform(&seed));
        here[c] = (float)(2 + 0.1 * testing_uniform(&seed));
        after[c] = (float)(2 + 0.1 * testing_uniform(&seed));
    }
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.1), 0);
    here[7] = here[20] = here[21] = 1.5F;
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.1), 3);
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.6), 0);
    before[22] = 1.55F; /* the thin part */
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.1), 1);
    here[30] = NAN;
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.1), 1);
    after[9] = NAN;
    assert_int_equal(sino_zingers_count(COLUMNS, before, here, after, 0.1), 0);
    assert_int_equal(sino_zingers_count(3, before, here, after, 0.1), 0);
}

TESTING_SUBJECT(zingers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(noise_has_none),
        cmocka_unit_test(neighbours_show_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
