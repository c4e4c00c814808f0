/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: sizes, and the planes of a volume, or of its first set of slices, that pictures show. */
#include "record.h"

#include "testing_subject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLICES = 6, HEIGHT = 3, WIDTH = 5, SLICE = HEIGHT * WIDTH };

/* slices[SLICES][HEIGHT][WIDTH], all different, of both signs, the largest along z in any slice. */
static void fill(float *slices)
{
    for (int i = 0; i < SLICES * SLICE; i++) slices[i] = (float)((i + 1) * 37 % 101 - 60);
}

/* Takes the slices in two parts, of which the second begins in the middle of a set. */
static void check_sections(int64_t set_count, int64_t shown)
{
    float slices[SLICES * SLICE];
    SinoRecord record;
    const SinoRecordShape shape = {.slice_count = SLICES,
                                   .height = HEIGHT,
                                   .width = WIDTH,
                                   .set_count = set_count,
                                   .columns = 1,
                                   .numbers = 1,
                                   .pictures = true,
                                   .planes = true,
                                   .maximum = true};
    fill(slices);
    assert_null(sino_record_new(&shape, &record));
    assert_int_equal(record.slice_count, SLICES); /* histories of all */
    assert_int_equal(sino_record_bytes(&shape), SLICES * (int64_t)sizeof(double) +
                                                    (2 * SLICE + shown * (WIDTH + HEIGHT)) * (int64_t)sizeof(float));
    sino_sections_take(&record.sections, 2, SLICES - 2, slices + 2 * SLICE);
    sino_sections_take(&record.sections, 0, 2, slices);
    assert_memory_equal(record.sections.xy, slices + shown / 2 * SLICE, SLICE * sizeof *slices);
    assert_int_equal(record.sections.slice_count, shown);
    for (int64_t s = 0; s < shown; s++) {
        assert_memory_equal(record.sections.xz + s * WIDTH, slices + s * SLICE + HEIGHT / 2 * WIDTH,
                            WIDTH * sizeof *slices);
        for (int y = 0; y < HEIGHT; y++)
            assert_true(record.sections.yz[s * HEIGHT + y] == slices[s * SLICE + y * WIDTH + WIDTH / 2]);
    }
    for (int i = 0; i < SLICE; i++) {
        float largest = slices[i];
        for (int64_t s = 1; s < shown; s++) largest = fmaxf(largest, slices[s * SLICE + i]);
        assert_true(record.sections.maximum[i] == largest);
    }
    assert_null(record.sinogram); /* there is no scan */
    sino_record_free(&record);
}

static void pictures_show_the_first_set(void **state)
{
    (void)state;
    check_sections(0, 6);
    check_sections(1, 6);
    check_sections(2, 3);
    check_sections(3, 2);
    check_sections(6, 1);
}

TESTING_SUBJECT(record)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_show_the_first_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
