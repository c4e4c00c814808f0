/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: units for slices of every size, and the accuracy of their values as halves. */
#include "cast.h"

#include "reference_operator.h"
#include "testing.h"

#include <math.h>

enum { ROWS = 37, EXPONENT = 14 };

static const int64_t slice_counts[] = {1, 2, 3, 8, 15, 16, 17, 33, 70};
enum { SLICE_COUNTS = sizeof slice_counts / sizeof *slice_counts };

/* A vector, what it becomes in halves, and that in single again. */
typedef struct Vector {
    SinoSlices slices;
    float *x, *back; /* owned */
    SinoHalf *half;  /* owned */
    SinoCastUnits units;
} Vector;

static Vector vector_new(int64_t slice_count)
{
    Vector vector = {.slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, slice_count), slice_count}};
    const size_t count = (size_t)(ROWS * vector.slices.stride);
    vector.x = calloc(count, sizeof *vector.x);
    vector.back = calloc(count, sizeof *vector.back);
    vector.half = calloc(count, sizeof *vector.half);
    assert_true(vector.x && vector.back && vector.half);
    memset(&vector.units, 0xff, sizeof vector.units);
    return vector;
}

static void vector_free(Vector *vector)
{
    free(vector->x);
    free(vector->back);
    free(vector->half);
}

static int64_t at(const Vector *vector, int64_t row, int64_t f)
{
    return sino_panel_element(vector->slices, ROWS, row, f);
}

/* Random values of a slice, the largest of which is `size` and one of the others 0. */
static void fill_slice(Vector *vector, int64_t f, float size, uint64_t *seed)
{
    for (int64_t row = 0; row < ROWS; row++)
        vector->x[at(vector, row, f)] = size * (float)pow(reference_random(seed), 9);
    vector->x[at(vector, (5 * f + 3) % ROWS, f)] = f % 2 ? size : -size;
    vector->x[at(vector, (5 * f + 9) % ROWS, f)] = 0;
}

static void cast_both_ways(Vector *vector, int exponent)
{
    sino_cast_units(vector->slices, ROWS, vector->x, exponent, true, true, &vector->units);
    sino_cast_narrow(vector->slices, ROWS, vector->x, &vector->units, vector->half);
    sino_cast_widen(vector->slices, ROWS, vector->half, &vector->units, vector->back);
}

/* The least power of two of which `largest` is less than 2^exponent; it and its reciprocal are normal floats. */
static double unit_of(double largest, int exponent)
{
    int power;
    if (largest == 0) return 1;
    (void)frexp(largest, &power);
    return ldexp(1, (int)fmax(fmin(power - exponent, 126), -126));
}

/* Half a last place: 11 bits of a value, 2⁻²⁵ units where shares are subnormal. A result may be a subnormal float. */
static void check_slice(const Vector *vector, int64_t f, double size, int exponent)
{
    const double unit = (double)vector->units.unit[f];
    if (unit != unit_of(size, exponent))
        fail_msg("slice %d of at most %g: unit %a, expected %a", (int)f, size, unit, unit_of(size, exponent));
    for (int64_t row = 0; row < ROWS; row++) {
        const int64_t i = at(vector, row, f);
        const double x = (double)vector->x[i], share = (double)sino_half_value(vector->half[i]);
        const double back = (double)vector->back[i], error = fabs(back - x);
        assert_true(fabs(share) <= ldexp(1, exponent) || unit == 0x1p126);
        if (!(error <= fmax(0x1p-11 * fabs(x), 0x1p-25 * unit) + 0x1p-149))
            fail_msg("slice %d of at most %g: %a becomes %a", (int)f, size, x, back);
        /* The same bound by the slice's largest value, of which the unit is less than 2 by 2^exponent. */
        if (unit > 0x1p-126) assert_true(error <= fmax(0x1p-11 * fabs(x), ldexp(size, -24 - exponent)) + 0x1p-149);
        if (x == 0) assert_true(back == 0);
    }
}

/* Slices of many sizes side by side: each has its own unit. */
static void values_of_every_size_come_back(void **state)
{
    (void)state;
    static const double sizes[] = {1e-12, 1, 1e12, 0, 1e-38, 1e38, 16383, 16384, 3e-41, 0.5, 1e-3, 65536, 1e-30};
    static const int exponents[] = {EXPONENT, 15, 6, 2};
    const int64_t count = sizeof sizes / sizeof *sizes;
    uint64_t seed = 2;
    for (int n = 0; n < SLICE_COUNTS; n++) {
        Vector vector = vector_new(slice_counts[n]);
        for (int e = 0; e < 4; e++) {
            for (int64_t f = 0; f < slice_counts[n]; f++) fill_slice(&vector, f, (float)sizes[(f + e) % count], &seed);
            cast_both_ways(&vector, exponents[e]);
            for (int64_t f = 0; f < slice_counts[n]; f++)
                check_slice(&vector, f, (double)(float)sizes[(f + e) % count], exponents[e]);
            for (int64_t f = slice_counts[n]; f < vector.slices.stride; f++) check_slice(&vector, f, 0, exponents[e]);
        }
        vector_free(&vector);
    }
}

/* Sums of half precision need room: exponents are negative for large grids. The largest floats find no such unit. */
static void exponents_may_be_negative(void **state)
{
    (void)state;
    static const float sizes[] = {0, 1e-6f, 1e38f, 2e-6f};
    uint64_t seed = 4;
    Vector vector = vector_new(4);
    for (int64_t f = 0; f < 4; f++) fill_slice(&vector, f, sizes[f], &seed);
    cast_both_ways(&vector, -3);
    for (int64_t f = 0; f < 4; f++) check_slice(&vector, f, (double)sizes[f], -3);
    vector_free(&vector);
}

/* What is beside a slice makes no difference to it, bit for bit. */
static void slices_do_not_mix(void **state)
{
    (void)state;
    uint64_t seed = 6;
    Vector alone = vector_new(17), beside = vector_new(17);
    for (int64_t f = 0; f < 17; f++) fill_slice(&alone, f, 1e-9f * (float)(f + 1), &seed);
    memcpy(beside.x, alone.x, (size_t)(ROWS * alone.slices.stride) * sizeof *alone.x);
    static const float others[] = {1e30f, NAN, INFINITY, 0};
    for (int64_t f = 0; f < 17; f += 2)
        for (int64_t row = 0; row < ROWS; row++) beside.x[at(&beside, row, f)] = others[f / 2 % 4];
    cast_both_ways(&alone, EXPONENT);
    cast_both_ways(&beside, EXPONENT);
    for (int64_t f = 1; f < 17; f += 2) {
        assert_true(alone.units.unit[f] == beside.units.unit[f]);
        for (int64_t row = 0; row < ROWS; row++) {
            assert_int_equal(alone.half[at(&alone, row, f)], beside.half[at(&beside, row, f)]);
            assert_true(alone.back[at(&alone, row, f)] == beside.back[at(&beside, row, f)]);
        }
    }
    vector_free(&alone);
    vector_free(&beside);
}

/* They stay what they are; beside NaN the others keep their unit. */
static void values_that_are_not_finite_stay(void **state)
{
    (void)state;
    Vector vector = vector_new(6);
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t f = 0; f < 6; f++) vector.x[at(&vector, row, f)] = 1e6f;
    vector.x[at(&vector, 7, 1)] = INFINITY;
    vector.x[at(&vector, 36, 2)] = -INFINITY;
    vector.x[at(&vector, 0, 3)] = NAN;
    vector.x[at(&vector, 36, 4)] = -NAN;
    cast_both_ways(&vector, EXPONENT);
    for (int64_t f = 0; f < 6; f++)
        assert_true((double)vector.units.unit[f] == (f == 1 || f == 2 ? 1 : unit_of(1e6, EXPONENT)));
    assert_true(vector.back[at(&vector, 7, 1)] == INFINITY);
    assert_true(vector.back[at(&vector, 36, 2)] == -INFINITY);
    assert_true(isnan(vector.back[at(&vector, 0, 3)]) && isnan(vector.back[at(&vector, 36, 4)]));
    assert_true(fabs((double)vector.back[at(&vector, 7, 3)] - 1e6) <= 0x1p-11 * 1e6);
    vector_free(&vector);
}

/* A vector in parts has the units of the whole: the largest value may be in any of them. */
static void parts_add_up(void **state)
{
    (void)state;
    enum { PARTS = 3 };
    uint64_t seed = 8;
    for (int n = 0; n < SLICE_COUNTS; n++) {
        const int64_t count = slice_counts[n];
        Vector part[PARTS];
        double largest[128] = {0};
        SinoCastUnits units;
        memset(&units, 0xff, sizeof units);
        for (int p = 0; p < PARTS; p++) {
            part[p] = vector_new(count);
            for (int64_t f = 0; f < count; f++) {
                const float size = (float)exp(20 * reference_random(&seed));
                fill_slice(&part[p], f, size, &seed);
                largest[f] = fmax(largest[f], (double)size);
            }
        }
        for (int p = 0; p < PARTS; p++)
            sino_cast_units(part[p].slices, p == 1 ? 0 : ROWS, part[p].x, EXPONENT, p == 0, false, &units);
        sino_cast_units(part[1].slices, ROWS, part[1].x, EXPONENT, false, true, &units);
        for (int64_t f = 0; f < part[0].slices.stride; f++)
            assert_true((double)units.unit[f] == unit_of(largest[f], EXPONENT));
        for (int p = 0; p < PARTS; p++) vector_free(&part[p]);
    }
}

/* What was seen of another vector before is forgotten. */
static void the_first_part_starts_anew(void **state)
{
    (void)state;
    uint64_t seed = 10;
    Vector vector = vector_new(5);
    for (int64_t f = 0; f < 5; f++) fill_slice(&vector, f, 1e20f, &seed);
    cast_both_ways(&vector, EXPONENT);
    for (int64_t f = 0; f < 5; f++) fill_slice(&vector, f, 1e-20f, &seed);
    cast_both_ways(&vector, EXPONENT);
    for (int64_t f = 0; f < 5; f++) check_slice(&vector, f, (double)1e-20f, EXPONENT);
    vector_free(&vector);
}

/* Without units of its own a share may be too large: never a wrong finite number. */
static void shares_too_large_are_infinite(void **state)
{
    (void)state;
    Vector vector = vector_new(2);
    for (int64_t f = 0; f < vector.slices.stride; f++) vector.units.unit[f] = 1;
    vector.x[at(&vector, 0, 0)] = 65536;
    vector.x[at(&vector, 1, 1)] = -1e30f;
    vector.x[at(&vector, 2, 1)] = 65504;
    sino_cast_narrow(vector.slices, ROWS, vector.x, &vector.units, vector.half);
    sino_cast_widen(vector.slices, ROWS, vector.half, &vector.units, vector.back);
    assert_true(vector.back[at(&vector, 0, 0)] == INFINITY);
    assert_true(vector.back[at(&vector, 1, 1)] == -INFINITY);
    assert_true(vector.back[at(&vector, 2, 1)] == 65504);
    vector_free(&vector);
}

TESTING_SUBJECT(cast)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_size_come_back),
        cmocka_unit_test(exponents_may_be_negative),
        cmocka_unit_test(slices_do_not_mix),
        cmocka_unit_test(values_that_are_not_finite_stay),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(the_first_part_starts_anew),
        cmocka_unit_test(shares_too_large_are_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
