/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a sweep, against values worked out by hand, and against R's. */
#include "sweep.h"
#include "testing.h"

#include <math.h>

static void near(double found, double expected)
{
    assert_true(fabs(found - expected) <= 1e-12);
}

static void quartiles_are_rs(void **state)
{
    (void)state;
    /* quantile(c(4, 1, 3, 2)) and of 1 … 5 */
    double four[] = {4, 1, NAN, 3, 2}, five[] = {5, 3, 1, 2, 4}, one[] = {7}, none[] = {NAN, NAN};
    SinoQuartiles of = sino_quartiles(5, four);
    assert_int_equal(of.count, 4);
    near(of.least, 1);
    near(of.lower, 1.75);
    near(of.median, 2.5);
    near(of.upper, 3.25);
    near(of.most, 4);
    of = sino_quartiles(5, five);
    near(of.lower, 2);
    near(of.median, 3);
    near(of.upper, 4);
    of = sino_quartiles(1, one);
    near(of.lower, 7);
    near(of.upper, 7);
    of = sino_quartiles(2, none);
    assert_int_equal(of.count, 0);
    assert_true(isnan(of.median) && isnan(of.least) && isnan(of.most));
    of = sino_quartiles(0, none);
    assert_true(isnan(of.lower));
}

/* The second repetition is twice as slow for all, which changes no regret. */
static void regret_is_paired(void **state)
{
    (void)state;
    enum { POLICIES = 3, REPETITIONS = 4 };
    const double time[POLICIES][REPETITIONS] = {{1, 2, 3, NAN}, {1.5, 3, 3, NAN}, {2, 4, NAN, NAN}};
    double regret[POLICIES][REPETITIONS], wins[POLICIES];
    sino_paired_regret(POLICIES, REPETITIONS, &time[0][0], &regret[0][0], wins);
    for (int r = 0; r < 2; r++) {
        near(regret[0][r], 0);
        near(regret[1][r], 0.5);
        near(regret[2][r], 1);
    }
    near(regret[0][2], 0);
    near(regret[1][2], 0);
    assert_true(isnan(regret[2][2]) && isnan(regret[0][3]));
    near(wins[0], 2.5);
    near(wins[1], 0.5);
    near(wins[2], 0);
}

static void ranks_are_correlated(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4, NAN}, same[] = {10, 20, 30, 40, 0}, other[] = {4, 3, 2, 1, 0},
                 one[] = {1, 3, 2, 4, 0}, flat[] = {1, 1, 1, 1, 1}, ties[] = {1, 1, 2, 3, 0};
    near(sino_rank_correlation(5, a, same), 1);
    near(sino_rank_correlation(5, a, other), -1);
    near(sino_rank_correlation(5, a, one), 4.0 / 6);
    near(sino_rank_correlation(4, a, ties), 5 / sqrt(30));
    assert_true(isnan(sino_rank_correlation(5, a, flat)));
}

static void orders_are_permutations(void **state)
{
    (void)state;
    enum { COUNT = 22 };
    int64_t first[COUNT], again[COUNT], other[COUNT], seeded[COUNT], empty[1] = {-1};
    int fixed = 0, seen[COUNT] = {0}, differ = 0, depend = 0;
    sino_random_order(1, 0, COUNT, first);
    sino_random_order(1, 0, COUNT, again);
    sino_random_order(1, 1, COUNT, other);
    sino_random_order(2, 0, COUNT, seeded);
    for (int i = 0; i < COUNT; i++) {
        assert_true(first[i] >= 0 && first[i] < COUNT);
        seen[first[i]]++;
        assert_int_equal(first[i], again[i]);
        fixed += first[i] == i;
        differ += first[i] != other[i];
        depend += first[i] != seeded[i];
    }
    for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
    assert_true(fixed < COUNT / 2 && differ > COUNT / 2 && depend > COUNT / 2);
    sino_random_order(1, 0, 0, empty);
    assert_int_equal(empty[0], -1);
}

/* Each of three is first about a third of the time. */
static void orders_are_even(void **state)
{
    (void)state;
    int64_t order[3];
    int first[3] = {0};
    for (uint64_t stream = 0; stream < 3000; stream++) {
        sino_random_order(7, stream, 3, order);
        first[order[0]]++;
    }
    for (int i = 0; i < 3; i++) assert_true(first[i] > 900 && first[i] < 1100);
}

TESTING_SUBJECT(sweep_statistics)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quartiles_are_rs), cmocka_unit_test(regret_is_paired),
                                       cmocka_unit_test(ranks_are_correlated),
                                       cmocka_unit_test(orders_are_permutations), cmocka_unit_test(orders_are_even)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
