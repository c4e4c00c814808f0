/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: a slice's voxels in Hilbert-ordered tiles, cut into partitions with nearly equal (or given) shares of
 * the nonzeros.
 *
 * Neighbours on the Hilbert curve are neighbours in the slice, so a partition is compact and its footprint small (M.
 * Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-A1). */
#include "decomposition.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

uint64_t sino_decomposition_hilbert(int order, uint32_t x, uint32_t y)
{
    uint64_t position = 0;
    for (int bit = order - 1; bit >= 0; bit--) {
        const uint32_t side = 1u << bit, rx = (x & side) != 0, ry = (y & side) != 0;
        position += (uint64_t)sino_times(sino_times(side, side), (3 * rx) ^ ry);
        x &= side - 1;
        y &= side - 1;
        if (ry) continue;
        if (rx) {
            x = side - 1 - x;
            y = side - 1 - y;
        }
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    return position;
}

typedef struct Place {
    uint64_t position;
    int64_t row, column;
} Place;

static int by_position(const void *a, const void *b)
{
    const uint64_t p = ((const Place *)a)->position, q = ((const Place *)b)->position;
    return p < q ? -1 : p > q;
}

/* Orders the super-tiles of a side × side grid along the Hilbert curve. */
static SinoStatus order_super_tiles(int64_t side, Place **result)
{
    Place *place = NULL;
    int order = 0;
    while ((int64_t)1 << order < side) order++;
    SINO_TRY(sino_allocate(sino_times(side, side), sizeof *place, "the order of tiles", &place));
    for (int64_t i = 0; i < side * side; i++)
        place[i] = (Place){.row = i / side,
                           .column = i % side,
                           .position = sino_decomposition_hilbert(order, (uint32_t)(i % side), (uint32_t)(i / side))};
    qsort(place, (size_t)(side * side), sizeof *place, by_position);
    *result = place;
    return NULL;
}

/* Appends tiles to the decomposition. */
typedef struct Fill {
    const SinoLayout *layout;
    SinoDecomposition *made;
    int64_t side;       /* tiles along a side of the grid */
    int64_t *number;    /* [row·side + column]: number of the tile among the appended ones; −1: not appended */
    int64_t *order;     /* [i]: the tile that is i-th to be given to a partition */
    int64_t ordered;    /* tiles in `order` */
    bool *starts, *has; /* starts[i]: a partition may begin with tile order[i]; has[tile]: the tile is in `order` */
} Fill;

static void put_super_tile(Fill *fill, int64_t row, int64_t column)
{
    SinoDecomposition *made = fill->made;
    const int64_t size = fill->layout->geometry.grid_size;
    for (int64_t i = 0; i < (int64_t)SINO_SUPER_TILE * SINO_SUPER_TILE; i++) {
        const SinoTilePlace tile = {.row = (int32_t)(row * SINO_SUPER_TILE + i / SINO_SUPER_TILE),
                                    .column = (int32_t)(column * SINO_SUPER_TILE + i % SINO_SUPER_TILE)};
        int64_t *number = &fill->number[tile.row * fill->side + tile.column];
        if (sino_tile_range(size, tile.row).count == 0 || sino_tile_range(size, tile.column).count == 0) continue;
        if (*number >= 0) return; /* the whole super-tile is there */
        *number = made->tile_count;
        made->tile[made->tile_count++] = tile;
    }
}

/* Orders the orbit of a tile, all of which goes to one partition. */
static void order_orbit(Fill *fill, uint32_t group, SinoTilePlace tile)
{
    const int64_t first = fill->ordered;
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        int64_t row = tile.row, column = tile.column;
        if (!(group >> g & 1)) continue;
        sino_orientation_place(g, fill->side, &row, &column);
        const int64_t number = fill->number[row * fill->side + column];
        if (number < 0 || fill->has[number]) continue;
        fill->has[number] = true;
        fill->starts[fill->ordered] = fill->ordered == first;
        fill->order[fill->ordered++] = number;
    }
}

/* Appends the orbit of a super-tile. A partition may begin with any orbit of tiles in it; tiles along a Hilbert curve
 * keep both parts of a super-tile that is cut compact. */
static void put_orbit(Fill *fill, const Place *place)
{
    enum { CURVE_ORDER = 2, TILES = SINO_SUPER_TILE * SINO_SUPER_TILE }; /* a curve through 4 × 4 tiles */
    const uint32_t group = sino_orientation_group(fill->layout->orientations);
    const int64_t super_side = fill->side / SINO_SUPER_TILE;
    SinoTilePlace along[TILES];
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        int64_t row = place->row, column = place->column;
        if (!(group >> g & 1)) continue;
        sino_orientation_place(g, super_side, &row, &column);
        put_super_tile(fill, row, column);
    }
    for (int32_t i = 0; i < TILES; i++) {
        const int32_t row = i / SINO_SUPER_TILE, column = i % SINO_SUPER_TILE;
        const int at = group == 1 ? i : (int)sino_decomposition_hilbert(CURVE_ORDER, (uint32_t)column, (uint32_t)row);
        along[at] = (SinoTilePlace){.row = (int32_t)place->row * SINO_SUPER_TILE + row,
                                    .column = (int32_t)place->column * SINO_SUPER_TILE + column};
    }
    for (int i = 0; i < TILES; i++) order_orbit(fill, group, along[i]);
}

/* Partition p ends where the sum of tile weights passes the sum of the shares up to p. */
static void cut(const Fill *fill, const double *share)
{
    SinoDecomposition *made = fill->made;
    const int64_t count = made->partition_count;
    double sum = 0, all_shares = 0, shares = 0;
    for (int64_t p = 0; p < count; p++) all_shares += share ? share[p] : 1;
    int64_t tile = 0;
    for (int64_t p = 0; p < count; p++) {
        made->first[p] = tile;
        shares += share ? share[p] : 1;
        const double end_weight = made->nonzero_count * shares / all_shares;
        while (tile < made->tile_count) {
            int64_t end = tile + 1;
            double weight = made->weight[fill->order[tile]];
            while (end < made->tile_count && !fill->starts[end]) weight += made->weight[fill->order[end++]];
            if (sum + weight / 2 >= end_weight) break;
            sum += weight;
            tile = end;
        }
    }
    made->first[count] = made->tile_count;
}

static int by_number(const void *a, const void *b)
{
    const int64_t m = *(const int64_t *)a, n = *(const int64_t *)b;
    return m < n ? -1 : m > n;
}

/* Puts the tiles of each partition into the order in which they were appended, so that the tiles that a partition has
 * of a super-tile follow each other. */
static SinoStatus arrange(const Fill *fill)
{
    SinoDecomposition *made = fill->made;
    SinoStatus status = NULL;
    SinoTilePlace *tile = NULL;
    double *weight = NULL;
    SINO_TRY_OR(status, cleanup, sino_allocate(made->tile_count, sizeof *tile, "tiles", &tile));
    SINO_TRY_OR(status, cleanup, sino_allocate(made->tile_count, sizeof *weight, "tiles", &weight));
    for (int64_t p = 0; p < made->partition_count; p++)
        qsort(fill->order + made->first[p], (size_t)(made->first[p + 1] - made->first[p]), sizeof *fill->order,
              by_number);
    for (int64_t i = 0; i < made->tile_count; i++) {
        tile[i] = made->tile[fill->order[i]];
        weight[i] = made->weight[fill->order[i]];
    }
    memcpy(made->tile, tile, (size_t)made->tile_count * sizeof *tile);
    memcpy(made->weight, weight, (size_t)made->tile_count * sizeof *weight);
cleanup:
    free(tile);
    free(weight);
    return status;
}

static SinoStatus put_tiles(Fill *fill, const double *share)
{
    SinoStatus status = NULL;
    Place *place = NULL;
    const int64_t super_side = fill->side / SINO_SUPER_TILE, tiles = sino_times(fill->side, fill->side);
    SINO_TRY_OR(status, cleanup, order_super_tiles(super_side, &place));
    SINO_TRY_OR(status, cleanup, sino_allocate(tiles, sizeof *fill->number, "tiles", &fill->number));
    SINO_TRY_OR(status, cleanup, sino_allocate(tiles, sizeof *fill->order, "tiles", &fill->order));
    SINO_TRY_OR(status, cleanup, sino_allocate(tiles, sizeof *fill->starts, "tiles", &fill->starts));
    SINO_TRY_OR(status, cleanup, sino_allocate(tiles, sizeof *fill->has, "tiles", &fill->has));
    for (int64_t i = 0; i < tiles; i++) fill->number[i] = -1;
    for (int64_t i = 0; i < super_side * super_side; i++) put_orbit(fill, &place[i]);
    sino_trace_estimate(&fill->layout->geometry, fill->made->tile_count, fill->made->tile, fill->made->weight);
    for (int64_t i = 0; i < fill->made->tile_count; i++) fill->made->nonzero_count += fill->made->weight[i];
    cut(fill, share);
    status = arrange(fill);
cleanup:
    free(place);
    free(fill->number);
    free(fill->order);
    free(fill->starts);
    free(fill->has);
    return status;
}

SinoStatus sino_decomposition_new(const SinoLayout *layout, int64_t partition_count, const double *share,
                                  SinoDecomposition *result)
{
    SinoStatus status = NULL;
    const int64_t side = sino_tile_side(layout->geometry.grid_size);
    SinoDecomposition made = {.partition_count = partition_count, .coarseness = 1};
    Fill fill = {.layout = layout, .made = &made, .side = side};
    SINO_TRY_OR(status, fail, sino_allocate(sino_times(side, side), sizeof *made.tile, "tiles", &made.tile));
    SINO_TRY_OR(status, fail, sino_allocate(sino_times(side, side), sizeof *made.weight, "tiles", &made.weight));
    SINO_TRY_OR(status, fail, sino_allocate(partition_count + 1, sizeof *made.first, "partitions", &made.first));
    SINO_TRY_OR(status, fail, put_tiles(&fill, share));
    *result = made;
    return NULL;
fail:
    sino_decomposition_free(&made);
    return status;
}

/* An even grid stays even, as mirror images need. */
int64_t sino_decomposition_grid(int64_t grid_size, int64_t coarseness)
{
    const int64_t step = grid_size % 2 == 0 ? 2 : 1;
    return coarseness == 1 ? grid_size : sino_ceil_multiple(sino_ceil_divide(grid_size, coarseness), step);
}

int64_t sino_decomposition_voxels(const SinoDecomposition *decomposition, int64_t first, int64_t end)
{
    const int64_t tiles = decomposition->first[end] - decomposition->first[first];
    const int64_t side = sino_times(SINO_TILE, decomposition->coarseness);
    return sino_times(tiles, sino_times(side, side));
}

/* Slices of up to SIDE voxels a side are cut as they are. Of larger ones a partition has enough tiles for footprints
 * that are right to some percent, or if there are very many partitions, a few. */
static int64_t coarseness_of(int64_t grid_size, int64_t partition_count)
{
    enum { SIDE = 2048, ENOUGH = 32, FEW = 4, MANY = 1 << 17 };
    const int64_t enough = sino_smaller(sino_times(ENOUGH, partition_count), MANY);
    const int64_t tiles = sino_larger(enough, sino_times(FEW, partition_count));
    int64_t coarseness = sino_ceil_divide(grid_size, SIDE);
    while (coarseness > 1 &&
           sino_tile_voxels(sino_decomposition_grid(grid_size, coarseness)) / SINO_TILE_VOXELS < tiles)
        coarseness--;
    return coarseness;
}

SinoStatus sino_decomposition_sketch(const SinoLayout *layout, int64_t partition_count, const double *share,
                                     SinoDecomposition *result)
{
    enum { FEW = 32 };
    double few_rad[FEW]; /* angles that tell what a tile costs */
    SinoDecomposition made;
    SinoLayout coarse = *layout; /* which borrows the angles */
    SinoGeometry *scan = &coarse.geometry;
    const int64_t coarseness = coarseness_of(scan->grid_size, partition_count);
    scan->grid_size = sino_decomposition_grid(scan->grid_size, coarseness);
    scan->column_count = sino_ceil_divide(scan->column_count, coarseness);
    scan->center = (scan->center + 0.5) / (double)coarseness - 0.5;
    const int64_t step = coarseness > 1 ? sino_ceil_divide(scan->angle_count, FEW) : 1;
    for (int64_t k = 0; step > 1 && k * step < scan->angle_count; k++) few_rad[k] = scan->angle_rad[k * step];
    if (step > 1) scan->angle_rad = few_rad;
    scan->angle_count = sino_ceil_divide(scan->angle_count, step);
    SINO_TRY(sino_decomposition_new(&coarse, partition_count, share, &made));
    const double nonzeros =
        (double)sino_times(coarseness, coarseness) * (double)layout->geometry.angle_count / (double)scan->angle_count;
    for (int64_t t = 0; coarseness > 1 && t < made.tile_count; t++) made.weight[t] *= nonzeros;
    made.nonzero_count *= nonzeros;
    made.coarseness = coarseness;
    *result = made;
    return NULL;
}

int64_t sino_decomposition_units(const SinoLayout *layout)
{
    const int64_t size = layout->geometry.grid_size, tiles = sino_tile_voxels(size) / SINO_TILE_VOXELS;
    const uint32_t group = sino_orientation_group(layout->orientations);
    int64_t side = 0, staying = tiles;
    while (side * side < tiles) side++;
    /* The number of orbits (Burnside's lemma): the mean, over the members of the group, of the number of tiles that a
     * member leaves in place. The identity leaves all in place, a reflection in a diagonal that diagonal, any other
     * member none. A grid of 2 × 2 shows which of these a member is. */
    for (int g = 1; g < SINO_ORIENTATIONS; g++) {
        int64_t row[] = {0, 0}, column[] = {0, 1};
        if (!(group >> g & 1)) continue;
        for (int i = 0; i < 2; i++) sino_orientation_place(g, 2, &row[i], &column[i]);
        if ((row[0] == 0 && column[0] == 0) || (row[1] == 0 && column[1] == 1)) staying += side;
    }
    return staying / __builtin_popcount(group);
}

void sino_decomposition_free(SinoDecomposition *decomposition)
{
    free(decomposition->tile);
    free(decomposition->weight);
    free(decomposition->first);
    *decomposition = (SinoDecomposition){0};
}
