/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate data: the tables that devices read in tasks rotate_project and rotate_back (rotate_tables.h). */
#pragma once

#include "rotate.h"
#include "runtime.h"

/* Of a product's angles, and of a partition's tiles. NULL, all of them: cores compute. Nothing is owned. */
typedef struct SinoRotateData {
    SinoData *turn, *number, *tile;
} SinoRotateData;

/* Bytes of the tables of the geometry's angles and of tile_count tiles. */
typedef struct SinoRotateDataBytes {
    int64_t turn, number, tile;
} SinoRotateDataBytes;
SinoRotateDataBytes sino_rotate_data_bytes(const SinoGeometry *geometry, int64_t tile_count);

/* Make tables, which the caller frees with sino_data_free. *tile becomes NULL if there are no tiles. */
SinoStatus sino_rotate_data_angles(SinoRuntime *runtime, const SinoGeometry *geometry, SinoData **turn);
SinoStatus sino_rotate_data_tiles(SinoRuntime *runtime, const SinoRotate *what, SinoData **number, SinoData **tile);
