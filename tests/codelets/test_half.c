/* SPDX-License-Identifier: BSD-3-Clause */
/* Half: every half, and floats of every size, against rounding in double. */
#include "half.h"

#include "reference_operator.h"
#include "testing.h"

#include <math.h>

enum { HALVES = 1 << 16, INFINITE = 0x7c00 };

static bool is_nan(unsigned half)
{
    return (half & 0x7fff) > INFINITE;
}

/* What a half stands for, from its fields. */
static double value_of(unsigned half)
{
    const int exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

/* The nearest half's value, the even one of two; what rounds to 2¹⁶ is infinite. */
static double nearest(double value)
{
    const double size = fabs(value);
    if (isnan(value) || isinf(value) || size == 0) return value;
    const int last_place = size < 0x1p-14 ? -24 : ilogb(size) - 10;
    const double rounded = ldexp(nearbyint(ldexp(size, -last_place)), last_place);
    return copysign(rounded >= 0x1p16 ? (double)INFINITY : rounded, value);
}

static void check(float value)
{
    const double expected = nearest((double)value);
    const SinoHalf half = sino_half(value);
    const double found = (double)sino_half_value(half);
    const bool same = isnan(expected) ? isnan(found) && is_nan(half) : found == expected;
    if (!same || !signbit(found) != !signbit(value))
        fail_msg("%a becomes %a (%#x), expected %a", (double)value, found, (unsigned)half, expected);
}

static void values_are_those_of_the_format(void **state)
{
    (void)state;
    for (unsigned half = 0; half < HALVES; half++) {
        const double found = (double)sino_half_value((SinoHalf)half), expected = value_of(half);
        assert_true(is_nan(half) ? isnan(found) : found == expected);
        assert_int_equal(!signbit(found), !(half & 0x8000));
    }
}

static void every_half_comes_back(void **state)
{
    (void)state;
    for (unsigned half = 0; half < HALVES; half++) {
        const unsigned again = sino_half(sino_half_value((SinoHalf)half));
        assert_true(is_nan(half) ? is_nan(again) && (again & 0x8000) == (half & 0x8000) : again == half);
    }
}

/* Halfway between two halves, and the floats beside that. */
static void ties_go_to_even(void **state)
{
    (void)state;
    for (unsigned half = 0; half < INFINITE; half++) {
        const double next = half + 1 == INFINITE ? 0x1p16 : value_of(half + 1);
        const float middle = (float)((value_of(half) + next) / 2);
        assert_true((double)middle == (value_of(half) + next) / 2);
        assert_int_equal(sino_half(middle), half + half % 2);
        assert_int_equal(sino_half(nextafterf(middle, 0)), half);
        assert_int_equal(sino_half(nextafterf(middle, INFINITY)), half + 1);
        assert_int_equal(sino_half(-middle), 0x8000 | (half + half % 2));
    }
}

static void special_values_keep_what_they_are(void **state)
{
    (void)state;
    static const float values[] = {0,          0x1p-149f, 0x1p-126f, 0x1p-26f, 0x1p-25f,   0x1.000002p-25f,
                                   0x1.8p-24f, 1.0f,      65504,     65519,    65519.996f, 65520,
                                   65535,      65536,     1e10f,     0x1p126f, 0x1p127f,   3.402823e38f,
                                   INFINITY,   NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        check(values[i]);
        check(-values[i]);
    }
    assert_int_equal(sino_half(0.0f), 0);
    assert_int_equal(sino_half(-0.0f), 0x8000);
    assert_int_equal(sino_half(INFINITY), INFINITE);
    /* Every NaN, whichever bits it has. */
    for (int bit = 0; bit < 23; bit++) check(sino_float_of_bits(0x7f800000u | 1u << bit));
}

static void random_floats_round_to_nearest(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < 2000000; i++) {
        const uint32_t bits = (uint32_t)((reference_random(&seed) + 1) * 0x1p31);
        check(sino_float_of_bits(bits));
        /* Among those that halves have, most bits of random floats are of others. */
        check(sino_float_of_bits((bits & 0x8fffffffu) | 0x30000000u));
        check(ldexpf((float)reference_random(&seed), (int)(bits >> 27) - 16));
    }
}

TESTING_SUBJECT(half)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_format),
        cmocka_unit_test(every_half_comes_back),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(special_values_keep_what_they_are),
        cmocka_unit_test(random_floats_round_to_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
