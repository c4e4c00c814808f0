/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost fit: known laws are found, widths and sizes that are left out lie within the error that is told. */
#include "models.h"

#include "testing.h"

#include <math.h>

enum { MOST = 200 };

typedef double Law(double nonzeros, double width);

static double bytes_of(double nonzeros, double width)
{
    return 1.6 * nonzeros + 2000 * width;
}

/* Lengths of A, then a sum for each slice. */
static double plain(double nonzeros, double width)
{
    return 3e-6 + 1e-10 * bytes_of(nonzeros, width) + 2e-11 * nonzeros * width;
}

/* Narrow vectors have a slower kernel; small sizes are in a cache. */
static double bent(double nonzeros, double width)
{
    return plain(nonzeros, width) * (1 + 4 / width) * (nonzeros < 1e6 ? 0.7 : 1);
}

static double noisy(double t, uint64_t *state, double noise)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return t * (1 + noise * ((double)(*state >> 11) / 0x1p52 - 1));
}

static SinoCostPoint point_of(double nonzeros, double width, Law *law)
{
    return (SinoCostPoint){.work = nonzeros * width,
                           .bytes = bytes_of(nonzeros, width),
                           .width = width,
                           .seconds = law(nonzeros, width),
                           .noise = 0.01};
}

/* Sizes of 2^17 … 2^(16 + sizes) nonzeros, of each width. */
static SinoCostFit *fit_of(Law *law, int sizes, int widths, const double *width, double noise)
{
    SinoCostPoint point[MOST];
    SinoCostFit *fit;
    int count = 0;
    uint64_t random = 7;
    for (int s = 1; s <= sizes; s++)
        for (int w = 0; w < widths; w++) {
            point[count] = point_of(ldexp(1, 16 + s), width[w], law);
            point[count].seconds = noisy(point[count].seconds, &random, noise);
            count++;
        }
    assert_success(sino_cost_fit_new(count, point, &fit));
    return fit;
}

/* How far the curve is off, and what it tells of that. */
static double miss(const SinoCostFit *fit, double nonzeros, double width, Law *law, double *error)
{
    const SinoCostPoint point = point_of(nonzeros, width, law);
    return sino_cost_fit_s(fit, &point, error) / point.seconds - 1;
}

static const double widths[] = {8, 16, 32};

static void known_laws_are_found(void **state)
{
    double error;
    (void)state;
    SinoCostFit *fit = fit_of(plain, 6, 3, widths, 0);
    assert_true(fabs(miss(fit, 3e5, 16, plain, &error)) < 1e-3 && error < 0.06);
    assert_true(fabs(miss(fit, 1e6, 24, plain, &error)) < 1e-3); /* a width between */
    assert_true(fabs(miss(fit, 1e9, 16, plain, &error)) < 1e-2); /* a hundred times the largest */
    sino_cost_fit_free(fit);
}

/* A narrow panel takes a kernel that is slower for each slice. */
static double of_panel(double nonzeros, double width)
{
    return 1e-11 * nonzeros * width * (width < 16 ? 3 : width < 32 ? 1.6 : 1);
}

/* Panels of 32 slices, and one of the rest. */
static double paneled(double nonzeros, double width)
{
    const double whole = 32 * floor(width / 32), rest = width - whole;
    return of_panel(nonzeros, whole) + of_panel(nonzeros, rest);
}

static SinoCostFit *fit_panels(int number, const double *width)
{
    SinoCostPoint point[MOST];
    SinoCostFit *fit;
    int count = 0;
    for (int s = 1; s <= 5; s++)
        for (int w = 0; w < number; w++) {
            point[count] = point_of(ldexp(1, 16 + s), width[w], paneled);
            point[count++].panel = 32;
        }
    assert_success(sino_cost_fit_new(count, point, &fit));
    return fit;
}

static double miss_panels(const SinoCostFit *fit, double width)
{
    SinoCostPoint point = point_of(3e5, width, paneled);
    point.panel = 32;
    return sino_cost_fit_s(fit, &point, NULL) / point.seconds - 1;
}

/* A width whose last panel is narrower was never measured; or it was, and the narrow one was not. */
static void panels_are_summed_up(void **state)
{
    (void)state;
    SinoCostFit *fit = fit_panels(4, (const double[]){8, 16, 32, 64});
    const double off = miss_panels(fit, 48), narrow = miss_panels(fit, 40), wide = miss_panels(fit, 112);
    if (!(fabs(off) < 0.03 && fabs(narrow) < 0.04 && fabs(wide) < 0.04)) fail_msg("%g, %g, %g", off, narrow, wide);
    sino_cost_fit_free(fit);
    fit = fit_panels(2, (const double[]){32, 48});
    const double alone = miss_panels(fit, 16), same = miss_panels(fit, 48);
    if (!(fabs(alone) < 0.15 && fabs(same) < 0.06)) fail_msg("%g, %g", alone, same);
    sino_cost_fit_free(fit);
}

static void left_out_is_within_the_error(void **state)
{
    const double some[] = {8, 32, 64};
    double error;
    (void)state;
    SinoCostFit *fit = fit_of(bent, 7, 3, some, 0.05);
    assert_true(fabs(miss(fit, 4e5, 16, bent, &error)) < 2 * error && error < 0.3);
    assert_true(fabs(miss(fit, 3e6, 16, bent, &error)) < 2 * error && error < 0.3);
    assert_true(fabs(miss(fit, 3e6, 32, bent, &error)) < 0.1);
    assert_true(fabs(miss(fit, 3e7, 32, bent, &error)) < 2 * error);
    assert_true(fabs(miss(fit, 3e6, 2, bent, &error)) < 3 * error);
    sino_cost_fit_free(fit);
}

static void errors_grow_outside(void **state)
{
    double inside, near, far, wide;
    (void)state;
    SinoCostFit *fit = fit_of(bent, 6, 3, widths, 0.02);
    (void)miss(fit, 5e5, 16, bent, &inside);
    (void)miss(fit, 2e7, 16, bent, &near);
    (void)miss(fit, 2e9, 16, bent, &far);
    (void)miss(fit, 5e5, 512, bent, &wide);
    assert_true(inside < near && near < far && inside < wide && far > 0.5);
    sino_cost_fit_free(fit);
}

/* A disk that was busy once does not spoil what is told of the other sizes. */
static void single_bad_times_count_little(void **state)
{
    SinoCostPoint point[12];
    SinoCostFit *fit;
    (void)state;
    for (int i = 0; i < 12; i++)
        point[i] = (SinoCostPoint){.bytes = 1e5 * (i + 1), .seconds = 1e-4 + 1e-3 * (i + 1), .noise = 0.02};
    point[5].seconds *= 40;
    assert_success(sino_cost_fit_new(12, point, &fit));
    const double middle = sino_cost_fit_s(fit, &(SinoCostPoint){.bytes = 1.15e6}, NULL);
    const double large = sino_cost_fit_s(fit, &(SinoCostPoint){.bytes = 1e8}, NULL);
    assert_true(fabs(middle / 1.16e-2 - 1) < 0.5 && fabs(large / 1.0 - 1) < 0.5);
    sino_cost_fit_free(fit);
}

static void one_point_is_a_line(void **state)
{
    const SinoCostPoint work = {.work = 100, .bytes = 5, .width = 1, .seconds = 2, .noise = 0.1};
    const SinoCostPoint bytes = {.bytes = 50, .seconds = 2}, none = {.seconds = 2};
    double error;
    SinoCostFit *fit;
    (void)state;
    assert_success(sino_cost_fit_new(1, &work, &fit));
    assert_true(fabs(sino_cost_fit_s(fit, &(SinoCostPoint){.work = 300, .width = 1}, &error) / 6 - 1) < 1e-6);
    assert_true(error >= 0.5);
    sino_cost_fit_free(fit);
    assert_success(sino_cost_fit_new(1, &bytes, &fit));
    assert_true(fabs(sino_cost_fit_s(fit, &(SinoCostPoint){.bytes = 25}, &error) - 1) < 1e-6);
    sino_cost_fit_free(fit);
    assert_success(sino_cost_fit_new(1, &none, &fit));
    assert_true(fabs(sino_cost_fit_s(fit, &(SinoCostPoint){.bytes = 25}, &error) - 2) < 1e-6);
    sino_cost_fit_free(fit);
}

static void many_points_are_thinned_out(void **state)
{
    double width[25], error;
    (void)state;
    for (int i = 0; i < 25; i++) width[i] = 4 + 2 * i;
    SinoCostFit *fit = fit_of(plain, 8, 25, width, 0.02);
    assert_true(fabs(miss(fit, 3e6, 20, plain, &error)) < 0.05 && error < 0.1);
    sino_cost_fit_free(fit);
}

TESTING_SUBJECT(cost_fit)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_laws_are_found),          cmocka_unit_test(left_out_is_within_the_error),
        cmocka_unit_test(panels_are_summed_up),          cmocka_unit_test(errors_grow_outside),
        cmocka_unit_test(single_bad_times_count_little), cmocka_unit_test(one_point_is_a_line),
        cmocka_unit_test(many_points_are_thinned_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
