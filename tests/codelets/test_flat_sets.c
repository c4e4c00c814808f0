/* SPDX-License-Identifier: BSD-3-Clause */
/* Flat sets: sino_correct with several sets of flat fields, against the formula and against one interpolated field. */
#include "correct.h"
#include "memory.h"
#include "testing.h"

#include <inttypes.h>
#include <math.h>

enum { ANGLES = 9, COLUMNS = 22, ROWS = 13, PIXELS = ROWS * COLUMNS, SETS_MOST = 4 };

/* The mean over the bin of slice f and a column. */
static double bin_mean(const SinoCorrection *c, const float *image, int64_t f, int64_t column)
{
    double sum = 0;
    for (int64_t i = 0; i < c->binning * c->binning; i++)
        sum += (double)
            image[(c->first_row + f * c->binning + i / c->binning) * COLUMNS + column * c->binning + i % c->binning];
    return sum / (double)(c->binning * c->binning);
}

static double expected_at(const SinoCorrection *c, const float *counts, const float *flat, const float *dark, int64_t k,
                          int64_t f, int64_t column)
{
    const double at = c->flat_at[k], black = dark ? bin_mean(c, dark, f, column) : 0;
    const int64_t set = at < (double)(c->flat_sets - 1) ? (int64_t)at : c->flat_sets - 2;
    const double before = bin_mean(c, flat + set * PIXELS, f, column);
    const double after = bin_mean(c, flat + (set + 1) * PIXELS, f, column);
    const double light = before + (after - before) * (at - (double)set) - black;
    const double transmission = (bin_mean(c, counts + k * PIXELS, f, column) - black) / light;
    return light > 0 && transmission > 0 ? -log(transmission) : (double)NAN;
}

static void check(SinoPrecision precision, int64_t sets, int64_t slice_count, int64_t binning, bool with_dark)
{
    const int64_t columns = COLUMNS / binning;
    const SinoSlices slices = {precision, sino_panel_stride(precision, slice_count), slice_count};
    double at[ANGLES];
    static float counts[ANGLES * PIXELS], flat[SETS_MOST * PIXELS], dark[PIXELS];
    int64_t repaired[ROWS], tally[ANGLES + COLUMNS], undefined = 0;
    uint32_t seed = (uint32_t)(sets * 100 + slice_count * 10 + binning);
    void *sinogram = NULL;
    const SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                              .slices = slices,
                              .angle_count = ANGLES,
                              .column_count = COLUMNS,
                              .row_count = ROWS,
                              .first_row = 1,
                              .binning = binning,
                              .flat_field = true,
                              .minus_log = true,
                              .marked = true,
                              .flat_sets = sets,
                              .flat_at = at};
    for (int k = 0; k < ANGLES; k++) at[k] = (double)(sets - 1) * k / (ANGLES - 1); /* both ends, and sets themselves */
    for (int64_t i = 0; i < ANGLES * PIXELS; i++) counts[i] = (float)(20 + 100 * testing_uniform(&seed));
    for (int64_t i = 0; i < sets * PIXELS; i++)
        flat[i] = (float)(testing_uniform(&seed) < 0.05 ? 5 : 120 + 80 * testing_uniform(&seed));
    for (int64_t i = 0; i < PIXELS; i++) dark[i] = (float)(4 + 12 * testing_uniform(&seed));
    assert_success(sino_allocate(ANGLES * columns * slices.stride, sino_precision_bytes(precision), "test", &sinogram));
    assert_success(sino_correct(&c, counts, flat, with_dark ? dark : NULL, sinogram, repaired, tally));
    for (int64_t i = 0; i < ANGLES * columns * slice_count; i++) {
        const int64_t f = i % slice_count, column = i / slice_count % columns, k = i / slice_count / columns;
        const double wanted = expected_at(&c, counts, flat, with_dark ? dark : NULL, k, f, column);
        const double found =
            testing_element(precision, sinogram, sino_panel_element(slices, ANGLES * columns, k * columns + column, f));
        undefined += isnan(wanted);
        if (isnan(wanted) ? !(found == 0 && signbit(found))
                          : !(fabs(found - wanted) <= (precision == SINO_DOUBLE ? 1e-12 : 1e-6)))
            fail_msg("%" PRId64 " sets, angle %" PRId64 " slice %" PRId64 " column %" PRId64 ": %g, not %g", sets, k, f,
                     column, found, wanted);
    }
    for (int64_t f = 0; f < slice_count; f++) undefined -= repaired[f];
    assert_int_equal(undefined, 0);
    free(sinogram);
}

static void agrees_with_the_formula(void **state)
{
    (void)state;
    for (int64_t sets = 2; sets <= SETS_MOST; sets++)
        for (int i = 0; i < 8; i++)
            check(i % 2 ? SINO_SINGLE : SINO_DOUBLE, sets, i < 4 ? 11 : 5, i < 4 ? 1 : 2, i % 4 < 2);
}

/* A slice whose flat fields are overexposed in all sets together has no saturated counts. */
static void overexposed_sets(void **state)
{
    (void)state;
    const double at[] = {0.5};
    SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                        .slices = {SINO_DOUBLE, 1, 1},
                        .angle_count = 1,
                        .column_count = 4,
                        .row_count = 1,
                        .binning = 1,
                        .flat_field = true,
                        .marked = true,
                        .saturation = 100,
                        .flat_sets = 2,
                        .flat_at = at};
    const float counts[] = {50, 100, 25, 200}, dim[] = {90, 90, 90, 90, 80, 80, 80, 80};
    const float bright[] = {90, 90, 90, 90, 100, 80, 80, 80};
    double sinogram[4];
    int64_t repaired[1], tally[5];
    assert_success(sino_correct(&c, counts, dim, NULL, sinogram, repaired, tally));
    assert_int_equal(repaired[0], 2);
    assert_success(sino_correct(&c, counts, bright, NULL, sinogram, repaired, tally));
    assert_int_equal(repaired[0], 0);
}

TESTING_SUBJECT(flat_sets)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_formula),
        cmocka_unit_test(overexposed_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
