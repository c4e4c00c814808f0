/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums over footprints, and spread, the transposed operation, against plain loops. */
#include "testing_reduce.h"

#include <float.h>
#include <math.h>

static double value_at(SinoSlices slices, int64_t rows, const void *vector, int64_t row, int64_t f)
{
    return testing_element(slices.precision, vector, sino_panel_element(slices, rows, row, f));
}

/* expected[row of the total][stride] += the partial. */
static void expect_sum(SinoSlices slices, const SinoRowMap *map, const void *partial, double *expected)
{
    for (int64_t i = map->first; i < map->first + map->count; i++)
        for (int64_t f = 0; f < slices.stride; f++)
            expected[(map->row[i] - map->base) * slices.stride + f] +=
                value_at(slices, map->partial_rows, partial, i, f);
}

static void check_total(SinoSlices slices, int64_t rays, const void *total, const double *expected, double tolerance)
{
    for (int64_t ray = 0; ray < rays; ray++)
        for (int64_t f = 0; f < slices.stride; f++)
            assert_true(fabs(value_at(slices, rays, total, ray, f) - expected[ray * slices.stride + f]) <= tolerance);
}

/* Takes the partial's rows back from the total; the others stay. */
static void check_taken(SinoSlices slices, const SinoRowMap *map, const void *total, void *partial)
{
    for (int64_t i = 0; i < map->partial_rows; i++)
        for (int64_t f = 0; f < slices.stride; f++)
            testing_set_element(slices.precision, partial, sino_panel_element(slices, map->partial_rows, i, f), -7);
    sino_spread_take(slices, map, total, partial);
    for (int64_t i = 0; i < map->partial_rows; i++)
        for (int64_t f = 0; f < slices.stride; f++) {
            const bool taken = i >= map->first && i < map->first + map->count;
            const double wanted = taken ? value_at(slices, map->total_rows, total, map->row[i] - map->base, f) : -7;
            assert_true(value_at(slices, map->partial_rows, partial, i, f) == wanted);
        }
}

/* Three partials, the first of which clears the total, then the total taken back. */
static void check_round(SinoSlices slices, int64_t total_rows, double chance, bool whole, uint64_t *seed)
{
    const int64_t elements = total_rows * slices.stride;
    uint32_t *row = calloc((size_t)(total_rows > 0 ? total_rows : 1), sizeof *row);
    double *expected = create(SINO_DOUBLE, elements, NULL);
    void *total = create(slices.precision, elements, seed); /* garbage, to be cleared */
    assert_non_null(row);
    for (int part = 0; part < 3; part++) {
        const SinoRowMap map = random_map(total_rows, chance, whole, 1000 * part, row, seed);
        void *partial = create(slices.precision, map.partial_rows * slices.stride, seed);
        sino_reduce_add(slices, &map, partial, part == 0, total);
        expect_sum(slices, &map, partial, expected);
        check_total(slices, total_rows, total, expected,
                    part * 4 * (slices.precision == SINO_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON));
        check_taken(slices, &map, total, partial);
        free(partial);
    }
    free(row);
    free(expected);
    free(total);
}

static void sums_and_takes_match_loops(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 4, 8, 16, 17, 20, 24, 33, 40, 64, 256};
    static const int rays[] = {0, 1, 7, 100};
    uint64_t seed = 3;
    for (size_t s = 0; s < sizeof counts / sizeof *counts; s++)
        for (size_t r = 0; r < sizeof rays / sizeof *rays; r++)
            for (int p = 0; p < 2; p++) {
                const int64_t stride = sino_panel_stride(precisions[p], counts[s]);
                const SinoSlices slices = {precisions[p], stride, stride};
                check_round(slices, rays[r], 0.5, false, &seed);
                check_round(slices, rays[r], 0.05, true, &seed);
                check_round(slices, rays[r], 0, true, &seed); /* empty footprints */
                check_round(slices, rays[r], 1, true, &seed);
            }
}

static void empty_first_partial_clears(void **state)
{
    (void)state;
    float total[] = {1, 2, 3, 4}, none = 0;
    const SinoSlices slices = {SINO_SINGLE, 2, 2};
    const SinoRowMap map = {.total_rows = 2};
    sino_reduce_add(slices, &map, &none, false, total);
    for (int i = 0; i < 4; i++) assert_true(total[i] == (float)(i + 1));
    sino_reduce_add(slices, &map, &none, true, total);
    for (int i = 0; i < 4; i++) assert_true(total[i] == 0);
}

TESTING_SUBJECT(reduce)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_takes_match_loops),
        cmocka_unit_test(empty_first_partial_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
