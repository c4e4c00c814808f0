/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: a slice's voxels in Hilbert-ordered tiles, cut into partitions of nearly equal nonzeros.
 *
 * Neighbours on the Hilbert curve are neighbours in the slice, so a partition is compact and its footprint small
 * (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-A1). */
#include "decomposition.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

uint64_t sino_decomposition_hilbert(int order, uint32_t x, uint32_t y)
{
    uint64_t position = 0;
    for (int bit = order - 1; bit >= 0; bit--) {
        const uint32_t side = 1u << bit, rx = (x & side) != 0, ry = (y & side) != 0;
        position += (uint64_t)side * side * ((3 * rx) ^ ry);
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
    SinoTilePlace tile;
} Place;

static int by_position(const void *a, const void *b)
{
    const uint64_t p = ((const Place *)a)->position, q = ((const Place *)b)->position;
    return p < q ? -1 : p > q;
}

static SinoStatus order_tiles(int64_t side, SinoTilePlace *tile)
{
    Place *place = NULL;
    int order = 0;
    while ((int64_t)1 << order < side) order++;
    SINO_TRY(sino_allocate(side * side, sizeof *place, "the order of tiles", &place));
    for (int64_t i = 0; i < side * side; i++) {
        place[i].tile = (SinoTilePlace){.column = (int32_t)(i % side), .row = (int32_t)(i / side)};
        place[i].position = sino_decomposition_hilbert(order, (uint32_t)(i % side), (uint32_t)(i / side));
    }
    qsort(place, (size_t)(side * side), sizeof *place, by_position);
    for (int64_t i = 0; i < side * side; i++) tile[i] = place[i].tile;
    free(place);
    return NULL;
}

/* A partition ends where the sum of weights passes its share. */
static void cut(SinoDecomposition *decomposition)
{
    const int64_t count = decomposition->partition_count;
    double sum = 0;
    int64_t tile = 0;
    for (int64_t p = 0; p < count; p++) {
        decomposition->first[p] = tile;
        const double end = decomposition->nonzero_count * (double)(p + 1) / (double)count;
        while (tile < decomposition->tile_count && sum + decomposition->weight[tile] / 2 < end)
            sum += decomposition->weight[tile++];
    }
    decomposition->first[count] = decomposition->tile_count;
}

SinoStatus sino_decomposition_new(const SinoGeometry *geometry, int64_t partition_count, SinoDecomposition *result)
{
    SinoStatus status = NULL;
    const int64_t side = (geometry->grid_size + SINO_TILE - 1) / SINO_TILE;
    SinoDecomposition made = {.tile_count = side * side, .partition_count = partition_count};
    SINO_TRY_OR(status, fail, sino_allocate(made.tile_count, sizeof *made.tile, "tiles", &made.tile));
    SINO_TRY_OR(status, fail, sino_allocate(made.tile_count, sizeof *made.weight, "tiles", &made.weight));
    SINO_TRY_OR(status, fail, sino_allocate(partition_count + 1, sizeof *made.first, "partitions", &made.first));
    SINO_TRY_OR(status, fail, order_tiles(side, made.tile));
    for (int64_t t = 0; t < made.tile_count; t++) {
        made.weight[t] = sino_trace_estimate(geometry, made.tile[t]);
        made.nonzero_count += made.weight[t];
    }
    cut(&made);
    *result = made;
    return NULL;
fail:
    sino_decomposition_free(&made);
    return status;
}

void sino_decomposition_free(SinoDecomposition *decomposition)
{
    free(decomposition->tile);
    free(decomposition->weight);
    free(decomposition->first);
    *decomposition = (SinoDecomposition){0};
}
