/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone weigh: which part of the circle angles cover, what is refused, and that the rays along each line share its
 * weight. */
#include "cone.h"
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

/* The rays at one distance from the axis, which is in the middle, stand for a circle together. */
static void check_pairs(const SinoCone *cone)
{
    double *weight;
    assert_success(sino_allocate(cone->angle_count * COLUMNS, sizeof *weight, "test", &weight));
    assert_success(sino_cone_ray_weights(cone, weight));
    for (int64_t c = 0; c < COLUMNS; c++) {
        const double pair = weight_of_pair(cone->angle_count, weight, c);
        if (fabs(pair - 2 * SINO_PI) > 1e-9) fail_msg("%ld angles, column %ld: %.12f", cone->angle_count, c, pair);
    }
    free(weight);
}

static void check_kind(int64_t angles, double first_deg, double arc_deg, double center, SinoConeArcKind kind)
{
    double angle[ANGLES_MOST];
    SinoConeArc arc;
    make_arc(angles, first_deg, arc_deg, angle);
    const SinoCone cone = cone_of(angles, angle, center);
    assert_success(sino_cone_arc_new(&cone, &arc));
    assert_int_equal(arc.kind, kind);
    assert_true(fabs(arc.length_rad - fmin(fabs(arc_deg), 360) * deg) < 1e-6);
    check_pairs(&cone);
}

static void lines_have_the_weight_of_the_circle(void **state)
{
    (void)state;
    const double middle = (COLUMNS - 1) / 2.0;
    check_kind(720, 0, 360, middle, SINO_CONE_CIRCLE);
    check_kind(720, 77, -360, middle, SINO_CONE_CIRCLE);
    check_kind(1801, 350, 349, middle, SINO_CONE_SHORT);
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
        assert_success(sino_cone_ray_weights(&cone, weight));
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
    assert_success(sino_cone_ray_weights(&cone, weight));
    for (int i = 0; i < 9; i++) assert_true(fabs(weight[i * COLUMNS + 3] / deg - shares[i] / 2) < 1e-9);
}

/* Angles number 0 to COUNT − 1 by `step`, of each `period` the first `kept`; returns their number. */
static int64_t make_gaps(int64_t count, double step_deg, int64_t period, int64_t kept, double *angle_rad)
{
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++)
        if (i % period < kept) angle_rad[made++] = (double)i * step_deg * deg;
    return made;
}

/* Angles that are left out here and there, or are in no order. */
static void gaps_take_no_weight_away(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        double step_deg;
        int64_t period, kept, gaps;
    } row[] = {
        {180, 2, 6, 3, 0},                /* gated: each gap is seen again only by the gap on the other side */
        {180, 2, 20, 10, 9},              /* blocks of 20 degrees, whose gaps the others see */
        {180, 2, 90, 70, 2},              /* two gaps on opposite sides, which nothing sees */
        {180, 2, 60, 50, 3},              /* three that do not */
        {500, 137.50776405, 500, 500, 0}, /* golden angles */
        {180, 4, 180, 180, 0},            /* two turns, of the same angles */
        {180, 4.01, 180, 180, 0},         /* two turns, of others */
    };
    double angle[ANGLES_MOST];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SinoConeArc arc;
        const int64_t angles = make_gaps(row[i].count, row[i].step_deg, row[i].period, row[i].kept, angle);
        SinoCone cone = cone_of(angles, angle, (COLUMNS - 1) / 2.0);
        cone.pixel_width = 0.4;
        assert_success(sino_cone_arc_new(&cone, &arc));
        assert_int_equal(arc.gap_count, row[i].gaps);
        assert_int_equal(arc.kind == SINO_CONE_SHORT, row[i].gaps > 0);
        check_pairs(&cone);
    }
}

/* A projection that is left out has no weight, and its neighbours have what it had. */
static void neighbours_stand_for_dropped_angles(void **state)
{
    (void)state;
    double angle[90], weight[90 * COLUMNS];
    bool dropped[90] = {false};
    make_gaps(90, 4, 90, 90, angle);
    dropped[0] = dropped[40] = true;
    SinoCone cone = cone_of(90, angle, (COLUMNS - 1) / 2.0);
    cone.dropped = dropped;
    assert_success(sino_cone_ray_weights(&cone, weight));
    for (int k = 0; k < 90; k++) {
        const bool beside = dropped[(k + 1) % 90] || dropped[(k + 89) % 90];
        const double wanted = dropped[k] ? 0 : beside ? 3 : 2;
        assert_true(fabs(weight[k * COLUMNS + 5] / deg - wanted) < 1e-9);
    }
}

/* Rays beside the shorter side have the weight 0, and filtered projections go on there. */
static void weights_reach_beside_the_detector(void **state)
{
    (void)state;
    double angle[360], weight[360 * 2 * COLUMNS];
    make_arc(360, 0, 360, angle);
    for (int side = 0; side < 2; side++) {
        SinoCone cone = cone_of(360, angle, side ? 31 : 9);
        cone.x_count = cone.y_count = 60;
        cone.voxel_size = 1;
        sino_cone_reach(&cone);
        assert_int_equal(cone.columns_before, side ? 0 : 22);
        assert_int_equal(cone.columns_after, side ? 22 : 0);
        assert_success(sino_cone_ray_weights(&cone, weight));
        for (int64_t c = 0; c < COLUMNS + 22; c++) {
            const int64_t from_axis = side ? 31 - c : c - 22 - 9;
            const double share = weight[7 * (COLUMNS + 22) + c] / deg;
            const double wanted = from_axis > 9 ? 1 : from_axis < -9 ? 0 : NAN;
            if (isnan(wanted) ? !(share > 0 && share < 1) : fabs(share - wanted) > 1e-9)
                fail_msg("column %ld: %.12f", c, share);
        }
        cone.x_count = cone.y_count = 20;
        sino_cone_reach(&cone);
        assert_int_equal(side ? cone.columns_after : cone.columns_before, 3); /* as far as the volume is seen */
    }
}

static void short_arcs_are_refused(void **state)
{
    (void)state;
    double angle[100];
    SinoConeArc arc;
    make_arc(100, 10, 200, angle);
    SinoCone cone = cone_of(100, angle, (COLUMNS - 1) / 2.0);
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                 "200 degrees | 28.07 degrees | 180 degrees | --algorithm cg");
    make_arc(100, 10, 240, angle);
    cone.center = 30;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT, "column 30 | 41 | 240 degrees | circle");
    cone.center = 20;
    for (int i = 0; i < 100; i++) angle[i] = (i < 50 ? 2 * i : 2 * i + 82) * deg;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT, "164 degrees | 2 | % | 25 | --algorithm cg");
    make_arc(100, 0, 360, angle);
    cone.center = -2;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT, "column -2 | 0 to 40 | detector");
    cone.angle_count = 1;
    cone.center = 20;
    assert_error(sino_cone_arc_new(&cone, &arc), SINO_BAD_INPUT,
                 "0 degrees | 28.07 degrees | 180 degrees | --algorithm cg");
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

static void check_slopes(bool fans)
{
    enum { ROWS = 37, ANGLES = 3 };
    SinoCone cone = cone_of(ANGLES, NULL, 18.7);
    cone.fans = fans;
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, ROWS), ROWS};
    const int64_t rays = ANGLES * COLUMNS;
    float *sinogram, weight[ANGLES * COLUMNS];
    assert_success(sino_allocate(rays * rows.stride, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < rays * rows.stride; i++) sinogram[i] = (float)i;
    for (int64_t i = 0; i < rays; i++) weight[i] = (float)(1 + i % 11);
    sino_cone_weigh(&cone, ANGLES, rows, 5, weight, sinogram, sinogram);
    for (int64_t ray = 0; ray < rays; ray++)
        for (int64_t f = 0; f < ROWS; f++) {
            const int64_t at = sino_panel_element(rows, rays, ray, f);
            const double l = ((double)(ray % COLUMNS) - 18.7) * 2, h = fans ? 0 : ((double)(5 + f) - 3.2) * 1.5;
            const double wanted = (double)at * (double)weight[ray] * 160 / sqrt(160 * 160 + l * l + h * h);
            assert_true(fabs((double)sinogram[at] - wanted) <= 1e-6 * wanted);
        }
    free(sinogram);
}

static void rays_are_weighed_by_their_slope(void **state)
{
    (void)state;
    check_slopes(false);
    check_slopes(true); /* within the row alone */
}

/* Two columns before the first one, and three after the last one. */
static void rays_beside_the_detector_are_0(void **state)
{
    (void)state;
    enum { ROWS = 21, ANGLES = 2, WIDE = COLUMNS + 5 };
    SinoCone cone = cone_of(ANGLES, NULL, 18.7);
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, ROWS), ROWS};
    const int64_t rays = ANGLES * COLUMNS, wide = ANGLES * WIDE;
    float *sinogram, *weighed, *plain, weight[ANGLES * WIDE], inside[ANGLES * COLUMNS];
    assert_success(sino_allocate(rays * rows.stride, sizeof *sinogram, "test", &sinogram));
    assert_success(sino_allocate(rays * rows.stride, sizeof *plain, "test", &plain));
    assert_success(sino_allocate(wide * rows.stride, sizeof *weighed, "test", &weighed));
    for (int64_t i = 0; i < rays * rows.stride; i++) sinogram[i] = (float)(1 + i % 97);
    for (int64_t i = 0; i < wide * rows.stride; i++) weighed[i] = NAN;
    for (int64_t i = 0; i < wide; i++) weight[i] = (float)(1 + i % 11);
    for (int64_t i = 0; i < rays; i++) inside[i] = weight[i / COLUMNS * WIDE + 2 + i % COLUMNS];
    sino_cone_weigh(&cone, ANGLES, rows, 5, inside, sinogram, plain);
    cone.columns_before = 2;
    cone.columns_after = 3;
    sino_cone_weigh(&cone, ANGLES, rows, 5, weight, sinogram, weighed);
    for (int64_t i = 0; i < wide; i++)
        for (int64_t f = 0; f < ROWS; f++) {
            const int64_t column = i % WIDE - 2, ray = i / WIDE * COLUMNS + column;
            const bool has = column >= 0 && column < COLUMNS;
            const float wanted = has ? plain[sino_panel_element(rows, rays, ray, f)] : 0;
            assert_true(weighed[sino_panel_element(rows, wide, i, f)] == wanted);
        }
    free(sinogram);
    free(plain);
    free(weighed);
}

TESTING_SUBJECT(cone_weigh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_the_weight_of_the_circle),
        cmocka_unit_test(both_sides_of_a_line_add_up),
        cmocka_unit_test(uneven_angles_share_gaps),
        cmocka_unit_test(gaps_take_no_weight_away),
        cmocka_unit_test(neighbours_stand_for_dropped_angles),
        cmocka_unit_test(weights_reach_beside_the_detector),
        cmocka_unit_test(short_arcs_are_refused),
        cmocka_unit_test(one_column_is_refused),
        cmocka_unit_test(rays_are_weighed_by_their_slope),
        cmocka_unit_test(rays_beside_the_detector_are_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
