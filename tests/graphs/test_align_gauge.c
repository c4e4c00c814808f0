/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, gauge: shifts and turns that a motion of the object makes are taken away, of parallel rays and cones, and
 * others stay. */
#include "align_gauge.h"
#include "cone.h"
#include "testing.h"

#include <math.h>

enum { VIEWS = 24 };

/* Of half a turn of parallel rays, or a turn of a cone. */
static void make_views(bool parallel, SinoView *view)
{
    const SinoCone cone = {.source_object = 100,
                           .source_detector = 150,
                           .pixel_width = 0.2,
                           .pixel_height = 0.3,
                           .center = 31.5,
                           .center_row = 20};
    for (int k = 0; k < VIEWS; k++) {
        const double angle = (parallel ? 1 : 2) * M_PI * k / VIEWS, c = cos(angle), s = sin(angle);
        view[k] = parallel ? (SinoView){.source = {-s, c, 0},
                                        .first = {-30 * c, -30 * s, -20},
                                        .column = {c, s, 0},
                                        .row = {0, 0, 1},
                                        .parallel = 1}
                           : sino_cone_orbit_view(&cone, angle);
    }
}

/* Where the view sees the point, from where it sees the origin. */
static SinoShift seen(const SinoView *view, const double point[3])
{
    const SinoViewPlanes planes = sino_view_planes(view);
    const double depth = sino_view_value(&planes, 0, point);
    return sino_align_from_middle(
        view, (SinoShift){sino_view_value(&planes, 1, point) / depth, sino_view_value(&planes, 2, point) / depth});
}

static void translations_are_taken_away(void **state)
{
    (void)state;
    static const double moved[3] = {0.02, -0.03, 0.015};
    SinoView view[VIEWS];
    SinoShift shift[VIEWS];
    for (int i = 0; i < 4; i++) {
        const double columns = i >= 2 ? 1.5 : 0;
        make_views(i % 2, view);
        for (int k = 0; k < VIEWS; k++) {
            shift[k] = seen(&view[k], moved);
            shift[k].column += columns;
        }
        sino_align_fix_gauge(VIEWS, view, false, shift);
        for (int k = 0; k < VIEWS; k++)
            assert_true(fabs(shift[k].column - columns) < 1e-4 && fabs(shift[k].row) < 1e-4);
        sino_align_fix_gauge(VIEWS, view, true, shift);
        for (int k = 0; k < VIEWS; k++) assert_true(fabs(shift[k].column) < 1e-4);
    }
}

/* What is left has no part along a translation: taking it away once more changes nothing. */
static void other_shifts_stay(void **state)
{
    (void)state;
    SinoView view[VIEWS];
    SinoShift shift[VIEWS], again[VIEWS];
    for (int parallel = 0; parallel < 2; parallel++) {
        double squares = 0;
        make_views(parallel, view);
        for (int k = 0; k < VIEWS; k++) shift[k] = (SinoShift){sin(7.0 * k), cos(5.0 * k)};
        sino_align_fix_gauge(VIEWS, view, true, shift);
        memcpy(again, shift, sizeof again);
        sino_align_fix_gauge(VIEWS, view, true, again);
        for (int k = 0; k < VIEWS; k++) {
            squares += shift[k].column * shift[k].column + shift[k].row * shift[k].row;
            assert_true(fabs(again[k].column - shift[k].column) < 1e-9 && fabs(again[k].row - shift[k].row) < 1e-9);
        }
        assert_true(squares > 0.7 * VIEWS);
    }
}

static void turns_of_the_object_are_taken_away(void **state)
{
    (void)state;
    static const double about[3] = {0.02, -0.03, 0};
    SinoView view[VIEWS];
    SinoViewTurn turn[VIEWS];
    for (int parallel = 0; parallel < 2; parallel++) {
        make_views(parallel, view);
        for (int own = 0; own < 2; own++) {
            double squares = 0;
            for (int k = 0; k < VIEWS; k++) {
                const double angle = (parallel ? 1 : 2) * M_PI * k / VIEWS, c = cos(angle), s = sin(angle);
                turn[k].pitch = about[0] * c + about[1] * s + own * 0.01 * sin(7.0 * k);
                turn[k].roll = (parallel ? 1 : -1) * (about[1] * c - about[0] * s) + own * 0.01 * cos(5.0 * k);
            }
            sino_align_fix_turns(VIEWS, view, turn);
            for (int k = 0; k < VIEWS; k++) squares += turn[k].pitch * turn[k].pitch + turn[k].roll * turn[k].roll;
            const double size = sqrt(squares / VIEWS);
            assert_true(own ? size > 0.008 && size < 0.0105 : size < 1e-9);
        }
    }
}

/* One projection tells no depth: the shifts are those of a translation, and the numbers stay finite. */
static void one_projection_is_all_gauge(void **state)
{
    (void)state;
    SinoView view[VIEWS];
    SinoShift shift = {0.5, -2};
    make_views(true, view);
    sino_align_fix_gauge(1, view, false, &shift);
    assert_true(isfinite(shift.column) && fabs(shift.row) < 1e-9);
}

TESTING_SUBJECT(align_gauge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_are_taken_away),
        cmocka_unit_test(other_shifts_stay),
        cmocka_unit_test(turns_of_the_object_are_taken_away),
        cmocka_unit_test(one_projection_is_all_gauge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
