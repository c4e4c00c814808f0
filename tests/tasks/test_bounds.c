/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds: the critical path and the area bound of small graphs whose bounds are known. */
#include "models.h"

#include "testing.h"

#include <math.h>
#include <stdlib.h>

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g; expected %.17g", value, expected);
}

/* The chain's tasks, from the last one to the first. */
static void assert_path(int64_t count, const double *seconds, const uint32_t *first_edge, const uint32_t *edge,
                        double expected, const int64_t *backwards)
{
    const SinoTaskTimes times = {count, seconds, first_edge, edge};
    SinoChain chain;
    assert_success(sino_critical_path(&times, &chain));
    assert_near(chain.seconds, expected, 1e-12);
    int64_t task = chain.last;
    for (; *backwards >= 0; backwards++) {
        assert_int_equal(task, *backwards);
        task = chain.before[task];
    }
    assert_int_equal(task, -1);
    free(chain.before);
}

/*      0(1)
 *     /    \
 *  1(2)    2(5)    4(6.5), alone
 *     \    /
 *      3(1)     */
static void a_diamond(void **state)
{
    (void)state;
    const double seconds[] = {1, 2, 5, 1, 6.5};
    const uint32_t first_edge[] = {0, 0, 1, 2, 4, 4}, edge[] = {0, 0, 1, 2};
    assert_path(5, seconds, first_edge, edge, 7, (const int64_t[]){3, 2, 0, -1});
    const double other[] = {1, 2, 5, 1, 7.5};
    assert_path(5, other, first_edge, edge, 7.5, (const int64_t[]){4, -1});
    const double alike[] = {0, 0, 0, 0, 0};
    assert_path(5, alike, first_edge, edge, 0, (const int64_t[]){-1});
}

static void no_tasks(void **state)
{
    (void)state;
    const uint32_t first_edge[] = {0};
    assert_path(0, NULL, first_edge, NULL, 0, (const int64_t[]){-1});
}

/* A chain with a detour over a task without time: a message. */
static void a_chain_over_nothing(void **state)
{
    (void)state;
    const double seconds[] = {3, 0, 4, 2};
    const uint32_t first_edge[] = {0, 0, 1, 2, 3}, edge[] = {0, 1, 0};
    assert_path(4, seconds, first_edge, edge, 7, (const int64_t[]){2, 1, 0, -1});
}

static void area_of_one_type(void **state)
{
    (void)state;
    const SinoKindTimes kind[] = {{.count = 10, .mean_s = {2}}, {.count = 4, .mean_s = {1}}};
    assert_near(sino_area_bound(2, kind, (const int64_t[]){1, 0, 0}), 24, 1e-9);
    assert_near(sino_area_bound(2, kind, (const int64_t[]){6, 0, 0}), 4, 1e-9);
    assert_near(sino_area_bound(0, kind, (const int64_t[]){6, 0, 0}), 0, 0);
}

/* 12 tasks that take 3 on a core and 1 on a device: speeds add up, 12/(1/3 + 1). With 8 more that only cores can do,
 * for 2 each, both are busy for T: x of the first on the core, 3·x + 16 = T = 12 − x, so x < 0: the core does none of
 * them. With 2 of those: 3·x + 4 = 12 − x, x = 2, T = 10. */
static void area_of_two_types(void **state)
{
    (void)state;
    SinoKindTimes kind[] = {{.count = 12, .mean_s = {3, 1}}, {.count = 8, .mean_s = {2}}};
    const int64_t workers[] = {1, 1, 0};
    assert_near(sino_area_bound(1, kind, workers), 9, 1e-7);
    assert_near(sino_area_bound(2, kind, workers), 16, 1e-7);
    kind[1].count = 2;
    assert_near(sino_area_bound(2, kind, workers), 10, 1e-7);
}

/* One kind on three types: speeds add up. 2/4 + 3/1 + 1/2 tasks a second. */
static void area_of_three_types(void **state)
{
    (void)state;
    const SinoKindTimes kind[] = {{.count = 40, .mean_s = {4, 1, 2}}};
    assert_near(sino_area_bound(1, kind, (const int64_t[]){2, 3, 1}), 10, 1e-6);
}

TESTING_SUBJECT(bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diamond),        cmocka_unit_test(no_tasks),          cmocka_unit_test(a_chain_over_nothing),
        cmocka_unit_test(area_of_one_type), cmocka_unit_test(area_of_two_types), cmocka_unit_test(area_of_three_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
