/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice quality: entropy of known histograms, known noise beside edges, and rings of a known height. */
#include "memory.h"
#include "slice_quality.h"
#include "testing.h"

#include <math.h>

enum { SIZE = 200 };

static float *make(double (*value)(double x, double y, int64_t i), int64_t size)
{
    float *slice = NULL;
    assert_success(sino_allocate(size * size, sizeof *slice, "test", &slice));
    for (int64_t i = 0; i < size * size; i++) {
        const double middle = 0.5 * (double)(size - 1);
        slice[i] = (float)value((double)(i % size) - middle, middle - (double)(i / size), i);
    }
    return slice;
}

/* A disc and a square of other values, off the middle. */
static double object(double x, double y, int64_t i)
{
    (void)i;
    return (hypot(x - 10, y + 5) < 60 ? 1 : 0) + (fabs(x + 20) < 15 && fabs(y) < 15 ? 0.5 : 0);
}

/* Number n of stream i, in [0, 1) (splitmix64). */
static double uniform(int64_t i, int n)
{
    uint64_t state = (uint64_t)(i * 12 + n) * 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return (double)((state ^ (state >> 31)) >> 11) / 9007199254740992.0;
}

/* Of standard deviation 1: the sum of 12 uniform numbers. */
static double gaussian(int64_t i)
{
    double sum = -6;
    for (int n = 0; n < 12; n++) sum += uniform(i, n);
    return sum;
}

static double noisy(double x, double y, int64_t i)
{
    return object(x, y, i) + 0.05 * gaussian(i);
}

static double ringed(double x, double y, int64_t i)
{
    return object(x, y, i) + (lround(hypot(x, y)) % 10 == 0 ? 0.1 : 0);
}

static SinoSliceQuality quality_of(double (*value)(double x, double y, int64_t i), int64_t size)
{
    SinoSliceQuality quality;
    float *slice = make(value, size);
    assert_success(sino_slice_quality(size, slice, &quality));
    free(slice);
    return quality;
}

static void entropy_is_that_of_the_histogram(void **state)
{
    (void)state;
    const float equal[4] = {3, 3, 3, 3}, halves[8] = {1, 1, 1, 1, 5, 5, 5, 5}, four[4] = {0, 1, 2, 3};
    assert_true(sino_slice_entropy(4, equal) == 0);
    assert_true(fabs(sino_slice_entropy(8, halves) - log(2)) < 1e-12);
    assert_true(fabs(sino_slice_entropy(4, four) - log(4)) < 1e-12);
    assert_true(sino_slice_entropy(0, NULL) == 0);
}

static void noise_is_found_beside_edges(void **state)
{
    (void)state;
    const SinoSliceQuality clean = quality_of(object, SIZE), found = quality_of(noisy, SIZE);
    print_message("noise %g and %g, entropy %g and %g\n", clean.noise, found.noise, clean.entropy, found.entropy);
    assert_true(clean.noise < 0.015);
    assert_true(fabs(found.noise - 0.05) < 0.008);
    assert_true(found.entropy > clean.entropy + 1);
}

static void rings_are_found(void **state)
{
    (void)state;
    const SinoSliceQuality clean = quality_of(object, SIZE), found = quality_of(ringed, SIZE);
    print_message("rings %g and %g\n", clean.rings, found.rings);
    /* One of 10 circles differs from both neighbours by 0.1, and both from theirs by 0.05: RMS 0.039 of a slice whose
     * deviation is near 0.5. */
    assert_true(clean.rings < 0.02);
    assert_true(found.rings > 0.06 && found.rings < 0.1);
}

static void small_slices_have_numbers(void **state)
{
    (void)state;
    for (int64_t size = 1; size < 20; size++) {
        const SinoSliceQuality quality = quality_of(noisy, size);
        assert_true(isfinite(quality.entropy) && isfinite(quality.noise) && isfinite(quality.rings));
    }
}

TESTING_SUBJECT(slice_quality)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entropy_is_that_of_the_histogram),
                                       cmocka_unit_test(noise_is_found_beside_edges), cmocka_unit_test(rings_are_found),
                                       cmocka_unit_test(small_slices_have_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
