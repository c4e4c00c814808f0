/* SPDX-License-Identifier: BSD-3-Clause */
/* Number: every type is found, converted from any place in memory, and swapped. */
#include "numbers.h"
#include "testing.h"

/* The limits of each type, and 0, as floats. */
typedef struct Limits {
    const char *name;
    SinoNumberKind kind;
    int64_t bytes;
    const void *values;
    float as_float[3];
} Limits;

static const uint8_t uint8[] = {0, 1, UINT8_MAX};
static const uint16_t uint16[] = {0, 1, UINT16_MAX};
static const uint32_t uint32[] = {0, 1, UINT32_MAX};
static const uint64_t uint64[] = {0, INT64_MAX, UINT64_MAX};
static const int8_t int8[] = {INT8_MIN, -1, INT8_MAX};
static const int16_t int16[] = {INT16_MIN, -1, INT16_MAX};
static const int32_t int32[] = {INT32_MIN, -1, INT32_MAX};
static const int64_t int64[] = {INT64_MIN, -1, INT64_MAX};
static const float float32[] = {-1.5f, 0, 3e38f};
static const double float64[] = {-1.5, 0, 3e38};

static const Limits limits[] = {
    {"uint8", SINO_NUMBER_UNSIGNED, 1, uint8, {0, 1, 255}},
    {"uint16", SINO_NUMBER_UNSIGNED, 2, uint16, {0, 1, 65535}},
    {"uint32", SINO_NUMBER_UNSIGNED, 4, uint32, {0, 1, 0x1p32f}},
    {"uint64", SINO_NUMBER_UNSIGNED, 8, uint64, {0, 0x1p63f, 0x1p64f}},
    {"int8", SINO_NUMBER_SIGNED, 1, int8, {-128, -1, 127}},
    {"int16", SINO_NUMBER_SIGNED, 2, int16, {-32768, -1, 32767}},
    {"int32", SINO_NUMBER_SIGNED, 4, int32, {-0x1p31f, -1, 0x1p31f}},
    {"int64", SINO_NUMBER_SIGNED, 8, int64, {-0x1p63f, -1, 0x1p63f}},
    {"float32", SINO_NUMBER_REAL, 4, float32, {-1.5f, 0, 3e38f}},
    {"float64", SINO_NUMBER_REAL, 8, float64, {-1.5f, 0, 3e38f}},
};

static void limits_are_converted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const Limits *expected = &limits[i];
        const SinoNumber *number = sino_number_find(expected->kind, expected->bytes);
        char bytes[3 * 8 + 1];
        float as_float[3];
        assert_non_null(number);
        assert_string_equal(number->name, expected->name);
        memcpy(bytes + 1, expected->values, (size_t)(3 * expected->bytes)); /* not aligned */
        number->to_float(bytes + 1, 3, as_float);
        for (int k = 0; k < 3; k++) assert_true(as_float[k] == expected->as_float[k]);
    }
}

static void other_types_are_not_found(void **state)
{
    (void)state;
    assert_null(sino_number_find(SINO_NUMBER_REAL, 2));
    assert_null(sino_number_find(SINO_NUMBER_REAL, 16));
    assert_null(sino_number_find(SINO_NUMBER_SIGNED, 3));
    assert_null(sino_number_find(SINO_NUMBER_UNSIGNED, 0));
}

static void bytes_are_reversed(void **state)
{
    (void)state;
    for (int64_t bytes = 1; bytes <= 8; bytes *= 2) {
        char values[3 * 8 + 1];
        for (int64_t i = 0; i < 3 * bytes; i++) values[1 + i] = (char)i;
        sino_number_swap(bytes, 3, values + 1);
        for (int64_t i = 0; i < 3 * bytes; i++)
            assert_int_equal(values[1 + i], i / bytes * bytes + bytes - 1 - i % bytes);
    }
}

TESTING_SUBJECT(number)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_converted),
                                       cmocka_unit_test(other_types_are_not_found),
                                       cmocka_unit_test(bytes_are_reversed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
