/* SPDX-License-Identifier: BSD-3-Clause */
/* Image quality: sums and structural similarity against the definitions, pixel by pixel; values that are not finite. */
#include "image_quality.h"
#include "testing.h"

#include <math.h>

enum { WIDTH = 53, HEIGHT = 41, PIXELS = WIDTH * HEIGHT };

/* Number n of stream i, in [0, 1) (splitmix64). */
static double uniform(int i)
{
    uint64_t state = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return (double)((state ^ (state >> 31)) >> 11) / 9007199254740992.0;
}

/* Two images of the same waves, with noise, a scale and an offset. */
static void make(float *a, float *b)
{
    for (int i = 0; i < PIXELS; i++) {
        const double wave = sin(0.3 * (i % WIDTH)) * cos(0.2 * (double)(i / WIDTH)) + 2;
        b[i] = (float)(wave + 0.1 * uniform(i));
        a[i] = (float)(1.3 * wave - 0.4 + 0.3 * uniform(i + PIXELS));
    }
}

static const SinoImageRegion regions[] = {
    {.end_column = WIDTH, .end_row = HEIGHT},
    {.first_column = 3, .end_column = 50, .first_row = 2, .end_row = 30},
    {.end_column = WIDTH, .end_row = HEIGHT, .circle = true, .x = 26, .y = 20, .radius = 20.5},
    {.end_column = WIDTH, .end_row = HEIGHT, .circle = true, .x = 12.25, .y = 15.5, .radius = 10},
    {.end_column = WIDTH, .end_row = HEIGHT, .circle = true, .x = 8, .y = 8, .radius = 3},
};
enum { REGIONS = sizeof regions / sizeof *regions };

/* By its definition. */
static bool is_inside(const SinoImageRegion *region, int row, int column)
{
    if (row < region->first_row || row >= region->end_row || column < region->first_column ||
        column >= region->end_column)
        return false;
    const double x = column - region->x, y = row - region->y;
    return !region->circle || x * x + y * y <= region->radius * region->radius;
}

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fmax(fabs(expected), 1e-300)))
        fail_msg("expected %.17g, found %.17g", expected, found);
}

static void spans_are_the_region(void **state)
{
    (void)state;
    for (int k = 0; k < REGIONS; k++)
        for (int r = -1; r <= HEIGHT; r++) {
            int64_t first, end;
            sino_image_region_span(&regions[k], r, &first, &end);
            for (int c = -1; c <= WIDTH; c++) assert_int_equal(c >= first && c < end, is_inside(&regions[k], r, c));
        }
}

static void sums_are_their_definitions(void **state)
{
    (void)state;
    float a[PIXELS], b[PIXELS];
    make(a, b);
    for (int k = 0; k < REGIONS; k++) {
        long double n = 0, sum[2] = {0}, moment[2] = {0}, product = 0, difference = 0, square = 0, fit = 0;
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < PIXELS; i++) {
            if (!is_inside(&regions[k], i / WIDTH, i % WIDTH)) continue;
            n++;
            sum[0] += a[i];
            sum[1] += b[i];
            difference += ((long double)a[i] - b[i]) * ((long double)a[i] - b[i]);
            square += (long double)b[i] * b[i];
            fit += (0.7L * a[i] + 0.1L - b[i]) * (0.7L * a[i] + 0.1L - b[i]);
            least = fmin(least, (double)b[i]);
            most = fmax(most, (double)b[i]);
        }
        for (int i = 0; i < PIXELS; i++) {
            if (!is_inside(&regions[k], i / WIDTH, i % WIDTH)) continue;
            moment[0] += (a[i] - sum[0] / n) * (a[i] - sum[0] / n);
            moment[1] += (b[i] - sum[1] / n) * (b[i] - sum[1] / n);
            product += (a[i] - sum[0] / n) * (b[i] - sum[1] / n);
        }
        const SinoPairSums found = sino_pair_sums(&regions[k], WIDTH, a, b);
        assert_int_equal(found.count, (int64_t)n);
        assert_true(found.least[1] == least && found.most[1] == most && found.bad[0] == 0 && found.bad[1] == 0);
        assert_near(found.mean[0], (double)(sum[0] / n), 1e-13);
        assert_near(found.moment[0], (double)moment[0], 1e-12);
        assert_near(found.moment[1], (double)moment[1], 1e-12);
        assert_near(found.product, (double)product, 1e-12);
        assert_near(found.difference, (double)difference, 1e-12);
        assert_near(found.square, (double)square, 1e-12);
        assert_near(sino_pair_fit_error(&regions[k], WIDTH, 0.7, 0.1, a, b), (double)fit, 1e-12);
    }
}

/* Sums of two parts, and of none, are those of the whole. */
static void parts_add_up(void **state)
{
    (void)state;
    float a[PIXELS], b[PIXELS];
    make(a, b);
    SinoImageRegion upper = regions[0], lower = regions[0];
    upper.end_row = lower.first_row = 13;
    const SinoPairSums none = sino_pair_none(), whole = sino_pair_sums(&regions[0], WIDTH, a, b);
    const SinoPairSums first = sino_pair_sums(&upper, WIDTH, a, b), second = sino_pair_sums(&lower, WIDTH, a, b);
    SinoPairSums sums = none;
    sino_pair_add(&first, &sums);
    sino_pair_add(&none, &sums);
    sino_pair_add(&second, &sums);
    assert_int_equal(sums.count, whole.count);
    for (int k = 0; k < 2; k++) {
        assert_near(sums.mean[k], whole.mean[k], 1e-13);
        assert_near(sums.moment[k], whole.moment[k], 1e-12);
        assert_true(sums.least[k] == whole.least[k] && sums.most[k] == whole.most[k]);
    }
    assert_near(sums.product, whole.product, 1e-12);
    assert_near(sums.difference, whole.difference, 1e-12);
}

/* The structural similarity of one pixel, with the weights of all 121 pixels of its window. */
static double similarity_of(const float *a, const float *b, int row, int column, double range)
{
    double total = 0, mean[2] = {0}, square[3] = {0};
    for (int y = -5; y <= 5; y++)
        for (int x = -5; x <= 5; x++) {
            const double w = exp(-(x * x + y * y) / (2 * 1.5 * 1.5));
            const double p = (double)a[(row + y) * WIDTH + column + x], q = (double)b[(row + y) * WIDTH + column + x];
            total += w;
            mean[0] += w * p;
            mean[1] += w * q;
        }
    mean[0] /= total;
    mean[1] /= total;
    for (int y = -5; y <= 5; y++)
        for (int x = -5; x <= 5; x++) {
            const double w = exp(-(x * x + y * y) / (2 * 1.5 * 1.5)) / total;
            const double p = (double)a[(row + y) * WIDTH + column + x] - mean[0];
            const double q = (double)b[(row + y) * WIDTH + column + x] - mean[1];
            square[0] += w * p * p;
            square[1] += w * q * q;
            square[2] += w * p * q;
        }
    const double c1 = pow(0.01 * range, 2), c2 = pow(0.03 * range, 2);
    return (2 * mean[0] * mean[1] + c1) * (2 * square[2] + c2) /
           ((mean[0] * mean[0] + mean[1] * mean[1] + c1) * (square[0] + square[1] + c2));
}

static bool has_window(const SinoImageRegion *region, int row, int column)
{
    for (int y = -5; y <= 5; y++)
        for (int x = -5; x <= 5; x++)
            if (!is_inside(region, row + y, column + x)) return false;
    return true;
}

static void similarity_is_its_definition(void **state)
{
    (void)state;
    float a[PIXELS], b[PIXELS];
    make(a, b);
    for (int k = 0; k < REGIONS; k++) {
        double sum = 0;
        int count = 0;
        SinoSimilarity found;
        for (int i = 0; i < PIXELS; i++) {
            if (!has_window(&regions[k], i / WIDTH, i % WIDTH)) continue;
            sum += similarity_of(a, b, i / WIDTH, i % WIDTH, 2.2);
            count++;
        }
        assert_success(sino_similarity(&regions[k], WIDTH, 2.2, a, b, &found));
        print_message("region %d: %d windows, %.9f\n", k, count, count > 0 ? sum / count : 0);
        assert_int_equal(found.count, count);
        assert_near(found.sum, sum, 1e-10);
        assert_true(count == 0 || (sum / count > 0.05 && sum / count < 0.99));
    }
    SinoSimilarity same;
    assert_success(sino_similarity(&regions[0], WIDTH, 2.2, a, a, &same));
    assert_near(same.sum, (double)same.count, 1e-12);
}

/* Values outside the region count nowhere; such values in it are counted, and left out with the windows around them. */
static void values_that_are_not_finite(void **state)
{
    (void)state;
    float a[PIXELS], b[PIXELS];
    SinoSimilarity found, clean;
    make(a, b);
    const SinoImageRegion *region = &regions[2];
    const SinoPairSums before = sino_pair_sums(region, WIDTH, a, b);
    assert_success(sino_similarity(region, WIDTH, 2.2, a, b, &clean));
    a[0] = NAN;
    b[WIDTH - 1] = INFINITY;
    SinoPairSums after = sino_pair_sums(region, WIDTH, a, b);
    assert_memory_equal(&before, &after, sizeof after);
    a[20 * WIDTH + 26] = NAN;
    b[20 * WIDTH + 26] = -INFINITY;
    b[20 * WIDTH + 27] = INFINITY;
    after = sino_pair_sums(region, WIDTH, a, b);
    assert_true(after.bad[0] == 1 && after.bad[1] == 2 && after.count == before.count - 2);
    assert_true(isfinite(after.mean[0]) && isfinite(after.difference) && isfinite(after.most[1]));
    assert_true(isfinite(sino_pair_fit_error(region, WIDTH, 1, 0, a, b)));
    assert_success(sino_similarity(region, WIDTH, 2.2, a, b, &found));
    assert_int_equal(found.count, clean.count - 11 * 12);
    assert_true(isfinite(found.sum));
}

TESTING_SUBJECT(image_quality)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spans_are_the_region),
                                       cmocka_unit_test(sums_are_their_definitions), cmocka_unit_test(parts_add_up),
                                       cmocka_unit_test(similarity_is_its_definition),
                                       cmocka_unit_test(values_that_are_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
