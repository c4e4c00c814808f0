/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle subsets: each angle is in one subset, orbits are whole where that is promised, subsets are alike and spread
 * over the turn; elsewhere they are every S-th angle. */
#include "angle_subsets.h"

#include "testing.h"
#include "testing_angles.h"

#include <math.h>
#include <stdlib.h>

enum { ANGLES_MAX = 720, GRID = 64 };

typedef struct Scan {
    double rad[ANGLES_MAX];
    SinoProblem problem;
} Scan;

static void set_problem(Scan *scan, int64_t angles, int64_t subsets)
{
    scan->problem = (SinoProblem){.geometry = {angles, GRID, GRID, scan->rad, 31.2, 0},
                                  .precision = SINO_SINGLE,
                                  .symmetry = true,
                                  .subset_count = subsets,
                                  .whole_orbits = true};
}

/* Angles from `first` on, of a range without its end, in degrees that are multiples of `unit` (0: as they are). */
static void set_even(Scan *scan, int64_t angles, double first, double range, double unit, int64_t subsets)
{
    for (int64_t k = 0; k < angles; k++) {
        const double degrees = first + (double)k * range / (double)angles;
        scan->rad[k] = (unit > 0 ? round(degrees / unit) * unit : degrees) * M_PI / 180;
    }
    set_problem(scan, angles, subsets);
}

/* Lists, and the subset of each angle, say the same; no subset is empty. */
static void check_lists(const SinoAngleSubsets *found, int64_t angles)
{
    bool *met = calloc((size_t)angles, sizeof *met);
    assert_non_null(met);
    assert_int_equal(found->first[0], 0);
    assert_int_equal(found->first[found->count], angles);
    for (int64_t s = 0; s < found->count; s++) {
        assert_true(sino_angle_subsets_size(found, s) > 0);
        assert_true(sino_angle_subsets_size(found, s) <= sino_angle_subsets_most(found));
        for (int64_t i = found->first[s]; i < found->first[s + 1]; i++) {
            const int64_t k = found->number[i];
            assert_true(k >= 0 && k < angles && !met[k]);
            assert_true(i == found->first[s] || k > found->number[i - 1]);
            assert_int_equal(found->subset[k], s);
            met[k] = true;
        }
    }
    free(met);
}

/* Angles stored by the subsets together. */
static int64_t stored_by(const SinoAngleSubsets *found, const SinoLayout *scan)
{
    int64_t stored = 0;
    for (int64_t s = 0; s < found->count; s++) {
        SinoLayout part;
        assert_success(sino_angle_subsets_layout(found, s, scan, &part));
        stored += sino_layout_stored_angles(&part);
        assert_int_equal(part.orientations & ~sino_orientation_group(scan->orientations), 0);
        for (int64_t i = 0; i < part.geometry.angle_count; i++) {
            const int64_t k = found->number[found->first[s] + i];
            assert_true(part.angle_rad[part.place[i]] == scan->angle_rad[scan->place[k]]);
        }
        sino_layout_free(&part);
    }
    return stored;
}

/* Whether b is a quarter turn or mirror image of a, or one of the other, by arithmetic of its own. */
static bool follows(double a, double b, double within)
{
    const double quarter = M_PI / 2;
    return fabs(remainder(b - a, quarter)) < within || fabs(remainder(a + b, quarter)) < within;
}

static void check_whole(const Scan *scan, const SinoAngleSubsets *found, double within)
{
    const int64_t angles = scan->problem.geometry.angle_count;
    for (int64_t a = 0; a < angles; a++)
        for (int64_t b = 0; b < a; b++)
            if (follows(scan->rad[a], scan->rad[b], within)) assert_int_equal(found->subset[a], found->subset[b]);
}

/* Numbers of angles differ by at most an orbit, of `most` angles; and no gap of a subset is longer than two of its mean
 * steps and two of the scan's: mirror images leave gaps of that length at multiples of 45°. */
static void check_spread(const Scan *scan, const SinoAngleSubsets *found, int64_t most)
{
    const int64_t angles = scan->problem.geometry.angle_count;
    const double step = (most == SINO_ORIENTATIONS ? 2 : 1) * M_PI / (double)angles;
    int64_t least = angles;
    for (int64_t s = 0; s < found->count; s++) {
        double *turn = calloc((size_t)angles, sizeof *turn), widest = 0;
        const int64_t size = sino_angle_subsets_size(found, s);
        assert_non_null(turn);
        least = size < least ? size : least;
        for (int64_t i = 0; i < size; i++) {
            const double rad = fmod(scan->rad[found->number[found->first[s] + i]] + 100 * M_PI, M_PI);
            int64_t at = i;
            for (; at > 0 && turn[at - 1] > rad; at--) turn[at] = turn[at - 1];
            turn[at] = rad;
        }
        for (int64_t i = 0; i < size; i++)
            widest = fmax(widest, i + 1 < size ? turn[i + 1] - turn[i] : turn[0] + M_PI - turn[i]);
        if (widest > 2 * step * (double)(found->count + 1))
            fail_msg("%d angles, subset %d of %d: a gap of %g steps", (int)angles, (int)s, (int)found->count,
                     widest / step);
        free(turn);
    }
    assert_true(sino_angle_subsets_most(found) - least <= most);
}

static void check_orbits(Scan *scan, double within, int64_t most)
{
    SinoAngleSubsets found;
    SinoLayout layout;
    assert_success(sino_angle_subsets_new(&scan->problem, &found));
    assert_success(sino_layout_new(&scan->problem.geometry, SINO_SINGLE, true, &layout));
    assert_true(found.whole_orbits);
    check_lists(&found, scan->problem.geometry.angle_count);
    check_whole(scan, &found, within);
    check_spread(scan, &found, most);
    assert_int_equal(stored_by(&found, &layout), sino_layout_stored_angles(&layout));
    sino_layout_free(&layout);
    scan->problem.symmetry = false; /* whether they are stored makes no difference */
    SinoAngleSubsets plain;
    assert_success(sino_angle_subsets_new(&scan->problem, &plain));
    for (int64_t k = 0; k < scan->problem.geometry.angle_count; k++) assert_int_equal(plain.subset[k], found.subset[k]);
    sino_angle_subsets_free(&plain);
    sino_angle_subsets_free(&found);
}

static void orbits_are_whole(void **state)
{
    (void)state;
    static const int64_t subsets[] = {3, 5, 7, 8, 12, 16, 32};
    Scan scan;
    for (size_t i = 0; i < sizeof subsets / sizeof *subsets; i++) {
        const int64_t s = subsets[i];
        if (s <= 5) set_even(&scan, 60, 0, 180, 0, s), check_orbits(&scan, 1e-9, 4);
        if (s <= 8) set_even(&scan, 100, 0, 180, 0, s), check_orbits(&scan, 1e-9, 4);
        set_even(&scan, 400, 0, 180, 0, s), check_orbits(&scan, 1e-9, 4);
        set_even(&scan, 400, -90, 180, 0, s), check_orbits(&scan, 1e-9, 4);
        set_even(&scan, 401, 0, 180, 0, s), check_orbits(&scan, 1e-9, 2); /* mirror images only */
        if (s <= 25) set_even(&scan, 720, 0, 360, 0, s), check_orbits(&scan, 1e-9, 8);
    }
}

/* Angles of three digits, which are taken as evenly spaced. */
static void rounded_angles_have_orbits(void **state)
{
    (void)state;
    Scan scan;
    set_even(&scan, 375, 0, 180, 1e-3, 8);
    check_orbits(&scan, 2e-3 * M_PI / 180, 4);
}

/* `few`: because orbits are too few. */
static void check_every_nth(const Scan *scan, bool few)
{
    SinoAngleSubsets found;
    assert_success(sino_angle_subsets_new(&scan->problem, &found));
    assert_false(found.whole_orbits);
    assert_int_equal(found.few_orbits, few);
    check_lists(&found, scan->problem.geometry.angle_count);
    for (int64_t k = 0; k < scan->problem.geometry.angle_count; k++)
        assert_int_equal(found.subset[k], k % scan->problem.subset_count);
    sino_angle_subsets_free(&found);
}

static void others_are_every_nth_angle(void **state)
{
    (void)state;
    Scan scan;
    set_even(&scan, 100, 0, 180, 0, 8);
    scan.problem.whole_orbits = false;
    check_every_nth(&scan, false);
    set_even(&scan, 100, 0, 180, 0, 8);
    scan.problem.geometry.grid_size = GRID + 1; /* no symmetry */
    check_every_nth(&scan, false);
    set_even(&scan, 100, 0, 40, 0, 8); /* no angle follows from another */
    check_every_nth(&scan, false);
    set_even(&scan, 400, 0, 180, 0, 2); /* all orbits are whole as it is */
    check_every_nth(&scan, false);
    set_even(&scan, 400, 0, 180, 0, 34); /* less than three orbits for a subset */
    check_every_nth(&scan, true);
    set_even(&scan, 400, 0, 180, 0, 399);
    check_every_nth(&scan, true);
    set_even(&scan, 40, 0, 180, 0, 1);
    check_every_nth(&scan, false);
}

/* Scans in any order, with repeated angles and with rare sets of orientations. */
static void every_angle_has_one_subset(void **state)
{
    (void)state;
    for (int kind = 0; kind < TESTING_ANGLES_KINDS; kind++) {
        const TestingAngles angles = testing_angles(kind);
        for (int64_t s = 1; s <= angles.count; s++) {
            Scan scan;
            SinoAngleSubsets found;
            SinoLayout layout;
            memcpy(scan.rad, angles.rad, sizeof angles.rad);
            set_problem(&scan, angles.count, s);
            assert_success(sino_angle_subsets_new(&scan.problem, &found));
            check_lists(&found, angles.count);
            assert_success(sino_layout_new(&scan.problem.geometry, SINO_SINGLE, true, &layout));
            const int64_t stored = stored_by(&found, &layout), all = sino_layout_stored_angles(&layout);
            if (found.whole_orbits && stored > all) fail_msg("%s, %d subsets", angles.name, (int)s);
            sino_layout_free(&layout);
            sino_angle_subsets_free(&found);
        }
    }
}

/* The last subset has every fourth angle of each of the others, which are those of a problem without it. */
static void angles_are_left_out(void **state)
{
    (void)state;
    Scan scan;
    SinoAngleSubsets all, found;
    set_even(&scan, 200, 0, 180, 0, 8);
    assert_success(sino_angle_subsets_new(&scan.problem, &all));
    scan.problem.left_out = 4;
    scan.problem.subset_count = 9;
    assert_success(sino_angle_subsets_new(&scan.problem, &found));
    assert_int_equal(found.count, 9);
    check_lists(&found, 200);
    for (int64_t s = 0; s < 8; s++) {
        int64_t left_out = 0, last = -1;
        for (int64_t i = all.first[s]; i < all.first[s + 1]; i++) {
            const bool out = found.subset[all.number[i]] == 8;
            if (!out) assert_int_equal(found.subset[all.number[i]], s);
            if (out && last >= 0) assert_int_equal(i - last, 4);
            if (out) last = i;
            left_out += out;
        }
        assert_in_range(left_out, sino_angle_subsets_size(&all, s) / 4, (sino_angle_subsets_size(&all, s) + 3) / 4);
    }
    sino_angle_subsets_free(&all);
    sino_angle_subsets_free(&found);
}

TESTING_SUBJECT(angle_subsets)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbits_are_whole),           cmocka_unit_test(rounded_angles_have_orbits),
        cmocka_unit_test(others_are_every_nth_angle), cmocka_unit_test(every_angle_has_one_subset),
        cmocka_unit_test(angles_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
