/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic: small functions of integers at their edges. */
#include "arithmetic.h"

#include "testing.h"

#include <math.h>

static void quotients_are_rounded_up(void **state)
{
    (void)state;
    for (int64_t b = 1; b <= 9; b++)
        for (int64_t a = 0; a <= 40; a++) {
            const int64_t pieces = sino_ceil_divide(a, b), multiple = sino_ceil_multiple(a, b);
            assert_true(pieces * b >= a && (pieces - 1) * b < a);
            assert_true(multiple == pieces * b);
        }
    assert_int_equal(sino_ceil_divide((int64_t)1 << 61, 1 << 20), (int64_t)1 << 41);
}

static void the_smaller_and_the_larger(void **state)
{
    (void)state;
    assert_true(sino_smaller(-2, 1) == -2 && sino_smaller(1, -2) == -2 && sino_smaller(3, 3) == 3);
    assert_true(sino_larger(-2, 1) == 1 && sino_larger(INT64_MAX, INT64_MIN) == INT64_MAX);
    assert_true(SINO_PI == acos(-1));
}

TESTING_SUBJECT(arithmetic)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_rounded_up),
        cmocka_unit_test(the_smaller_and_the_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
