/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce, all partials at once: the bits of one partial after another. */
#include "testing_reduce.h"

/* Some rows of the total in a vector of their own. */
static void check_rows(SinoSlices slices, int64_t count, const SinoRowMap *map, const void *const *partial,
                       int64_t first, int64_t rows, const void *total)
{
    void *alone = create(slices.precision, rows * slices.stride, &(uint64_t){5}); /* garbage */
    sino_reduce_add_rows(slices, count, map, partial, first, rows, alone);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t f = 0; f < slices.stride; f++)
            assert_true(
                testing_element(slices.precision, alone, sino_panel_element(slices, rows, i, f)) ==
                testing_element(slices.precision, total, sino_panel_element(slices, map[0].total_rows, first + i, f)));
    free(alone);
}

/* All partials in one call, for some rows after others, have the bits of one after another. */
static void check_all(SinoSlices slices, int64_t total_rows, double chance, bool whole, uint64_t *seed)
{
    enum { PARTIALS = 5 };
    const int64_t elements = total_rows * slices.stride, bytes = (int64_t)sino_precision_bytes(slices.precision);
    SinoRowMap map[PARTIALS];
    uint32_t *row[PARTIALS];
    void *partial[PARTIALS], *total = create(slices.precision, elements, seed);
    void *all = create(slices.precision, elements, seed); /* garbage, to be cleared */
    for (int i = 0; i < PARTIALS; i++) {
        row[i] = calloc((size_t)(total_rows > 0 ? total_rows : 1), sizeof *row[i]);
        assert_non_null(row[i]);
        map[i] = random_map(total_rows, i == 3 ? 0 : chance, whole, 1000 * i, row[i], seed);
        partial[i] = create(slices.precision, map[i].partial_rows * slices.stride, seed);
        sino_reduce_add(slices, &map[i], partial[i], i == 0, total);
    }
    for (int64_t at = 0, count; at < total_rows; at += count) {
        count = 1 + (int64_t)(*seed % 700);
        count = count < total_rows - at ? count : total_rows - at;
        sino_reduce_add_all(slices, PARTIALS, map, (const void *const *)partial, at, count, all);
        check_rows(slices, PARTIALS, map, (const void *const *)partial, at, count, total);
        (void)reference_random(seed);
    }
    assert_memory_equal(all, total, (size_t)(elements * bytes));
    for (int i = 0; i < PARTIALS; i++) {
        free(row[i]);
        free(partial[i]);
    }
    free(total);
    free(all);
}

static void all_partials_have_the_bits_of_each(void **state)
{
    (void)state;
    static const int counts[] = {1, 4, 17, 32, 40};
    static const int rays[] = {0, 1, 511, 512, 513, 2000};
    uint64_t seed = 11;
    for (size_t s = 0; s < sizeof counts / sizeof *counts; s++)
        for (size_t r = 0; r < sizeof rays / sizeof *rays; r++)
            for (int p = 0; p < 2; p++) {
                const int64_t stride = sino_panel_stride(precisions[p], counts[s]);
                const SinoSlices slices = {precisions[p], stride, stride};
                check_all(slices, rays[r], 0.4, false, &seed);
                check_all(slices, rays[r], 0.1, true, &seed);
                check_all(slices, rays[r], 1, true, &seed);
            }
}

TESTING_SUBJECT(reduce_all)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_partials_have_the_bits_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
