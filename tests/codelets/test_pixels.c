/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels: against a loop in double, for each instruction set, number of slices and division of tiles. */
#include "arithmetic.h"
#include "memory.h"
#include "pixels_isa.h"
#include "testing.h"
#include "vector.h"

#include <math.h>

typedef struct Isa {
    const SinoPixelsIsa *table;
    int64_t vector_bytes;
} Isa;

static const Isa isas[] = {
    {&sino_pixels_plain, 16},
#ifdef __x86_64__
    {&sino_pixels_avx2, 32},
    {&sino_pixels_avx512, 64},
#endif
};

static bool processor_has(const Isa *isa)
{
    return sino_vector_bytes() >= isa->vector_bytes || isa->table == &sino_pixels_plain;
}

static float next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (float)(*state >> 8) / 8388608.0F - 1;
}

static const double some_angles[] = {0, M_PI / 2, M_PI, -M_PI / 2, 1e-9, 0.3, 0.785, 1.2, 1.9, 2.6, -2.2, 4.4};
enum { SOME_ANGLES = sizeof some_angles / sizeof *some_angles };

/* A backprojection to check: tiles first … end − 1 of the grid, row by row. */
typedef struct Case {
    SinoPixels what;
    const Isa *isa; /* NULL: the public function */
    int64_t width;  /* slices of a whole panel */
    SinoTilePlace tile[64];
} Case;

static void list_tiles(Case *of)
{
    const int64_t size = of->what.geometry.grid_size, side = sino_tile_side(size);
    for (int64_t i = 0; i < side * side; i++) {
        const SinoTilePlace place = {.row = (int32_t)(i / side), .column = (int32_t)(i % side)};
        if (sino_tile_range(size, place.row).count == 0 || sino_tile_range(size, place.column).count == 0) continue;
        assert_true(of->what.tile_count < 64);
        of->tile[of->what.tile_count++] = place;
    }
    of->what.tile = of->tile;
}

/* As in panel.h, with panels of the case. */
static int64_t element(const Case *of, int64_t rows, int64_t row, int64_t slice)
{
    const int64_t first = slice / of->width * of->width;
    return first * rows + row * sino_smaller(of->width, of->what.slices.stride - first) + slice - first;
}

static int64_t stride_of(int64_t slices, int64_t width)
{
    int64_t last = 1;
    while (last < slices % width) last *= 2;
    return slices - slices % width + (slices % width ? last : 0);
}

/* The sum of a pixel; 0 outside the grid. */
static double wanted(const Case *of, const float *y, int64_t row, int64_t column, int64_t slice)
{
    const SinoGeometry *geometry = &of->what.geometry;
    const int64_t size = geometry->grid_size, columns = geometry->column_count;
    const double middle = 0.5 * (double)(size - 1);
    double sum = 0;
    if (row < 0 || row >= size || column < 0 || column >= size) return 0;
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        const double at = ((double)column - middle) * cos(geometry->angle_rad[k]) +
                          (middle - (double)row) * sin(geometry->angle_rad[k]) + geometry->center;
        for (int64_t c = 0; c < columns; c++) {
            const double weight = 1 - fabs(at - (double)c);
            if (weight <= 0) continue;
            sum += weight * (double)y[element(of, geometry->angle_count * columns, k * columns + c, slice)];
        }
    }
    return sum;
}

static float *random_floats(int64_t count, uint32_t seed)
{
    float *made = NULL;
    assert_success(sino_allocate(count, sizeof *made, "test", &made));
    for (int64_t i = 0; i < count; i++) made[i] = next_random(&seed);
    return made;
}

static void check(const Case *of)
{
    const SinoGeometry *geometry = &of->what.geometry;
    const int64_t rows = of->what.tile_count * SINO_TILE_VOXELS, stride = of->what.slices.stride;
    float *y = random_floats(sino_geometry_ray_count(geometry) * stride, 7), *x = random_floats(rows * stride, 8);
    float *before = random_floats(rows * stride, 8);
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    if (of->isa)
        sino_pixels_back_with(of->isa->table, of->width, &of->what, y, scratch, x);
    else
        sino_pixels_back(&of->what, y, scratch, x);
    for (int64_t i = 0; i < rows; i++) {
        const SinoTilePlace place = of->tile[i / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(geometry->grid_size, place.row) + i % SINO_TILE_VOXELS / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(geometry->grid_size, place.column) + i % SINO_TILE;
        for (int64_t f = 0; f < stride; f += 3) {
            const int64_t at = element(of, rows, i, f);
            const double expected = f < of->what.slices.slice_count ? wanted(of, y, row, column, f) : 0;
            const double value = (double)x[at] - (double)before[at];
            if (!(fabs(value - expected) <= 5e-5 * (double)geometry->angle_count))
                fail_msg("%s: pixel %ld, %ld of slice %ld is %g instead of %g",
                         of->isa ? of->isa->table->name : "public", row, column, f, value, expected);
        }
    }
    free(scratch);
    free(y);
    free(x);
    free(before);
}

static Case case_of(const Isa *isa, int64_t columns, int64_t size, double center, int64_t slices)
{
    Case made = {.isa = isa, .width = isa ? isa->vector_bytes / 2 : sino_panel_width(SINO_SINGLE)};
    made.what.geometry = (SinoGeometry){.angle_count = SOME_ANGLES,
                                        .column_count = columns,
                                        .grid_size = size,
                                        .angle_rad = some_angles,
                                        .center = center};
    made.what.slices =
        (SinoSlices){.precision = SINO_SINGLE, .stride = stride_of(slices, made.width), .slice_count = slices};
    return made;
}

static void check_shapes(const Isa *isa)
{
    static const struct Shape {
        int64_t columns, size;
        double center;
    } shape[] = {{1, 1, 0.1},    {2, 5, 2.7},    {16, 16, 7.6},  {40, 33, 12.3},  {31, 70, 30.8},
                 {90, 64, 60.2}, {7, 90, -40.5}, {500, 64, 250}, {300, 64, 500.2}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        Case of = case_of(isa, shape[i].columns, shape[i].size, shape[i].center, 1 + (int64_t)i % 3);
        list_tiles(&of);
        check(&of);
    }
}

static void check_slices(const Isa *isa)
{
    static const int64_t count[] = {1, 2, 3, 7, 16, 20, 33};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        Case of = case_of(isa, 23, 18, 11.4, count[i]);
        list_tiles(&of);
        check(&of);
    }
}

static void isa_matches_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (!processor_has(&isas[i])) continue;
        check_shapes(&isas[i]);
        check_slices(&isas[i]);
    }
}

static void public_function_matches_reference(void **state)
{
    (void)state;
    check_shapes(NULL);
    check_slices(NULL);
}

/* More angles than a block has, in parts of the tiles; the parts have the bits of the whole. */
static void parts_have_the_bits_of_the_whole(void **state)
{
    (void)state;
    enum { ANGLES = 75 };
    double angle[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle[k] = M_PI * k / ANGLES;
    Case of = case_of(NULL, 100, 96, 47.3, 1);
    of.what.geometry.angle_count = ANGLES;
    of.what.geometry.angle_rad = angle;
    list_tiles(&of);
    check(&of);
    const int64_t rows = of.what.tile_count * SINO_TILE_VOXELS;
    float *y = random_floats(ANGLES * 100, 7), *whole = random_floats(rows, 9), *parts = random_floats(rows, 9);
    void *scratch = NULL;
    assert_success(sino_allocate(sino_pixels_scratch_bytes(), 1, "test", &scratch));
    sino_pixels_back(&of.what, y, scratch, whole);
    for (int64_t t = 0; t < of.what.tile_count; t += 5) {
        SinoPixels part = of.what;
        part.tile = of.tile + t;
        part.tile_count = sino_smaller(5, of.what.tile_count - t);
        sino_pixels_back(&part, y, scratch, parts + t * SINO_TILE_VOXELS);
    }
    assert_memory_equal(whole, parts, (size_t)rows * sizeof *whole);
    free(scratch);
    free(y);
    free(whole);
    free(parts);
}

TESTING_SUBJECT(pixels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isa_matches_reference),
        cmocka_unit_test(public_function_matches_reference),
        cmocka_unit_test(parts_have_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
