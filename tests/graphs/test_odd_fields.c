/* SPDX-License-Identifier: BSD-3-Clause */
/* Odd fields: flat and dark fields of the wrong kind are found by their levels, and others are not. */
#include "flat_sets.h"

#include "testing.h"

#include <math.h>

enum { MOST = 10 };

typedef struct Case {
    int64_t flats, darks;
    double flat[MOST], dark[MOST];
    const char *odd_flats, *odd_darks; /* x: odd */
    SinoFlatSets sets;
} Case;

static void check(const Case *given)
{
    bool odd_flat[MOST] = {false}, odd_dark[MOST] = {false};
    assert_success(
        sino_odd_fields(&given->sets, given->flats, given->flat, given->darks, given->dark, odd_flat, odd_dark));
    for (int64_t i = 0; i < given->flats; i++) assert_int_equal(odd_flat[i], given->odd_flats[i] == 'x');
    for (int64_t i = 0; i < given->darks; i++) assert_int_equal(odd_dark[i], given->odd_darks[i] == 'x');
}

static void fields_of_the_wrong_kind(void **state)
{
    static const Case cases[] = {
        {3, 5, {20000, 20100, 19900}, {100, 100, 101, 99, 20000}, "---", "----x", {0}},
        {5, 2, {20000, 20100, 110, 19900, 20000}, {100, 101}, "--x--", "--", {0}},
        {2, 2, {100, 20000}, {20000, 100}, "x-", "x-", {0}},
        {4, 0, {20000, 3, 20000, 20000}, {0}, "-x--", "", {0}},
        /* a shutter that closed late, and a field without any finite pixel */
        {3, 4, {20000, 20100, 19900}, {5000, 100, NAN, 101}, "---", "x---", {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* Fading beams, sets of another exposure, noise, and fields that were swapped as a whole: checks.h. */
static void fields_that_belong(void **state)
{
    int64_t end[] = {3, 6};
    const Case cases[] = {
        {6, 2, {20000, 18000, 16000, 12000, 9000, 6000}, {100, 90}, "------", "--", {0}},
        {6, 2, {20000, 20000, 20000, 2000, 2000, 2000}, {0, 10}, "------", "--", {.count = 2, .end = end}},
        {3, 3, {100, 101, 99}, {20000, 20001, 100}, "---", "---", {0}},
        {1, 1, {20000}, {100}, "-", "-", {0}},
        {3, 3, {0.9F, 1, 1.1F}, {-0.01F, 0, 0.02F}, "---", "---", {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* A dark field in one of two sets that differ by ten. */
static void sets_are_judged_apart(void **state)
{
    int64_t end[] = {3, 6};
    const Case dim = {6, 2, {20000, 20000, 20000, 2000, 10, 2000}, {0, 10}, "----x-", "--", {.count = 2, .end = end}};
    (void)state;
    check(&dim);
}

TESTING_SUBJECT(odd_fields)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_the_wrong_kind),
        cmocka_unit_test(fields_that_belong),
        cmocka_unit_test(sets_are_judged_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
