/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone consistency: center, center row and tilt of phantoms, whose rays are exact, are found with and without noise. */
#include "cone_consistency.h"
#include "memory.h"
#include "phantom.h"
#include "testing.h"

#include <math.h>

enum { SIZE = 64, COLUMNS = 96, ROWS = 80 };

static const double deg = SINO_PI / 180;

typedef struct Case {
    int64_t angles;
    double arc_deg, center, center_row, tilt_deg;
    double distance; /* from the source to the axis, in voxels */
    double noise;    /* standard deviation, as a share of the largest value */
    bool balls;      /* false: the head */
} Case;

static double *angles_of(const Case *scan)
{
    double *rad = NULL;
    assert_success(sino_allocate(scan->angles, sizeof *rad, "test", &rad));
    for (int64_t k = 0; k < scan->angles; k++) rad[k] = (13 + scan->arc_deg * (double)k / (double)scan->angles) * deg;
    return rad;
}

static SinoCone cone_of(const Case *scan, const double *rad)
{
    return (SinoCone){.angle_count = scan->angles,
                      .column_count = COLUMNS,
                      .row_count = ROWS,
                      .x_count = SIZE,
                      .y_count = SIZE,
                      .z_count = SIZE,
                      .angle_rad = rad,
                      .source_object = scan->distance,
                      .source_detector = 1.25 * scan->distance,
                      .pixel_width = 1,
                      .pixel_height = 1,
                      .voxel_size = 1,
                      .center = scan->center,
                      .center_row = scan->center_row};
}

/* The rays of a detector that is tilted about its middle (tilt.h). */
static SinoView tilted(const SinoCone *cone, int64_t k, double tilt)
{
    const double row = (ROWS - 1) / 2.0, column = (COLUMNS - 1) / 2.0, c = cos(tilt), s = sin(tilt);
    const SinoView upright = sino_cone_orbit_view(cone, cone->angle_rad[k]);
    SinoView view = upright;
    for (int i = 0; i < 3; i++) {
        view.column[i] = c * upright.column[i] + s * upright.row[i];
        view.row[i] = c * upright.row[i] - s * upright.column[i];
        view.first[i] +=
            column * upright.column[i] + row * upright.row[i] - column * view.column[i] - row * view.row[i];
    }
    return view;
}

static double deviate(uint64_t seed, int64_t i)
{
    return (sino_phantom_poisson(1e4, seed, (uint64_t)i) - 1e4) / 1e2;
}

/* Line integrals of balls, some of which are beside the axis. */
static void project_balls(const SinoView *view, double *projection)
{
    static const double ball[][4] = {{12, 5, -20, 6}, {-15, 8, -9, 5}, {3, -17, 2, 7},
                                     {-6, -9, 14, 8}, {18, -6, 21, 4}, {0, 14, 24, 5},
                                     {-20, -4, 5, 3}, {9, 16, -3, 4},  {-11, -14, -22, 5}};
    for (int64_t p = 0; p < ROWS * COLUMNS; p++) {
        double ray[3], sum = 0;
        for (int i = 0; i < 3; i++)
            ray[i] = view->first[i] + (double)(p / COLUMNS) * view->row[i] + (double)(p % COLUMNS) * view->column[i] -
                     view->source[i];
        const double length = sqrt(sino_view_dot(ray, ray));
        for (size_t b = 0; b < sizeof ball / sizeof *ball; b++) {
            double to[3], across[3];
            for (int i = 0; i < 3; i++) to[i] = ball[b][i] - view->source[i];
            sino_view_cross(ray, to, across);
            const double off = sino_view_dot(across, across) / (length * length);
            sum += 2 * sqrt(fmax(ball[b][3] * ball[b][3] - off, 0));
        }
        projection[p] = sum;
    }
}

/* projections[angle][row][column] of the head; the caller frees them. */
static float *scan_of(const Case *scan, const double *rad)
{
    const SinoPhantom phantom = {.size = SIZE, .height = SIZE, .whole = true};
    const int64_t pixels = ROWS * COLUMNS;
    SinoCone cone = cone_of(scan, rad);
    SinoView *view = NULL;
    double *projection = NULL, most = 0;
    float *projections = NULL;
    assert_success(sino_allocate(scan->angles, sizeof *view, "test", &view));
    assert_success(sino_allocate(pixels, sizeof *projection, "test", &projection));
    assert_success(sino_allocate(scan->angles * pixels, sizeof *projections, "test", &projections));
    for (int64_t k = 0; k < scan->angles; k++) view[k] = tilted(&cone, k, scan->tilt_deg * deg);
    cone.view = view;
    for (int64_t k = 0; k < scan->angles; k++) {
        if (scan->balls)
            project_balls(&view[k], projection);
        else
            sino_phantom_cone(&phantom, &cone, k, projection);
        for (int64_t i = 0; i < pixels; i++) projections[k * pixels + i] = (float)projection[i];
        for (int64_t i = 0; i < pixels; i++) most = fmax(most, projection[i]);
    }
    for (int64_t i = 0; i < scan->angles * pixels; i++) projections[i] += (float)(scan->noise * most * deviate(3, i));
    free(view);
    free(projection);
    return projections;
}

/* Begins beside the center and at the middle row, upright. `veil` is added to all values, as a share of the largest. */
static SinoConeConsistency find(const Case *scan, double veil)
{
    double *rad = angles_of(scan);
    float *projections = scan_of(scan, rad);
    SinoCone cone = cone_of(scan, rad);
    SinoConeConsistency result;
    float most = 0;
    for (int64_t i = 0; i < scan->angles * ROWS * COLUMNS; i++) most = fmaxf(most, projections[i]);
    for (int64_t i = 0; i < scan->angles * ROWS * COLUMNS; i++) projections[i] += (float)veil * most;
    cone.center += 0.3;
    cone.center_row = (ROWS - 1) / 2.0;
    assert_success(sino_cone_consistency_find(&cone, 0, projections, &result));
    print_message("%s, %ld angles in %g degrees, source %g, noise %g: center %.2f%+.3f ± %.3f, row %.2f%+.3f ± %.3f, "
                  "tilt %.2f%+.4f ± %.4f degrees; %ld lines\n",
                  scan->balls ? "balls" : "head", scan->angles, scan->arc_deg, scan->distance, scan->noise,
                  scan->center, result.center.value - scan->center, result.center.error, scan->center_row,
                  result.center_row.value - scan->center_row, result.center_row.error, scan->tilt_deg,
                  result.tilt.value / deg - scan->tilt_deg, result.tilt.error / deg, result.line_count);
    free(rad);
    free(projections);
    return result;
}

static const Case cases[] = {
    {48, 360, 47.5, 39.5, 0, 250, 0, true},    {48, 360, 48.3, 41.2, 0.5, 250, 0.01, true},
    {48, 360, 46, 37, -1.5, 250, 0.01, true},  {60, 220, 48.3, 41.2, 0.5, 250, 0.01, true},
    {48, 360, 48.3, 41.2, 0.3, 150, 0, true},  {48, 360, 48.3, 41.2, 0.3, 600, 0.01, true},
    {48, 360, 48.3, 41.2, 0.5, 250, 0, false}, {48, 360, 47.5, 38.5, 0, 120, 0.01, false},
};

/* Balls of all heights and places tell every number. The head is almost round, and tells what its errors say. */
static void numbers_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *scan = &cases[i];
        const SinoConeConsistency found = find(scan, 0);
        const double center = fabs(found.center.value - scan->center);
        const double row = fabs(found.center_row.value - scan->center_row);
        const double tilt = fabs(found.tilt.value / deg - scan->tilt_deg);
        assert_true(found.line_count > 0 || !scan->balls);
        if (scan->balls) assert_true(center <= 0.05 && row <= 0.2 && tilt <= 0.05 && found.tilt.error <= 0.03 * deg);
        if (!scan->balls && found.line_count > 0)
            assert_true(row <= 4 * found.center_row.error && tilt <= 4 * found.tilt.error / deg);
    }
}

static void lines_must_end_in_air(void **state)
{
    (void)state;
    assert_int_equal(find(&cases[0], 0.2).line_count, 0);
}

TESTING_SUBJECT(cone_consistency)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_found), cmocka_unit_test(lines_must_end_in_air)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
