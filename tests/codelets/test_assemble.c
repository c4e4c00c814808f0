/* SPDX-License-Identifier: BSD-3-Clause */
/* Assemble: tiles of a slice in two partitions against a plain loop over their voxels. */
#include "assemble.h"

#include "testing.h"
#include "trace.h"

#include <math.h>

enum { SIZE = 37, SIDE = 8, TILES = SIDE * SIDE, SPLIT = 29, SLICES_MOST = 64 };

/* Another number for every voxel of every slice, exact in both precisions. */
static double number_of(int64_t row, int64_t column, int64_t f)
{
    return (double)((row * SIZE + column) * SLICES_MOST + f + 1);
}

/* The tiles' voxels in panels; NaN outside the grid, which no image shows. */
static void *voxels_create(SinoSlices slices, int64_t tile_count, const SinoTilePlace *tile)
{
    const int64_t rows = tile_count * SINO_TILE_VOXELS;
    void *x = calloc((size_t)(rows * slices.stride), sino_precision_bytes(slices.precision));
    assert_non_null(x);
    for (int64_t i = 0; i < rows * slices.slice_count; i++) {
        const int64_t voxel = i / slices.slice_count, f = i % slices.slice_count, in_tile = voxel % SINO_TILE_VOXELS;
        const SinoTilePlace place = tile[voxel / SINO_TILE_VOXELS];
        const int64_t row = sino_tile_first_voxel(SIZE, place.row) + in_tile / SINO_TILE;
        const int64_t column = sino_tile_first_voxel(SIZE, place.column) + in_tile % SINO_TILE;
        const bool in_grid = row >= 0 && row < SIZE && column >= 0 && column < SIZE;
        testing_set_element(slices.precision, x, sino_panel_element(slices, rows, voxel, f),
                            in_grid ? number_of(row, column, f) : NAN);
    }
    return x;
}

/* The images show the middle of the grid. */
static void check_images(int64_t slice_count, int64_t margin, double mask_ratio, const float *image)
{
    const int64_t side = SIZE - 2 * margin;
    for (int64_t f = 0; f < slice_count; f++)
        for (int64_t row = 0; row < side; row++)
            for (int64_t column = 0; column < side; column++) {
                const double half = (double)side / 2;
                const double away = hypot((double)row + 0.5 - half, (double)column + 0.5 - half);
                const bool masked = mask_ratio > 0 && away > mask_ratio * half;
                const double wanted = masked ? 0 : 0.5 * number_of(row + margin, column + margin, f);
                assert_true((double)image[(f * side + row) * side + column] == wanted);
            }
}

static void check_assembled(SinoSlices slices, int64_t margin, double mask_ratio)
{
    SinoTilePlace tile[TILES];
    const int64_t side = SIZE - 2 * margin;
    assert_int_equal(sino_tile_side(SIZE), SIDE);
    for (int t = 0; t < TILES; t++) /* last row first: any order will do, and tiles beyond the grid show nothing */
        tile[t] = (SinoTilePlace){.column = t % SIDE, .row = SIDE - 1 - t / SIDE};
    float *image = calloc((size_t)(slices.slice_count * side * side), sizeof *image);
    assert_non_null(image);
    for (int p = 0; p < 2; p++) {
        const SinoAssemble part = {.slices = slices,
                                   .grid_size = SIZE,
                                   .margin = margin,
                                   .tile_count = p == 0 ? SPLIT : TILES - SPLIT,
                                   .tile = p == 0 ? tile : tile + SPLIT,
                                   .scale = 0.5,
                                   .mask_ratio = mask_ratio};
        void *x = voxels_create(slices, part.tile_count, part.tile);
        sino_assemble(&part, x, image);
        free(x);
    }
    check_images(slices.slice_count, margin, mask_ratio, image);
    free(image);
}

static void images_show_every_voxel(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {4, 3}, {16, 16}, {17, 17}, {20, 18}, {33, 33}, {64, 9}, {64, 64}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        for (int p = 0; p < 2; p++) {
            const SinoPrecision precision = p ? SINO_DOUBLE : SINO_SINGLE;
            const SinoSlices slices = {precision, sino_panel_stride(precision, shape[s][0]), shape[s][1]};
            check_assembled(slices, 0, 0.9 * p);
        }
    }
}

/* Less than a tile, up to its border, and all but one voxel. */
static void margins_are_left_out(void **state)
{
    (void)state;
    static const int64_t margin[] = {1, 3, 5, 8, 13, 18};
    for (size_t m = 0; m < sizeof margin / sizeof *margin; m++) {
        check_assembled((SinoSlices){SINO_SINGLE, 16, 5}, margin[m], 0);
        check_assembled((SinoSlices){SINO_DOUBLE, 24, 20}, margin[m], 0.8);
    }
}

TESTING_SUBJECT(assemble)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_show_every_voxel),
        cmocka_unit_test(margins_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
