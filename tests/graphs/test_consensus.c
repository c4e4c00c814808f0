/* SPDX-License-Identifier: BSD-3-Clause */
/* Consensus: the words for what two ranks do not have in common. */
#include "consensus.h"
#include "testing.h"

static void assert_differences(const char *first, const char *other, const char *expected)
{
    char *found = sino_consensus_differences(first, other, 3);
    assert_non_null(found);
    assert_string_equal(found, expected);
    free(found);
}

static void equal_texts(void **state)
{
    (void)state;
    assert_differences("", "", "");
    assert_differences("a: 1\nb: x: y\n", "a: 1\nb: x: y\n", "");
    assert_differences("a: 1\nb: 2\n", "b: 2\na: 1\n", ""); /* the order does not count */
}

static void each_difference_is_named(void **state)
{
    (void)state;
    assert_differences("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 4\nc: 5\n",
                       "b is 2 on rank 0 and 4 on rank 3, c is 3 on rank 0 and 5 on rank 3");
    assert_differences("a: 1\nab: 2\n", "ab: 2\nb: 7\n",
                       "a is 1 on rank 0 and not given on rank 3, b is not given on rank 0 and 7 on rank 3");
    assert_differences("a: 12\n", "a: 1\n", "a is 12 on rank 0 and 1 on rank 3");
}

static void long_values_are_cut(void **state)
{
    (void)state;
    char first[400] = "list: ", expected[400];
    for (int i = 0; i < 100; i++) memcpy(first + strlen(first), "1,", 3);
    snprintf(expected, sizeof expected, "list is %.80s … on rank 0 and 1 on rank 3", first + 6);
    assert_differences(first, "list: 1\n", expected);
}

static void one_process_agrees(void **state)
{
    (void)state;
    assert_success(sino_consensus_check(NULL, "different", "a: 1\n"));
}

TESTING_SUBJECT(consensus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts),
        cmocka_unit_test(each_difference_is_named),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(one_process_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
