/* SPDX-License-Identifier: BSD-3-Clause */
/* Block: one partition's share of the system matrix A, as one piece of memory that serves both directions and every
 * orientation of the image (layout.h).
 *
 * A tile is SINO_TILE × SINO_TILE voxels; a group is SINO_GROUP_RAYS rays of a few neighbouring angles that cross it
 * close together. Per voxel of a group's union the group stores the voxel's number within the tile and one length per
 * ray, 0 where that ray misses the voxel. A section holds the groups of one tile and up to SINO_SECTION_GROUPS ×
 * group_angles stored angles:
 *
 *     SinoBlockHeader | SinoBlockPiece piece[piece_count] | int32 tile[tile_count][SINO_ORIENTATIONS]
 *         | { SinoSectionHeader | uint32 ray[group_count + SINO_GROUPS_AHEAD][R] | uint8 count[group_count]
 *             | uint8 voxel[voxel_count] | real length[voxel_count][R] }
 *
 * Pieces are runs of sections; the order of their table is the order of the sums, wherever the pieces lie.
 *
 * Every array starts on 8 bytes, sections and lengths on 32. A group has an even count of voxels, 2 …
 * SINO_GROUP_VOXELS; the last one may have lengths 0 only. Sections of up to SINO_SUPER_TILE × SINO_SUPER_TILE tiles
 * follow each other angles by angles, so that the rays of those angles stay in L2 while tile after tile takes its turn.
 * The rays of groups ahead are apart from the lengths so that a kernel can prefetch their rows; the last ones repeat.
 *
 * Ray numbers are rows of the block's footprint, in the stored orientation; those of the section's next orientation are
 * `step` rows later. Voxel v of tile t is element t·T² + v of the partition's voxel vector; v = row·T + column, row 0
 * on top. In orientation g tile t lies where tile[t][g] lies: a partition has all of them. */
#ifndef SINO_BLOCK_H
#define SINO_BLOCK_H

#include "layout.h"
#include "vector.h"

#include <stdint.h>

enum {
    SINO_TILE = 16, /* T: voxels along one side of a tile; a voxel's number fits a byte */
    SINO_TILE_VOXELS = SINO_TILE * SINO_TILE,
    SINO_SUPER_TILE = 4,                                 /* tiles along one side of a super-tile */
    SINO_GROUP_RAYS = 4,                                 /* R */
    SINO_GROUP_VOXELS = 2 * SINO_TILE * SINO_GROUP_RAYS, /* the most voxels of a group */
    SINO_SECTION_GROUPS = 4,                             /* a section has this many times the layout's group_angles */
    SINO_GROUPS_AHEAD = 4                                /* how far kernels look ahead */
};

/* Raised with every change of what a block of the same rays and tiles holds: operators kept on disk carry it. */
enum { SINO_BLOCK_VERSION = 2 };

typedef struct SinoBlockHeader {
    int64_t bytes; /* of the whole block */
    int64_t tile_count;
    int64_t ray_count;     /* rays of the footprint, of every orientation */
    int64_t nonzero_count; /* true nonzeros of A, of every orientation, without padding */
    int64_t stored_nonzero_count;
    int64_t stored_count; /* lengths stored, padding included */
    int64_t precision;    /* SinoPrecision */
    int64_t piece_count;
} SinoBlockHeader;

typedef struct SinoBlockPiece {
    int64_t offset, bytes; /* from the start of the block, a multiple of 32 */
} SinoBlockPiece;

typedef struct SinoSectionHeader {
    int64_t bytes;         /* of the section, a multiple of 32 */
    int64_t step;          /* rows from a ray to the same ray in the section's next orientation */
    int64_t nonzero_count; /* stored */
    int32_t tile;          /* within the partition */
    int32_t group_count;   /* ≥ 1: empty sections are left out */
    int32_t voxel_count;   /* of all groups */
    uint32_t orientations; /* bit g: it serves orientation g; bit 0 always */
    int64_t padding;       /* lengths begin on 32 bytes */
} SinoSectionHeader;

/* Where a section's arrays are. */
typedef struct SinoSection {
    uint32_t *ray;
    uint8_t *count, *voxel;
    void *length;
} SinoSection;

SINO_INLINE int64_t sino_block_align(int64_t bytes, int64_t to)
{
    return (bytes + to - 1) / to * to;
}

/* The offsets of its arrays follow from group and voxel counts; returns the bytes of the whole section. */
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

/* The tile that tile t of the stored orientation is in orientation g: tile[t·SINO_ORIENTATIONS + g]. */
static inline const int32_t *sino_block_tiles(const SinoBlockHeader *header)
{
    return (const int32_t *)(const void *)(sino_block_pieces(header) + header->piece_count);
}

#endif
