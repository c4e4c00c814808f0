/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate data: the tables that devices read in tasks rotate_project and rotate_back. */
#include "rotate_data.h"

#include "arithmetic.h"
#include "memory.h"
#include "rotate_tables.h"

#include <stdlib.h>

SinoRotateDataBytes sino_rotate_data_bytes(const SinoGeometry *geometry, int64_t tile_count)
{
    return (SinoRotateDataBytes){
        .turn = sino_times(sino_rotate_turn_count(geometry), (int64_t)sizeof(double)),
        .number = sino_times(sino_rotate_number_count(geometry->grid_size), (int64_t)sizeof(int32_t)),
        .tile = sino_times(tile_count, (int64_t)sizeof(SinoTilePlace))};
}

SinoStatus sino_rotate_data_angles(SinoRuntime *runtime, const SinoGeometry *geometry, SinoData **turn)
{
    double *table = NULL;
    SINO_TRY(sino_allocate(sino_rotate_turn_count(geometry), sizeof *table, "angles", &table));
    sino_rotate_turns(geometry, table);
    SinoStatus status = sino_data_copy(runtime, "turns", table, sino_rotate_data_bytes(geometry, 0).turn, turn);
    free(table);
    return status;
}

SinoStatus sino_rotate_data_tiles(SinoRuntime *runtime, const SinoRotate *what, SinoData **number, SinoData **tile)
{
    const SinoRotateDataBytes bytes = sino_rotate_data_bytes(&what->geometry, what->tile_count);
    int32_t *table = NULL;
    *tile = NULL;
    SINO_TRY(sino_allocate(sino_rotate_number_count(what->geometry.grid_size), sizeof *table, "tiles", &table));
    sino_rotate_numbers(what, table);
    SinoStatus status = sino_data_copy(runtime, "tile numbers", table, bytes.number, number);
    free(table);
    if (!status && bytes.tile > 0) status = sino_data_copy(runtime, "tiles", what->tile, bytes.tile, tile);
    return status;
}
