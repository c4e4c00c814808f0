/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt: against the formula computed plainly in double; a known picture turned; rows apart; undefined values; phase
 * retrieval of an upright image. */
#include "memory.h"
#include "testing.h"
#include "tilt.h"

#include <math.h>

enum { ROWS = 40, COLUMNS = 52, PIXELS = ROWS * COLUMNS, ANGLES = 2 };

static int64_t clamped(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

/* The cubic of Keys at a distance. */
static double keys(double x)
{
    x = fabs(x);
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

static void place_of(double angle, int64_t r, int64_t c, double *row, double *column)
{
    const double dr = (double)r - (ROWS - 1) / 2.0, dc = (double)c - (COLUMNS - 1) / 2.0;
    *row = (ROWS - 1) / 2.0 + dr * cos(angle) - dc * sin(angle);
    *column = (COLUMNS - 1) / 2.0 + dr * sin(angle) + dc * cos(angle);
}

/* The value of an image without undefined ones; NaN outside the detector. */
static double reference(double angle, bool transmissions, const float *image, int64_t r, int64_t c)
{
    double row, column, sum = 0, least = INFINITY;
    place_of(angle, r, c, &row, &column);
    if (row < -0.5 || row >= ROWS - 0.5 || column < -0.5 || column >= COLUMNS - 0.5) return NAN;
    for (int64_t y = (int64_t)floor(row) - 1; y <= (int64_t)floor(row) + 2; y++)
        for (int64_t x = (int64_t)floor(column) - 1; x <= (int64_t)floor(column) + 2; x++) {
            const double value = (double)image[clamped(y, ROWS) * COLUMNS + clamped(x, COLUMNS)];
            sum += value * keys(row - (double)y) * keys(column - (double)x);
            if (fabs(row - (double)y) < 1 && fabs(column - (double)x) < 1) least = fmin(least, value);
        }
    return transmissions ? fmax(sum, least / 2) : sum;
}

static SinoCorrection correction_of(int64_t rows, int64_t first_row, int64_t slices, bool minus_log)
{
    return (SinoCorrection){.input = SINO_CORRECT_FLOAT32,
                            .slices = {SINO_DOUBLE, sino_panel_stride(SINO_DOUBLE, slices), slices},
                            .angle_count = ANGLES,
                            .column_count = COLUMNS,
                            .row_count = rows,
                            .first_row = first_row,
                            .binning = 1,
                            .minus_log = minus_log,
                            .marked = true};
}

static SinoTilt tilt_of(double angle)
{
    return (SinoTilt){.angle_rad = angle, .row_count = ROWS, .column_count = COLUMNS};
}

/* The values in panels; the caller frees them. */
static double *run(const SinoTilt *tilt, const SinoPhaseOptions *options, const SinoCorrection *correction,
                   const void *counts, const float *flat, const float *dark)
{
    const int64_t columns = correction->column_count / correction->binning;
    const int64_t rows = correction->slices.slice_count * correction->binning;
    int64_t repaired[ROWS], tally[ANGLES + COLUMNS];
    SinoPhase *phase = NULL;
    void *scratch = NULL;
    double *sinogram = NULL;
    if (options) assert_success(sino_phase_new(options, &phase));
    assert_success(sino_allocate(sino_tilt_scratch_bytes(tilt, options, rows), 1, "test", &scratch));
    assert_success(sino_allocate(ANGLES * columns * correction->slices.stride, sizeof *sinogram, "test", &sinogram));
    assert_success(sino_tilt_correct(tilt, phase, correction, counts, flat, dark, scratch, sinogram, repaired, tally));
    sino_phase_free(phase);
    free(scratch);
    return sinogram;
}

static double value_of(const SinoCorrection *c, const double *sinogram, int64_t k, int64_t row, int64_t column)
{
    const int64_t columns = c->column_count / c->binning;
    return sinogram[sino_panel_element(c->slices, ANGLES * columns, k * columns + column, row)];
}

static void make_images(float *images)
{
    uint32_t seed = 5;
    for (int64_t i = 0; i < ANGLES * PIXELS; i++)
        images[i] = (float)(i / COLUMNS % 7 == 3 ? 0.001 : 0.2 + 0.8 * testing_uniform(&seed));
}

static void agrees_with_the_formula(void **state)
{
    (void)state;
    static const double angle[] = {0.001, -0.013, 0.08, -0.17};
    static float images[ANGLES * PIXELS];
    make_images(images);
    for (int i = 0; i < 8; i++) {
        const SinoTilt tilt = tilt_of(angle[i / 2]);
        const SinoCorrection c = correction_of(ROWS, 0, ROWS, i % 2);
        double *sinogram = run(&tilt, NULL, &c, images, NULL, NULL);
        int64_t outside = 0;
        for (int64_t j = 0; j < ANGLES * PIXELS; j++) {
            const int64_t k = j / PIXELS, r = j / COLUMNS % ROWS, column = j % COLUMNS;
            const double found = value_of(&c, sinogram, k, r, column);
            const double expected = reference(angle[i / 2], i % 2, images + k * PIXELS, r, column);
            outside += isnan(expected);
            if (isnan(expected))
                assert_true(found == 0 && signbit(found));
            else
                assert_true(fabs((i % 2 ? exp(-found) : found) - expected) < 2e-6);
        }
        assert_true((outside > 0) == (fabs(angle[i / 2]) * COLUMNS / 2 > 0.5));
        free(sinogram);
    }
}

/* A picture of waves, turned by the tilt, is upright again. */
static void pictures_become_upright(void **state)
{
    (void)state;
    static float images[ANGLES * PIXELS];
    const double angle = 0.05;
    const SinoTilt tilt = tilt_of(angle);
    const SinoCorrection c = correction_of(ROWS, 0, ROWS, false);
    for (int64_t j = 0; j < ANGLES * PIXELS; j++) {
        double row, column;
        place_of(-angle, j / COLUMNS % ROWS, j % COLUMNS, &row, &column);
        images[j] = (float)(cos(0.3 * row) * sin(0.4 * column));
    }
    double *sinogram = run(&tilt, NULL, &c, images, NULL, NULL);
    for (int64_t r = 4; r < ROWS - 4; r++)
        for (int64_t x = 4; x < COLUMNS - 4; x++) {
            const double expected = cos(0.3 * (double)r) * sin(0.4 * (double)x);
            assert_true(fabs(value_of(&c, sinogram, 1, r, x) - expected) < 2e-3);
        }
    free(sinogram);
}

/* To the bit: a minibatch does not depend on the rows that were loaded beside its halo, with and without a filter that
 * has a halo of its own, nor do columns on a crop. */
static void parts_do_not_depend_on_others(void **state)
{
    (void)state;
    static float images[ANGLES * PIXELS], part[ANGLES * PIXELS];
    const SinoPhaseOptions options = {.range = 0.4, .column_count = COLUMNS};
    make_images(images);
    for (int i = 0; i < 3; i++) {
        const SinoPhaseOptions *filter = i == 1 ? &options : NULL;
        SinoTilt tilt = tilt_of(i == 2 ? 0.17 : -0.04);
        const int64_t halo = sino_tilt_halo(&tilt) + (filter ? sino_phase_halo(filter) : 0), count = 3, first = 21;
        const int64_t begin = first - halo < 0 ? 0 : first - halo;
        const int64_t end = first + count + halo > ROWS ? ROWS : first + count + halo, rows = end - begin;
        const SinoCorrection whole = correction_of(ROWS, 0, ROWS, true);
        SinoCorrection some = correction_of(rows, first - begin, count, true);
        some.column_count = COLUMNS - 9;
        for (int64_t j = 0; j < ANGLES * rows * COLUMNS; j++)
            part[j] = images[(j / (rows * COLUMNS) * ROWS + begin) * COLUMNS + j % (rows * COLUMNS)];
        double *all = run(&tilt, filter, &whole, images, NULL, NULL);
        SinoPhaseOptions cropped = options;
        cropped.first_column = tilt.first_column = 5;
        tilt.image_row = begin;
        double *few = run(&tilt, filter ? &cropped : NULL, &some, part, NULL, NULL);
        for (int64_t j = 0; j < ANGLES * count * (COLUMNS - 9); j++) {
            const int64_t k = j / (count * (COLUMNS - 9)), r = j / (COLUMNS - 9) % count, x = j % (COLUMNS - 9);
            const double a = value_of(&whole, all, k, first + r, x + 5), b = value_of(&some, few, k, r, x);
            assert_true(testing_same_bytes(&a, &b, sizeof a));
        }
        free(all);
        free(few);
    }
}

/* An even beam of counts stays even; a dead pixel makes the pixels nearest to it undefined, and no others. */
static void undefined_values_stay(void **state)
{
    (void)state;
    static uint16_t counts[ANGLES * PIXELS];
    static float flat[PIXELS], dark[PIXELS];
    const double angle = 0.02;
    const SinoTilt tilt = tilt_of(angle);
    for (int64_t i = 0; i < PIXELS; i++) {
        dark[i] = (float)(10 + i % 3);
        flat[i] = dark[i] + (float)(1000 + 100 * (i % 7));
    }
    for (int64_t i = 0; i < ANGLES * PIXELS; i++)
        counts[i] = (uint16_t)(dark[i % PIXELS] + (flat[i % PIXELS] - dark[i % PIXELS]) / 2);
    flat[8 * COLUMNS + 20] = 0;
    SinoCorrection c = correction_of(ROWS, 0, ROWS, true);
    c.input = SINO_CORRECT_UINT16;
    c.flat_field = true;
    c.plausible = 1000;
    for (int pass = 0; pass < 2; pass++) { /* dead, then implausible */
        if (pass == 1) flat[8 * COLUMNS + 20] = 1e38F;
        double *sinogram = run(&tilt, NULL, &c, counts, flat, dark);
        int64_t dead = 0;
        for (int64_t j = 0; j < ANGLES * PIXELS; j++) {
            const int64_t r = j / COLUMNS % ROWS, x = j % COLUMNS;
            double row, column;
            place_of(angle, r, x, &row, &column);
            const bool outside = row < -0.5 || row >= ROWS - 0.5 || column < -0.5 || column >= COLUMNS - 0.5;
            const bool hit = !outside && lround(row) == 8 && lround(column) == 20;
            const double found = value_of(&c, sinogram, j / PIXELS, r, x);
            dead += hit;
            assert_true((found == 0 && signbit(found)) == (outside || hit));
            if (!outside && !hit) assert_true(fabs(found - log(2)) < 1e-5);
        }
        assert_true(dead >= ANGLES);
        free(sinogram);
    }
}

TESTING_SUBJECT(tilt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_formula),
        cmocka_unit_test(pictures_become_upright),
        cmocka_unit_test(parts_do_not_depend_on_others),
        cmocka_unit_test(undefined_values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
