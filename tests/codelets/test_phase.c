/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase: against the definition, a filter in two dimensions computed plainly in double; rows apart; undefined values.
 */
#include "memory.h"
#include "phase.h"
#include "testing.h"

#include <inttypes.h>
#include <math.h>

enum { ROWS = 72, COLUMNS = 36, PIXELS = ROWS * COLUMNS, ANGLES = 2 };

static int64_t clamped(int64_t i, int64_t count)
{
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

/* Multiplies the spectrum of `lines` lines along one direction: y = Re F⁻¹ [factor(frequency) F y], by sums. */
typedef struct Wave {
    double real[256], imaginary[256];
} Wave;

/* The formulas as published: nabu's with frequencies in cycles, that of Paganin et al. 2020, and that of Turner et al.
 * with the wavelength times the distance in units of the pixel's area. */
static double transfer(const SinoPhaseOptions *options, double u, double v)
{
    const double square = options->range * options->range, fx = u / (2 * M_PI), fy = v / (2 * M_PI);
    const double wave_distance = 4 * M_PI * square / options->delta_beta, ratio = options->delta_beta;
    const double chi = M_PI * wave_distance * (fx * fx + fy * fy);
    if (options->filter == SINO_PHASE_GENERALISED) return 1 / (1 - 2 * square * (cos(u) + cos(v) - 2));
    if (options->filter == SINO_PHASE_CTF) return 1 / (cos(chi) + ratio * sin(chi));
    return 1 / (1 + ratio * wave_distance * M_PI * (fx * fx + fy * fy));
}

/* T' by the formula on an image continued by `margin` pixels on each side. */
static void reference(const SinoPhaseOptions *options, int64_t margin, const float *image, double *filtered)
{
    const int64_t rows = ROWS + 2 * margin, columns = COLUMNS + 2 * margin;
    static Wave along[256], both;
    assert_true(rows <= 256 && columns <= 256);
    for (int64_t y = 0; y < rows; y++)
        for (int64_t n = 0; n < columns; n++) {
            along[y].real[n] = along[y].imaginary[n] = 0;
            for (int64_t x = 0; x < columns; x++) {
                const double value = (double)image[clamped(y - margin, ROWS) * COLUMNS + clamped(x - margin, COLUMNS)];
                const double turn = -2 * M_PI * (double)(n * x % columns) / (double)columns;
                along[y].real[n] += value * cos(turn);
                along[y].imaginary[n] += value * sin(turn);
            }
        }
    for (int64_t n = 0; n < columns; n++) {
        const double fx = (double)(n <= columns / 2 ? n : n - columns) / (double)columns;
        for (int64_t m = 0; m < rows; m++) {
            const double fy = (double)(m <= rows / 2 ? m : m - rows) / (double)rows;
            const double factor = transfer(options, 2 * M_PI * fx, 2 * M_PI * fy);
            both.real[m] = both.imaginary[m] = 0;
            for (int64_t y = 0; y < rows; y++) {
                const double turn = -2 * M_PI * (double)(m * y % rows) / (double)rows;
                both.real[m] += factor * (along[y].real[n] * cos(turn) - along[y].imaginary[n] * sin(turn));
                both.imaginary[m] += factor * (along[y].real[n] * sin(turn) + along[y].imaginary[n] * cos(turn));
            }
        }
        for (int64_t y = 0; y < rows; y++) {
            along[y].real[n] = along[y].imaginary[n] = 0;
            for (int64_t m = 0; m < rows; m++) {
                const double turn = 2 * M_PI * (double)(m * y % rows) / (double)rows;
                along[y].real[n] += (both.real[m] * cos(turn) - both.imaginary[m] * sin(turn)) / (double)rows;
                along[y].imaginary[n] += (both.real[m] * sin(turn) + both.imaginary[m] * cos(turn)) / (double)rows;
            }
        }
    }
    for (int64_t i = 0; i < PIXELS; i++) {
        const int64_t y = i / COLUMNS + margin, x = i % COLUMNS + margin;
        filtered[i] = 0;
        for (int64_t n = 0; n < columns; n++) {
            const double turn = 2 * M_PI * (double)(n * x % columns) / (double)columns;
            filtered[i] += (along[y].real[n] * cos(turn) - along[y].imaginary[n] * sin(turn)) / (double)columns;
        }
    }
}

/* Transmissions as of an object with edges and noise. */
static void make_images(float *images)
{
    uint32_t seed = 5;
    for (int64_t i = 0; i < ANGLES * PIXELS; i++) {
        const int64_t x = i % COLUMNS, y = i / COLUMNS % ROWS;
        const bool inside = hypot((double)x - 20, (double)y - 26) < 11;
        images[i] = (float)((inside ? 0.4 : 1) + 0.05 * (testing_uniform(&seed) - 0.5));
    }
}

static SinoCorrection correction_of(SinoPrecision precision, int64_t first_row, int64_t slices)
{
    return (SinoCorrection){.input = SINO_CORRECT_FLOAT32,
                            .slices = {precision, sino_panel_stride(precision, slices), slices},
                            .angle_count = ANGLES,
                            .column_count = COLUMNS,
                            .row_count = ROWS,
                            .first_row = first_row,
                            .binning = 1,
                            .minus_log = true,
                            .marked = true};
}

/* Filters and corrects; the caller frees the result, in panels. */
static void *run(const SinoPhaseOptions *options, const SinoCorrection *correction, int64_t image_row,
                 const void *counts, const float *flat, const float *dark, int64_t *undefined)
{
    const int64_t rows = correction->slices.slice_count * correction->binning;
    const int64_t columns = correction->column_count / correction->binning;
    int64_t repaired[ROWS], tally[ANGLES + COLUMNS];
    SinoPhase *phase = NULL;
    void *scratch = NULL, *sinogram = NULL;
    assert_success(sino_phase_new(options, &phase));
    assert_success(sino_allocate(sino_phase_scratch_bytes(options, rows), 1, "test", &scratch));
    assert_success(sino_allocate(ANGLES * columns * correction->slices.stride,
                                 sino_precision_bytes(correction->slices.precision), "test", &sinogram));
    assert_success(
        sino_phase_correct(phase, correction, image_row, counts, flat, dark, scratch, sinogram, repaired, tally));
    for (int64_t f = 0; undefined && f < correction->slices.slice_count; f++) *undefined += repaired[f];
    sino_phase_free(phase);
    free(scratch);
    return sinogram;
}

static void agrees_with_the_definition(void **state)
{
    (void)state;
    static const struct {
        SinoPhaseFilter filter;
        bool weak;
        double range, delta_beta;
    } row[] = {{SINO_PHASE_PLAIN, false, 0.3, 100},      {SINO_PHASE_PLAIN, false, 1, 100},
               {SINO_PHASE_PLAIN, true, 2.5, 100},       {SINO_PHASE_PLAIN, false, 4, 100},
               {SINO_PHASE_GENERALISED, false, 0.4, 10}, {SINO_PHASE_GENERALISED, true, 3, 10},
               {SINO_PHASE_CTF, true, 0.35, 3},          {SINO_PHASE_CTF, true, 2, 40},
               {SINO_PHASE_CTF, false, 3.8, 100}};
    static float images[ANGLES * PIXELS];
    static double filtered[ANGLES * PIXELS];
    make_images(images);
    for (int i = 0; i < (int)(sizeof row / sizeof *row); i++) {
        const SinoPhaseOptions options = {.filter = row[i].filter,
                                          .weak = row[i].weak,
                                          .range = row[i].range,
                                          .delta_beta = row[i].delta_beta,
                                          .column_count = COLUMNS};
        const double chi = 2 * M_PI * M_PI * row[i].range * row[i].range / row[i].delta_beta;
        assert_true(row[i].filter != SINO_PHASE_CTF || chi <= SINO_PHASE_CTF_MAX);
        const SinoCorrection c = correction_of(i % 2 ? SINO_SINGLE : SINO_DOUBLE, 0, ROWS);
        void *sinogram = run(&options, &c, 0, images, NULL, NULL, NULL);
        double worst = 0, change = 0;
        for (int k = 0; k < ANGLES; k++) reference(&options, 48, images + k * PIXELS, filtered + k * PIXELS);
        for (int64_t j = 0; j < ANGLES * PIXELS; j++) {
            const int64_t k = j / PIXELS, f = j / COLUMNS % ROWS, ray = k * COLUMNS + j % COLUMNS;
            const double found =
                testing_element(c.slices.precision, sinogram, sino_panel_element(c.slices, ANGLES * COLUMNS, ray, f));
            worst = fmax(worst, fabs((row[i].weak ? 1 - found : exp(-found)) - filtered[j]));
            change = fmax(change, fabs((double)images[j] - filtered[j]));
        }
        print_message("filter %d, range %g: largest difference %.2g, of a change of %.2g\n", (int)row[i].filter,
                      row[i].range, worst, change);
        assert_true(worst < 2e-4 && change > 0.05);
        free(sinogram);
    }
}

/* Rows are the same, to the bit, whatever rows are made with them and whatever rows beyond the halo are there. */
static void rows_do_not_depend_on_others(void **state)
{
    (void)state;
    static float images[ANGLES * PIXELS], part[ANGLES * PIXELS];
    const SinoPhaseOptions options = {.filter = SINO_PHASE_GENERALISED, .range = 1.1, .column_count = COLUMNS};
    const int64_t halo = sino_phase_halo(&options), first = 32, count = 7;
    const int64_t begin = first - halo, rows = count + 2 * halo;
    assert_true(begin > 0 && begin + rows < ROWS);
    make_images(images);
    for (int64_t i = 0; i < ANGLES * rows * COLUMNS; i++) {
        const int64_t k = i / (rows * COLUMNS);
        part[i] = images[(k * ROWS + begin) * COLUMNS + i % (rows * COLUMNS)];
    }
    const SinoCorrection whole = correction_of(SINO_SINGLE, 0, ROWS);
    SinoCorrection some = correction_of(SINO_SINGLE, halo, count);
    some.row_count = rows;
    float *all = run(&options, &whole, 0, images, NULL, NULL, NULL);
    float *few = run(&options, &some, begin, part, NULL, NULL, NULL);
    for (int64_t f = 0; f < count; f++)
        for (int64_t ray = 0; ray < ANGLES * COLUMNS; ray++) {
            const float a = all[sino_panel_element(whole.slices, ANGLES * COLUMNS, ray, first + f)];
            const float b = few[sino_panel_element(some.slices, ANGLES * COLUMNS, ray, f)];
            assert_true(testing_same_bytes(&a, &b, sizeof a));
        }
    free(all);
    free(few);
}

/* Counts of an even beam stay what they are; undefined values stay undefined, and do not spread; a crop and a binning
 * are those of the filtered image. */
static void undefined_values_stay(void **state)
{
    (void)state;
    static uint16_t counts[ANGLES * PIXELS];
    static float flat[PIXELS], dark[PIXELS];
    for (int64_t i = 0; i < PIXELS; i++) {
        dark[i] = (float)(10 + i % 3);
        flat[i] = dark[i] + (float)(1000 + 100 * (i % 7));
    }
    for (int64_t i = 0; i < ANGLES * PIXELS; i++) {
        const float light = flat[i % PIXELS] - dark[i % PIXELS];
        counts[i] = (uint16_t)(dark[i % PIXELS] + light / 2);
    }
    flat[8 * COLUMNS + 20] = 0;
    counts[PIXELS + 0 * COLUMNS + 9] = 60000; /* saturated, in the outermost row */
    const SinoPhaseOptions options = {.range = 1.5, .column_count = COLUMNS, .first_column = 3};
    SinoCorrection c = correction_of(SINO_DOUBLE, 0, 14);
    c.input = SINO_CORRECT_UINT16;
    c.column_count = 30;
    c.flat_field = true;
    c.saturation = 50000;
    c.plausible = 1000;
    for (int64_t binning = 1; binning <= 2; binning++) {
        int64_t undefined = 0;
        if (binning == 2) flat[8 * COLUMNS + 20] = 1e38F; /* implausible */
        c.binning = binning;
        c.slices = (SinoSlices){SINO_DOUBLE, sino_panel_stride(SINO_DOUBLE, 14 / binning), 14 / binning};
        const int64_t columns = 30 / binning;
        double *sinogram = run(&options, &c, 0, counts, flat, dark, &undefined);
        assert_int_equal(undefined, 3);
        for (int64_t f = 0; f < c.slices.slice_count; f++)
            for (int64_t ray = 0; ray < ANGLES * columns; ray++) {
                const int64_t k = ray / columns, column = ray % columns;
                const bool dead = f == 8 / binning && column == 17 / binning;
                const bool hit = k == 1 && f == 0 && column == 6 / binning;
                const double found = sinogram[sino_panel_element(c.slices, ANGLES * columns, ray, f)];
                assert_true((found == 0 && signbit(found)) == (dead || hit));
                if (!dead && !hit) assert_true(fabs(found - log(2)) < 1e-5);
            }
        free(sinogram);
    }
}

TESTING_SUBJECT(phase)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(rows_do_not_depend_on_others),
        cmocka_unit_test(undefined_values_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
