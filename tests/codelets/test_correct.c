/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct: against a plain reference in double, on random and edge input; fields' mean and median. */
#include "correct.h"
#include "memory.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static double value_at(SinoCorrectInput input, const void *values, int64_t i)
{
    switch (input) {
    case SINO_CORRECT_UINT8:
        return ((const uint8_t *)values)[i];
    case SINO_CORRECT_UINT16:
        return ((const uint16_t *)values)[i];
    default:
        return (double)((const float *)values)[i];
    }
}

/* The mean of a bin, as the header defines it. */
static double bin_mean(const SinoCorrection *c, SinoCorrectInput input, const void *image, int64_t f, int64_t column)
{
    double sum = 0;
    for (int64_t i = 0; i < c->binning * c->binning; i++) {
        const int64_t row = c->first_row + f * c->binning + i / c->binning;
        sum += value_at(input, image, row * c->column_count + column * c->binning + i % c->binning);
    }
    return sum / (double)(c->binning * c->binning);
}

/* Pixels of a slice that are saturated; and of one of its bins, of which column −1 is the whole slice. */
static int64_t saturated(const SinoCorrection *c, SinoCorrectInput input, const void *image, int64_t f, int64_t bin)
{
    int64_t count = 0;
    for (int64_t row = c->first_row + f * c->binning; row < c->first_row + (f + 1) * c->binning; row++)
        for (int64_t j = 0; j < c->column_count; j++)
            if (bin < 0 || j / c->binning == bin)
                count += c->saturation > 0 && value_at(input, image, row * c->column_count + j) >= c->saturation;
    return count;
}

static int descending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* Where counts and fields of slice f begin to be implausible: by sorting its flat field. */
static double most_of(const SinoCorrection *c, const float *flat, int64_t f)
{
    const int64_t first = (c->first_row + f * c->binning) * c->column_count, pixels = c->binning * c->column_count;
    double *sorted = NULL;
    int64_t count = 0;
    if (c->plausible == 0) return INFINITY;
    if (!c->flat_field) return c->plausible;
    assert_success(sino_allocate(pixels, sizeof *sorted, "test", &sorted));
    for (int64_t i = first; i < first + pixels; i++)
        if (isfinite(flat[i])) sorted[count++] = fabs((double)flat[i]);
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    const int64_t hundredth = count / 100 > 3 ? count / 100 : 3, half = count / 2;
    const double at = count > 0 ? sorted[hundredth < half ? hundredth : half] : 0;
    free(sorted);
    return at > 0 ? c->plausible * exp2(floor(log2(at)) + 1) : INFINITY;
}

/* Whether a bin has a value that is implausible. */
static bool implausible(const SinoCorrection *c, SinoCorrectInput input, const void *image, int64_t f, int64_t bin,
                        double most)
{
    bool any = false;
    for (int64_t i = 0; i < c->binning * c->binning; i++) {
        const int64_t row = c->first_row + f * c->binning + i / c->binning, column = bin * c->binning + i % c->binning;
        any |= fabs(value_at(input, image, row * c->column_count + column)) >= most;
    }
    return any;
}

/* Fields, and where values begin to be implausible in the slice at hand. */
typedef struct Fields {
    const float *flat, *dark;
    double most;
} Fields;

static double reference_value(const SinoCorrection *c, const void *image, const Fields *fields, int64_t f,
                              int64_t column)
{
    const float *flat = fields->flat, *dark = fields->dark;
    const double most = fields->most;
    const bool divided = c->flat_field && flat;
    double transmission = bin_mean(c, c->input, image, f, column);
    const int64_t of_flat = divided ? saturated(c, SINO_CORRECT_FLOAT32, flat, f, -1) : 0;
    const bool overexposed = of_flat * 100 > c->column_count * c->binning;
    if (!overexposed && saturated(c, c->input, image, f, column) > 0) return NAN;
    if (implausible(c, c->input, image, f, column, most)) return NAN;
    if (divided && implausible(c, SINO_CORRECT_FLOAT32, flat, f, column, most)) return NAN;
    if (divided && dark && implausible(c, SINO_CORRECT_FLOAT32, dark, f, column, most)) return NAN;
    if (divided) {
        const double black = dark ? bin_mean(c, SINO_CORRECT_FLOAT32, dark, f, column) : 0;
        const double range = bin_mean(c, SINO_CORRECT_FLOAT32, flat, f, column) - black;
        if (!(range > 0) || !isfinite(range)) return NAN;
        transmission = (transmission - black) / range;
    }
    if (!isfinite(transmission) || (c->minus_log && transmission <= 0)) return NAN;
    return c->minus_log ? -log(transmission) : transmission;
}

/* The value of a column after repair, found by looking outwards from it. */
static double repaired_value(const double *line, int64_t count, int64_t column)
{
    int64_t left = column, right = column;
    while (left >= 0 && isnan(line[left])) left--;
    while (right < count && isnan(line[right])) right++;
    if (left < 0 && right == count) return 0;
    if (left < 0) return line[right];
    if (right == count || left == right) return line[left];
    return line[left] + (line[right] - line[left]) * (double)(column - left) / (double)(right - left);
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * (1 + fabs(expected)))) fail_msg("%.17g is not %.17g", found, expected);
}

/* Slice f of angle k, or padding. */
static void check_line(const SinoCorrection *c, int64_t k, int64_t f, const double *line, const void *sinogram)
{
    const int64_t columns = c->column_count / c->binning;
    const double tolerance = c->slices.precision == SINO_DOUBLE ? 1e-12 : 1e-6;
    for (int64_t j = 0; j < columns; j++) {
        const int64_t at = sino_panel_element(c->slices, c->angle_count * columns, k * columns + j, f);
        const double found = testing_element(c->slices.precision, sinogram, at);
        const bool undefined = c->marked && f < c->slices.slice_count && isnan(line[j]);
        const double filled = f < c->slices.slice_count ? repaired_value(line, columns, j) : 0;
        assert_near(found, !c->marked || f >= c->slices.slice_count ? filled : undefined ? 0 : line[j], tolerance);
        if (found == 0) assert_int_equal(signbit(found) != 0, undefined);
    }
}

/* Compares all of one call's result with the reference. */
static void check_correction(const SinoCorrection *c, const void *counts, const float *flat, const float *dark)
{
    const int64_t columns = c->column_count / c->binning, stride = c->slices.stride;
    const int64_t elements = c->angle_count * columns * stride;
    const size_t bytes = c->input == SINO_CORRECT_UINT8 ? 1 : c->input == SINO_CORRECT_UINT16 ? 2 : 4;
    void *sinogram = NULL;
    double *line = NULL, *most = NULL;
    int64_t *repaired = NULL, *expected = NULL, *tally = NULL, *expected_tally = NULL;
    const int64_t tallied = c->angle_count + columns;
    assert_success(sino_allocate(elements, sizeof(double), "test", &sinogram));
    assert_success(sino_allocate(columns, sizeof *line, "test", &line));
    assert_success(sino_allocate(c->slices.slice_count, sizeof *most, "test", &most));
    for (int64_t f = 0; f < c->slices.slice_count; f++) most[f] = most_of(c, flat, f);
    assert_success(sino_allocate(c->slices.slice_count, sizeof *repaired, "test", &repaired));
    assert_success(sino_allocate(c->slices.slice_count, sizeof *expected, "test", &expected));
    assert_success(sino_allocate(tallied, sizeof *tally, "test", &tally));
    assert_success(sino_allocate(tallied, sizeof *tally, "test", &expected_tally));
    memset(tally, 0x7f, (size_t)tallied * sizeof *tally);
    memset(sinogram, 0x7f, (size_t)elements * sino_precision_bytes(c->slices.precision));
    assert_success(sino_correct(c, counts, flat, dark, sinogram, repaired, tally));
    for (int64_t i = 0; i < c->angle_count * stride; i++) {
        const int64_t k = i / stride, f = i % stride;
        const char *image = (const char *)counts + (size_t)(k * c->row_count * c->column_count) * bytes;
        const Fields fields = {flat, dark, f < c->slices.slice_count ? most[f] : 0};
        for (int64_t j = 0; j < columns && f < c->slices.slice_count; j++) {
            line[j] = reference_value(c, image, &fields, f, j);
            const bool counted = isnan(line[j]) && f >= c->uncounted;
            expected[f] += counted;
            expected_tally[k] += counted;
            expected_tally[c->angle_count + j] += counted;
        }
        check_line(c, k, f, line, sinogram);
    }
    for (int64_t f = 0; f < c->slices.slice_count; f++) assert_int_equal(repaired[f], expected[f]);
    for (int64_t i = 0; i < tallied; i++) assert_int_equal(tally[i], expected_tally[i]);
    free(sinogram);
    free(line);
    free(most);
    free(repaired);
    free(expected);
    free(tally);
    free(expected_tally);
}

/* Counts with some below dark, and, of floats, some that are no numbers. */
static void *random_counts(const SinoCorrection *c, uint32_t *seed)
{
    const int64_t count = c->angle_count * c->row_count * c->column_count;
    void *values = NULL;
    assert_success(sino_allocate(count, sizeof(float), "test", &values));
    for (int64_t i = 0; i < count; i++) {
        float *real = (float *)values + i;
        const double value = 20 + 200 * testing_uniform(seed), choice = testing_uniform(seed);
        const int whole = choice < 0.05 ? 3 : (int)value;
        if (c->input == SINO_CORRECT_UINT8) ((uint8_t *)values)[i] = (uint8_t)whole;
        if (c->input == SINO_CORRECT_UINT16) ((uint16_t *)values)[i] = (uint16_t)(whole * 100);
        if (c->input != SINO_CORRECT_FLOAT32) continue;
        *real = (float)value;
        if (choice < 0.08) *real = choice < 0.02 ? NAN : choice < 0.04 ? INFINITY : choice < 0.06 ? -7 : -INFINITY;
    }
    return values;
}

/* Values of all sizes, of which few flat fields are among the largest hundredth. */
static void spoil(int64_t count, double share, uint32_t *seed, float *values)
{
    for (int64_t i = 0; i < count; i++) {
        const double choice = testing_uniform(seed), size = exp2(126 * testing_uniform(seed));
        if (choice < share) values[i] = (float)(choice < share / 3 ? -size : size);
    }
}

static void check_implausible(SinoCorrection c, void *counts, float *flat, float *dark, uint32_t seed)
{
    const int64_t pixels = c.row_count * c.column_count;
    if (c.input == SINO_CORRECT_FLOAT32) spoil(c.angle_count * pixels, 0.1, &seed, counts);
    c.plausible = 0.5; /* some of the usual counts, and of the flat fields, are beyond */
    check_correction(&c, counts, flat, dark);
    spoil(pixels, 0.02, &seed, flat);
    spoil(pixels, 0.02, &seed, dark);
    c.plausible = 1000;
    check_correction(&c, counts, flat, dark);
    c.saturation = 215;
    check_correction(&c, counts, flat, dark);
    c.flat_field = false;
    check_correction(&c, counts, NULL, NULL);
}

static void check_random(SinoCorrection c, uint32_t seed)
{
    const int64_t pixels = c.row_count * c.column_count;
    const float unit = c.input == SINO_CORRECT_UINT16 ? 100 : 1;
    float *flat = NULL, *dark = NULL;
    void *counts = random_counts(&c, &seed);
    assert_success(sino_allocate(pixels, sizeof *flat, "test", &flat));
    assert_success(sino_allocate(pixels, sizeof *dark, "test", &dark));
    for (int64_t i = 0; i < pixels; i++) {
        dark[i] = unit * (float)(5 + 10 * testing_uniform(&seed));
        flat[i] = testing_uniform(&seed) < 0.04 ? dark[i] : unit * (float)(180 + 50 * testing_uniform(&seed));
    }
    check_correction(&c, counts, flat, dark);
    check_correction(&c, counts, flat, NULL);
    c.marked = true;
    check_correction(&c, counts, flat, dark);
    c.saturation = (double)unit * 215; /* of few pixels, but of many of the flat fields */
    check_correction(&c, counts, flat, dark);
    for (int64_t i = 0; i < pixels; i++) flat[i] = fminf(flat[i], unit * 214);
    check_correction(&c, counts, flat, dark);
    c.marked = false;
    check_correction(&c, counts, flat, dark);
    c.flat_field = false;
    check_correction(&c, counts, NULL, NULL);
    c.uncounted = (c.slices.slice_count + 1) / 2;
    check_correction(&c, counts, NULL, NULL);
    c.saturation = 0;
    c.flat_field = true;
    check_implausible(c, counts, flat, dark, seed);
    free(counts);
    free(flat);
    free(dark);
}

#ifndef OPTIONS_STEP
#define OPTIONS_STEP 1
#endif

/* Of each shape every OPTIONS_STEP-th of twelve options, from another one on. */
static void agrees_with_reference(void **state)
{
    (void)state;
    const struct {
        int64_t angles, columns, rows, first, slices, stride, binning;
    } shape[] = {
        {3, 37, 9, 2, 5, 8, 1},   {2, 1, 1, 0, 1, 1, 1},     {1, 640, 40, 3, 33, 33, 1}, {2, 41, 12, 1, 5, 6, 2},
        {3, 40, 9, 0, 3, 3, 3},   {2, 23, 64, 7, 17, 32, 3}, {4, 2, 2, 0, 1, 4, 2},      {0, 5, 3, 0, 2, 2, 1},
        {3, 9, 17, 0, 17, 17, 1}, {2, 30, 50, 8, 20, 20, 2}, {3, 21, 70, 1, 61, 64, 1},  {2, 7, 5, 1, 4, 64, 1},
    };
    uint32_t seed = 1;
    for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++) {
        for (int option = (int)s % OPTIONS_STEP; option < 12; option += OPTIONS_STEP) {
            const SinoPrecision precision = option / 3 % 2 ? SINO_DOUBLE : SINO_SINGLE;
            const SinoCorrection c = {
                .input = (SinoCorrectInput)(option % 3),
                .slices = {precision, sino_panel_stride(precision, shape[s].stride), shape[s].slices},
                .angle_count = shape[s].angles,
                .column_count = shape[s].columns,
                .row_count = shape[s].rows,
                .first_row = shape[s].first,
                .binning = shape[s].binning,
                .flat_field = true,
                .minus_log = option < 6,
            };
            check_random(c, seed++);
        }
    }
}

static void gaps_are_interpolated(void **state)
{
    (void)state;
    const SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                              .slices = {SINO_DOUBLE, 2, 2},
                              .angle_count = 1,
                              .column_count = 8,
                              .row_count = 2,
                              .binning = 1,
                              .flat_field = false,
                              .minus_log = true};
    int64_t tally[9];
    const float e = (float)exp(-1);
    const float counts[16] = {NAN, -1, 1, 0, NAN, e, INFINITY, 0, 0, 0, 0, -2, NAN, 0, -INFINITY, 0};
    const double expected[8] = {0, 0, 0, 1.0 / 3, 2.0 / 3, 1, 1, 1};
    double sinogram[16];
    int64_t repaired[2];
    assert_success(sino_correct(&c, counts, NULL, NULL, sinogram, repaired, tally));
    for (int i = 0; i < 8; i++) {
        assert_near(sinogram[2 * i], expected[i], 1e-7);
        assert_true(sinogram[2 * i + 1] == 0);
    }
    assert_int_equal(repaired[0], 6);
    assert_int_equal(repaired[1], 8);
}

/* −0, the mark, is in the result only where a value is undefined: not for the logarithm of 1, nor for a negative number
 * that a float cannot hold. */
static void only_undefined_values_are_marked(void **state)
{
    (void)state;
    const float counts[4] = {1, 0, -0.0F, -1e-40F};
    float sinogram[4], flat[4] = {1, 1, 1, 1e30F};
    int64_t repaired, tally[5];
    SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                        .slices = {SINO_SINGLE, 1, 1},
                        .angle_count = 1,
                        .column_count = 4,
                        .row_count = 1,
                        .binning = 1,
                        .flat_field = true,
                        .minus_log = true,
                        .marked = true};
    const int64_t expected[2][5] = {{3, 0, 1, 1, 1}, {0, 0, 0, 0, 0}};
    for (int without = 0; without < 2; without++, c.minus_log = false) {
        assert_success(sino_correct(&c, counts, flat, NULL, sinogram, &repaired, tally));
        for (int i = 0; i < 4; i++) {
            assert_int_equal(tally[1 + i], expected[without][1 + i]);
            if (sinogram[i] == 0) assert_int_equal(signbit(sinogram[i]) != 0, tally[1 + i]);
        }
        assert_int_equal(repaired, expected[without][0]);
        assert_int_equal(tally[0], repaired);
    }
}

static void dead_flat_is_undefined_without_logarithm(void **state)
{
    (void)state;
    const SinoCorrection c = {.input = SINO_CORRECT_UINT8,
                              .slices = {SINO_SINGLE, 1, 1},
                              .angle_count = 1,
                              .column_count = 3,
                              .row_count = 1,
                              .binning = 1,
                              .flat_field = true,
                              .minus_log = false};
    const uint8_t counts[3] = {0, 9, 30};
    const float flat[3] = {20, 10, 20}, dark[3] = {10, 10, 10};
    float sinogram[3];
    int64_t repaired, tally[4];
    assert_success(sino_correct(&c, counts, flat, dark, sinogram, &repaired, tally));
    assert_true(sinogram[0] == -1 && sinogram[1] == 0.5F && sinogram[2] == 2);
    assert_int_equal(repaired, 1);
}

/* One absurd pixel of a projection, a flat field or a dark field is undefined, and leaves the others alone, to the bit.
 */
static void absurd_values_are_undefined(void **state)
{
    (void)state;
    enum { COLUMNS = 640 };
    static const float absurd[] = {1e38F, 1e30F, 1e8F, -1e38F, 4294967295.0F};
    float counts[COLUMNS], flat[COLUMNS], dark[COLUMNS], clean[COLUMNS], sinogram[COLUMNS];
    int64_t repaired, tally[1 + COLUMNS];
    const SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                              .slices = {SINO_SINGLE, 1, 1},
                              .angle_count = 1,
                              .column_count = COLUMNS,
                              .row_count = 1,
                              .binning = 1,
                              .plausible = 1000,
                              .flat_field = true,
                              .minus_log = true,
                              .marked = true};
    for (int i = 0; i < COLUMNS; i++) {
        counts[i] = 100 + 5000 * (float)exp(-i * 0.01) * (1 + 0.1F * (float)(i % 7));
        flat[i] = i % 50 == 0 ? 101 : 4000 + (float)(i % 13); /* some pixels are hardly lit: 50 times as bright */
        dark[i] = 100;
    }
    assert_success(sino_correct(&c, counts, flat, dark, clean, &repaired, tally));
    assert_int_equal(repaired, 0);
    for (size_t a = 0; a < sizeof absurd / sizeof *absurd; a++) {
        float *const spoilt[] = {counts, flat, dark};
        for (int i = 0; i < 3; i++) {
            const float was = spoilt[i][37];
            spoilt[i][37] = absurd[a];
            assert_success(sino_correct(&c, counts, flat, dark, sinogram, &repaired, tally));
            spoilt[i][37] = was;
            assert_int_equal(repaired, 1);
            assert_int_equal(tally[1 + 37], 1);
            assert_true(sinogram[37] == 0 && signbit(sinogram[37]));
            sinogram[37] = clean[37];
            assert_memory_equal(sinogram, clean, sizeof clean);
        }
    }
}

/* Single precision has a logarithm of its own: every float's, also over the largest and the smallest flat field, and
 * those of neighbours of 1, whose logarithm is a small difference. */
static void logarithms_of_every_size_are_right(void **state)
{
    (void)state;
    enum { NEAR_ONE = 64, POWERS = 277, COLUMNS = POWERS + 2 * NEAR_ONE };
    static const float flat_of[] = {1, 3, FLT_MAX, FLT_TRUE_MIN};
    float counts[COLUMNS], flat[COLUMNS], sinogram[COLUMNS];
    int64_t repaired, tally[1 + COLUMNS];
    for (int i = 0; i < POWERS; i++) counts[i] = ldexpf(i % 2 ? 1 : 1.7F, i - 149);
    for (int i = 0; i < 2 * NEAR_ONE; i++) counts[POWERS + i] = 1 + (float)(i - NEAR_ONE) * FLT_EPSILON;
    for (size_t j = 0; j < sizeof flat_of / sizeof *flat_of; j++) {
        const SinoCorrection c = {.input = SINO_CORRECT_FLOAT32,
                                  .slices = {SINO_SINGLE, 1, 1},
                                  .angle_count = 1,
                                  .column_count = COLUMNS,
                                  .row_count = 1,
                                  .binning = 1,
                                  .flat_field = true,
                                  .minus_log = true};
        for (int i = 0; i < COLUMNS; i++) flat[i] = flat_of[j];
        assert_success(sino_correct(&c, counts, flat, NULL, sinogram, &repaired, tally));
        assert_int_equal(repaired, 0);
        for (int i = 0; i < COLUMNS; i++) {
            const double wanted = -log((double)counts[i] / (double)flat_of[j]), found = (double)sinogram[i];
            if (!(fabs(found - wanted) <= 6e-8 * fabs(wanted))) fail_msg("%.9g is not %.9g", found, wanted);
        }
    }
}

static int compare_floats(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static void fields_agree_with_sorting(void **state)
{
    (void)state;
    enum { PIXELS = 50 };
    float fields[21 * PIXELS], mean[PIXELS], median[PIXELS], sorted[21];
    uint32_t seed = 5;
    for (int count = 1; count <= 21; count++) {
        for (int i = 0; i < count * PIXELS; i++) {
            fields[i] = testing_uniform(&seed) < 0.1 ? NAN : (float)floor(30 * testing_uniform(&seed)); /* with ties */
        }
        sino_fields_mean(count, PIXELS, fields, mean);
        assert_success(sino_fields_median(count, PIXELS, fields, median));
        for (int p = 0; p < PIXELS; p++) {
            int finite = 0;
            double sum = 0;
            for (int i = 0; i < count; i++) {
                if (isnan(fields[i * PIXELS + p])) continue;
                sum += (double)(sorted[finite++] = fields[i * PIXELS + p]);
            }
            qsort(sorted, (size_t)finite, sizeof *sorted, compare_floats);
            assert_near((double)mean[p], finite ? sum / finite : 0, 1e-6);
            assert_near((double)median[p], finite ? (double)(sorted[finite / 2] + sorted[(finite - 1) / 2]) / 2 : 0, 0);
        }
    }
}

TESTING_SUBJECT(correct)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(gaps_are_interpolated),
        cmocka_unit_test(only_undefined_values_are_marked),
        cmocka_unit_test(dead_flat_is_undefined_without_logarithm),
        cmocka_unit_test(absurd_values_are_undefined),
        cmocka_unit_test(logarithms_of_every_size_are_right),
        cmocka_unit_test(fields_agree_with_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
