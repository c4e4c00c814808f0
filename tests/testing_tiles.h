/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of tiles: vectors of slices whose voxels lie in tiles of several parts, beside plain images of them. Included
 * by the tests of kernels of neighbouring voxels, which use all of it. */
#pragma once

#include "reference_operator.h"
#include "testing.h"
#include "variation.h"

#include <math.h>

enum { TILES_MOST = 256, PARTS_MOST = 9 };

/* A vector in parts: values of tiles in some order, and an image of each slice. */
typedef struct Vector {
    void *part[PARTS_MOST]; /* owned */
    double *image;          /* [slice][row][column]; owned */
} Vector;

typedef struct Case {
    SinoSlices slices;
    int64_t size, tile_count, part_count;
    int64_t first[PARTS_MOST + 1];
    SinoTilePlace tile[TILES_MOST];
    SinoTileNeighbours neighbour[TILES_MOST];
} Case;

static int64_t part_rows(const Case *of, int64_t part)
{
    return (of->first[part + 1] - of->first[part]) * SINO_TILE_VOXELS;
}

/* All tiles of the grid in random order, cut into parts, one of which is empty. */
static void make_case(int64_t size, int64_t part_count, SinoSlices slices, uint64_t *seed, Case *of)
{
    const int64_t side = sino_tile_side(size);
    *of = (Case){.slices = slices, .size = size, .part_count = part_count};
    for (int64_t i = 0; i < side * side; i++)
        of->tile[of->tile_count++] = (SinoTilePlace){.column = (int32_t)(i % side), .row = (int32_t)(i / side)};
    for (int64_t i = of->tile_count - 1; i > 0; i--) {
        const int64_t other = (int64_t)((reference_random(seed) + 1) / 2 * (double)(i + 1));
        const SinoTilePlace tile = of->tile[i];
        of->tile[i] = of->tile[other];
        of->tile[other] = tile;
    }
    for (int64_t p = 0; p <= part_count; p++) of->first[p] = of->tile_count * p / part_count;
    if (part_count > 2) of->first[1] = of->first[2];
    assert_null(sino_variation_neighbours(size, of->tile_count, of->tile, of->neighbour));
}

/* Calls set for every voxel of the grid: its part and row there, and its place in the image. */
#define FOR_VOXELS(of, part, row, y, x)                                                                                \
    for (int64_t part = 0; part < (of)->part_count; part++)                                                            \
        for (int64_t row = 0, y, x; row < part_rows(of, part); row++)                                                  \
            if (place(of, part, row, &y, &x))

static bool place(const Case *of, int64_t part, int64_t row, int64_t *y, int64_t *x)
{
    const SinoTilePlace tile = of->tile[of->first[part] + row / SINO_TILE_VOXELS];
    *y = sino_tile_first_voxel(of->size, tile.row) + row % SINO_TILE_VOXELS / SINO_TILE;
    *x = sino_tile_first_voxel(of->size, tile.column) + row % SINO_TILE;
    return *y >= 0 && *x >= 0 && *y < of->size && *x < of->size;
}

static double *at(const Case *of, const Vector *vector, int64_t f, int64_t y, int64_t x)
{
    return &vector->image[(f * of->size + y) * of->size + x];
}

/* Random numbers of the precision in the grid; NaN outside. scale 0: NaN everywhere, of other bits than any result. */
static Vector vector_new(const Case *of, double scale, uint64_t *seed)
{
    Vector vector = {.image = calloc((size_t)(of->slices.stride * of->size * of->size), sizeof(double))};
    const size_t bytes = sino_precision_bytes(of->slices.precision);
    assert_non_null(vector.image);
    for (int64_t p = 0; p < of->part_count; p++) {
        const size_t size = (size_t)(part_rows(of, p) * of->slices.stride) * bytes;
        vector.part[p] = malloc(size + 1);
        assert_non_null(vector.part[p]);
        memset(vector.part[p], 0xff, size);
        for (int64_t i = 0; scale > 0 && i < part_rows(of, p) * of->slices.stride; i++)
            testing_set_element(of->slices.precision, vector.part[p], i, (double)NAN);
    }
    FOR_VOXELS(of, part, row, y, x)
    for (int64_t f = 0; scale > 0 && f < of->slices.stride; f++) {
        const int64_t i = sino_panel_element(of->slices, part_rows(of, part), row, f);
        const double value = f < of->slices.slice_count ? scale * reference_random(seed) : 0;
        testing_set_element(of->slices.precision, vector.part[part], i, value);
        *at(of, &vector, f, y, x) = testing_element(of->slices.precision, vector.part[part], i);
    }
    return vector;
}

static void vector_free(const Case *of, Vector *vector)
{
    for (int64_t p = 0; p < of->part_count; p++) free(vector->part[p]);
    free(vector->image);
}

static void check(const Case *of, const Vector *vector, const char *what)
{
    const double tolerance = of->slices.precision == SINO_DOUBLE ? 1e-13 : 2e-6;
    FOR_VOXELS(of, part, row, y, x)
    for (int64_t f = 0; f < of->slices.stride; f++) {
        const int64_t i = sino_panel_element(of->slices, part_rows(of, part), row, f);
        const double value = testing_element(of->slices.precision, vector->part[part], i);
        const double wanted = *at(of, vector, f, y, x);
        if (!(fabs(value - wanted) <= tolerance * (1 + fabs(wanted))))
            fail_msg("%s of slice %d at (%d, %d) of %d voxels: %.17g, expected %.17g", what, (int)f, (int)y, (int)x,
                     (int)of->size, value, wanted);
    }
}

/* Elements outside of the grid are as they were, NaN; `unwritten`: as vector_new makes them with scale 0. */
static void check_outside(const Case *of, const Vector *vector, bool unwritten)
{
    static const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const size_t bytes = sino_precision_bytes(of->slices.precision);
    for (int64_t part = 0; part < of->part_count; part++)
        for (int64_t row = 0, y, x; row < part_rows(of, part); row++)
            for (int64_t f = 0; !place(of, part, row, &y, &x) && f < of->slices.stride; f++) {
                const int64_t i = sino_panel_element(of->slices, part_rows(of, part), row, f);
                assert_true(isnan(testing_element(of->slices.precision, vector->part[part], i)));
                if (unwritten) assert_memory_equal((uint8_t *)vector->part[part] + (size_t)i * bytes, ones, bytes);
            }
}
