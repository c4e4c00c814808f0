/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided: arrays of any strides and types against a plain loop, there and back. */
#include "strided.h"

#include "testing.h"

#include <math.h>

enum { SIZE = 37, SIDE = 8, TILES = SIDE * SIDE, SPLIT = 29, SLICES_MOST = 64, ANGLES = 7, COLUMNS = 21 };

/* Another number for every element, exact in every type. */
static double number_of(int64_t f, int64_t j, int64_t k)
{
    return (double)((j * SIZE + k) * SLICES_MOST + f + 1);
}

/* An array of sizes (slices, rows, columns) in one of several layouts, with room around its elements; NaN everywhere.
 */
typedef struct Array {
    SinoStrided strided;
    double *memory;
    int64_t size[3];
} Array;

enum { C_ORDER, SLICES_LAST, TURNED, SPARSE, LAYOUTS };

static Array array_new(SinoStridedType type, int layout, int64_t slices, int64_t rows, int64_t columns)
{
    const int64_t steps[LAYOUTS][3] = {[C_ORDER] = {rows * columns, columns, 1},
                                       [SLICES_LAST] = {1, columns * slices, slices},
                                       [TURNED] = {rows * columns, -columns, -1},
                                       [SPARSE] = {3 * columns * rows * 2, columns * 3, 3}};
    Array array = {.strided = {.type = type}, .size = {slices, rows, columns}};
    const int64_t count = slices * rows * columns * 6;
    array.memory = malloc((size_t)count * sizeof *array.memory);
    assert_non_null(array.memory);
    for (int64_t i = 0; i < count; i++)
        testing_set_element(type == SINO_STRIDED_FLOAT64 ? SINO_DOUBLE : SINO_SINGLE, array.memory, i, NAN);
    const int64_t bytes = type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    array.strided.first = (char *)array.memory + (layout == TURNED ? rows * columns - 1 : 0) * bytes;
    memcpy(array.strided.step, steps[layout], sizeof steps[layout]);
    return array;
}

static int64_t place_of(const Array *array, int64_t f, int64_t j, int64_t k)
{
    return f * array->strided.step[0] + j * array->strided.step[1] + k * array->strided.step[2];
}

static SinoPrecision precision_of(const Array *array)
{
    return array->strided.type == SINO_STRIDED_FLOAT64 ? SINO_DOUBLE : SINO_SINGLE;
}

static void array_fill(const Array *array)
{
    for (int64_t f = 0; f < array->size[0]; f++)
        for (int64_t j = 0; j < array->size[1]; j++)
            for (int64_t k = 0; k < array->size[2]; k++)
                testing_set_element(precision_of(array), array->strided.first, place_of(array, f, j, k),
                                    number_of(f, j, k));
}

static void array_check(const Array *array)
{
    for (int64_t f = 0; f < array->size[0]; f++)
        for (int64_t j = 0; j < array->size[1]; j++)
            for (int64_t k = 0; k < array->size[2]; k++)
                assert_true(testing_element(precision_of(array), array->strided.first, place_of(array, f, j, k)) ==
                            number_of(f, j, k));
}

static void *vector_new(SinoSlices slices, int64_t rows)
{
    void *vector = malloc((size_t)(rows * slices.stride) * sino_precision_bytes(slices.precision));
    assert_non_null(vector);
    for (int64_t i = 0; i < rows * slices.stride; i++) testing_set_element(slices.precision, vector, i, NAN);
    return vector;
}

/* Tiles in two partitions: every voxel of the grid has its number, every other one and padding is 0. */
static void check_tiles(SinoSlices slices, SinoStridedType type, int layout)
{
    SinoTilePlace tile[TILES];
    for (int t = 0; t < TILES; t++) tile[t] = (SinoTilePlace){.column = t % SIDE, .row = SIDE - 1 - t / SIDE};
    Array from = array_new(type, layout, slices.slice_count, SIZE, SIZE);
    Array to = array_new(type, (layout + 1) % LAYOUTS, slices.slice_count, SIZE, SIZE);
    array_fill(&from);
    for (int p = 0; p < 2; p++) {
        SinoStridedTiles tiles = {.slices = slices,
                                  .image = from.strided,
                                  .grid_size = SIZE,
                                  .tile_count = p == 0 ? SPLIT : TILES - SPLIT,
                                  .tile = p == 0 ? tile : tile + SPLIT};
        const int64_t rows = tiles.tile_count * SINO_TILE_VOXELS;
        void *x = vector_new(slices, rows);
        assert_true(sino_strided_take_tiles(&tiles, x));
        for (int64_t v = 0; v < rows; v++)
            for (int64_t f = 0; f < slices.stride; f++) {
                const SinoTilePlace place = tiles.tile[v / SINO_TILE_VOXELS];
                const int64_t row = sino_tile_first_voxel(SIZE, place.row) + v % SINO_TILE_VOXELS / SINO_TILE;
                const int64_t column = sino_tile_first_voxel(SIZE, place.column) + v % SINO_TILE;
                const bool in_grid = row >= 0 && row < SIZE && column >= 0 && column < SIZE;
                const double wanted = in_grid && f < slices.slice_count ? number_of(f, row, column) : 0;
                assert_true(testing_element(slices.precision, x, sino_panel_element(slices, rows, v, f)) == wanted);
            }
        tiles.image = to.strided;
        sino_strided_give_tiles(&tiles, x);
        free(x);
    }
    array_check(&to);
    free(from.memory);
    free(to.memory);
}

static void check_rays(SinoSlices slices, SinoStridedType type, int layout)
{
    static const int64_t place[ANGLES] = {3, 0, 6, 1, 5, 2, 4};
    const int64_t rows = ANGLES * COLUMNS;
    Array from = array_new(type, layout, slices.slice_count, ANGLES, COLUMNS);
    Array to = array_new(type, (layout + 1) % LAYOUTS, slices.slice_count, ANGLES, COLUMNS);
    SinoStridedRays rays = {.slices = slices,
                            .projections = from.strided,
                            .angle_count = ANGLES,
                            .column_count = COLUMNS,
                            .last_angle = ANGLES,
                            .place = place};
    void *y = vector_new(slices, rows);
    array_fill(&from);
    assert_true(sino_strided_take_rays(&rays, y));
    for (int64_t k = 0; k < ANGLES; k++)
        for (int64_t c = 0; c < COLUMNS; c++)
            for (int64_t f = 0; f < slices.stride; f++)
                assert_true(
                    testing_element(slices.precision, y, sino_panel_element(slices, rows, place[k] * COLUMNS + c, f)) ==
                    (f < slices.slice_count ? number_of(f, k, c) : 0));
    rays.projections = to.strided;
    for (rays.first_angle = 0; rays.first_angle < ANGLES; rays.first_angle = rays.last_angle) { /* in two parts */
        rays.last_angle = rays.first_angle == 0 ? ANGLES / 3 : ANGLES;
        sino_strided_give_rays(&rays, y);
    }
    array_check(&to);
    free(y);
    free(from.memory);
    free(to.memory);
}

/* Lines in the middle of a longer vector. */
static void check_window(SinoSlices slices, SinoStridedType type, int layout)
{
    enum { FIRST = 5, ROWS = FIRST + ANGLES * COLUMNS + 9 };
    static const int64_t place[ANGLES] = {3, 0, 6, 1, 5, 2, 4};
    Array from = array_new(type, layout, slices.slice_count, ANGLES, COLUMNS);
    Array to = array_new(type, (layout + 1) % LAYOUTS, slices.slice_count, ANGLES, COLUMNS);
    SinoStridedRays rays = {.slices = slices,
                            .projections = from.strided,
                            .angle_count = ANGLES,
                            .column_count = COLUMNS,
                            .last_angle = ANGLES,
                            .place = place,
                            .first_row = FIRST,
                            .vector_rows = ROWS};
    void *y = vector_new(slices, ROWS);
    array_fill(&from);
    assert_true(sino_strided_take_rays(&rays, y));
    for (int64_t f = 0; f < slices.stride; f++) {
        assert_true(isnan(testing_element(slices.precision, y, sino_panel_element(slices, ROWS, FIRST - 1, f))));
        for (int64_t k = 0; k < ANGLES; k++)
            for (int64_t c = 0; c < COLUMNS; c++)
                assert_true(testing_element(slices.precision, y,
                                            sino_panel_element(slices, ROWS, FIRST + place[k] * COLUMNS + c, f)) ==
                            (f < slices.slice_count ? number_of(f, k, c) : 0));
    }
    rays.projections = to.strided;
    sino_strided_give_rays(&rays, y);
    array_check(&to);
    free(y);
    free(from.memory);
    free(to.memory);
}

/* Rays that are the sums of partials: of all rows but each fifth, of these, and of odd rows; in two parts. */
static void check_sums(SinoSlices slices, SinoStridedType type, int layout)
{
    enum { ROWS = ANGLES * COLUMNS, PARTIALS = 3 };
    static const int64_t place[ANGLES] = {3, 0, 6, 1, 5, 2, 4};
    uint32_t row[PARTIALS][ROWS];
    SinoRowMap map[PARTIALS];
    void *vector[PARTIALS], *scratch = vector_new(slices, COLUMNS);
    Array to = array_new(type, layout, slices.slice_count, ANGLES, COLUMNS);
    for (int p = 0; p < PARTIALS; p++) {
        map[p] = (SinoRowMap){.total_rows = ROWS, .row = row[p], .base = 100};
        for (int i = 0; i < ROWS; i++)
            if (p == 2 ? i % 2 == 1 : (i % 5 == 4) == (p == 1)) row[p][map[p].partial_rows++] = (uint32_t)(100 + i);
        map[p].count = map[p].partial_rows;
        vector[p] = vector_new(slices, map[p].partial_rows);
        for (int64_t i = 0; i < map[p].count; i++)
            for (int64_t f = 0; f < slices.stride; f++) {
                const int64_t ray = row[p][i] - 100;
                int64_t k = 0;
                while (place[k] != ray / COLUMNS) k++;
                testing_set_element(slices.precision, vector[p], sino_panel_element(slices, map[p].partial_rows, i, f),
                                    p == 2 ? 2 : number_of(f, k, ray % COLUMNS) - 2 * (double)(ray % 2));
            }
    }
    const SinoPartials partials = {PARTIALS, map, (const void *const *)vector};
    SinoStridedRays rays = {
        .slices = slices, .projections = to.strided, .angle_count = ANGLES, .column_count = COLUMNS, .place = place};
    for (; rays.first_angle < ANGLES; rays.first_angle = rays.last_angle) {
        rays.last_angle = rays.first_angle == 0 ? ANGLES / 3 : ANGLES;
        sino_strided_give_sums(&rays, &partials, scratch);
    }
    array_check(&to);
    for (int p = 0; p < PARTIALS; p++) free(vector[p]);
    free(scratch);
    free(to.memory);
}

/* Lines of the vector that say which one of the array they are: of numbers 1, 3, 5 … here, and −1 of none. */
static void check_lines(SinoSlices slices, SinoStridedType type, int layout)
{
    enum { LINES = ANGLES + 2 };
    static const int64_t line[LINES] = {7, 1, -1, 13, 3, 11, -1, 5, 9};
    Array from = array_new(type, layout, slices.slice_count, ANGLES, 1);
    Array to = array_new(type, (layout + 1) % LAYOUTS, slices.slice_count, ANGLES, 1);
    SinoStridedRays rays = {.slices = slices,
                            .projections = from.strided,
                            .angle_count = LINES,
                            .column_count = 1,
                            .last_angle = LINES,
                            .line = line,
                            .line_first = 1,
                            .line_step = 2};
    void *y = vector_new(slices, LINES);
    array_fill(&from);
    assert_true(sino_strided_take_rays(&rays, y));
    for (int64_t f = 0; f < slices.stride; f++)
        for (int64_t k = 0; k < LINES; k++)
            assert_true(testing_element(slices.precision, y, sino_panel_element(slices, LINES, k, f)) ==
                        (f < slices.slice_count && line[k] > 0 ? number_of(f, line[k] / 2, 0) : 0));
    rays.projections = to.strided;
    sino_strided_give_rays(&rays, y);
    array_check(&to);
    free(y);
    free(from.memory);
    free(to.memory);
}

/* Vectors that are longer than caches, and arrays whose rows are aligned or not: `off` elements from such a place. */
static void check_long(SinoPrecision precision, SinoStridedType type, int layout, int64_t off)
{
    enum { LONG = 2500 };
    static const int64_t place[ANGLES] = {3, 0, 6, 1, 5, 2, 4};
    const SinoSlices slices = {precision, 32, 32};
    const int64_t rows = ANGLES * LONG, bytes = type == SINO_STRIDED_FLOAT64 ? 8 : 4;
    Array from = array_new(type, layout, 32, ANGLES, LONG), to = array_new(type, layout, 32, ANGLES, LONG);
    void *y = vector_new(slices, rows);
    from.strided.first = (char *)from.strided.first + off * bytes;
    to.strided.first = (char *)to.strided.first + off * bytes;
    array_fill(&from);
    SinoStridedRays rays = {.slices = slices,
                            .projections = from.strided,
                            .angle_count = ANGLES,
                            .column_count = LONG,
                            .last_angle = ANGLES,
                            .place = place};
    assert_true(sino_strided_take_rays(&rays, y));
    for (int64_t k = 0; k < ANGLES; k++)
        for (int64_t c = 0; c < LONG; c++)
            for (int64_t f = 0; f < 32; f++)
                assert_true(testing_element(precision, y, sino_panel_element(slices, rows, place[k] * LONG + c, f)) ==
                            number_of(f, k, c));
    rays.projections = to.strided;
    sino_strided_give_rays(&rays, y);
    array_check(&to);
    testing_set_element(precision_of(&from), from.strided.first, place_of(&from, 31, ANGLES - 1, LONG - 1), NAN);
    rays.projections = from.strided;
    assert_false(sino_strided_take_rays(&rays, y));
    free(y);
    free(from.memory);
    free(to.memory);
}

static void long_vectors_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int64_t off = 0; off < 3; off++)
            check_long(i & 1 ? SINO_DOUBLE : SINO_SINGLE, i & 2 ? SINO_STRIDED_FLOAT64 : SINO_STRIDED_FLOAT32,
                       off < 2 ? SLICES_LAST : C_ORDER, off);
}

static void elements_come_and_go(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {4, 3}, {16, 16}, {20, 18}, {33, 33}, {64, 9}, {64, 64}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int v = 0; v < 4 * LAYOUTS; v++) {
            const SinoPrecision precision = v & 1 ? SINO_DOUBLE : SINO_SINGLE;
            const SinoSlices slices = {precision, sino_panel_stride(precision, shape[s][0]), shape[s][1]};
            const SinoStridedType type = v & 2 ? SINO_STRIDED_FLOAT64 : SINO_STRIDED_FLOAT32;
            check_tiles(slices, type, v / 4);
            check_rays(slices, type, v / 4);
            check_window(slices, type, v / 4);
            check_lines(slices, type, v / 4);
            check_sums(slices, type, v / 4);
        }
}

/* A single value, wherever it is; a double beyond the range of single precision counts as infinite. */
static void values_that_are_not_finite_are_told(void **state)
{
    (void)state;
    static const double values[] = {NAN, INFINITY, -INFINITY, 1e39};
    static const int64_t place[ANGLES] = {0, 1, 2, 3, 4, 5, 6};
    const SinoSlices slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, 18), 18};
    void *y = vector_new(slices, ANGLES * COLUMNS);
    for (int i = 0; i < 4 * LAYOUTS; i++) {
        Array array = array_new(SINO_STRIDED_FLOAT64, i / 4, 18, ANGLES, COLUMNS);
        const SinoStridedRays rays = {.slices = slices,
                                      .projections = array.strided,
                                      .angle_count = ANGLES,
                                      .column_count = COLUMNS,
                                      .last_angle = ANGLES,
                                      .place = place};
        array_fill(&array);
        assert_true(sino_strided_take_rays(&rays, y));
        ((double *)array.strided.first)[place_of(&array, 17, 5, 20)] = values[i % 4];
        assert_false(sino_strided_take_rays(&rays, y));
        free(array.memory);
    }
    free(y);
}

TESTING_SUBJECT(strided)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_come_and_go),
                                       cmocka_unit_test(long_vectors_come_and_go),
                                       cmocka_unit_test(values_that_are_not_finite_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
