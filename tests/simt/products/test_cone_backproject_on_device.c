/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on a GPU: the tests of the CPU's kernels. */
#include "cone_backproject_on_device.h"

#define TESTING_ON_DEVICE
#define PART_TOLERANCE             (precision == SINO_MIXED ? 5e-3 : 1e-4)
#define sino_cone_backproject_with cone_backproject_on_device

#include "../../codelets/test_cone_backproject.c" /* NOLINT(bugprone-suspicious-include) */

#include "cone_cuda.h"
#include "simt_device.h"

static int64_t random_count(uint32_t *seed, int64_t least, int64_t most)
{
    return least + (int64_t)((testing_signed(seed) + 1) / 2 * (double)(most - least + 1));
}

/* Tiles, patches and chunks of voxels that end anywhere; up to 32 projections; windows that fit a patch, and do not. */
static void random_scans_match_the_formula(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 24; i++) {
        const bool fours = i % 2 == 0;
        SinoCone cone = round_cone;
        cone.angle_count = fours ? 4 * random_count(&seed, 1, 8) : random_count(&seed, 1, 32);
        cone.column_count = random_count(&seed, 2, 60);
        cone.row_count = random_count(&seed, 1, 90);
        cone.x_count = fours ? 2 * random_count(&seed, 1, 10) : random_count(&seed, 1, 20);
        cone.y_count = fours ? cone.x_count : random_count(&seed, 1, 20);
        cone.z_count = random_count(&seed, 1, 75);
        cone.center = 0.5 * (double)cone.column_count + 5 * testing_signed(&seed);
        cone.center_row = 0.25 + 0.4 * (double)cone.row_count * (1 + testing_signed(&seed));
        cone.voxel_size = 1 + 0.7 * testing_signed(&seed);
        cone.pixel_width = 1.5 + 0.5 * testing_signed(&seed);
        cone.pixel_height = 1.5 + 0.5 * testing_signed(&seed);
        if (i % 3 == 0) {
            cone.center_row = 0.5 * (double)random_count(&seed, 0, 2 * cone.row_count);
            cone.z_count = 2 * random_count(&seed, 1, 40);
        }
        check_cone(&cone, fours ? 360 : 300, fours, (SinoConeSymmetry){fours ? 4 : 1, i % 3 == 0 ? 2 : 1});
    }
}

/* Runs that are seen a billionth of a pixel inside and outside the first and the last column. */
static void edges_of_the_detector_are_exact(void **state)
{
    (void)state;
    const SinoConePart part = {0, 0, 22, 22, 0, 20};
    for (int beyond = -1; beyond <= 1; beyond += 2)
        for (int right = 0; right < 2; right++) {
            SinoCone cone = round_cone;
            Scan scan;
            const double column = 10.5 * 150 / 100.5 / 1.5 + beyond * 1e-9; /* of the last run of a row */
            cone.angle_count = 1;
            cone.center = right ? (double)(cone.column_count - 1) - column : column;
            make_scan(&cone, 360, true, &scan);
            scan.angle_rad[0] = 0;
            for (int precision = 0; precision < 2; precision++) {
                Block block;
                make_block(&scan, precision ? SINO_MIXED : SINO_SINGLE, (SinoConeSymmetry){1, 1}, &block);
                check_part(&scan, &block, &part, isas[0]);
                free_block(&block);
            }
            free_scan(&scan);
        }
}

/* The first block of a part takes what was there for 0, in padding, too. */
static void check_first_block(const Scan *scan, SinoPrecision precision, const SinoConePart *part)
{
    const SinoConeSymmetry symmetry = {4, 2};
    const int64_t voxels = sino_cone_part_voxels(part, symmetry);
    float *value = NULL, *sum = NULL;
    Block block;
    make_block(scan, precision, symmetry, &block);
    const SinoConeBackprojection what = {&scan->cone,     &block.lines, part,
                                         block.angle_rad, block.unit,   block.projection};
    assert_success(sino_allocate(voxels, sizeof *value, "test", &value));
    assert_success(sino_allocate(voxels, sizeof *sum, "test", &sum));
    for (int64_t i = 0; i < voxels; i++) value[i] = NAN;
    cone_backproject_first_on_device(&what, true, value);
    cone_backproject_first_on_device(&what, false, sum);
    for (int64_t i = 0; i < voxels; i++) assert_true(value[i] == sum[i]);
    free_block(&block);
    free(value);
    free(sum);
}

/* Tiles of 24 to 32 voxels, behind whose last one padding may lie. */
static void first_blocks_overwrite(void **state)
{
    (void)state;
    static const int64_t voxels[] = {10, 24, 25, 28, 30, 56};
    static const double size[] = {0.9, 1, 1.2};
    SinoCone cone = round_cone;
    cone.z_count = 112;
    for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
        Scan scan;
        cone.voxel_size = size[s];
        make_scan(&cone, 360, true, &scan);
        for (size_t i = 0; i < sizeof voxels / sizeof *voxels; i++) {
            const SinoConePart part = {1, 2, 9, 8, 0, voxels[i]};
            check_first_block(&scan, SINO_SINGLE, &part);
            check_first_block(&scan, SINO_MIXED, &part);
        }
        free_scan(&scan);
    }
}

/* Lines that have a window of the rows: as the CPU's kernel, which sees 0 beyond the window, too. */
static void windows_of_rows_are_as_on_cores(void **state)
{
    (void)state;
    static const int64_t first_row[] = {-40, -6, 3, 9, 40};
    for (int i = 0; i < 5 * 2 * 2; i++) {
        const SinoConeSymmetry symmetry = {i / 10 ? 4 : 1, i / 5 % 2 + 1};
        const SinoConePart part = {0, 2, 11, 9, 1, 9};
        const int64_t voxels = sino_cone_part_voxels(&part, symmetry);
        Scan scan;
        make_scan(&round_cone, 360, true, &scan);
        for (int precision = 0; precision < 2; precision++) {
            Block block;
            float *found = NULL, *expected = NULL;
            void *scratch = NULL;
            make_block(&scan, precision ? SINO_MIXED : SINO_SINGLE, symmetry, &block);
            block.lines.first_row = first_row[i % 5];
            const SinoConeBackprojection what = {&scan.cone,      &block.lines, &part,
                                                 block.angle_rad, block.unit,   block.projection};
            assert_success(sino_allocate(voxels, sizeof *found, "test", &found));
            assert_success(sino_allocate(voxels, sizeof *expected, "test", &expected));
            assert_success(sino_allocate(sino_cone_scratch_bytes(&block.lines), 1, "test", &scratch));
            cone_backproject_first_on_device(&what, false, found);
            sino_cone_backproject(&what, scratch, expected);
            for (int64_t v = 0; v < voxels; v++)
                if (v % sino_cone_run_voxels(&part) < part.voxel_count)
                    assert_true(fabs((double)(found[v] - expected[v])) <= (precision ? 5e-3 : 1e-4));
            free(found);
            free(expected);
            free(scratch);
            free_block(&block);
        }
        free_scan(&scan);
    }
}

/* Projections that are 0 have no unit. */
static void nothing_adds_nothing(void **state)
{
    (void)state;
    const SinoConePart part = {0, 0, 11, 11, 0, 10};
    Scan scan;
    Block block;
    float value[11 * 11 * 8 * 16];
    make_scan(&round_cone, 360, true, &scan);
    make_block(&scan, SINO_MIXED, (SinoConeSymmetry){4, 2}, &block);
    memset(block.unit, 0, (size_t)scan.cone.angle_count * sizeof *block.unit);
    for (int64_t i = 0; i < 11 * 11 * 8 * 16; i++) value[i] = 3;
    cone_backproject_first_on_device(
        &(SinoConeBackprojection){&scan.cone, &block.lines, &part, block.angle_rad, block.unit, block.projection},
        false, value);
    for (int64_t i = 0; i < 11 * 11 * 8 * 16; i++) assert_true(value[i] == 3);
    free_block(&block);
    free_scan(&scan);
}

static void large_blocks_are_refused(void **state)
{
    (void)state;
    SinoConeLines lines = {.symmetry = {1, 1}, .group_count = 33, .column_count = 8, .entry_count = 32};
    const SinoConePart part = {0, 0, 1, 1, 0, 1};
    const SinoConeBackprojectionCuda what = {.cone = &round_cone, .lines = &lines, .part = &part};
    assert_error(sino_cone_backproject_cuda(NULL, &what, NULL), SINO_BAD_INPUT, "33 projections | GPU | 1 to 32");
    lines.group_count = 1;
    lines.column_count = (int64_t)1 << 26;
    assert_error(sino_cone_backproject_cuda(NULL, &what, NULL), SINO_BAD_INPUT,
                 "projections of 67108864 x 32 entries; allowed on a GPU: up to 2147483647 entries");
}

TESTING_SUBJECT(cone_cuda)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scans_match_the_formula), cmocka_unit_test(edges_of_the_detector_are_exact),
        cmocka_unit_test(first_blocks_overwrite),         cmocka_unit_test(windows_of_rows_are_as_on_cores),
        cmocka_unit_test(nothing_adds_nothing),           cmocka_unit_test(large_blocks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
