/* SPDX-License-Identifier: BSD-3-Clause */
/* Block: one partition's share of the system matrix A, in one piece of memory that serves projection, backprojection
 * and every orientation of the image (layout.h).
 *
 * A tile is SINO_TILE × SINO_TILE voxels. A group is SINO_GROUP_RAYS rays of a few neighbouring angles that cross the
 * tile close together. For each voxel that any of its rays crosses, the group stores the voxel's number within the tile
 * and one length per ray, 0 where a ray misses the voxel. A section holds the groups of one tile and of up to
 * SINO_SECTION_GROUPS × group_angles stored angles:
 *
 *     SinoBlockHeader | SinoBlockPiece piece[piece_count] | int32 tile[tile_count][SINO_ORIENTATIONS]
 *         | { SinoSectionHeader | uint32 ray[group_count + SINO_GROUPS_AHEAD][R] | uint8 count[group_count]
 *             | uint8 voxel[voxel_count] | real length[voxel_count][R] }
 *
 * A piece is a run of sections. Kernels sum in the order of the table of pieces, wherever the pieces lie in memory.
 *
 * Alignment: every array starts on 8 bytes, sections and lengths on 32. A group has an even number of voxels, 2 …
 * SINO_GROUP_VOXELS; if padding makes it even, the last voxel has lengths 0 only. The sections of a super-tile (up to
 * SINO_SUPER_TILE × SINO_SUPER_TILE tiles) are ordered by angles first and by tiles second, so that the rays of some
 * angles stay in L2 while one tile after another uses them. Ray numbers are stored apart from the lengths, so that a
 * kernel can prefetch the rows of the next SINO_GROUPS_AHEAD groups; at the end of a section the last numbers repeat.
 *
 * A ray number is a row of the block's footprint, in the stored orientation; in the section's next orientation the row
 * is `step` higher. Voxel v of tile t is row t·T² + v of the partition's voxel vector; v = row·T + column, row 0 on
 * top. In orientation g tile t lies at the place of tile number tile[t][g]: a partition contains the whole orbit of
 * each of its tiles. */
#pragma once

#include "layout.h"
#include "vector.h"

#include <stdint.h>

enum {
    SINO_TILE = 16, /* T: voxels along one side of a tile; a voxel's number fits a byte */
    SINO_TILE_VOXELS = SINO_TILE * SINO_TILE,
    SINO_SUPER_TILE = 4,                                 /* tiles along one side of a super-tile */
    SINO_GROUP_RAYS = 4,                                 /* R */
    SINO_GROUP_VOXELS = 2 * SINO_TILE * SINO_GROUP_RAYS, /* voxels of a group, at most */
    SINO_SECTION_GROUPS = 4, /* a section has at most this many times the layout's group_angles angles */
    SINO_GROUPS_AHEAD = 4    /* groups that kernels prefetch */
};

/* Increases with every change of the bytes that the same rays and tiles give; stored operators carry it. */
enum { SINO_BLOCK_VERSION = 2 };

typedef struct SinoBlockHeader {
    int64_t bytes; /* of the whole block */
    int64_t tile_count;
    int64_t ray_count;     /* rays of the footprint, all orientations included */
    int64_t nonzero_count; /* nonzeros of A, all orientations included, without padding */
    int64_t stored_nonzero_count;
    int64_t stored_count; /* stored lengths, padding included */
    int64_t precision;    /* SinoPrecision */
    int64_t piece_count;
} SinoBlockHeader;

typedef struct SinoBlockPiece {
    int64_t offset, bytes; /* offset from the start of the block, a multiple of 32 */
} SinoBlockPiece;

typedef struct SinoSectionHeader {
    int64_t bytes;         /* of the section, a multiple of 32 */
    int64_t step;          /* rows between a ray and the same ray in the section's next orientation */
    int64_t nonzero_count; /* stored */
    int32_t tile;          /* number of the tile within the partition */
    int32_t group_count;   /* ≥ 1: empty sections are left out */
    int32_t voxel_count;   /* of all groups */
    uint32_t orientations; /* bit g: the section serves orientation g; bit 0 is always set */
    int64_t padding;       /* so that lengths begin on 32 bytes */
} SinoSectionHeader;

/* Pointers to the arrays of a section. */
typedef struct SinoSection {
    uint32_t *ray;
    uint8_t *count, *voxel;
    void *length;
} SinoSection;

SINO_INLINE int64_t sino_block_align(int64_t bytes, int64_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Sets the pointers to the section's arrays from its numbers of groups and voxels. Returns the bytes of the section. */
SINO_INLINE int64_t sino_section_arrays(const SinoSectionHeader *header, SinoPrecision precision, SinoSection *section)
{
    uint8_t *const base = (uint8_t *)header;
    int64_t at = (int64_t)sizeof *header;
    section->ray = (uint32_t *)(void *)(base + at);
    at += ((int64_t)header->group_count + SINO_GROUPS_AHEAD) * SINO_GROUP_RAYS * (int64_t)sizeof(uint32_t);
    section->count = base + at;
    at += sino_block_align(header->group_count, 8);
    section->voxel = base + at;
    at = sino_block_align(at + header->voxel_count, 32);
    section->length = base + at;
    at += (int64_t)header->voxel_count * SINO_GROUP_RAYS * (int64_t)sino_precision_bytes(precision);
    return sino_block_align(at, 32);
}

/* Bytes before the first section. */
static inline int64_t sino_block_head_bytes(int64_t tile_count, int64_t piece_count)
{
    return sino_block_align((int64_t)sizeof(SinoBlockHeader) + piece_count * (int64_t)sizeof(SinoBlockPiece) +
                                tile_count * SINO_ORIENTATIONS * (int64_t)sizeof(int32_t),
                            32);
}

static inline const SinoBlockPiece *sino_block_pieces(const SinoBlockHeader *header)
{
    return (const SinoBlockPiece *)(const void *)(header + 1);
}

/* tile[t·SINO_ORIENTATIONS + g]: number of the tile at whose place tile t lies in orientation g. */
static inline const int32_t *sino_block_tiles(const SinoBlockHeader *header)
{
    return (const int32_t *)(const void *)(sino_block_pieces(header) + header->piece_count);
}
