/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripe sample: sixteen projections tell weak and wide stripes from noise, zingers and the edges of an object. */
#include "stripe_sample.h"

#include "testing.h"

#include <math.h>

enum { PROJECTIONS = 16, COLUMNS = 256, ROWS = 8 };

/* About normal, of deviation 1. */
static double next_normal(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += testing_uniform(state);
    return sum;
}

static double chord(double radius, double at)
{
    return sqrt(fmax(radius * radius - at * at, 0));
}

/* A disk with a hole and a grain, in noise of a fiftieth. */
static double integral_at(int64_t projection, int64_t column, uint32_t *state)
{
    const double turn = M_PI * (double)projection / PROJECTIONS, at = (double)column - 127.5;
    const double hole = at - 60 * cos(turn - 1), grain = at - 85 * cos(turn - 2.5);
    return (chord(110, at) - chord(15, hole) + chord(4, grain)) / 150 + 0.02 * next_normal(state);
}

/* The deviation of ROWS rows whose columns are off by that of `stripes`, in stripes of `width` columns, `apart` columns
 * apart; zinger: how deep two zingers of each row are. */
static double deviation_of(double stripes, int64_t width, int64_t apart, double zinger)
{
    float integrals[PROJECTIONS * COLUMNS];
    SinoStripeSample sample = {0};
    uint32_t state = 7;
    for (int64_t row = 0; row < ROWS; row++) {
        double offset[COLUMNS] = {0};
        for (int64_t first = apart / 2; first + width < COLUMNS; first += apart) {
            const double off = stripes * next_normal(&state);
            for (int64_t c = first; c < first + width; c++) offset[c] = off;
        }
        for (int64_t i = 0; i < PROJECTIONS * COLUMNS; i++)
            integrals[i] = (float)(integral_at(i / COLUMNS, i % COLUMNS, &state) + offset[i % COLUMNS]);
        integrals[3 * COLUMNS + 40] = NAN;
        integrals[5 * COLUMNS + 10 * row + 20] -= (float)zinger;
        integrals[9 * COLUMNS + 10 * row + 150] -= (float)zinger;
        assert_success(sino_stripe_sample_add(PROJECTIONS, COLUMNS, integrals, &sample));
    }
    assert_int_equal(sample.rows, ROWS);
    return sino_stripe_sample_deviation(&sample);
}

static void stripes_are_told(void **state)
{
    (void)state;
    const double none = deviation_of(0, 1, 1, 0), zingers = deviation_of(0, 1, 1, 2);
    const double all = deviation_of(0.007, 1, 1, 0), wide = deviation_of(0.02, 9, 40, 0);
    if (none != 0 || zingers != 0) fail_msg("without stripes: %g, with zingers %g", none, zingers);
    if (!(all > 0.003 && all < 0.007)) fail_msg("all columns: %g", all);
    if (!(wide > 0.002 && wide < 0.02)) fail_msg("wide stripes: %g", wide);
}

static void nothing_is_told_of_nothing(void **state)
{
    (void)state;
    static float integrals[PROJECTIONS * COLUMNS];
    SinoStripeSample sample = {0};
    assert_true(isnan(sino_stripe_sample_deviation(&sample)));
    for (int64_t i = 0; i < PROJECTIONS * COLUMNS; i++) integrals[i] = NAN;
    assert_success(sino_stripe_sample_add(PROJECTIONS, COLUMNS, integrals, &sample));
    assert_true(isnan(sino_stripe_sample_deviation(&sample)));
    for (int64_t i = 0; i < PROJECTIONS * COLUMNS; i++) integrals[i] = 1;
    assert_success(sino_stripe_sample_add(PROJECTIONS, COLUMNS, integrals, &sample));
    assert_true(sino_stripe_sample_deviation(&sample) == 0);
}

TESTING_SUBJECT(stripe_sample)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stripes_are_told),
                                       cmocka_unit_test(nothing_is_told_of_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
