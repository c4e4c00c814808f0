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

static void products_of_sizes_saturate(void **state)
{
    const int64_t most = (int64_t)1 << 59;
    (void)state;
    assert_true(sino_times(0, INT64_MAX) == 0 && sino_times(INT64_MAX, 0) == 0);
    assert_true(sino_times(3, 5) == 15 && sino_times((int64_t)1 << 30, (int64_t)1 << 29) == most);
    assert_true(sino_times((int64_t)1 << 30, (int64_t)1 << 30) == most);
    assert_true(sino_times(((int64_t)1 << 58) + 1, 1 << 6) == most); /* wraps to 64 in 64 bits */
    assert_true(sino_times(INT64_MAX, INT64_MAX) == most && sino_times(sino_times(most, 8), 8) == most);
}

TESTING_SUBJECT(arithmetic)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_rounded_up),
        cmocka_unit_test(the_smaller_and_the_larger),
        cmocka_unit_test(products_of_sizes_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
