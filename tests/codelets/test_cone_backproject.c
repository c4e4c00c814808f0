/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject: against the formula in double, for each instruction set, symmetry, precision and part. */
#include "cone_isa.h"
#include "memory.h"
#include "testing.h"
#include "testing_cone.h"

#include <math.h>

/* A scan with random filtered projections. */
typedef struct Scan {
    SinoCone cone;
    double *angle_rad;
    float *projection; /* [angle][row][column] */
} Scan;

static void make_scan(const SinoCone *cone, double arc_deg, bool even, Scan *scan)
{
    uint32_t seed = (uint32_t)(cone->angle_count * 1000 + cone->column_count);
    scan->cone = *cone;
    assert_success(sino_allocate(cone->angle_count, sizeof *scan->angle_rad, "test", &scan->angle_rad));
    const int64_t pixels = cone->angle_count * cone->row_count * cone->column_count;
    assert_success(sino_allocate(pixels, sizeof *scan->projection, "test", &scan->projection));
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const double step = arc_deg / (double)cone->angle_count;
        scan->angle_rad[k] = (12.3 + step * ((double)k + (even ? 0 : 0.3 * testing_signed(&seed)))) * SINO_PI / 180;
    }
    for (int64_t i = 0; i < pixels; i++)
        scan->projection[i] = (float)(testing_signed(&seed) * (1 + (double)(i % 3) * (double)(i / pixels)));
    scan->cone.angle_rad = scan->angle_rad;
}

static void free_scan(Scan *scan)
{
    free(scan->angle_rad);
    free(scan->projection);
}

static double pixel(const Scan *scan, int64_t angle, int64_t row, int64_t column)
{
    const SinoCone *cone = &scan->cone;
    if (row < 0 || row >= cone->row_count) return 0;
    return (double)scan->projection[(angle * cone->row_count + row) * cone->column_count + column];
}

/* The row's value at a place between columns. */
static double between_columns(const Scan *scan, int64_t angle, int64_t row, double at)
{
    const int64_t column = (int64_t)floor(at);
    const double share = at - (double)column, left = pixel(scan, angle, row, column);
    return share > 0 ? (1 - share) * left + share * pixel(scan, angle, row, column + 1) : left;
}

/* FDK's sum over all angles. */
static double reference(const Scan *scan, int64_t x, int64_t y, int64_t z)
{
    const SinoCone *cone = &scan->cone;
    const double right = ((double)x - 0.5 * (double)(cone->x_count - 1)) * cone->voxel_size;
    const double up = (0.5 * (double)(cone->y_count - 1) - (double)y) * cone->voxel_size;
    const double height = ((double)z - 0.5 * (double)(cone->z_count - 1)) * cone->voxel_size;
    double sum = 0;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const double c = cos(scan->angle_rad[k]), s = sin(scan->angle_rad[k]);
        const double depth = cone->source_object - right * s + up * c;
        const double column = cone->center + (right * c + up * s) * cone->source_detector / depth / cone->pixel_width;
        const double of_cone = cone->center_row + height * cone->source_detector / depth / cone->pixel_height;
        const double row = cone->fans ? cone->center_row + height / cone->voxel_size : of_cone;
        if (column < 0 || column > (double)(cone->column_count - 1)) continue;
        const int64_t above = (int64_t)floor(row);
        const double share = row - (double)above;
        const double value =
            (1 - share) * between_columns(scan, k, above, column) + share * between_columns(scan, k, above + 1, column);
        sum += cone->source_object * cone->source_object / depth / depth * value;
    }
    return sum;
}

/* A block of all projections. */
typedef struct Block {
    SinoConeLines lines;
    double *angle_rad;
    float *unit;
    void *entry;
    const void **projection;
} Block;

static void make_block_from(const Scan *scan, SinoPrecision precision, SinoConeSymmetry symmetry, int64_t first_row,
                            Block *block)
{
    const SinoCone *cone = &scan->cone;
    const int64_t groups = cone->angle_count / symmetry.turns;
    block->lines =
        (SinoConeLines){.symmetry = symmetry,
                        .precision = precision,
                        .group_count = groups,
                        .column_count = cone->column_count,
                        .first_row = first_row,
                        .entry_count = sino_ceil_multiple(cone->row_count + 2 - first_row, SINO_CONE_ENTRIES)};
    const SinoConeLines *lines = &block->lines;
    const int64_t entries = lines->entry_count, columns = lines->column_count;
    const int64_t entries_of_projection = sino_cone_projection_entries(lines);
    assert_success(sino_allocate(cone->angle_count, sizeof *block->angle_rad, "test", &block->angle_rad));
    assert_success(sino_allocate(cone->angle_count, sizeof *block->unit, "test", &block->unit));
    assert_success(sino_allocate(entries_of_projection * cone->angle_count, (size_t)sino_cone_entry_bytes(lines),
                                 "test", &block->entry));
    assert_success(sino_allocate(cone->angle_count, sizeof *block->projection, "test", &block->projection));
    memcpy(block->angle_rad, scan->angle_rad, (size_t)cone->angle_count * sizeof *block->angle_rad);
    for (int64_t p = 0; p < cone->angle_count; p++) {
        double most = 0;
        for (int64_t i = 0; i < cone->row_count * columns; i++)
            most = fmax(most, fabs((double)scan->projection[p * cone->row_count * columns + i]));
        block->unit[p] = (float)(most / SINO_CONE_LARGEST);
        block->projection[p] = (char *)block->entry + p * entries_of_projection * sino_cone_entry_bytes(lines);
        for (int half = 0; half < symmetry.halves; half++)
            for (int64_t c = 0; c < columns; c++)
                for (int64_t e = 0; e < entries; e++) {
                    const double value = pixel(scan, p, testing_cone_row(&scan->cone, lines, half, e), c);
                    const int64_t at = ((p * symmetry.halves + half) * columns + c) * entries + e;
                    if (precision == SINO_MIXED)
                        ((int16_t *)block->entry)[at] = (int16_t)lrint(value / (double)block->unit[p]);
                    else
                        ((float *)block->entry)[at] = (float)value;
                }
    }
}

static void make_block(const Scan *scan, SinoPrecision precision, SinoConeSymmetry symmetry, Block *block)
{
    make_block_from(scan, precision, symmetry, 0, block);
}

static void free_block(Block *block)
{
    free(block->angle_rad);
    free(block->unit);
    free(block->entry);
    free(block->projection);
}

/* Slice of a voxel of a half of a run. */
static int64_t slice_of(const SinoCone *cone, const SinoConePart *part, SinoConeSymmetry symmetry, int half, int64_t i)
{
    if (symmetry.halves == 1) return part->first + i;
    return half == 0 ? cone->z_count / 2 + part->first + i : cone->z_count / 2 - 1 - part->first - i;
}

/* The base run at (x, y), turned. */
static void turn_run(const SinoCone *cone, int turn, int64_t *x, int64_t *y)
{
    for (int t = 0; t < turn; t++) {
        const int64_t old_x = *x;
        *x = *y;
        *y = cone->x_count - 1 - old_x;
    }
}

static void check_part(const Scan *scan, const Block *block, const SinoConePart *part, const SinoConeIsa *isa)
{
    const SinoCone *cone = &scan->cone;
    const SinoConeSymmetry symmetry = block->lines.symmetry;
    const SinoConeBackprojection what = {cone, &block->lines, part, block->angle_rad, block->unit, block->projection};
    const int64_t voxels = sino_cone_part_voxels(part, symmetry), stride = sino_cone_run_voxels(part);
    /* A position is rounded to some 4e-6 columns; whether products and sums are fused decides which way. */
    const double tolerance = (block->lines.precision == SINO_MIXED ? 1.5e-4 : 4e-6) * (double)(cone->angle_count + 2);
    float *value = NULL;
    void *scratch = NULL;
    assert_success(sino_allocate(voxels, sizeof *value, "test", &value));
    assert_success(sino_allocate(sino_cone_scratch_bytes(&block->lines), 1, "test", &scratch));
    for (int64_t i = 0; i < voxels; i++) value[i] = 7;
    sino_cone_backproject_with(isa, &what, scratch, value);
    for (int64_t i = 0; i < voxels; i++) {
        const int64_t in_run = i % stride, run = i / stride;
        const int half = (int)(run % symmetry.halves), turn = (int)(run / symmetry.halves % symmetry.turns);
        const int64_t base = run / symmetry.halves / symmetry.turns;
        int64_t x = part->first_x + base % part->x_count, y = part->first_y + base / part->x_count;
        if (in_run >= part->voxel_count) continue;
        turn_run(cone, turn, &x, &y);
        const int64_t z = slice_of(cone, part, symmetry, half, in_run);
        const double wanted = 7 + reference(scan, x, y, z), error = fabs((double)value[i] - wanted);
        if (!(error <= tolerance))
            fail_msg("%s, precision %d, turns %d, halves %d: voxel (%ld, %ld, %ld) is %.7g instead of %.7g", isa->name,
                     block->lines.precision, symmetry.turns, symmetry.halves, x, y, z, (double)value[i], wanted);
    }
    free(value);
    free(scratch);
}

static const SinoConeIsa *const isas[] = {
    &sino_cone_plain,
#if defined __x86_64__ && !defined TESTING_ON_DEVICE /* a device is tested once */
    &sino_cone_avx2,
    &sino_cone_avx512,
    &sino_cone_avx512vnni,
#endif
};

static bool processor_has(const SinoConeIsa *isa)
{
    if (isa == &sino_cone_plain) return true;
#ifdef __x86_64__
    if (isa == &sino_cone_avx2) return sino_vector_bytes() >= 32;
    if (isa == &sino_cone_avx512) return sino_vector_bytes() == 64;
    return sino_vector_bytes() == 64 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}

/* The whole volume as one part, and a part inside. */
static void check_scan(const Scan *scan, SinoConeSymmetry symmetry)
{
    const SinoCone *cone = &scan->cone;
    const int64_t share = symmetry.turns == 1 ? 1 : 2;
    const SinoConePart whole = {0, 0, cone->x_count / share, cone->y_count / share, 0, cone->z_count / symmetry.halves};
    const SinoConePart inside = {whole.x_count / 3, whole.y_count / 2,     (whole.x_count + 2) / 3,
                                 whole.y_count / 2, whole.voxel_count / 3, whole.voxel_count / 2 + 1};
    for (int precision = 0; precision < 2; precision++) {
        Block block;
        make_block(scan, precision ? SINO_MIXED : SINO_SINGLE, symmetry, &block);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            if (!processor_has(isas[i])) continue;
            check_part(scan, &block, &whole, isas[i]);
            if (inside.x_count > 0 && inside.y_count > 0) check_part(scan, &block, &inside, isas[i]);
        }
        free_block(&block);
    }
}

static void check_cone(const SinoCone *cone, double arc_deg, bool even, SinoConeSymmetry expected)
{
    Scan scan;
    make_scan(cone, arc_deg, even, &scan);
    const SinoConeSymmetry found = sino_cone_symmetry(&scan.cone, true);
    assert_int_equal(found.turns, expected.turns);
    assert_int_equal(found.halves, expected.halves);
    for (int turns = 1; turns <= found.turns; turns += SINO_CONE_TURNS - 1)
        for (int halves = 1; halves <= found.halves; halves++) check_scan(&scan, (SinoConeSymmetry){turns, halves});
    free_scan(&scan);
}

static const SinoCone round_cone = {.angle_count = 20,
                                    .column_count = 30,
                                    .row_count = 26,
                                    .x_count = 22,
                                    .y_count = 22,
                                    .z_count = 20,
                                    .source_object = 100,
                                    .source_detector = 150,
                                    .pixel_width = 1.5,
                                    .pixel_height = 1.5,
                                    .voxel_size = 1,
                                    .center = 14.5,
                                    .center_row = 12.5};

static void symmetric_scans_match_the_formula(void **state)
{
    (void)state;
    SinoCone cone = round_cone;
    check_cone(&cone, 360, true, (SinoConeSymmetry){4, 2});
    cone.center = 13.2; /* turns need no centered axis */
    cone.center_row = 11;
    check_cone(&cone, 360, true, (SinoConeSymmetry){4, 2});
    cone.center_row = 10.9;
    check_cone(&cone, -360, true, (SinoConeSymmetry){1, 1});
    check_cone(&cone, 360, true, (SinoConeSymmetry){4, 1});
    cone.z_count = 37; /* beyond the detector */
    check_cone(&cone, 360, true, (SinoConeSymmetry){4, 1});
}

static void general_scans_match_the_formula(void **state)
{
    (void)state;
    SinoCone cone = round_cone;
    cone.angle_count = 19;
    check_cone(&cone, 220, true, (SinoConeSymmetry){1, 2});
    cone.angle_count = 20;
    check_cone(&cone, 360, false, (SinoConeSymmetry){1, 2});
    cone.x_count = 21;
    cone.y_count = 40;
    cone.pixel_height = 1.1;
    cone.z_count = 50;
    check_cone(&cone, 360, true, (SinoConeSymmetry){1, 2});
    cone.center_row = -3.3; /* the plane of the source is beside the detector */
    check_cone(&cone, 360, true, (SinoConeSymmetry){1, 1});
}

/* Voxels that are several rows high, and several to a row. */
static void voxels_of_any_size_match_the_formula(void **state)
{
    (void)state;
    static const double size[] = {0.05, 0.3, 1.25, 1.5, 2.5, 6};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        SinoCone cone = round_cone;
        cone.voxel_size = size[i];
        cone.x_count = cone.y_count = 6;
        cone.z_count = 44;
        check_cone(&cone, 360, true, (SinoConeSymmetry){4, 2});
    }
}

/* Rows that are fans of their own, of any height: slice k is seen by row k. */
static void rows_of_fans_match_the_formula(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 40; rows += 13) {
        SinoCone cone = round_cone;
        cone.fans = true;
        cone.row_count = cone.z_count = rows;
        cone.center_row = 0.5 * (double)(rows - 1);
        cone.pixel_height = 7.3;
        cone.voxel_size = 0.8;
        check_cone(&cone, 360, true, (SinoConeSymmetry){4, rows % 2 == 0 ? 2 : 1});
        cone.angle_count = 19;
        check_cone(&cone, 220, true, (SinoConeSymmetry){1, rows % 2 == 0 ? 2 : 1});
    }
}

static void edge_shapes_match_the_formula(void **state)
{
    (void)state;
    for (int64_t columns = 1; columns <= 3; columns++)
        for (int64_t rows = 1; rows <= 3; rows++) {
            SinoCone cone = round_cone;
            cone.column_count = columns;
            cone.row_count = rows;
            cone.center = 0.5 * (double)(columns - 1);
            cone.center_row = 0.5 * (double)(rows - 1);
            cone.x_count = cone.y_count = 2 * columns;
            cone.z_count = 2;
            cone.angle_count = 4;
            check_cone(&cone, 360, true, (SinoConeSymmetry){4, 2});
            cone.z_count = 1;
            check_cone(&cone, 360, true, (SinoConeSymmetry){4, 1});
        }
}

/* Adds a block to a part of zeros. */
static float *backprojected(const Scan *scan, const Block *block, const SinoConePart *part, const SinoConeIsa *isa)
{
    const SinoConeBackprojection what = {&scan->cone,      &block->lines, part,
                                         block->angle_rad, block->unit,   block->projection};
    float *value = NULL;
    void *scratch = NULL;
    assert_success(sino_allocate(sino_cone_part_voxels(part, block->lines.symmetry), sizeof *value, "test", &value));
    assert_success(sino_allocate(sino_cone_scratch_bytes(&block->lines), 1, "test", &scratch));
    sino_cone_backproject_with(isa, &what, scratch, value);
    free(scratch);
    return value;
}

/* What two computations of a voxel may differ by. CPU kernels place windows by integers, and agree to the bit; those
 * of GPUs place them by floats (test_cone_backproject_on_device.c). */
#ifndef PART_TOLERANCE
#define PART_TOLERANCE 0
#endif

/* The upper voxels of runs by themselves, from lines that begin at another row. */
static void check_upper_part(const Scan *scan, SinoPrecision precision, SinoConeSymmetry symmetry,
                             const SinoConeIsa *isa)
{
    const SinoCone *cone = &scan->cone;
    const int64_t share = symmetry.turns == 1 ? 1 : 2, voxels = cone->z_count / symmetry.halves;
    const SinoConePart whole = {0, 0, cone->x_count / share, cone->y_count / share, 0, voxels};
    SinoConePart upper = whole;
    upper.first = SINO_CONE_VOXELS;
    upper.voxel_count = voxels - upper.first;
    Block block, cut;
    make_block(scan, precision, symmetry, &block);
    make_block_from(scan, precision, symmetry, -7, &cut);
    float *of_whole = backprojected(scan, &block, &whole, isa), *of_upper = backprojected(scan, &cut, &upper, isa);
    const int64_t stride = sino_cone_run_voxels(&whole), upper_stride = sino_cone_run_voxels(&upper);
    for (int64_t r = 0; r < sino_cone_part_voxels(&whole, symmetry) / stride; r++)
        for (int64_t i = 0; i < upper.voxel_count; i++) {
            const float one = of_whole[r * stride + upper.first + i], other = of_upper[r * upper_stride + i];
            if (!(fabsf(one - other) <= (float)PART_TOLERANCE))
                fail_msg("%s, precision %d, turns %d, halves %d: voxel %ld of run %ld is %.9g, or %.9g", isa->name,
                         precision, symmetry.turns, symmetry.halves, upper.first + i, r, (double)one, (double)other);
        }
    free(of_whole);
    free(of_upper);
    free_block(&block);
    free_block(&cut);
}

static void voxels_do_not_depend_on_the_part(void **state)
{
    (void)state;
    static const double size[] = {0.93, 1.07, 1.31, 1.6};
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            Scan scan;
            SinoCone cone = round_cone;
            if (!processor_has(isas[i])) continue;
            cone.voxel_size = size[s];
            cone.z_count = 74;
            cone.row_count = 60;
            cone.center_row = 29.5;
            make_scan(&cone, 360, true, &scan);
            for (int precision = 0; precision < 2; precision++)
                for (int turns = 1; turns <= SINO_CONE_TURNS; turns += SINO_CONE_TURNS - 1)
                    for (int halves = 1; halves <= 2; halves++)
                        check_upper_part(&scan, precision ? SINO_MIXED : SINO_SINGLE, (SinoConeSymmetry){turns, halves},
                                         isas[i]);
            free_scan(&scan);
        }
}

TESTING_SUBJECT(cone_backproject)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_scans_match_the_formula),    cmocka_unit_test(general_scans_match_the_formula),
        cmocka_unit_test(voxels_of_any_size_match_the_formula), cmocka_unit_test(edge_shapes_match_the_formula),
        cmocka_unit_test(voxels_do_not_depend_on_the_part),     cmocka_unit_test(rows_of_fans_match_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
