/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums over footprints and their mirror image against plain loops. */
#include "reduce.h"

#include "reference_operator.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

static void *create(SinoPrecision precision, int64_t count, uint64_t *seed)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), sino_precision_bytes(precision));
    assert_non_null(values);
    for (int64_t i = 0; seed && i < count; i++) testing_set_element(precision, values, i, reference_random(seed));
    return values;
}

/* Rays of the sinogram with the given chance, ascending, in `ray`. */
static SinoFootprint random_footprint(int64_t total_ray_count, double chance, uint32_t *ray, uint64_t *seed)
{
    SinoFootprint footprint = {.ray = ray};
    for (int64_t i = 0; i < total_ray_count; i++)
        if ((reference_random(seed) + 1) / 2 < chance) ray[footprint.ray_count++] = (uint32_t)i;
    return footprint;
}

static double value_at(SinoSlices slices, int64_t rows, const void *vector, int64_t row, int64_t f)
{
    return testing_element(slices.precision, vector, sino_panel_element(slices, rows, row, f));
}

/* expected[ray][stride] += the partial. */
static void expect_sum(SinoSlices slices, const SinoFootprint *footprint, const void *partial, double *expected)
{
    for (int64_t i = 0; i < footprint->ray_count; i++)
        for (int64_t f = 0; f < slices.stride; f++) {
            const int64_t ray = footprint->ray ? footprint->ray[i] : i;
            expected[ray * slices.stride + f] += value_at(slices, footprint->ray_count, partial, i, f);
        }
}

static void check_total(SinoSlices slices, int64_t rays, const void *total, const double *expected, double tolerance)
{
    for (int64_t ray = 0; ray < rays; ray++)
        for (int64_t f = 0; f < slices.stride; f++)
            assert_true(fabs(value_at(slices, rays, total, ray, f) - expected[ray * slices.stride + f]) <= tolerance);
}

/* Takes the partial back from the total. */
static void check_taken(SinoSlices slices, const SinoFootprint *footprint, int64_t rays, const void *total,
                        void *partial)
{
    const int64_t rows = footprint->ray_count;
    memset(partial, 0xff, (size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision));
    sino_spread_take(slices, footprint, rays, total, partial);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.stride; f++) {
            const int64_t ray = footprint->ray ? footprint->ray[i] : i;
            assert_true(value_at(slices, rows, partial, i, f) == value_at(slices, rays, total, ray, f));
        }
}

/* Three partials, the first of which clears the total, then the total taken back. */
static void check_round(SinoSlices slices, int64_t total_ray_count, double chance, bool whole, uint64_t *seed)
{
    const int64_t elements = total_ray_count * slices.stride;
    uint32_t *ray = calloc((size_t)(total_ray_count > 0 ? total_ray_count : 1), sizeof *ray);
    double *expected = create(SINO_DOUBLE, elements, NULL);
    void *total = create(slices.precision, elements, seed); /* garbage, to be cleared */
    assert_non_null(ray);
    for (int part = 0; part < 3; part++) {
        const SinoFootprint every = {.ray_count = total_ray_count, .ray = NULL};
        const SinoFootprint footprint = whole ? every : random_footprint(total_ray_count, chance, ray, seed);
        void *partial = create(slices.precision, footprint.ray_count * slices.stride, seed);
        sino_reduce_add(slices, &footprint, partial, part == 0, total_ray_count, total);
        expect_sum(slices, &footprint, partial, expected);
        check_total(slices, total_ray_count, total, expected,
                    part * 4 * (slices.precision == SINO_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON));
        check_taken(slices, &footprint, total_ray_count, total, partial);
        free(partial);
    }
    free(ray);
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
                check_round(slices, rays[r], 0.05, false, &seed);
                check_round(slices, rays[r], 0, false, &seed); /* empty footprints */
                check_round(slices, rays[r], 1, true, &seed);
            }
}

static void empty_first_partial_clears(void **state)
{
    (void)state;
    float total[] = {1, 2, 3, 4}, none = 0;
    const uint32_t ray = 0;
    const SinoSlices slices = {SINO_SINGLE, 2, 2};
    const SinoFootprint footprint = {.ray_count = 0, .ray = &ray};
    sino_reduce_add(slices, &footprint, &none, false, 2, total);
    for (int i = 0; i < 4; i++) assert_true(total[i] == (float)(i + 1));
    sino_reduce_add(slices, &footprint, &none, true, 2, total);
    for (int i = 0; i < 4; i++) assert_true(total[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_takes_match_loops),
        cmocka_unit_test(empty_first_partial_clears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
