/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: the bytes of a table of buffers follow from a shape, without overflow. */
#include "arithmetic.h"
#include "buffers.h"

#include "testing.h"

static const SinoBuffer table[] = {
    {"rays", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    {"halves", SINO_ROWS_VOXELS, SINO_ELEMENT_HALF, SINO_LANES_SLICES},
    {"history", SINO_ROWS_MINIBATCH, SINO_ELEMENT_DOUBLE, SINO_LANES_HISTORY},
    {"flags", SINO_ROWS_SENT, SINO_ELEMENT_INTEGER, SINO_LANES_ONE_MEMBER},
};

static SinoShape make(SinoPrecision precision)
{
    static const int64_t voxels[] = {7, 0, 11}, sent[] = {3, -1, 0, 5};
    SinoShape shape = {.precision = precision};
    shape.extent[SINO_ROWS_RAYS] = sino_extent_one(13);
    shape.extent[SINO_ROWS_VOXELS] = sino_extent_of(3, voxels);
    shape.extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    shape.extent[SINO_ROWS_SENT] = sino_extent_of(4, sent);
    return shape;
}

static void extents_count_rows(void **state)
{
    (void)state;
    const SinoShape shape = make(SINO_SINGLE);
    const SinoExtent *sent = &shape.extent[SINO_ROWS_SENT];
    assert_true(sent->members == 4 && sent->total == 8 && sent->most == 5 && sent->filled == 2);
    assert_true(shape.extent[SINO_ROWS_VOXELS].total == 18 && shape.extent[SINO_ROWS_VOXELS].filled == 2);
}

static void bytes_follow_the_precision(void **state)
{
    (void)state;
    const SinoBatch batch = {.stride = 16, .history_numbers = 31};
    static const struct {
        SinoPrecision precision;
        int64_t rays, halves;
    } expected[] = {{SINO_SINGLE, 13 * 16 * 4, 0},
                    {SINO_DOUBLE, 13 * 16 * 8, 0},
                    {SINO_MIXED, 13 * 16 * 4, 18 * 16 * 2},
                    {SINO_HALF, 13 * 16 * 4, 18 * 16 * 2}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const SinoShape shape = make(expected[i].precision);
        assert_int_equal(sino_buffers_bytes(1, &table[0], &shape, batch), expected[i].rays);
        assert_int_equal(sino_buffers_bytes(1, &table[1], &shape, batch), expected[i].halves);
        assert_int_equal(sino_buffers_bytes(1, &table[2], &shape, batch), 16 * 31 * 8);
        assert_int_equal(sino_buffers_bytes(1, &table[3], &shape, batch), 2 * 8);
        assert_int_equal(sino_buffers_bytes(4, table, &shape, batch),
                         expected[i].rays + expected[i].halves + 16 * 31 * 8 + 16);
        assert_int_equal(sino_buffer_most_bytes(&table[1], &shape, batch), expected[i].halves / 18 * 11);
        assert_int_equal(sino_buffer_most_bytes(&table[3], &shape, batch), 8);
    }
}

/* Numbers of a machine that nobody has. */
static void nothing_overflows(void **state)
{
    (void)state;
    SinoShape shape = make(SINO_DOUBLE);
    shape.extent[SINO_ROWS_RAYS] = sino_extent_one(INT64_MAX / 2);
    const SinoBatch batch = {.stride = (int64_t)1 << 40, .history_numbers = (int64_t)1 << 40};
    assert_int_equal(sino_buffers_bytes(1, &table[0], &shape, batch), (int64_t)1 << 59);
    assert_int_equal(sino_buffers_bytes(1, &table[2], &shape, batch), (int64_t)1 << 59);
    assert_true(sino_buffers_bytes(4, table, &shape, batch) > 0);
    assert_int_equal(sino_times(0, INT64_MAX), 0);
    assert_int_equal(sino_times(3, 5), 15);
}

TESTING_SUBJECT(buffers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_count_rows),
        cmocka_unit_test(bytes_follow_the_precision),
        cmocka_unit_test(nothing_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
