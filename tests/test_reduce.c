/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums over footprints and their mirror image against plain loops. */
#include "reduce.h"

#include "reference_operator.h"
#include "testing.h"

#include <float.h>
#include <math.h>

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_DOUBLE};

static double element(SinoPrecision precision, const void *values, int64_t at)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static void set_element(SinoPrecision precision, void *values, int64_t at, double value)
{
    if (precision == SINO_DOUBLE)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}

static void *create(SinoPrecision precision, int64_t count, uint64_t *seed)
{
    void *values = calloc((size_t)(count > 0 ? count : 1), sino_precision_bytes(precision));
    assert_non_null(values);
    for (int64_t i = 0; seed && i < count; i++) set_element(precision, values, i, reference_random(seed));
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

/* Three partials, the first of which clears the total, then the total taken back. */
static void check_round(SinoPrecision precision, int64_t stride, int64_t total_ray_count, double chance, bool whole,
                        uint64_t *seed)
{
    const int64_t elements = total_ray_count * stride;
    uint32_t *ray = calloc((size_t)(total_ray_count > 0 ? total_ray_count : 1), sizeof *ray);
    double *expected = create(SINO_DOUBLE, elements, NULL);
    void *total = create(precision, elements, seed); /* garbage, to be cleared */
    assert_non_null(ray);
    for (int part = 0; part < 3; part++) {
        const SinoFootprint every = {.ray_count = total_ray_count, .ray = NULL};
        const SinoFootprint footprint = whole ? every : random_footprint(total_ray_count, chance, ray, seed);
        void *partial = create(precision, footprint.ray_count * stride, seed);
        sino_reduce_add(precision, &footprint, stride, partial, part == 0, total_ray_count, total);
        for (int64_t i = 0; i < footprint.ray_count * stride; i++) {
            const int64_t to = whole ? i : (int64_t)ray[i / stride] * stride + i % stride;
            expected[to] += element(precision, partial, i);
        }
        const double tolerance = part * 4 * (precision == SINO_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON);
        for (int64_t i = 0; i < elements; i++)
            assert_true(fabs(element(precision, total, i) - expected[i]) <= tolerance);

        memset(partial, 0xff, (size_t)(footprint.ray_count * stride) * sino_precision_bytes(precision));
        sino_spread_take(precision, &footprint, stride, total, partial);
        for (int64_t i = 0; i < footprint.ray_count * stride; i++) {
            const int64_t from = whole ? i : (int64_t)ray[i / stride] * stride + i % stride;
            assert_true(element(precision, partial, i) == element(precision, total, from));
        }
        free(partial);
    }
    free(ray);
    free(expected);
    free(total);
}

static void sums_and_takes_match_loops(void **state)
{
    (void)state;
    static const int strides[] = {1, 2, 3, 4, 8, 16, 24, 40, 64, 256};
    static const int rays[] = {0, 1, 7, 100};
    uint64_t seed = 3;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
        for (size_t r = 0; r < sizeof rays / sizeof *rays; r++)
            for (int p = 0; p < 2; p++) {
                check_round(precisions[p], strides[s], rays[r], 0.5, false, &seed);
                check_round(precisions[p], strides[s], rays[r], 0.05, false, &seed);
                check_round(precisions[p], strides[s], rays[r], 0, false, &seed); /* empty footprints */
                check_round(precisions[p], strides[s], rays[r], 1, true, &seed);
            }
}

static void empty_first_partial_clears(void **state)
{
    (void)state;
    float total[] = {1, 2, 3, 4}, none = 0;
    const uint32_t ray = 0;
    const SinoFootprint footprint = {.ray_count = 0, .ray = &ray};
    sino_reduce_add(SINO_SINGLE, &footprint, 2, &none, false, 2, total);
    for (int i = 0; i < 4; i++) assert_true(total[i] == (float)(i + 1));
    sino_reduce_add(SINO_SINGLE, &footprint, 2, &none, true, 2, total);
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
