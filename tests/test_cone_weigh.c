/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: which part of the circle angles cover, what is refused, and that the rays along each line share its
 * weight.
 */
#include "arithmetic.h"
#include "cone_weigh.h"
#include "memory.h"
#include "testing.h"

#include <math.h>

enum { ANGLES_MOST = 2000, COLUMNS = 41 };

static const double deg = SINO_PI / 180;

static SinoCone cone_of(int64_t angles, const double *angle_rad, double center)
{
    return (SinoCone){.angle_count = angles,
                      .column_count = COLUMNS,
                      .row_count = 7,
                      .angle_rad = angle_rad,
                      .source_object = 100,
                      .source_detector = 160,
                      .pixel_width = 2,
                      .pixel_height = 1.5,
                      .center = center,
                      .center_row = 3.2};
}

/* Angles of an arc, in an order that is not sorted; the end is included if it is not the beginning. */
static void make_arc(int64_t count, double first_deg, double arc_deg, double *angle_rad)
{
    const double steps = fabs(arc_deg) >= 360 ? (double)count : (double)(count - 1);
    for (int64_t i = 0; i < count; i++) angle_rad[i] = (first_deg + arc_deg * (double)(i * 7 % count) / steps) * deg;
}

/* Σ over angles of the weight at column c and at its mirror image. */
static double weight_of_pair(int64_t angles, const double *weight, int64_t c)
{
    double sum = 0;
    for (int64_t k = 0; k < angles; k++) sum += weight[k * COLUMNS + c] + weight[k * COLUMNS + COLUMNS - 1 - c];
    return sum;
}

static void check_kind(int64_t angles, double first_deg, double arc_deg, double center, SinoConeArcKind kind)
{
    double angle[ANGLES_MOST], *weight;
    SinoConeArc arc;
    make_arc(angles, first_deg, arc_deg, angle);
    const SinoCone cone = cone_of(angles, angle, center);
    assert_success(sino_allocate(angles * COLUMNS, sizeof *weight, "test", &weight));
    assert_success(sino_cone_arc_new(&cone, &arc));
    assert_int_equal(arc.kind, kind);
    assert_true(fabs(arc.length_rad - fmin(fabs(arc_deg), 360) * deg) < 1e-6);
    assert_success(sino_cone_ray_weights(&cone, &arc, weight));
    for (int64_t c = 0; c < COLUMNS; c++) {
        const double pair = weight_of_pair(angles, weight, c);
        if (kind == SINO_CONE_DISPLACED) continue;
        if (fabs(pair - 2 * SINO_PI) > 2e-3) fail_msg("%g degrees, column %ld: %.7f", arc_deg, c, pair);
    }
    free(weight);
}

static void lines_have_the_weight_of_the_circle(void **state)
{
    (void)state;
    const double middle = (COLUMNS - 1) / 2.0;
    check_kind(720, 0, 360, middle, SINO_CONE_CIRCLE);
    check_kind(720, 77, -360, middle, SINO_CONE_CIRCLE);
    check_kind(1801, 350, 350, middle, SINO_CONE_SHORT);
    check_kind(1801, 0, 300, middle, SINO_CONE_SHORT);
    check_kind(1801, 100, -220, middle, SINO_CONE_SHORT);
    check_kind(1801, 0, 180 + 2 * atan(40.0 / 160) / deg, middle, SINO_CONE_SHORT);
}

/* A line is seen at (θ, γ), and at (θ + π − 2γ, −γ): the two weights add up to one share. */
static void both_sides_of_a_line_add_up(void **state)
{
    (void)state;
    enum { ANGLES = 1440 };
    double angle[ANGLES], *weight;
    SinoConeArc arc;
    const double middle = (COLUMNS - 1) / 2.0;
    assert_success(sino_allocate(ANGLES * COLUMNS, sizeof *weight, "test", &weight));
    for (int short_scan = 0; short_scan < 2; short_scan++) {
        const double span = short_scan ? 250 : 360, step = span / (short_scan ? ANGLES - 1 : ANGLES);
        for (int k = 0; k < ANGLES; k++) angle[k] = k * step * deg;
        SinoCone cone = cone_of(ANGLES, angle, middle + (short_scan ? 0 : 6));
        assert_success(sino_cone_arc_new(&cone, &arc));
        assert_int_equal(arc.kind, short_scan ? SINO_CONE_SHORT : SINO_CONE_DISPLACED);
        assert_success(sino_cone_ray_weights(&cone, &arc, weight));
        for (int k = 5; k < ANGLES - 5; k += 3)
            for (int64_t c = 0; c < COLUMNS; c++) {
                const double column = 2 * cone.center - (double)c; /* where the detector sees −γ */
                const double gamma = atan(((double)c - cone.center) * 2 / 160);
                double other = (angle[k] + SINO_PI - 2 * gamma) / deg / step;
                if (!short_scan) other = fmod(other, ANGLES);
                if (short_scan && other > ANGLES - 1) other -= 360 / step;
                const int64_t near = (int64_t)floor(other);
                double across = 0;
                if (column >= 0 && column <= COLUMNS - 1 && other >= 0 && (!short_scan || other < ANGLES - 1)) {
                    const double share = other - (double)near;
                    const int64_t at = (int64_t)lrint(column), next = (near + 1) % ANGLES;
                    across = (1 - share) * weight[near * COLUMNS + at] + share * weight[next * COLUMNS + at];
                }
                const double sum = (weight[k * COLUMNS + c] + across) / (step * deg);
                if (fabs(sum - 1) > 1e-4) fail_msg("angle %d, column %ld: %.7f", k, c, sum);
            }
    }
    free(weight);
}

static void uneven_angles_share_gaps(void **state)
{
    (void)state;
    static const double of_circle[] = {0, 30, 90, 110, 180, 240, 300, 330, 360},
                        shares[] = {15, 45, 40, 45, 65, 60, 45, 30, 15};
    double angle[9], weight[9 * COLUMNS];
    SinoConeArc arc;
    for (int i = 0; i < 9; i++) angle[i] = of_circle[i] * deg;
    const SinoCone cone = cone_of(9, angle, (COLUMNS - 1) / 2.0);
    assert_success(sino_cone_arc_new(&cone, &arc));
    assert_int_equal(arc.kind, SINO_CONE_CIRCLE);
    assert_success(sino_cone_ray_weights(&cone, &arc, weight));
    for (int i = 0; i < 9; i++) assert_true(fabs(weight[i * COLUMNS + 3] / deg - shares[i] / 2) < 1e-9);
}

static void short_arcs_are_refused(void **state)
{
    (void)state;
    double angle[100];
    SinoConeArc arc;
    make_arc(100, 10, 200, angle);
    SinoCone cone = cone_of(100, angle, (COLUMNS - 1) / 2.0);
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                 "the angles cover 200 degrees, and the fan is 28.07 degrees wide; allowed: 180 degrees and the fan, "
                 "208.1 degrees, or more");
    make_arc(100, 10, 240, angle);
    cone.center = 30;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                 "rotation axis at column 30 of 41, far from the middle, and the angles cover 240 degrees; allowed: a "
                 "whole circle, or an axis near the middle");
    make_arc(100, 0, 360, angle);
    cone.center = -2;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                 "rotation axis at column -2, and the detector has columns 0 to 40; allowed: an axis on the detector");
    cone.angle_count = 1;
    cone.center = 20;
    assert_error(
        sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
        "the angles cover 0 degrees, and the fan is 28.07 degrees wide; allowed: 180 degrees and the fan, 208.1 "
        "degrees, or more");
}

/* One column is no fan, whatever the angles and the axis are. */
static void one_column_is_refused(void **state)
{
    (void)state;
    double angle[100];
    for (int i = 0; i < 4; i++) {
        SinoConeArc arc;
        make_arc(100, 0, i % 2 ? 170 : 360, angle);
        SinoCone cone = cone_of(100, angle, i / 2 ? 0.3 : 0);
        cone.column_count = 1;
        assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                     "the detector has 1 column, whose rays have no width together; allowed with --algorithm fdk: 2 or "
                     "more");
    }
}

static void rays_are_weighed_by_their_slope(void **state)
{
    (void)state;
    enum { ROWS = 37, ANGLES = 3 };
    const SinoCone cone = cone_of(ANGLES, NULL, 18.7);
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, ROWS), ROWS};
    const int64_t rays = ANGLES * COLUMNS;
    float *sinogram, weight[ANGLES * COLUMNS];
    assert_success(sino_allocate(rays * rows.stride, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < rays * rows.stride; i++) sinogram[i] = (float)i;
    for (int64_t i = 0; i < rays; i++) weight[i] = (float)(1 + i % 11);
    sino_cone_weigh(&cone, ANGLES, rows, 5, weight, sinogram);
    for (int64_t ray = 0; ray < rays; ray++)
        for (int64_t f = 0; f < ROWS; f++) {
            const int64_t at = sino_panel_element(rows, rays, ray, f);
            const double l = ((double)(ray % COLUMNS) - 18.7) * 2, h = ((double)(5 + f) - 3.2) * 1.5;
            const double wanted = (double)at * (double)weight[ray] * 160 / sqrt(160 * 160 + l * l + h * h);
            assert_true(fabs((double)sinogram[at] - wanted) <= 1e-6 * wanted);
        }
    free(sinogram);
}

TESTING_SUBJECT(cone_weigh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_the_weight_of_the_circle),
        cmocka_unit_test(both_sides_of_a_line_add_up),
        cmocka_unit_test(uneven_angles_share_gaps),
        cmocka_unit_test(short_arcs_are_refused),
        cmocka_unit_test(one_column_is_refused),
        cmocka_unit_test(rays_are_weighed_by_their_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
