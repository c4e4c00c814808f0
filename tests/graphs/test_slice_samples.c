/* SPDX-License-Identifier: BSD-3-Clause */
/* Slice samples: which slices of a volume are searched, and what the others get from them. */
#include "slice_samples.h"

#include "testing.h"

#include <math.h>
#include <stdlib.h>

typedef int64_t Number(int64_t slice, int64_t slices);

static int64_t even(int64_t slice, int64_t slices)
{
    return 20 + (slice + slices) % 2;
}

/* A step within the volume, at a slice that no fraction of it names. */
static int64_t step(int64_t slice, int64_t slices)
{
    return slice < slices * 37 / 101 ? 4 : 30;
}

static int64_t slope(int64_t slice, int64_t slices)
{
    return 10 + llround(90.0 * (double)slice / (double)slices);
}

static int64_t single(int64_t slice, int64_t slices)
{
    (void)slices;
    return slice % 2 ? 3 : 300;
}

/* Searches a volume round by round, and interpolates. *number: of every slice; the caller frees both. */
static void search(int64_t slices, Number *of, SinoSliceSamples *samples, int64_t **number)
{
    int64_t known = 0;
    assert_success(sino_slice_samples_new(slices, samples));
    for (int round = 0; known < samples->count; round++) {
        int64_t added = 0;
        assert_true(round <= 64);
        for (int64_t i = 0; i < samples->count; i++) {
            assert_in_range(samples->slice[i], i > 0 ? samples->slice[i - 1] + 1 : 0, slices - 1);
            added += samples->number[i] == 0;
            samples->number[i] = of(samples->slice[i], slices);
        }
        assert_int_equal(added, samples->count - known); /* no slice is searched twice */
        known = samples->count;
        sino_slice_samples_refine(samples);
        assert_true(samples->count <= samples->most);
    }
    assert_int_equal(samples->slice[0], 0);
    assert_int_equal(samples->slice[samples->count - 1], slices - 1);
    *number = calloc((size_t)slices, sizeof **number);
    sino_slice_samples_interpolate(samples, *number);
    for (int64_t i = 0; i < samples->count; i++) assert_int_equal((*number)[samples->slice[i]], samples->number[i]);
}

static void small_volumes_are_searched_as_a_whole(void **state)
{
    (void)state;
    for (int64_t slices = 1; slices <= 8; slices++) {
        SinoSliceSamples samples;
        int64_t *number;
        search(slices, single, &samples, &number);
        assert_int_equal(samples.count, slices);
        for (int64_t s = 0; s < slices; s++) assert_int_equal(number[s], single(s, slices));
        free(number);
        sino_slice_samples_free(&samples);
    }
}

static void alike_slices_are_five(void **state)
{
    static const int64_t slices[] = {9, 64, 2001};
    (void)state;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        SinoSliceSamples samples;
        int64_t *number;
        search(slices[i], even, &samples, &number);
        assert_int_equal(samples.count, 5);
        for (int64_t s = 0; s < slices[i]; s++) assert_in_range(number[s], 20, 21);
        free(number);
        sino_slice_samples_free(&samples);
    }
}

/* The two slices beside the step are found, so that all numbers are right. */
static void steps_are_found(void **state)
{
    static const int64_t slices[] = {24, 100, 1024, 2001};
    (void)state;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        SinoSliceSamples samples;
        int64_t *number;
        search(slices[i], step, &samples, &number);
        assert_true(samples.count <= 15);
        for (int64_t s = 0; s < slices[i]; s++) assert_int_equal(number[s], step(s, slices[i]));
        free(number);
        sino_slice_samples_free(&samples);
    }
}

/* Between slices that are not far apart, numbers lie on a line. */
static void slopes_are_interpolated(void **state)
{
    SinoSliceSamples samples;
    int64_t *number;
    (void)state;
    search(500, slope, &samples, &number);
    assert_in_range(samples.count, 6, 16);
    for (int64_t s = 0; s < 500; s++) assert_in_range(number[s], slope(s, 500) - 1, slope(s, 500) + 1);
    free(number);
    sino_slice_samples_free(&samples);
}

/* An eighth of a volume at most, however its slices differ. */
static void an_eighth_is_searched(void **state)
{
    SinoSliceSamples samples;
    int64_t *number;
    (void)state;
    search(2000, single, &samples, &number);
    assert_true(samples.count <= 250);
    free(number);
    sino_slice_samples_free(&samples);
}

TESTING_SUBJECT(slice_samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_volumes_are_searched_as_a_whole),
        cmocka_unit_test(alike_slices_are_five),
        cmocka_unit_test(steps_are_found),
        cmocka_unit_test(slopes_are_interpolated),
        cmocka_unit_test(an_eighth_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
