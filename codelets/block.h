/* SPDX-License-Identifier: BSD-3-Clause */
/* Block: one partition's share of the system matrix A, as one piece of memory that serves both directions.
 *
 * A tile is SINO_TILE × SINO_TILE voxels; a group is SINO_GROUP_RAYS rays that cross it close together; a section holds
 * the groups of one tile and one block of SINO_GROUP_ANGLES neighbouring angles. Per voxel of a group's union the group
 * stores one 16-bit index within the tile and one length per ray, 0 where that ray misses the voxel:
 *
 *     SinoBlockHeader | { SinoSectionHeader | { SinoGroupHeader | uint16 index[n], padded to 8 bytes | real
 * length[n][R] }}
 *
 * Sections of up to SINO_SUPER_TILE × SINO_SUPER_TILE tiles follow each other angle block by angle block: the voxels of
 * those tiles and the rays of one angle block that cross them stay in L2 together, so that each row of rays comes from
 * further away once per super-tile and not once per tile. Sections and groups start on 8 bytes. Ray numbers count the
 * rays of the block's footprint. Voxel v of tile t is element t·T² + v of the partition's voxel vector; v = row·T +
 * column, row 0 on top. */
#ifndef SINO_BLOCK_H
#define SINO_BLOCK_H

#include "precision.h"

#include <stdint.h>

enum {
    SINO_TILE = 16, /* T: voxels along one side of a tile */
    SINO_TILE_VOXELS = SINO_TILE * SINO_TILE,
    SINO_SUPER_TILE = 4,   /* tiles along one side of a super-tile */
    SINO_GROUP_RAYS = 4,   /* R */
    SINO_GROUP_ANGLES = 16 /* neighbouring angles whose rays may share a group */
};

typedef struct SinoBlockHeader {
    int64_t bytes; /* of the whole block */
    int64_t tile_count;
    int64_t ray_count;     /* rays of the footprint */
    int64_t nonzero_count; /* true nonzeros, without padding */
    int64_t stored_count;  /* lengths stored, padding included */
    int64_t precision;     /* SinoPrecision of the lengths */
} SinoBlockHeader;

typedef struct SinoSectionHeader {
    int32_t tile;        /* within the partition */
    int32_t group_count; /* ≥ 1: empty sections are left out */
} SinoSectionHeader;

typedef struct SinoGroupHeader {
    uint32_t ray[SINO_GROUP_RAYS]; /* a group with fewer rays repeats its first one, with lengths 0 */
    uint32_t voxel_count;          /* n: voxels of the union, 1 … T² */
    uint32_t nonzero_count;        /* of the n·R lengths */
} SinoGroupHeader;

/* Bytes of the index array of n voxels, padded. */
static inline int64_t sino_group_index_bytes(int64_t voxel_count)
{
    return (voxel_count * (int64_t)sizeof(uint16_t) + 7) / 8 * 8;
}

/* Bytes of a whole group. */
static inline int64_t sino_group_bytes(int64_t voxel_count, SinoPrecision precision)
{
    const int64_t lengths = voxel_count * SINO_GROUP_RAYS * (int64_t)sino_precision_bytes(precision);
    return (int64_t)sizeof(SinoGroupHeader) + sino_group_index_bytes(voxel_count) + (lengths + 7) / 8 * 8;
}

#endif
