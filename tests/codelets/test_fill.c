/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill: images into the tiles of two partitions, against a plain loop over the voxels, and back again by assemble. */
#include "fill.h"

#include "assemble.h"
#include "testing.h"

#include <math.h>

enum { SIZE = 37, SIDE = 8, TILES = SIDE * SIDE, SPLIT = 29, SLICES_MOST = 64 };

/* Another number for every pixel of every image, exact in both precisions. */
static float *images_create(int64_t slice_count, int64_t side)
{
    float *image = calloc((size_t)(slice_count * side * side), sizeof *image);
    assert_non_null(image);
    for (int64_t i = 0; i < slice_count * side * side; i++) image[i] = (float)(i + 1);
    return image;
}

/* What a voxel of the grid holds; 0 outside of the grid, the images and the support. */
static double wanted_at(const SinoFill *fill, const float *image, int64_t row, int64_t column, int64_t f)
{
    const int64_t side = SIZE - 2 * fill->margin, down = row - fill->margin, across = column - fill->margin;
    const double away = hypot((double)row - 0.5 * (SIZE - 1), (double)column - 0.5 * (SIZE - 1));
    if (down < 0 || down >= side || across < 0 || across >= side) return 0;
    if (fill->support_ratio > 0 && away > fill->support_ratio * SIZE / 2) return 0;
    return fill->scale * (double)image[(f * side + down) * side + across];
}

static void check_voxels(const SinoFill *fill, const float *image, const void *x)
{
    const SinoSlices slices = fill->slices;
    const int64_t rows = fill->tile_count * SINO_TILE_VOXELS;
    for (int64_t voxel = 0; voxel < rows; voxel++)
        for (int64_t f = 0; f < slices.stride; f++) {
            const SinoTilePlace place = fill->tile[voxel / SINO_TILE_VOXELS];
            const int64_t in_tile = voxel % SINO_TILE_VOXELS;
            const int64_t row = sino_tile_first_voxel(SIZE, place.row) + in_tile / SINO_TILE;
            const int64_t column = sino_tile_first_voxel(SIZE, place.column) + in_tile % SINO_TILE;
            const double wanted = f < slices.slice_count ? wanted_at(fill, image, row, column, f) : 0;
            const int64_t at = sino_panel_element(slices, rows, voxel, f);
            assert_true(testing_element(slices.precision, x, at) == wanted);
        }
}

/* Fills both partitions, and assembles what they hold; without a support that is the images again. */
static void check_filled(SinoSlices slices, int64_t margin, double support_ratio)
{
    SinoTilePlace tile[TILES];
    const int64_t side = SIZE - 2 * margin, pixels = slices.slice_count * side * side;
    float *image = images_create(slices.slice_count, side), *again = calloc((size_t)pixels, sizeof *again);
    assert_non_null(again);
    for (int t = 0; t < TILES; t++) tile[t] = (SinoTilePlace){.column = t % SIDE, .row = SIDE - 1 - t / SIDE};
    for (int p = 0; p < 2; p++) {
        const SinoFill part = {.slices = slices,
                               .grid_size = SIZE,
                               .margin = margin,
                               .tile_count = p == 0 ? SPLIT : TILES - SPLIT,
                               .tile = p == 0 ? tile : tile + SPLIT,
                               .scale = 0.5,
                               .support_ratio = support_ratio};
        const SinoAssemble back = {.slices = slices,
                                   .grid_size = SIZE,
                                   .margin = margin,
                                   .tile_count = part.tile_count,
                                   .tile = part.tile,
                                   .scale = 2};
        const size_t bytes = (size_t)(part.tile_count * SINO_TILE_VOXELS * slices.stride);
        unsigned char *x = malloc(bytes * sino_precision_bytes(slices.precision));
        assert_non_null(x);
        memset(x, 0xff, bytes * sino_precision_bytes(slices.precision)); /* NaN, which memory of a run may hold */
        sino_fill(&part, image, x);
        check_voxels(&part, image, x);
        sino_assemble(&back, x, again);
        free(x);
    }
    for (int64_t i = 0; support_ratio == 0 && i < pixels; i++) assert_true(again[i] == image[i]);
    free(image);
    free(again);
}

static void voxels_hold_every_pixel(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {4, 3}, {16, 16}, {17, 17}, {20, 18}, {33, 33}, {64, 9}, {64, 64}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int p = 0; p < 2; p++) {
            const SinoPrecision precision = p ? SINO_DOUBLE : SINO_SINGLE;
            const SinoSlices slices = {precision, sino_panel_stride(precision, shape[s][0]), shape[s][1]};
            check_filled(slices, 0, 0);
            check_filled(slices, 0, 0.8);
        }
}

/* Less than a tile, up to its border, and all but one voxel; the support is that of the grid, not of the images. */
static void margins_are_air(void **state)
{
    (void)state;
    static const int64_t margin[] = {1, 3, 5, 8, 13, 18};
    for (size_t m = 0; m < sizeof margin / sizeof *margin; m++) {
        check_filled((SinoSlices){SINO_SINGLE, 16, 5}, margin[m], 0);
        check_filled((SinoSlices){SINO_DOUBLE, 24, 20}, margin[m], 0.5);
    }
}

TESTING_SUBJECT(fill)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxels_hold_every_pixel),
        cmocka_unit_test(margins_are_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
