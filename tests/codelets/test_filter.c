/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter: against direct convolution in double; windows; angle weights. */
#include "filter.h"
#include "memory.h"
#include "row_end.h"
#include "testing.h"

#include <math.h>

static double ramp(int64_t n)
{
    if (n == 0) return 0.25;
    return n % 2 ? -1 / (M_PI * M_PI * (double)(n * n)) : 0;
}

static const SinoSlices one_single = {SINO_SINGLE, 1, 1}, one_double = {SINO_DOUBLE, 1, 1};

/* Filters in place with a scratch of its own. */
static void run_filter(int64_t columns, SinoFilterWindow window, int64_t angles, SinoSlices slices,
                       const double *weight, void *sinogram)
{
    SinoFilter *filter = NULL;
    void *scratch = NULL;
    assert_success(sino_filter_new(columns, window, slices.precision, &filter));
    assert_success(sino_allocate(sino_filter_scratch_bytes(filter), 1, "test", &scratch));
    sino_filter_run(filter, angles, slices, weight, scratch, sinogram);
    sino_filter_free(filter);
    free(scratch);
}

enum { ANGLES = 3 };

/* Slices in use are filtered, padding stays. */
static void check_convolved(SinoSlices slices, int64_t columns, const double *weight, const double *original,
                            const void *sinogram)
{
    const double tolerance = slices.precision == SINO_DOUBLE ? 1e-14 : 2e-6;
    for (int64_t i = 0; i < ANGLES * columns * slices.stride; i++) {
        const int64_t f = i % slices.stride, ray = i / slices.stride, c = ray % columns;
        double expected = 0;
        for (int64_t n = 0; n < columns; n++) expected += ramp(c - n) * original[(ray - c + n) * slices.stride + f];
        expected = f < slices.slice_count ? expected * weight[ray / columns] : original[i];
        const int64_t at = sino_panel_element(slices, ANGLES * columns, ray, f);
        const double error = fabs(testing_element(slices.precision, sinogram, at) - expected);
        if (error > tolerance) fail_msg("M %ld F %ld: %g", columns, slices.slice_count, error);
    }
}

static void check_convolution(SinoPrecision precision, int64_t columns, int64_t slice_count)
{
    const double weight[ANGLES] = {1, 0.25, -2};
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count + 3), slice_count};
    const int64_t count = ANGLES * columns * slices.stride;
    double *original = NULL, *sinogram = NULL;
    uint32_t seed = (uint32_t)(columns * 100 + slice_count);
    assert_success(sino_allocate(count, sizeof *original, "test", &original));
    assert_success(sino_allocate(count, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = sino_panel_element(slices, ANGLES * columns, i / slices.stride, i % slices.stride);
        testing_set_element(precision, sinogram, at, testing_uniform(&seed));
        original[i] = testing_element(precision, sinogram, at);
    }
    run_filter(columns, SINO_WINDOW_NONE, ANGLES, slices, weight, sinogram);
    check_convolved(slices, columns, weight, original, sinogram);
    free(original);
    free(sinogram);
}

static void agrees_with_convolution(void **state)
{
    (void)state;
    const int64_t columns[] = {1, 2, 5, 83, 640}, slices[] = {1, 5, 16, 17, 33, 64};
    for (int i = 0; i < 60; i++) {
        check_convolution(i % 2 ? SINO_DOUBLE : SINO_SINGLE, columns[i / 2 % 5], slices[i / 10]);
    }
}

/* To the last bit, a slice's result is the same alone and among others. */
static void slices_do_not_mix(void **state)
{
    (void)state;
    enum { COLUMNS = 77, SLICES = 41, STRIDE_MOST = 64, ANGLE_PAIR = 2, RAYS = ANGLE_PAIR * COLUMNS };
    const double weight[ANGLE_PAIR] = {0.5, 3};
    const SinoSlices all = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, SLICES), SLICES};
    float original[RAYS * STRIDE_MOST] = {0}, together[RAYS * STRIDE_MOST] = {0}, alone[RAYS];
    uint32_t seed = 3;
    assert_true(all.stride <= STRIDE_MOST);
    for (int i = 0; i < RAYS * all.stride; i++)
        original[i] = together[i] = (float)testing_uniform(&seed) * (i % SLICES == 5 ? 1e6F : 1);
    run_filter(COLUMNS, SINO_WINDOW_HANN, ANGLE_PAIR, all, weight, together);
    for (int f = 0; f < SLICES; f += 4) {
        for (int i = 0; i < RAYS; i++) alone[i] = original[sino_panel_element(all, RAYS, i, f)];
        run_filter(COLUMNS, SINO_WINDOW_HANN, ANGLE_PAIR, one_single, weight, alone);
        for (int i = 0; i < RAYS; i++) assert_true(alone[i] == together[sino_panel_element(all, RAYS, i, f)]);
    }
}

/* Angles of equal rows, more than a GPU transforms at a time, differ by their weights alone: powers of two. */
static void angles_do_not_mix(void **state)
{
    (void)state;
    enum { COLUMNS = 9000, MANY = 33 };
    const int64_t width = sino_panel_width(SINO_DOUBLE), row = COLUMNS * width;
    const SinoSlices slices = {SINO_DOUBLE, width, width};
    double weight[MANY], *sinogram = NULL;
    uint32_t seed = 3;
    assert_success(sino_allocate(MANY * row, sizeof *sinogram, "test", &sinogram));
    for (int64_t i = 0; i < MANY * row; i++) {
        weight[i / row] = ldexp(1, (int)(i / row));
        sinogram[i] = i < row ? testing_uniform(&seed) : sinogram[i - row];
    }
    run_filter(COLUMNS, SINO_WINDOW_NONE, MANY, slices, weight, sinogram);
    for (int64_t i = row; i < MANY * row; i++) assert_true(sinogram[i] == 2 * sinogram[i - row]);
    free(sinogram);
}

/* A row of ones and nothing else keeps Σh over the row: small, positive, and not the 0 of a ramp sampled in frequency.
 */
static void mean_is_kept(void **state)
{
    (void)state;
    enum { COLUMNS = 201 };
    const double weight = 1;
    double row[COLUMNS], expected = 0;
    for (int c = 0; c < COLUMNS; c++) row[c] = 1;
    for (int n = -COLUMNS / 2; n <= COLUMNS / 2; n++) expected += ramp(n);
    run_filter(COLUMNS, SINO_WINDOW_NONE, 1, one_double, &weight, row);
    assert_true(fabs(row[COLUMNS / 2] - expected) < 1e-14);
    assert_true(row[COLUMNS / 2] > 0.9 / (M_PI * M_PI * COLUMNS / 2) && row[0] > 0.12);
}

/* A window acts on a wave of its frequency as W(ν) times the ramp does, far from the row's ends. */
static void windows_scale_waves(void **state)
{
    (void)state;
    enum { COLUMNS = 1024 };
    const double weight = 1;
    double plain[COLUMNS], windowed[COLUMNS];
    for (int window = 0; window <= SINO_WINDOW_BUTTERWORTH; window++) {
        assert_true(fabs(sino_filter_window((SinoFilterWindow)window, 0) - 1) < 1e-15);
        for (int step = 1; step < 8; step++) {
            const double nu = step / 8.0;
            for (int c = 0; c < COLUMNS; c++)
                plain[c] = windowed[c] = sin(M_PI * nu * c) * exp(-pow((c - 512) / 150.0, 2));
            run_filter(COLUMNS, SINO_WINDOW_NONE, 1, one_double, &weight, plain);
            run_filter(COLUMNS, (SinoFilterWindow)window, 1, one_double, &weight, windowed);
            const double expected = sino_filter_window((SinoFilterWindow)window, nu);
            for (int c = 480; c < 544; c++) assert_true(fabs(windowed[c] - expected * plain[c]) < 1e-3);
        }
    }
}

static void windows_have_known_values(void **state)
{
    (void)state;
    const double half[] = {1, 2 * M_SQRT2 / M_PI, M_SQRT1_2, 0.5, 0.54, 0.125, 1 / (1 + 0x1p-16)};
    const double nyquist[] = {1, 2 / M_PI, 0, 0, 0.08, 0, 0.5};
    for (int window = 0; window <= SINO_WINDOW_BUTTERWORTH; window++) {
        assert_true(fabs(sino_filter_window((SinoFilterWindow)window, 0.5) - half[window]) < 1e-14);
        assert_true(fabs(sino_filter_window((SinoFilterWindow)window, 1) - nyquist[window]) < 1e-14);
    }
}

/* The projection of a disk goes on as the disk does; rows that rise or fall have an end; all are proportional to the
 * row. */
static void rows_end_as_ellipses_do(void **state)
{
    (void)state;
    enum { COLUMNS = 100, RADIUS = 60 };
    double chord[3];
    for (int i = 0; i < 3; i++) chord[i] = sqrt(RADIUS * RADIUS - pow(49.5 - i, 2));
    const SinoRowEnd disk = sino_row_end(COLUMNS, chord[0], chord[1], chord[2]);
    for (int d = 1; d <= 5; d++) {
        const double expected = sqrt(RADIUS * RADIUS - pow(49.5 + d, 2)), found = sino_row_beyond(disk, d);
        if (!(fabs(found / expected - 1) < 0.05)) fail_msg("%d columns beyond a disk: %g, %g", d, found, expected);
    }
    assert_true(sino_row_beyond(disk, 13) == 0); /* it ends 10.5 columns beyond the last one */
    const SinoRowEnd flat = sino_row_end(COLUMNS, 2, 2, 2), steep = sino_row_end(COLUMNS, -1, -1.1, -1.2);
    assert_true(fabs(sino_row_beyond(flat, 60) - 2 * 0.8) < 1e-12 && sino_row_beyond(flat, COLUMNS) == 0);
    assert_true(fabs(sino_row_beyond(steep, 4) + sqrt(1 - 0.8)) < 1e-12 && sino_row_beyond(steep, 6) == 0);
    const SinoRowEnd rising = sino_row_end(COLUMNS, 3, 2, 1); /* its slope counts up to 3v/2L */
    assert_true(fabs(sino_row_beyond(rising, 50) - 3 * sqrt(0.5 * 3)) < 1e-12);
    const SinoRowEnd none = sino_row_end(1, 0, 0, 0);
    assert_true(sino_row_beyond(none, 1) == 0);
}

/* A row that is continued gets the middle of the result of a row that is so much longer. */
static void edges_continue_rows(void **state)
{
    (void)state;
    enum { COLUMNS = 96, BEFORE = 48, LONG = COLUMNS + 2 * BEFORE };
    const double weight = 1;
    for (int precision = 0; precision < 2; precision++) {
        double longer[LONG], row_double[COLUMNS];
        float row_single[COLUMNS];
        SinoFilter *filter = NULL;
        void *scratch = NULL;
        const SinoSlices one = precision ? one_double : one_single;
        double *const row = longer + BEFORE;
        for (int c = 0; c < COLUMNS; c++) row[c] = 1 + sin(0.3 * c) + (double)c / COLUMNS;
        const SinoRowEnd first = sino_row_end(COLUMNS, row[0], row[1], row[2]);
        const SinoRowEnd last = sino_row_end(COLUMNS, row[COLUMNS - 1], row[COLUMNS - 2], row[COLUMNS - 3]);
        for (int d = 1; d <= BEFORE; d++) {
            row[-d] = sino_row_beyond(first, d);
            row[COLUMNS - 1 + d] = sino_row_beyond(last, d);
        }
        for (int c = 0; c < COLUMNS; c++) row_single[c] = (float)(row_double[c] = row[c]);
        assert_success(sino_filter_new(COLUMNS, SINO_WINDOW_NONE, one.precision, &filter));
        sino_filter_fill(filter, true, false);
        const SinoFilterTransfer transfer = sino_filter_transfer(filter);
        assert_true(transfer.edges && transfer.padded_count == 2 * COLUMNS); /* BEFORE to each side */
        assert_success(sino_allocate(sino_filter_scratch_bytes(filter), 1, "test", &scratch));
        sino_filter_run(filter, 1, one, &weight, scratch, precision ? (void *)row_double : (void *)row_single);
        for (int c = 0; c < COLUMNS; c++) {
            double expected = 0; /* round the circle of 2·COLUMNS */
            for (int n = 0; n < LONG; n++) {
                const int64_t apart = abs(BEFORE + c - n);
                expected += ramp(apart < COLUMNS ? apart : 2 * COLUMNS - apart) * longer[n];
            }
            const double found = precision ? row_double[c] : (double)row_single[c];
            if (!(fabs(found - expected) <= (precision ? 1e-13 : 3e-6)))
                fail_msg("column %d: %g, %g", c, found, expected);
        }
        sino_filter_free(filter);
        free(scratch);
    }
}

/* Interpolates -0 in a row. */
static void bridge(int64_t columns, double *row)
{
    int64_t left = -1;
    for (int64_t c = 0; c < columns; c++) {
        if (row[c] == 0 && signbit(row[c])) continue;
        for (int64_t g = left + 1; g < c; g++)
            row[g] = left < 0 ? row[c] : row[left] + (double)(g - left) / (double)(c - left) * (row[c] - row[left]);
        left = c;
    }
    for (int64_t g = left + 1; left >= 0 && g < columns; g++) row[g] = row[left];
}

/* Random values, of which a share is undefined, as a filter that bridges gaps and one that does not filter them. */
static void check_gaps(SinoPrecision precision, int64_t columns, int64_t slice_count, double share, bool edges)
{
    const double weight[ANGLES] = {1, 0.25, 2};
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count), slice_count};
    const int64_t rays = ANGLES * columns, count = rays * slices.stride;
    uint32_t seed = (uint32_t)(columns * 100 + slice_count);
    double *row = NULL;
    void *sinogram[2] = {NULL}, *scratch = NULL;
    SinoFilter *filter[2] = {NULL};
    assert_success(sino_allocate(columns, sizeof *row, "test", &row));
    for (int i = 0; i < 2; i++) {
        assert_success(sino_allocate(count, sizeof(double), "test", &sinogram[i]));
        assert_success(sino_filter_new(columns, SINO_WINDOW_NONE, precision, &filter[i]));
        sino_filter_fill(filter[i], edges, i == 0);
    }
    for (int64_t at = 0; at < ANGLES * slice_count; at++) {
        const int64_t k = at / slice_count, f = at % slice_count;
        for (int64_t c = 0; c < columns; c++)
            row[c] = testing_uniform(&seed) < share ? -0.0 : testing_uniform(&seed) + 1;
        for (int i = 0; i < 2; i++) {
            for (int64_t c = 0; c < columns; c++)
                testing_set_element(precision, sinogram[i], sino_panel_element(slices, rays, k * columns + c, f),
                                    row[c]);
            bridge(columns, row);
        }
    }
    assert_success(sino_allocate(sino_filter_scratch_bytes(filter[0]), 1, "test", &scratch));
    for (int i = 0; i < 2; i++) sino_filter_run(filter[i], ANGLES, slices, weight, scratch, sinogram[i]);
    for (int64_t i = 0; i < count; i++) {
        const double found = testing_element(precision, sinogram[0], i);
        const double expected = testing_element(precision, sinogram[1], i);
        if (!(fabs(found - expected) <= (precision == SINO_DOUBLE ? 1e-13 : 4e-6)))
            fail_msg("M %ld F %ld: %g, %g", columns, slice_count, found, expected);
    }
    for (int i = 0; i < 2; i++) {
        sino_filter_free(filter[i]);
        free(sinogram[i]);
    }
    free(row);
    free(scratch);
}

/* Among these rows are such without any value, and such that begin or end without one. */
static void gaps_are_bridged(void **state)
{
    (void)state;
    const int64_t columns[] = {1, 2, 7, 61}, slices[] = {1, 5, 16, 33};
    for (int i = 0; i < 64; i++)
        check_gaps(i % 2 ? SINO_DOUBLE : SINO_SINGLE, columns[i / 2 % 4], slices[i / 8 % 4], i % 3 == 0 ? 0.1 : 0.7,
                   i >= 32);
}

static void columns_out_of_range_are_refused(void **state)
{
    (void)state;
    SinoFilter *filter = NULL;
    assert_error(sino_filter_new(0, SINO_WINDOW_NONE, SINO_SINGLE, &filter), SINO_BAD_INPUT,
                 "filter of 0 columns; allowed: 1 to 268435456");
    assert_null(filter);
    sino_filter_free(NULL);
}

static double sum_of(int count, const double *values)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum;
}

/* Weights of `count` angles from 0 by `step_deg`, shuffled by a stride coprime to count. */
static void check_equal_weights(int count, double step_deg, int shuffle, double expected)
{
    double *angle = NULL, *weight = NULL;
    assert_success(sino_allocate(count, sizeof *angle, "test", &angle));
    assert_success(sino_allocate(count, sizeof *weight, "test", &weight));
    for (int i = 0; i < count; i++) angle[i] = (double)((int64_t)i * shuffle % count) * step_deg * M_PI / 180 - 7;
    assert_success(sino_filter_angle_weights(count, angle, weight));
    for (int i = 0; i < count; i++) assert_true(fabs(weight[i] - expected) < 1e-12);
    assert_true(fabs(sum_of(count, weight) - M_PI) < 1e-12);
    free(angle);
    free(weight);
}

static void even_angles_weigh_alike(void **state)
{
    (void)state;
    check_equal_weights(180, 1, 1, M_PI / 180);
    check_equal_weights(180, 1, 7, M_PI / 180);
    check_equal_weights(360, 1, 1, M_PI / 360);
    check_equal_weights(360, 1, 77, M_PI / 360);
    check_equal_weights(1, 1, 1, M_PI);
    check_equal_weights(9, 180, 2, M_PI / 9);
}

/* Golden-angle scans have no even gaps. */
static void weights_of_any_angles_sum_to_pi(void **state)
{
    (void)state;
    double angle[501], weight[501];
    for (int i = 0; i < 501; i++) angle[i] = 111.2461 * M_PI / 180 * i;
    assert_success(sino_filter_angle_weights(501, angle, weight));
    assert_true(fabs(sum_of(501, weight) - M_PI) < 1e-12);
    for (int i = 0; i < 501; i++) assert_true(weight[i] > 0.5 * M_PI / 501 && weight[i] < 2 * M_PI / 501);
}

static void uneven_angles_share_gaps(void **state)
{
    (void)state;
    const double deg = M_PI / 180;
    const double both_ends[] = {0, 60 * deg, 120 * deg, (double)(float)M_PI};
    double weight[6];
    assert_success(sino_filter_angle_weights(4, both_ends, weight));
    const double expected_ends[] = {30, 60, 60, 30};
    for (int i = 0; i < 4; i++) assert_true(fabs(weight[i] / deg - expected_ends[i]) < 1e-5);

    const double mixed[] = {100 * deg, 0, 190 * deg, 10 * deg, 370 * deg, -80 * deg};
    assert_success(sino_filter_angle_weights(6, mixed, weight));
    const double expected_mixed[] = {42.5, 45, 50.0 / 3, 50.0 / 3, 50.0 / 3, 42.5};
    for (int i = 0; i < 6; i++) assert_true(fabs(weight[i] / deg - expected_mixed[i]) < 1e-9);
    assert_success(sino_filter_angle_weights(0, NULL, NULL));

    static const bool dropped[] = {false, true, false, false, true, false};
    assert_success(sino_filter_angle_shares(6, mixed, dropped, M_PI, weight));
    const double without[] = {45, 0, 45, 45, 0, 45}; /* of angles modulo 180: 10, 10, 100, 100 */
    for (int i = 0; i < 6; i++) assert_true(fabs(weight[i] / deg - without[i]) < 1e-9);
}

/* The ends of a tilt series see no more of the wedge between them than of any other step. */
static void wedges_have_no_weight(void **state)
{
    (void)state;
    const double deg = M_PI / 180;
    double angle[61], weight[61], few[61];
    for (int i = 0; i < 61; i++) angle[i] = (2 * i - 60) * deg;
    assert_success(sino_filter_angle_weights(61, angle, weight));
    for (int i = 0; i < 61; i++) assert_true(fabs(weight[i] / deg - 2) < 1e-9);

    bool dropped[61] = {false};
    for (int i = 20; i < 30; i++) dropped[i] = true; /* leaves 22 degrees, which are filled */
    assert_success(sino_filter_angle_shares(61, angle, dropped, M_PI, few));
    assert_true(fabs(few[19] / deg - 12) < 1e-9 && fabs(few[30] / deg - 12) < 1e-9 && few[25] == 0);
    assert_true(fabs(few[0] / deg - (2 + 120.0 / 50) / 2) < 1e-9); /* all that is seen, 120 degrees in 50 steps */
}

TESTING_SUBJECT(filter)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_convolution), cmocka_unit_test(slices_do_not_mix),
        cmocka_unit_test(angles_do_not_mix),       cmocka_unit_test(mean_is_kept),
        cmocka_unit_test(windows_scale_waves),     cmocka_unit_test(windows_have_known_values),
        cmocka_unit_test(even_angles_weigh_alike), cmocka_unit_test(uneven_angles_share_gaps),
        cmocka_unit_test(wedges_have_no_weight),   cmocka_unit_test(weights_of_any_angles_sum_to_pi),
        cmocka_unit_test(rows_end_as_ellipses_do), cmocka_unit_test(edges_continue_rows),
        cmocka_unit_test(gaps_are_bridged),        cmocka_unit_test(columns_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
