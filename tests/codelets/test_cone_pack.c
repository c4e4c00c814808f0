/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack: each entry is the value of its row, for whole lines and halves, windows of rows, and both precisions. */
#include "cone_pack.h"
#include "memory.h"
#include "testing.h"
#include "testing_cone.h"

#include <math.h>

enum { ANGLES = 4, COLUMNS = 5 };

/* The sinogram has the detector rows first_row … first_row + rows − 1. */
static void check(double center_row, int halves, SinoPrecision precision, int64_t first_row, int64_t rows,
                  int64_t first_entry, int64_t entries)
{
    const SinoCone cone = {.column_count = COLUMNS, .center_row = center_row};
    const SinoConeLines lines = {.symmetry = {1, halves},
                                 .precision = precision,
                                 .group_count = ANGLES,
                                 .column_count = COLUMNS,
                                 .first_row = first_entry,
                                 .entry_count = sino_ceil_multiple(entries, SINO_CONE_ENTRIES)};
    const SinoSlices slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, rows), rows};
    const SinoConePacking packing = {&cone, &lines, slices, first_row, ANGLES};
    const int64_t rays = ANGLES * COLUMNS, count = ANGLES * sino_cone_projection_entries(&lines);
    float *sinogram, unit[ANGLES];
    void *block, *scratch;
    uint32_t seed = (uint32_t)rows;
    assert_success(sino_allocate(rays * slices.stride, sizeof *sinogram, "test", &sinogram));
    assert_success(sino_allocate(count, (size_t)sino_cone_entry_bytes(&lines), "test", &block));
    assert_success(sino_allocate(sino_cone_pack_scratch_bytes(&packing), 1, "test", &scratch));
    memset(block, 0x5a, (size_t)(count * sino_cone_entry_bytes(&lines)));
    for (int64_t i = 0; i < rays; i++)
        for (int64_t f = 0; f < rows; f++)
            sinogram[sino_panel_element(slices, rays, i, f)] =
                (float)(testing_signed(&seed) * pow(10, (double)(i / COLUMNS)));
    sino_cone_pack(&packing, sinogram, scratch, block, unit);
    for (int64_t i = 0; i < count; i++) {
        const int64_t e = i % lines.entry_count, line = i / lines.entry_count, column = line % COLUMNS;
        const int half = (int)(line / COLUMNS % halves);
        const int64_t angle = line / COLUMNS / halves;
        const int64_t f = testing_cone_row(&cone, &lines, half, e) - first_row;
        const bool absent = f < 0 || f >= rows;
        const float wanted = absent ? 0 : sinogram[sino_panel_element(slices, rays, angle * COLUMNS + column, f)];
        if (precision == SINO_SINGLE) {
            assert_true(((float *)block)[i] == wanted);
        } else {
            const double value = (double)unit[angle] * ((int16_t *)block)[i];
            assert_true(fabs(value - (double)wanted) <= 0.51 * (double)unit[angle]);
        }
    }
    free(sinogram);
    free(block);
    free(scratch);
}

static void entries_are_rows(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        const SinoPrecision type = precision ? SINO_MIXED : SINO_SINGLE;
        for (int64_t rows = 1; rows < 80; rows += 13) {
            const double middle = 0.5 * (double)(rows - 1);
            check(middle, 1, type, 0, rows, 0, rows);
            check(middle, 2, type, 0, rows, 0, rows / 2 + 2);
            check(middle - 3.5, 2, type, 0, rows, 0,
                  rows + 4); /* a plane far from the middle, or beside the detector */
            check(0.37, 1, type, 0, rows, -3, rows + 5);
        }
        check(31.5, 2, type, 20, 44, 0, 33); /* a window of the rows */
        check(31.5, 2, type, 0, 64, 10, 20);
        check(31.5, 1, type, 7, 30, 5, 64);
        check(31, 2, type, 40, 10, 0, 20); /* the lower half has no row */
    }
}

static void nothing_stays_nothing(void **state)
{
    (void)state;
    const SinoCone cone = {.column_count = 1};
    const SinoConeLines lines = {.symmetry = {1, 1},
                                 .precision = SINO_MIXED,
                                 .group_count = 1,
                                 .column_count = 1,
                                 .entry_count = SINO_CONE_ENTRIES};
    const float sinogram[4] = {0, 0, 1e-41F, 0};
    const SinoConePacking packing = {&cone, &lines, {SINO_SINGLE, 4, 4}, 0, 1};
    int16_t block[SINO_CONE_ENTRIES];
    float scratch[16], unit = 1;
    sino_cone_pack(&packing, sinogram, scratch, block, &unit);
    assert_true(unit == 0);
    for (int i = 0; i < SINO_CONE_ENTRIES; i++) assert_int_equal(block[i], 0);
}

TESTING_SUBJECT(cone_pack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_rows),
        cmocka_unit_test(nothing_stays_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
