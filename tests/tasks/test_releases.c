/* SPDX-License-Identifier: BSD-3-Clause */
/* Releases: bounds and lateness of few tasks, which are known. */
#include "models.h"

#include "testing.h"

#include <math.h>

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-8)) fail_msg("%.17g; expected %.17g", value, expected);
}

static void add(SinoRelease *release, int count, int64_t kind, double core_s, double device_s)
{
    for (int i = 0; i < count; i++)
        sino_release_add(release, kind, (const double[SINO_BOUND_TYPES]){core_s, device_s, 0});
}

/* Two tasks of 3 s that come after 3 s end after 6 s on two cores, whatever was there before; four tasks of 4 s before
 * them keep the cores busy until then. */
static void late_work_or_all_work(void **state)
{
    (void)state;
    const int64_t workers[SINO_BOUND_TYPES] = {2};
    SinoRelease release[2] = {{.at_s = 0}, {.at_s = 3}};
    add(&release[0], 1, 0, 4, 0);
    add(&release[1], 2, 1, 3, 0);
    assert_near(sino_release_bound(2, release, 2, workers), 6);
    assert_near(sino_release_bound(1, release, 2, workers), 2);
    add(&release[0], 3, 0, 4, 0);
    assert_near(sino_release_bound(2, release, 2, workers), 11);
    assert_near(sino_release_bound(0, release, 2, workers), 0);
}

/* Of five tasks that take 4 s on the core and 1 s on the device, the core takes one: all end after 4 s. Tasks of one
 * kind that differ count with their mean. */
static void cores_and_devices(void **state)
{
    (void)state;
    const int64_t workers[SINO_BOUND_TYPES] = {1, 1};
    SinoRelease release[1] = {{.at_s = 2}};
    add(&release[0], 5, 0, 4, 1);
    assert_near(sino_release_bound(1, release, 1, workers), 6);
    SinoRelease two[2] = {{.at_s = 1}, {.at_s = 2}};
    add(&two[0], 1, 0, 2, 0);
    add(&two[1], 1, 0, 6, 0);
    assert_near(sino_release_bound(2, two, 1, workers), 9);
}

static SinoLateness late(int64_t count, const double (*times)[2])
{
    SinoRelease release[8] = {{0}};
    for (int64_t r = 0; r < count; r++) release[r] = (SinoRelease){.at_s = times[r][0], .end_s = times[r][1]};
    return sino_release_lateness(count, release);
}

static void assert_late(SinoLateness of, double last_s, double mean_s, double most_s, double growth, bool keeps_up)
{
    assert_near(of.last_s, last_s);
    assert_near(of.mean_s, mean_s);
    assert_near(of.most_s, most_s);
    assert_near(of.growth, growth);
    assert_int_equal(of.keeps_up, keeps_up);
}

/* The last release, which ends with the run, does not count. */
static void blocks_that_are_late(void **state)
{
    (void)state;
    assert_late(late(5, (const double[][2]){{1, 1.5}, {2, 2.5}, {3, 3.5}, {4, 4.5}, {5, 9}}), 5, 0.5, 0.5, 0, true);
    assert_late(late(5, (const double[][2]){{1, 2}, {2, 4}, {3, 6}, {4, 8}, {5, 99}}), 5, 2.5, 4, 1, false);
    assert_late(late(4, (const double[][2]){{1, 1.1}, {2, 2.2}, {3, 3.3}, {4, 99}}), 4, 0.2, 0.3, 0.1, true);
}

/* A release is not done before those that came earlier. Few releases tell of no growth. */
static void blocks_that_overtake_and_few_blocks(void **state)
{
    (void)state;
    assert_late(late(3, (const double[][2]){{1, 3}, {2, 2.5}, {3, 4}}), 3, 1.5, 2, -1, true);
    assert_late(late(2, (const double[][2]){{1, 3}, {2, 5}}), 2, 2, 2, 0, true);
    assert_late(late(1, (const double[][2]){{1, 3}}), 1, 0, 0, 0, true);
    assert_int_equal(late(0, NULL).count, 0);
}

TESTING_SUBJECT(releases)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_work_or_all_work),
        cmocka_unit_test(cores_and_devices),
        cmocka_unit_test(blocks_that_are_late),
        cmocka_unit_test(blocks_that_overtake_and_few_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
