/* SPDX-License-Identifier: BSD-3-Clause */
/* Error map: its definition on shapes smaller and larger than the window, in place, and with values that are not
 * finite. */
#include "error_map.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 * 53 };

static float uniform(int i)
{
    uint64_t state = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    return (float)((double)((state ^ (state >> 31)) >> 11) / 9007199254740992.0);
}

static double error_of(int height, int width, const float *a, const float *b, int row, int column)
{
    double sum = 0, weights = 0;
    for (int r = row - 9; r <= row + 9; r++)
        for (int c = column - 9; c <= column + 9; c++) {
            if (r < 0 || r >= height || c < 0 || c >= width) continue;
            const double apart = (double)a[r * width + c] - (double)b[r * width + c];
            const double weight = exp(-((r - row) * (r - row) + (c - column) * (c - column)) / 18.0);
            if (!isfinite(apart)) continue;
            sum += weight * apart * apart / 2;
            weights += weight;
        }
    return weights > 0 ? sqrt(sum / weights) : NAN;
}

static void check(int height, int width, const float *a, const float *b)
{
    static float map[MOST];
    assert_success(sino_error_map(height, width, a, b, map));
    for (int i = 0; i < height * width; i++) {
        const double expected = error_of(height, width, a, b, i / width, i % width);
        const bool near = fabs((double)map[i] - expected) <= 1e-6 * expected;
        if (!near && !(isnan(expected) && isnan(map[i])))
            fail_msg("%d x %d, voxel %d: expected %.9g, found %.9g", width, height, i, expected, (double)map[i]);
    }
}

static void it_is_its_definition(void **state)
{
    (void)state;
    static const int size[][2] = {{1, 1}, {1, 53}, {40, 1}, {5, 7}, {10, 19}, {40, 53}};
    static float a[MOST], b[MOST], map[MOST];
    for (int i = 0; i < MOST; i++) {
        a[i] = uniform(i);
        b[i] = a[i] + uniform(i + MOST) * (float)(i % 53) - 1;
    }
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) check(size[k][0], size[k][1], a, b);
    assert_success(sino_error_map(40, 53, a, b, map));
    assert_success(sino_error_map(40, 53, a, b, a));
    assert_memory_equal(a, map, sizeof map);
}

static void values_that_are_not_finite(void **state)
{
    (void)state;
    static float a[MOST], b[MOST];
    for (int i = 0; i < MOST; i++) {
        a[i] = i % 53 < 26 ? NAN : uniform(i);
        b[i] = i % 7 == 0 ? INFINITY : uniform(i + MOST);
    }
    check(40, 53, a, b);
    memset(a, 0xff, sizeof a); /* NaN */
    check(5, 7, a, b);
}

TESTING_SUBJECT(error_map)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_its_definition),
                                       cmocka_unit_test(values_that_are_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
