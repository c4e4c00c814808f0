/* SPDX-License-Identifier: BSD-3-Clause */
/* File order: names with numbers of every kind are sorted as they were meant, or refused. */
#include "paths.h"

#include "testing.h"

#include <string.h>

enum { MOST = 8 };

/* Sorts names, given in the expected order, from the reverse order. */
static void assert_order(SinoFileOrder order, const char *const *expected)
{
    char *name[MOST];
    int count = 0;
    SinoFileOrder found;
    while (expected[count]) count++;
    for (int i = 0; i < count; i++) name[i] = (char *)(uintptr_t)expected[count - 1 - i];
    assert_success(sino_file_order(count, name, &found));
    assert_int_equal(found, order);
    for (int i = 0; i < count; i++) assert_string_equal(name[i], expected[i]);
}

#define ORDER(order, ...) assert_order(order, (const char *const[]){__VA_ARGS__, NULL})

static void numbers(void **state)
{
    (void)state;
    ORDER(SINO_ORDER_NUMBERS, "p_2.tif", "p_10.tif", "p_100.tif");
    ORDER(SINO_ORDER_NUMBERS, "a/p_01.tif", "a/p_1.tif", "a/p_2.tif");
    ORDER(SINO_ORDER_NUMBERS, "p_1_2.tif", "p_1_10.tif", "p_2_1.tif", "p_2_2.tif");   /* nested */
    ORDER(SINO_ORDER_NUMBERS, "s1_0.0_000.tif", "s1_0.5_001.tif", "s1_1.0_002.tif");  /* two that agree */
    ORDER(SINO_ORDER_NUMBERS, "b1/p_9_2023-01-05_7.tif", "b1/p_10_2023-01-05_8.tif"); /* − between numbers */
    ORDER(SINO_ORDER_NUMBERS, "p_0.tif", "p_0.5.tif", "p_1.tif", "p_1.5.tif");
    ORDER(SINO_ORDER_NUMBERS, "1/2/3/4/5/6/7/8/9/p_9.tif", "1/2/3/4/5/6/7/8/9/p_10.tif"); /* numbers of folders */
}

static void signs(void **state)
{
    (void)state;
    ORDER(SINO_ORDER_NUMBERS, "tilt_-90.tif", "tilt_-9.tif", "tilt_0.tif", "tilt_10.tif");
    ORDER(SINO_ORDER_NUMBERS, "tilt_-090.tif", "tilt_-001.tif", "tilt_+000.tif", "tilt_+010.tif");
    ORDER(SINO_ORDER_NUMBERS, "tilt_-1.50.tif", "tilt_-1.25.tif", "tilt_0.00.tif");
    ORDER(SINO_ORDER_NUMBERS, "scan-001.tif", "scan-002.tif"); /* no sign */
}

static void other_names(void **state)
{
    (void)state;
    ORDER(SINO_ORDER_HEXADECIMAL, "p_9.tif", "p_a.tif", "p_1f.tif", "p_20.tif");
    ORDER(SINO_ORDER_HEXADECIMAL, "p_00ff.tif", "p_0100.tif", "p_010a.tif");
    ORDER(SINO_ORDER_TEXT, "S_001.tif", "S_180.tif", "S_180deg.tif", "S_359.tif");
    ORDER(SINO_ORDER_TEXT, "after_1.tif", "before_1.tif");
}

static void refuse(const char *a, const char *b, const char *c, const char *message)
{
    char *name[] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, (char *)(uintptr_t)c};
    SinoFileOrder order;
    assert_error(sino_file_order(3, name, &order), SINO_BAD_INPUT, message);
}

static void doubtful_orders(void **state)
{
    (void)state;
    refuse("s_0.0000_000.tif", "s_111.2461_001.tif", "s_42.4922_002.tif",
           "the order of s_42.4922_002.tif and s_111.2461_001.tif is doubtful: their names have several numbers, and "
           "number 2 orders the files in another way than those before it");
    refuse("c1_0001.tif", "c2_0002.tif", "c1_0003.tif", "the order of c1_0003.tif and c2_0002.tif is doubtful");
    refuse("r_1_3.tif", "r_2_2.tif", "r_3_1.tif", "the order of r_1_3.tif and r_2_2.tif is doubtful");
    refuse("p_1.2.tif", "p_1.10.tif", "p_2.0.tif", "p_1.10.tif | p_1.2.tif | numbers");
}

TESTING_SUBJECT(file_order)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(signs),
        cmocka_unit_test(other_names),
        cmocka_unit_test(doubtful_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
