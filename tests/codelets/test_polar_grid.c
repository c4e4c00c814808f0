/* SPDX-License-Identifier: BSD-3-Clause */
/* Polar grid: sums of exponentials along rays against sums term by term in double. */
#include "memory.h"
#include "polar_grid.h"
#include "testing.h"

#include <math.h>

enum { RAYS = 7, TERMS = 40 };

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
            const double real = testing_signed(&seed), imaginary = testing_signed(&seed);
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

/* Strengths of several lanes: those of a lane are random signs times the terms', but for the first lane. */
static double sign_of(int64_t lane, int k)
{
    return lane > 0 && (k * 7 + lane) % 3 == 0 ? -1 : 1;
}

static void add(const SinoPolarGrid *grid, const Terms *terms, int ray, SinoPrecision precision, int64_t lanes,
                void *sums)
{
    float single[2 * TERMS * SINO_POLAR_LANES];
    double twice[2 * TERMS * SINO_POLAR_LANES];
    for (int k = 0; k < TERMS; k++)
        for (int64_t i = 0; i < 2 * lanes; i++) {
            twice[2 * lanes * k + i] = sign_of(i / 2, k) * terms->strength[ray][2 * k + i % 2];
            single[2 * lanes * k + i] = (float)twice[2 * lanes * k + i];
        }
    sino_polar_grid_add(grid, lanes, terms->row_step[ray], terms->column_step[ray], TERMS,
                        precision == SINO_DOUBLE ? (const void *)twice : single, sums);
}

/* The square [lane][row][column], to be freed. */
static double *square_of(const Terms *terms, int64_t size, SinoPrecision precision, int64_t lanes)
{
    SinoPolarGrid *grid = NULL;
    double *square = NULL;
    assert_success(sino_polar_grid_new(size, precision, &grid));
    assert_success(sino_allocate(lanes * size * size, sizeof *square, "test", &square));
    void *sums = sino_allocate_large(lanes * sino_polar_grid_sum_bytes(size, precision));
    void *rows = sino_allocate_large(sino_polar_grid_row_bytes(size, precision));
    assert_true(sums && rows);
    sino_polar_grid_clear(grid, lanes, sums);
    for (int r = 0; r < RAYS; r++) add(grid, terms, r, precision, lanes, sums);
    sino_polar_grid_transform(grid, lanes, sums, rows);
    const int64_t stride = sino_polar_grid_stride(grid);
    for (int64_t first = 0, count; first < size; first += count) {
        count = size - first < 5 ? size - first : 5;
        for (int64_t lane = 0; lane < lanes; lane++) {
            const void *value = sino_polar_grid_finish(grid, lanes, lane, sums, first, count, rows);
            double *to = square + (lane * size + first) * size;
            for (int64_t i = 0; i < count * size; i++) {
                const int64_t at = i / size * stride + i % size;
                to[i] = precision == SINO_DOUBLE ? ((const double *)value)[at] : (double)((const float *)value)[at];
            }
        }
    }
    sino_polar_grid_free(grid);
    sino_free_large(sums);
    sino_free_large(rows);
    return square;
}

/* The largest error as a share of Σ|c|. */
static double error_of(int64_t size, SinoPrecision precision)
{
    const Terms terms = terms_of((uint32_t)size);
    double worst = 0, *square = square_of(&terms, size, precision, 1);
    for (int64_t i = 0; i < size * size; i++)
        worst = fmax(worst, fabs(square[i] - wanted(&terms, i / size - size / 2, i % size - size / 2)));
    free(square);
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

/* Each lane of several has the bits that it has alone. */
static void lanes_keep_bits(void **state)
{
    (void)state;
    static const int64_t size[] = {1, 16, 37};
    for (int i = 0; i < 6; i++) {
        const int64_t voxels = size[i / 2] * size[i / 2];
        const SinoPrecision precision = i % 2 ? SINO_DOUBLE : SINO_SINGLE;
        const Terms terms = terms_of(3);
        double *together = square_of(&terms, size[i / 2], precision, SINO_POLAR_LANES);
        for (int64_t lane = 0; lane < SINO_POLAR_LANES; lane++) {
            Terms signed_terms = terms;
            for (int r = 0; r < RAYS; r++)
                for (int k = 0; k < 2 * TERMS; k++) signed_terms.strength[r][k] *= sign_of(lane, k / 2);
            double *alone = square_of(&signed_terms, size[i / 2], precision, 1);
            assert_memory_equal(alone, together + lane * voxels, voxels * sizeof *alone);
            free(alone);
        }
        free(together);
    }
}

TESTING_SUBJECT(polar_grid)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_match_terms_in_single),
        cmocka_unit_test(sums_match_terms_in_double),
        cmocka_unit_test(lanes_keep_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
