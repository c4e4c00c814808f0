/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick order: numbers voxels brick by brick and tile by tile, and chooses the shapes of both from a sample of rows. */
#include "brick_order.h"

#include "memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int64_t rows_most = UINT32_MAX - 1;

void sino_brick_order_free(SinoBrickOrder *order)
{
    if (!order) return;
    free(order->tile_first);
    free(order->tile_of);
    free(order->place);
    free(order->column);
    free(order);
}

static SinoStatus allocate(SinoBrickOrder *order)
{
    SINO_TRY(sino_allocate(order->tile_count + 1, sizeof *order->tile_first, "tiles of bricks", &order->tile_first));
    SINO_TRY(sino_allocate(order->brick_count, sizeof *order->tile_of, "bricks", &order->tile_of));
    SINO_TRY(sino_allocate(order->column_count, sizeof *order->place, "places of voxels", &order->place));
    SINO_TRY(sino_allocate(order->row_count, sizeof *order->column, "columns of voxels", &order->column));
    for (int64_t i = 0; i < order->row_count; i++) order->column[i] = SINO_BRICK_NO_COLUMN;
    return NULL;
}

/* One axis of a grid: bricks, and the tiles that share them out as evenly as they can. */
typedef struct Axis {
    int64_t voxels, side, bricks, tiles;
} Axis;

static Axis axis_of(int64_t voxels, int64_t side, int64_t tile)
{
    const int64_t bricks = sino_ceil_divide(voxels, side);
    return (Axis){voxels, side, bricks, sino_ceil_divide(bricks, tile)};
}

/* First brick of a tile along an axis. */
static int64_t first_of(Axis axis, int64_t tile)
{
    return tile * (axis.bricks / axis.tiles) + sino_smaller(tile, axis.bricks % axis.tiles);
}

/* Gives the voxels of the brick at (x, y, z) the rows of `brick`. */
static void place_brick(const Axis *axis, int64_t brick, const int64_t at[3], SinoBrickOrder *order)
{
    int64_t row = brick * order->lanes;
    for (int64_t z = at[2] * axis[2].side; z < (at[2] + 1) * axis[2].side; z++)
        for (int64_t y = at[1] * axis[1].side; y < (at[1] + 1) * axis[1].side; y++)
            for (int64_t x = at[0] * axis[0].side; x < (at[0] + 1) * axis[0].side; x++, row++) {
                if (x >= axis[0].voxels || y >= axis[1].voxels || z >= axis[2].voxels) continue;
                const int64_t column = (z * axis[1].voxels + y) * axis[0].voxels + x;
                order->place[column] = (uint32_t)row;
                order->column[row] = (uint32_t)column;
            }
}

/* Numbers the bricks of the tile at (x, y, z), and returns the number after them. */
static int64_t place_tile(const Axis *axis, const int64_t tile[3], int64_t number, int64_t brick, SinoBrickOrder *order)
{
    int64_t first[3], end[3], at[3];
    for (int i = 0; i < 3; i++) {
        first[i] = first_of(axis[i], tile[i]);
        end[i] = first_of(axis[i], tile[i] + 1);
    }
    order->tile_first[number] = brick;
    for (at[2] = first[2]; at[2] < end[2]; at[2]++)
        for (at[1] = first[1]; at[1] < end[1]; at[1]++)
            for (at[0] = first[0]; at[0] < end[0]; at[0]++, brick++) {
                order->tile_of[brick] = (uint32_t)number;
                place_brick(axis, brick, at, order);
            }
    return brick;
}

static void place_all(const Axis *axis, SinoBrickOrder *order)
{
    int64_t number = 0, brick = 0, tile[3];
    for (tile[2] = 0; tile[2] < axis[2].tiles; tile[2]++)
        for (tile[1] = 0; tile[1] < axis[1].tiles; tile[1]++)
            for (tile[0] = 0; tile[0] < axis[0].tiles; tile[0]++, number++)
                brick = place_tile(axis, tile, number, brick, order);
    order->tile_first[number] = brick;
}

SinoStatus sino_brick_order_of_grid(const SinoVoxelGrid *grid, const SinoBrickShape *shape, SinoBrickOrder **result)
{
    const int64_t count[3] = {grid->x_count, grid->y_count, grid->z_count};
    SinoStatus status = NULL;
    SinoBrickOrder *order = NULL;
    Axis axis[3];
    int64_t lanes = 1, bricks = 1, tiles = 1;
    for (int i = 0; i < 3; i++) {
        assert(count[i] > 0 && shape->brick[i] > 0 && shape->tile[i] > 0);
        axis[i] = axis_of(count[i], shape->brick[i], shape->tile[i]);
        lanes = sino_times(lanes, shape->brick[i]);
        bricks = sino_times(bricks, axis[i].bricks);
        tiles = sino_times(tiles, axis[i].tiles);
    }
    assert(lanes == 16 || lanes == 32);
    assert(shape->tile[0] * shape->tile[1] * shape->tile[2] <= SINO_BRICK_TILE);
    SINO_CHECK(bricks <= rows_most / lanes, SINO_BAD_INPUT,
               "%" PRId64 " x %" PRId64 " x %" PRId64 " voxels are too many: bricks of %" PRId64
               " voxels take at most %" PRId64,
               count[0], count[1], count[2], lanes, rows_most);
    SINO_TRY(sino_allocate(1, sizeof *order, "the order of voxels", &order));
    *order = (SinoBrickOrder){.shape = *shape,
                              .lanes = lanes,
                              .column_count = sino_times(sino_times(count[0], count[1]), count[2]),
                              .brick_count = bricks,
                              .row_count = sino_times(bricks, lanes),
                              .tile_count = tiles};
    SINO_TRY_OR(status, end, allocate(order));
    place_all(axis, order);
    *result = order;
end:
    if (status) sino_brick_order_free(order);
    return status;
}

SinoStatus sino_brick_order_of_places(int64_t lanes, int64_t brick_count, int64_t column_count, const uint32_t *place,
                                      SinoBrickOrder **result)
{
    SinoStatus status = NULL;
    SinoBrickOrder *order = NULL;
    SINO_CHECK(lanes == 16 || lanes == 32, SINO_BAD_INPUT, "has bricks of %" PRId64 " voxels, not of 16 or 32", lanes);
    SINO_CHECK(brick_count >= 0 && brick_count <= rows_most / lanes && column_count >= 0, SINO_BAD_INPUT,
               "has %" PRId64 " bricks, not 0 to %" PRId64, brick_count, rows_most / lanes);
    SINO_TRY(sino_allocate(1, sizeof *order, "the order of voxels", &order));
    *order = (SinoBrickOrder){.lanes = lanes,
                              .column_count = column_count,
                              .brick_count = brick_count,
                              .row_count = sino_times(brick_count, lanes)};
    SINO_TRY_OR(status, end, allocate(order));
    for (int64_t i = 0; i < column_count; i++) {
        SINO_CHECK_OR(status, end, place[i] < order->row_count, SINO_BAD_INPUT,
                      "has a voxel in place %" PRIu32 ", not below %" PRId64, place[i], order->row_count);
        SINO_CHECK_OR(status, end, order->column[place[i]] == SINO_BRICK_NO_COLUMN, SINO_BAD_INPUT,
                      "has two voxels in one place");
        order->place[i] = place[i];
        order->column[place[i]] = (uint32_t)i;
    }
    *result = order;
end:
    if (status) sino_brick_order_free(order);
    return status;
}

/* ---- sorting by keys ---- */

typedef struct Keyed {
    uint64_t key;
    int64_t number;
} Keyed;

static int by_key(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

SinoStatus sino_brick_sort_rows(int64_t row_count, const uint64_t *key, int64_t *row)
{
    Keyed *all = NULL;
    SINO_TRY(sino_allocate(row_count, sizeof *all, "keys of rows", &all));
    for (int64_t i = 0; i < row_count; i++) all[i] = (Keyed){key[i], i};
    qsort(all, (size_t)row_count, sizeof *all, by_key);
    for (int64_t i = 0; i < row_count; i++) row[i] = all[i].number;
    free(all);
    return NULL;
}

uint64_t sino_brick_pair_key(int64_t crystal_count, int64_t row)
{
    enum { A = 32, B = 8 };
    const int64_t a = row / crystal_count, b = row % crystal_count;
    const int64_t patch = sino_times(a / A, sino_ceil_divide(crystal_count, B)) + b / B;
    return ((uint64_t)patch * A + (uint64_t)(a % A)) * B + (uint64_t)(b % B);
}

/* ---- choice ---- */

/* Bricks and segments of rows: how many pairs of row and brick, or tile, there are. mark[brick or tile] is the row that
 * was met last, counted from 1. */
typedef struct Tally {
    int64_t bricks, segments;
} Tally;

static void tally_row(const SinoBrickOrder *order, const SinoSparseRows *rows, int64_t row, int64_t *mark, Tally *tally)
{
    int64_t *const tile_mark = mark + order->brick_count;
    for (int64_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        if (rows->column[k] >= order->column_count) continue;
        const int64_t brick = order->place[rows->column[k]] / order->lanes, tile = order->tile_of[brick];
        tally->bricks += mark[brick] != row + 1;
        tally->segments += tile_mark[tile] != row + 1;
        mark[brick] = row + 1;
        tile_mark[tile] = row + 1;
    }
}

/* What the sample's rows first, first + step … cost in this order, in units of the time of a brick of 32 lanes. */
static SinoStatus cost_of(const SinoBrickOrder *order, const SinoSparseRows *sample, int64_t first, int64_t step,
                          double *cost)
{
    static const double brick_of_16 = 0.8, segment = 2.5; /* measured, docs/lab/sparse.md */
    int64_t *mark = NULL;
    Tally tally = {0, 0};
    SINO_TRY(sino_allocate(order->brick_count + order->tile_count, sizeof *mark, "marks of bricks", &mark));
    for (int64_t i = first; i < sample->row_count; i += step) tally_row(order, sample, i, mark, &tally);
    free(mark);
    *cost = (double)tally.bricks * (order->lanes == 32 ? 1 : brick_of_16) + (double)tally.segments * segment;
    return NULL;
}

/* Keeps the cheaper one of *best and `order` as *best, and frees the other one. */
static SinoStatus keep_cheaper(const SinoSparseRows *sample, int64_t first, int64_t step, SinoBrickOrder *order,
                               SinoBrickOrder **best, double *best_cost)
{
    double cost = 0;
    SinoStatus status = cost_of(order, sample, first, step, &cost);
    const bool better = !status && (!*best || cost < *best_cost);
    sino_brick_order_free(better ? *best : order);
    if (better) {
        *best = order;
        *best_cost = cost;
    }
    return status;
}

static const SinoBrickShape usual_volume = {{4, 4, 2}, {8, 8, 4}}, usual_image = {{8, 4, 1}, {8, 16, 1}};

static const SinoBrickShape shapes[] = {
    {{4, 4, 2}, {8, 8, 4}},   {{4, 4, 2}, {6, 6, 7}},   {{4, 2, 4}, {6, 10, 4}}, {{8, 4, 1}, {8, 16, 1}},
    {{4, 8, 1}, {16, 8, 1}},  {{32, 1, 1}, {2, 64, 2}}, {{4, 2, 2}, {8, 8, 4}},  {{4, 4, 1}, {8, 8, 4}},
    {{4, 4, 1}, {16, 16, 1}}, {{16, 1, 1}, {4, 32, 2}},
};

/* One order is in memory at a time. */
static SinoStatus choose_shape(const SinoVoxelGrid *grid, const SinoSparseRows *sample, SinoBrickOrder **result)
{
    const SinoBrickShape *best = grid->z_count > 1 ? &usual_volume : &usual_image;
    double cost, best_cost = INFINITY;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && sample; i++) {
        SinoBrickOrder *order = NULL;
        SINO_TRY(sino_brick_order_of_grid(grid, &shapes[i], &order));
        SinoStatus status = cost_of(order, sample, 0, 1, &cost);
        sino_brick_order_free(order);
        SINO_TRY(status);
        if (cost >= best_cost) continue;
        best = &shapes[i];
        best_cost = cost;
    }
    return sino_brick_order_of_grid(grid, best, result);
}

/* Columns in the order of the first four rows of every other row of the sample that have them: columns of the same rows
 * become neighbours. */
static SinoStatus sort_columns(const SinoSparseRows *sample, int64_t column_count, Keyed **result)
{
    Keyed *all = NULL;
    SINO_TRY(sino_allocate(column_count, sizeof *all, "keys of columns", &all));
    for (int64_t i = 0; i < column_count; i++) all[i] = (Keyed){UINT64_MAX, i};
    const int64_t most = sino_smaller(sample->row_count, (int64_t)2 * UINT16_MAX - 2);
    for (int64_t row = 0; row < most; row += 2)
        for (int64_t k = sample->start[row]; k < sample->start[row + 1]; k++) {
            if (sample->column[k] >= column_count) continue;
            uint64_t *key = &all[sample->column[k]].key;
            for (int shift = 48; shift >= 0; shift -= 16)
                if ((*key >> shift & 0xffff) == 0xffff) {
                    *key ^= (uint64_t)(0xffff ^ row / 2) << shift;
                    break;
                }
        }
    qsort(all, (size_t)column_count, sizeof *all, by_key);
    *result = all;
    return NULL;
}

/* Gives the columns the places of the voxels of a line, in sorted order. */
static SinoStatus place_sorted(const SinoSparseRows *sample, SinoBrickOrder *order)
{
    Keyed *sorted = NULL;
    SINO_TRY(sort_columns(sample, order->column_count, &sorted));
    for (int64_t i = 0; i < order->column_count; i++) {
        order->place[sorted[i].number] = (uint32_t)i;
        order->column[i] = (uint32_t)sorted[i].number;
    }
    free(sorted);
    return NULL;
}

static SinoStatus choose_line(int64_t column_count, const SinoSparseRows *sample, SinoBrickOrder **result)
{
    static const SinoBrickShape lines[] = {{{32, 1, 1}, {256, 1, 1}}, {{16, 1, 1}, {256, 1, 1}}};
    const SinoVoxelGrid line = {.x_count = column_count, .y_count = 1, .z_count = 1};
    SinoBrickOrder *best = NULL, *order = NULL;
    SinoStatus status = NULL;
    double cost = 0;
    if (!sample) return sino_brick_order_of_grid(&line, &lines[0], result);
    for (int i = 0; i < 4; i++) {
        SINO_TRY_OR(status, end, sino_brick_order_of_grid(&line, &lines[i % 2], &order));
        if (i >= 2) status = place_sorted(sample, order);
        if (status) sino_brick_order_free(order);
        if (status) goto end;
        SINO_TRY_OR(status, end, keep_cheaper(sample, 1, 2, order, &best, &cost));
    }
    *result = best;
end:
    if (status) sino_brick_order_free(best);
    return status;
}

SinoStatus sino_brick_order_new(const SinoVoxelGrid *grid, int64_t column_count, const SinoSparseRows *sample,
                                SinoBrickOrder **order)
{
    if (grid->x_count > 0 && grid->y_count > 0 && grid->z_count > 0) {
        assert(grid->x_count * grid->y_count * grid->z_count == column_count);
        return choose_shape(grid, sample, order);
    }
    return choose_line(column_count, sample, order);
}
