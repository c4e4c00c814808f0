/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels: values enter vectors of several panels, images leave them, marks and masks. */
#include "brick_voxels.h"
#include "testing.h"

#include <math.h>

enum { ROWS = 37 };

static SinoSlices slices_of(int64_t count)
{
    return (SinoSlices){SINO_SINGLE, sino_panel_stride(SINO_SINGLE, count), count};
}

static float element(SinoSlices slices, const float *vector, int64_t row, int64_t set)
{
    return vector[sino_panel_element(slices, ROWS, row, set)];
}

/* Numbers of values for rows, some of them twice. */
static void list_rows(int64_t row[ROWS])
{
    for (int i = 0; i < ROWS; i++) row[i] = i * 5 % 29;
}

static void values_enter_their_set(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 3, 16, 40};
    int64_t row[ROWS];
    list_rows(row);
    for (int c = 0; c < 4; c++) {
        const SinoSlices slices = slices_of(counts[c]);
        float value[ROWS], *vector = calloc((size_t)(slices.stride * ROWS), sizeof *vector);
        assert_non_null(vector);
        for (int64_t s = 0; s < counts[c]; s++) {
            for (int i = 0; i < ROWS; i++) value[i] = (float)(100 * s + i);
            const SinoGather gather = {.row_count = ROWS, .row = row, .slices = slices, .set = s};
            sino_gather_values(&gather, value, vector);
        }
        for (int64_t s = 0; s < counts[c]; s++)
            for (int64_t i = 0; i < ROWS; i++) assert_true(element(slices, vector, i, s) == (float)(100 * s + row[i]));
        for (int64_t i = 0; i < ROWS; i++)
            if (slices.stride > counts[c]) assert_true(element(slices, vector, i, counts[c]) == 0);
        free(vector);
    }
}

/* A share of values that are all `value`, whose numbers are first, first + 1, …: by row, alone. */
static void share_values(SinoValueShare share, uint64_t seed, int64_t count, float value, int64_t first, float *result)
{
    const SinoSlices slices = slices_of(1);
    int64_t *row = malloc((size_t)count * sizeof *row);
    float *values = malloc((size_t)(first + count) * sizeof *values);
    float *vector = calloc((size_t)(count * slices.stride), sizeof *vector);
    assert_true(row && values && vector);
    for (int64_t i = 0; i < count; i++) row[i] = first + i;
    for (int64_t i = 0; i < first + count; i++) values[i] = value;
    const SinoGather gather = {.row_count = count, .row = row, .slices = slices, .share = share, .seed = seed};
    sino_gather_values(&gather, values, vector);
    for (int64_t i = 0; i < count; i++) result[i] = vector[i * slices.stride];
    free(row);
    free(values);
    free(vector);
}

/* Halves of n counts sum to n, and are those of n coins: mean n/2, variance n/4. */
static void counts_are_halved(void **state)
{
    enum { DRAWS = 4000 };
    static const float counts[] = {0, 1, 7, 64, 65, 1000, 2.5F, 3e6F};
    static float first[DRAWS], second[DRAWS];
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        /* What is beyond 2²⁰ is costly to draw. */
        const int64_t draws = counts[c] > 1e6F ? DRAWS / 20 : DRAWS;
        const double n = floor((double)counts[c]);
        double sum = 0, squares = 0;
        share_values(SINO_SHARE_FIRST, 3, draws, counts[c], 0, first);
        share_values(SINO_SHARE_SECOND, 3, draws, counts[c], 0, second);
        for (int64_t i = 0; i < draws; i++) {
            const double off = (double)first[i] - (double)counts[c] / 2;
            assert_true(first[i] >= 0 && second[i] >= 0 && first[i] + second[i] == counts[c]);
            sum += off;
            squares += off * off;
        }
        assert_true(fabs(sum) <= 5 * sqrt(n / 4 * (double)draws));
        assert_true(fabs(squares / (double)draws - n / 4) <= 5 * n / 4 * sqrt(2.0 / (double)draws));
    }
    share_values(SINO_SHARE_HALF, 3, DRAWS, 7, 0, first);
    for (int64_t i = 0; i < DRAWS; i++) assert_true(first[i] == 3.5F);
}

/* The half of a row depends on the seed and on its number, not on the other rows, nor on the place in a vector. */
static void halves_are_repeatable(void **state)
{
    enum { DRAWS = 200, FIRST = 50 };
    static float all[DRAWS], part[DRAWS], other[DRAWS];
    int64_t same = 0, neighbour = 0;
    (void)state;
    share_values(SINO_SHARE_FIRST, 3, DRAWS, 100, 0, all);
    share_values(SINO_SHARE_FIRST, 3, DRAWS - FIRST, 100, FIRST, part);
    share_values(SINO_SHARE_FIRST, 4, DRAWS, 100, 0, other);
    assert_memory_equal(all + FIRST, part, (DRAWS - FIRST) * sizeof *part);
    for (int64_t i = 0; i < DRAWS; i++) same += all[i] == other[i];
    for (int64_t i = 1; i < DRAWS; i++) neighbour += all[i] == all[i - 1];
    assert_true(same < DRAWS / 4 && neighbour < DRAWS / 4);
}

static void masked_and_padding_voxels_are_zero(void **state)
{
    (void)state;
    const SinoSlices slices = slices_of(2);
    uint32_t column[ROWS];
    float value[ROWS], mask[ROWS], vector[ROWS * 4] = {0};
    for (int i = 0; i < ROWS; i++) {
        column[i] = i % 7 == 3 ? SINO_BRICK_NO_COLUMN : (uint32_t)(ROWS - 1 - i);
        value[i] = (float)(i + 1);
        mask[i] = i % 5 != 1 ? 1 : 0;
    }
    assert_true(slices.stride <= 4);
    const SinoGather gather = {.row_count = ROWS, .column = column, .mask = mask, .slices = slices, .set = -1};
    sino_gather_values(&gather, value, vector);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t s = 0; s < 2; s++)
            assert_true(element(slices, vector, i, s) == (i % 7 == 3 || i % 5 == 1 ? 0 : (float)(ROWS - i)));
}

static void integrals_are_marked_where_the_factor_is_zero(void **state)
{
    (void)state;
    static const float g[] = {5, 0, 7, 2, 3}, r[] = {1, 0, 7, 3, 0}, n[] = {2, 1, 4, 0.5F, 0};
    static const float wanted[] = {2, 0, 0, -2, -0.0F};
    static const int64_t row[] = {0, 1, 2, 3, 4};
    const SinoSlices slices = slices_of(1);
    const SinoGather gather = {.row_count = 5, .row = row, .slices = slices};
    float vector[5 * 4] = {0};
    sino_gather_integrals(&gather, g, r, n, vector);
    for (int i = 0; i < 5; i++) {
        const float found = vector[i * slices.stride];
        assert_true(found == wanted[i] && (signbit(found) != 0) == (signbit(wanted[i]) != 0));
    }
    sino_gather_integrals(&gather, g, NULL, NULL, vector);
    for (int i = 0; i < 5; i++) assert_true(vector[i * slices.stride] == g[i]);
}

static void check_voxels(int64_t set_count)
{
    const SinoSlices slices = slices_of(set_count);
    const int64_t count = slices.stride * ROWS;
    float *a = calloc((size_t)count, sizeof *a), *b = calloc((size_t)count, sizeof *b), mask[ROWS];
    assert_true(a && b);
    for (int64_t i = 0; i < count; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i + 1);
    }
    for (int i = 0; i < ROWS; i++) mask[i] = i % 3 ? 1 : 0;
    sino_voxels_add(count, a, b);
    for (int64_t i = 0; i < count; i++) assert_true(b[i] == (float)(3 * i + 1));
    sino_voxels_mask(slices, ROWS, mask, b, a);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t s = 0; s < set_count; s++)
            assert_true(element(slices, a, i, s) == (i % 3 ? element(slices, b, i, s) : 0));
    sino_voxels_mask(slices, ROWS, NULL, b, a);
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
    free(a);
    free(b);
}

static void voxels_are_added_and_masked(void **state)
{
    (void)state;
    static const int64_t set_counts[] = {1, 2, 8, 20, 40};
    for (size_t i = 0; i < sizeof set_counts / sizeof *set_counts; i++) check_voxels(set_counts[i]);
}

/* An image is in the order of columns again. */
static void images_are_in_the_order_of_columns(void **state)
{
    (void)state;
    static const SinoVoxelGrid grid = {7, 5, 3, {1, 1, 1}};
    static const SinoBrickShape shape = {{4, 2, 2}, {2, 2, 2}};
    const SinoSlices slices = slices_of(3);
    SinoBrickOrder *order = NULL;
    assert_success(sino_brick_order_of_grid(&grid, &shape, &order));
    float *vector = calloc((size_t)(order->row_count * slices.stride), sizeof *vector), value[105], image[35];
    assert_non_null(vector);
    for (int s = 0; s < 3; s++) {
        const SinoGather gather = {.row_count = order->row_count, .column = order->column, .slices = slices, .set = s};
        for (int i = 0; i < 105; i++) value[i] = (float)(1000 * s + i);
        sino_gather_values(&gather, value, vector);
    }
    for (int s = 0; s < 3; s++)
        for (int z = 0; z < 3; z++) {
            sino_voxels_image(order, slices, s, z * 35, 35, 2, vector, image);
            for (int i = 0; i < 35; i++) assert_true(image[i] == 2 * (float)(1000 * s + z * 35 + i));
        }
    free(vector);
    sino_brick_order_free(order);
}

TESTING_SUBJECT(brick_voxels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_enter_their_set),
        cmocka_unit_test(counts_are_halved),
        cmocka_unit_test(halves_are_repeatable),
        cmocka_unit_test(masked_and_padding_voxels_are_zero),
        cmocka_unit_test(integrals_are_marked_where_the_factor_is_zero),
        cmocka_unit_test(voxels_are_added_and_masked),
        cmocka_unit_test(images_are_in_the_order_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
