/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation, tiles: which tiles lie beside each other. */
#include "variation.h"

#include "memory.h"

#include <stdlib.h>

SinoStatus sino_variation_neighbours(int64_t grid_size, int64_t tile_count, const SinoTilePlace *tile,
                                     SinoTileNeighbours *neighbour)
{
    const int64_t side = sino_tile_side(grid_size), wide = side + 2; /* with a border of no tiles */
    int32_t *number = NULL;
    SINO_TRY(sino_allocate(sino_times(wide, wide), sizeof *number, "tiles", &number));
    for (int64_t i = 0; i < wide * wide; i++) number[i] = -1;
    for (int64_t t = 0; t < tile_count; t++) {
        const bool inside =
            sino_tile_range(grid_size, tile[t].row).count > 0 && sino_tile_range(grid_size, tile[t].column).count > 0;
        if (inside) number[(tile[t].row + 1) * wide + tile[t].column + 1] = (int32_t)t;
    }
    for (int64_t t = 0; t < tile_count; t++) {
        const int32_t *at = number + (tile[t].row + 1) * wide + tile[t].column + 1;
        neighbour[t] = (SinoTileNeighbours){.left = at[-1], .right = at[1], .above = at[-wide], .below = at[wide]};
    }
    free(number);
    return NULL;
}
