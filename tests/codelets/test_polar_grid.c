/* SPDX-License-Identifier: BSD-3-Clause */
/* Polar grid: sums of exponentials along rays against sums term by term in double. */
#include "memory.h"
#include "polar_grid.h"
#include "testing.h"

#include <math.h>

enum { RAYS = 7, TERMS = 40 };

/* Uniform in [−1, 1). */
static double next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 8388608.0 - 1;
}

/* Terms k·step of rays whose last frequency is almost ±π along x, y, or both. */
typedef struct Terms {
    double row_step[RAYS], column_step[RAYS];
    double strength[RAYS][2 * TERMS];
    double total; /* Σ |c| */
} Terms;

static Terms terms_of(uint32_t seed)
{
    static const double angle[RAYS] = {0, M_PI / 2, M_PI, 3 * M_PI / 4, 0.3, 2.9, -0.01};
    Terms made = {.total = 0};
    for (int r = 0; r < RAYS; r++) {
        made.row_step[r] = M_PI / TERMS * sin(angle[r]);
        made.column_step[r] = M_PI / TERMS * cos(angle[r]);
        for (int k = 0; k < TERMS; k++) {
            const double real = next_random(&seed), imaginary = next_random(&seed);
            made.strength[r][2 * k] = (double)(float)real;
            made.strength[r][2 * k + 1] = (double)(float)imaginary;
            made.total += hypot(real, imaginary);
        }
    }
    return made;
}

static double wanted(const Terms *terms, int64_t row, int64_t column)
{
    double sum = 0;
    for (int r = 0; r < RAYS; r++)
        for (int k = 0; k < TERMS; k++) {
            const double phase = k * ((double)row * terms->row_step[r] + (double)column * terms->column_step[r]);
            sum += terms->strength[r][2 * k] * cos(phase) - terms->strength[r][2 * k + 1] * sin(phase);
        }
    return sum;
}

static void add(const SinoPolarGrid *grid, const Terms *terms, int ray, SinoPrecision precision, void *sums)
{
    float single[2 * TERMS];
    void *places = sino_allocate_large(sino_polar_grid_place_bytes(TERMS, precision));
    assert_non_null(places);
    for (int i = 0; i < 2 * TERMS; i++) single[i] = (float)terms->strength[ray][i];
    sino_polar_grid_place(grid, terms->row_step[ray], terms->column_step[ray], TERMS, places);
    sino_polar_grid_add(grid, places, TERMS, precision == SINO_DOUBLE ? (const void *)terms->strength[ray] : single,
                        sums);
    sino_free_large(places);
}

/* The largest error as a share of Σ|c|. */
static double error_of(int64_t size, SinoPrecision precision)
{
    const Terms terms = terms_of((uint32_t)size);
    SinoPolarGrid *grid = NULL;
    double worst = 0;
    assert_success(sino_polar_grid_new(size, precision, &grid));
    void *sums = sino_allocate_large(sino_polar_grid_sum_bytes(size, precision));
    void *rows = sino_allocate_large(sino_polar_grid_row_bytes(size, precision));
    assert_true(sums && rows);
    sino_polar_grid_clear(grid, sums);
    for (int r = 0; r < RAYS; r++) add(grid, &terms, r, precision, sums);
    sino_polar_grid_transform(grid, sums);
    const int64_t stride = sino_polar_grid_stride(grid);
    for (int64_t first = 0, count; first < size; first += count) {
        count = size - first < 5 ? size - first : 5;
        const void *value = sino_polar_grid_finish(grid, sums, first, count, rows);
        for (int64_t r = 0; r < count; r++)
            for (int64_t c = 0; c < size; c++) {
                const double found = precision == SINO_DOUBLE ? ((const double *)value)[r * stride + c]
                                                              : (double)((const float *)value)[r * stride + c];
                worst = fmax(worst, fabs(found - wanted(&terms, first + r - size / 2, c - size / 2)));
            }
    }
    sino_polar_grid_free(grid);
    sino_free_large(sums);
    sino_free_large(rows);
    return worst / terms.total;
}

static void check(SinoPrecision precision, double most)
{
    static const int64_t size[] = {1, 2, 7, 16, 33, 64, 75};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const double error = error_of(size[i], precision);
        if (!(error <= most)) fail_msg("%ld pixels a side: error %.2g of the sum of all strengths", size[i], error);
    }
}

static void sums_match_terms_in_single(void **state)
{
    (void)state;
    check(SINO_SINGLE, 5e-7);
}

static void sums_match_terms_in_double(void **state)
{
    (void)state;
    check(SINO_DOUBLE, 1e-7);
}

TESTING_SUBJECT(polar_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_terms_in_single),
        cmocka_unit_test(sums_match_terms_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
