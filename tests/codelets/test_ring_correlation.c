/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring correlation: against a plain Fourier sum, of equal images, of noise, and of a band limit that is known. */
#include "arithmetic.h"
#include "ring_correlation.h"
#include "testing.h"

#include <complex.h>
#include <math.h>

enum { SIZE = 128, PIXELS = SIZE * SIZE };

static double uniform(int64_t i, int n)
{
    uint64_t state = (uint64_t)(i * 12 + n + 1) * 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return (double)((state ^ (state >> 31)) >> 11) / 9007199254740992.0;
}

static double gaussian(int64_t i)
{
    double sum = -6;
    for (int n = 0; n < 12; n++) sum += uniform(i, n);
    return sum;
}

static SinoImageRegion disc_of(int64_t height, int64_t width)
{
    return (SinoImageRegion){.end_column = width,
                             .end_row = height,
                             .circle = true,
                             .x = (double)(width - 1) / 2,
                             .y = (double)(height - 1) / 2,
                             .radius = (double)sino_smaller(height, width) / 2};
}

/* The curve of `pairs` pairs, one after the other. */
static int64_t curve_of(int64_t height, int64_t width, int64_t pairs, const float *a, const float *b,
                        SinoRingPoint *curve)
{
    const SinoImageRegion disc = disc_of(height, width);
    SinoRings *rings = NULL;
    SinoRingSums sums[SIZE] = {{0}}, one[SIZE];
    assert_success(sino_rings_new(&disc, height, width, &rings));
    const int64_t count = sino_rings_count(rings);
    for (int64_t p = 0; p < pairs; p++) {
        assert_success(sino_rings_sum(rings, a + p * height * width, b + p * height * width, one));
        for (int64_t i = 0; i < count; i++) {
            sums[i].product += one[i].product;
            for (int k = 0; k < 2; k++) sums[i].square[k] += one[i].square[k];
        }
    }
    sino_rings_curve(rings, pairs, sums, curve);
    sino_rings_free(rings);
    return count;
}

static double mask_at(const SinoImageRegion *disc, int r, int c)
{
    const double share = hypot(r - disc->y, c - disc->x) / disc->radius;
    return share >= 1 ? 0 : share > 0.8 ? (1 - cos(M_PI * (1 - share) / 0.2)) / 2 : 1;
}

/* Every Fourier pixel by a sum over all pixels, of sides that differ and are odd. */
static void curve_is_its_definition(void **state)
{
    enum { HIGH = 15, WIDE = 22 };
    (void)state;
    const SinoImageRegion disc = disc_of(HIGH, WIDE);
    float image[2][HIGH * WIDE];
    double mean[2] = {0}, covered = 0, edge = 0, product[WIDE] = {0}, square[2][WIDE] = {{0}}, numbers[WIDE] = {0};
    SinoRingPoint curve[SIZE];
    for (int i = 0; i < HIGH * WIDE; i++) {
        const double mask = mask_at(&disc, i / WIDE, i % WIDE);
        image[0][i] = (float)(5 + gaussian(i));
        image[1][i] = (float)(3 + gaussian(i) + gaussian(i + 9999));
        covered += mask;
        edge += mask * (1 - mask);
        for (int k = 0; k < 2; k++) mean[k] += mask * (1 - mask) * (double)image[k][i];
    }
    for (int v = -HIGH / 2; v <= HIGH / 2; v++)
        for (int u = -WIDE / 2; u < WIDE / 2; u++) {
            const int ring = (int)lround(hypot((double)v / HIGH, (double)u / WIDE) * WIDE);
            double complex sum[2] = {0};
            for (int i = 0; i < HIGH * WIDE; i++)
                for (int k = 0; k < 2; k++)
                    sum[k] += mask_at(&disc, i / WIDE, i % WIDE) * ((double)image[k][i] - mean[k] / edge) *
                              cexp(-2 * M_PI * I * ((double)v * (i / WIDE) / HIGH + (double)u * (i % WIDE) / WIDE));
            if (ring > WIDE / 2) continue;
            product[ring] += creal(sum[0] * conj(sum[1]));
            for (int k = 0; k < 2; k++) square[k][ring] += pow(cabs(sum[k]), 2);
            numbers[ring] += covered / (HIGH * WIDE);
        }
    assert_int_equal(curve_of(HIGH, WIDE, 1, image[0], image[1], curve), WIDE / 2 + 1);
    for (int i = 1; i <= WIDE / 2; i++) {
        assert_true(fabs(curve[i].correlation - product[i] / sqrt(square[0][i] * square[1][i])) < 1e-9);
        assert_true(fabs(curve[i].numbers - numbers[i]) < 1e-9);
        assert_true(fabs(curve[i].frequency - i / (double)WIDE) < 1e-15);
        const double root = sqrt(fmax(numbers[i], 1));
        assert_true(fabs(curve[i].half_bit - (0.2071 + 1.9102 / root) / (1.2071 + 0.9102 / root)) < 1e-12);
    }
}

static void equal_images_correlate(void **state)
{
    (void)state;
    static float a[PIXELS], b[PIXELS];
    SinoRingPoint curve[SIZE];
    for (int i = 0; i < PIXELS; i++) {
        a[i] = (float)gaussian(i);
        b[i] = 3 * a[i] + 100; /* neither scale nor offset matters */
    }
    const int64_t count = curve_of(SIZE, SIZE, 1, a, b, curve);
    assert_int_equal(count, SIZE / 2 + 1);
    for (int64_t i = 1; i < count; i++) assert_true(fabs(curve[i].correlation - 1) < 1e-5);
    assert_true(isnan(sino_rings_crossing(count, curve, 0)));
    for (int i = 0; i < PIXELS; i++) b[i] = -a[i];
    curve_of(SIZE, SIZE, 1, a, b, curve);
    assert_true(fabs(curve[5].correlation + 1) < 1e-12);
    assert_true(sino_rings_crossing(count, curve, 0.5) == curve[1].frequency);
    for (int i = 0; i < PIXELS; i++) b[i] = 7; /* nothing is left of it */
    curve_of(SIZE, SIZE, 1, a, b, curve);
    assert_true(isnan(curve[5].correlation) && isnan(sino_rings_crossing(count, curve, 0.5)));
}

static void noise_does_not_correlate(void **state)
{
    (void)state;
    static float a[4 * PIXELS], b[4 * PIXELS];
    SinoRingPoint curve[SIZE];
    double sum = 0;
    for (int i = 0; i < 4 * PIXELS; i++) {
        a[i] = (float)gaussian(i);
        b[i] = (float)gaussian(i + 4 * PIXELS);
    }
    const int64_t count = curve_of(SIZE, SIZE, 4, a, b, curve);
    for (int64_t i = 8; i < count; i++) {
        assert_true(fabs(curve[i].correlation) < 5 / sqrt(curve[i].numbers));
        sum += curve[i].correlation * curve[i].correlation * curve[i].numbers;
    }
    print_message("deviation of the correlation, times the root of the numbers: %.3f\n",
                  sqrt(sum / (double)(count - 8)));
    assert_true(fabs(sum / (double)(count - 8) - 1) < 0.35);
    assert_true(sino_rings_crossing(count, curve, 0) < 0.05);
}

/* Waves up to a frequency, under noise of each image: the correlation is S/(S + N) there, with signal and noise per
 * Fourier pixel, and falls to zero above. */
static void band_limit_is_found(void **state)
{
    enum { WAVES = 700, PAIRS = 6 };
    static float a[PAIRS * PIXELS], b[PAIRS * PIXELS], shared[PIXELS];
    static const double limit = 0.15; /* cycles per pixel */
    (void)state;
    SinoRingPoint curve[SIZE];
    for (int w = 0; w < WAVES; w++) {
        const double frequency = limit * sqrt(uniform(w, 0)), turn = 2 * M_PI * uniform(w, 1);
        const double x = 2 * M_PI * frequency * cos(turn), y = 2 * M_PI * frequency * sin(turn);
        for (int i = 0; i < PIXELS; i++)
            shared[i] += (float)cos(x * (i % SIZE) + y * (double)(i / SIZE) + 2 * M_PI * uniform(w, 2));
    }
    for (int i = 0; i < PAIRS * PIXELS; i++) {
        a[i] = shared[i % PIXELS] + (float)(30 * gaussian(i));
        b[i] = shared[i % PIXELS] + (float)(30 * gaussian(i + PAIRS * PIXELS));
    }
    const int64_t count = curve_of(SIZE, SIZE, PAIRS, a, b, curve);
    const double half_bit = sino_rings_crossing(count, curve, 0), seventh = sino_rings_crossing(count, curve, 1.0 / 7);
    print_message("band limit %.3f: 1/2 bit %.4f, 1/7 %.4f\n", limit, half_bit, seventh);
    for (int64_t i = 2; curve[i].frequency < limit - 0.02; i++) assert_true(curve[i].correlation > 0.6);
    assert_true(fabs(half_bit - limit) < 0.02 && fabs(seventh - limit) < 0.02);
}

/* On the straight line between two rings. */
static void crossings_are_between_rings(void **state)
{
    (void)state;
    const SinoRingPoint curve[] = {
        {0, 0, 9, 1}, {0.1, 0.9, 0.5, 1}, {0.2, 0.7, 0.5, 1}, {0.3, 0.3, 0.5, 1}, {0.4, 0.8, 0.5, 1}};
    assert_true(fabs(sino_rings_crossing(5, curve, 0) - 0.25) < 1e-15);
    assert_true(fabs(sino_rings_crossing(5, curve, 0.4) - 0.275) < 1e-15);
    assert_true(fabs(sino_rings_crossing(5, curve, 0.95) - 0.1) < 1e-15);
    assert_true(isnan(sino_rings_crossing(5, curve, 0.2)));
}

TESTING_SUBJECT(ring_correlation)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curve_is_its_definition), cmocka_unit_test(equal_images_correlate),
        cmocka_unit_test(noise_does_not_correlate), cmocka_unit_test(band_limit_is_found),
        cmocka_unit_test(crossings_are_between_rings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
