/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: one partition's share of A as lists for GPUs, one set for each direction, made from its block (block.h).
 *
 * Projection and backprojection are one operation: R outputs gather from a list of inputs, each with R lengths, 0 where
 * an output does not meet an input. In projection outputs are rays and inputs are the voxels of a tile; in
 * backprojection outputs are voxels and inputs are rays. As in a block's groups, outputs with nearly the same offset
 * are grouped, so that they share inputs.
 *
 *     SinoGatherHeader | SinoGatherChain chain[chain_count] | SinoGatherVisit visit[visit_count]
 *         | SinoGatherSource source[tile_count][SINO_ORIENTATIONS] | int32 tile[tile_count][SINO_ORIENTATIONS]
 *         | SinoGatherSpan span[visit_count][angles] | SinoGatherPart part[part_count]
 *         | lists of visits: { SinoGatherBundle bundle[bundle_count] | uint16 slot[step_count][S]
 *             | real length[step_count][16 or 256] }
 *
 * A *visit* is one tile and one batch of up to SINO_GROUP_ANGLES_MAX neighbouring stored angles. A *chain* owns
 * outputs: it does its visits in order and adds up, and no other chain adds to the same rows. Sums therefore need no
 * atomics and have a fixed order. In projection there is one chain per batch, repeated for each orientation of its
 * angles; its visits are tiles, strip by strip along the rays. In backprojection chain t has the visits of stored tile
 * t, batch after batch; the owner of tile t of the image does the visits of its sources: source[t][i].tile in
 * orientation source[t][i].orientation.
 *
 * Several thread blocks may share a chain of rays. For them a long chain is split into *parts* wide enough that parts i
 * and i + 2 share no ray. Even parts run in one launch, odd parts in the next. In a launch long parts come first, so
 * that short ones fill the multiprocessors at its end.
 *
 * A slot stands for a row of a vector. The slot of a voxel is its number v within the tile, in the stored orientation.
 * The slot of a ray is a·columns + row % columns, where a is its angle within the batch and row is the row of the
 * footprint in the stored orientation; in the visit's orientation number j the row is j·step higher. The rays of one
 * visit and angle are consecutive rows, the visit's span. In projection a span lists the rows whose sums the chain
 * holds during the visit: at least those that the visit adds to. Neighbouring visits have most of these rows in common.
 * Each slot caches one row's sum; it is flushed to y when the next visit's span no longer contains that row.
 *
 * R = 4, for multiply-add units, any precision: a bundle is 4 groups of 4 outputs side by side, S = 4. A step is one
 * input of each group: slot[q], length[q][r]. R = 16, for tensor cores, half and mixed: a bundle is one group of 16
 * outputs, S = 16. A step is 16 inputs k = 0 … 15; its lengths have the order of an m16n8k16 A fragment
 * (sino_gather_fragment), 8 halves per lane. Where possible the slots of four consecutive outputs differ in their last
 * two bits, to avoid bank conflicts in shared memory. Incomplete steps are padded with lengths 0 and a slot that the
 * bundle has already. */
#pragma once

#include "block.h"

enum {
    SINO_BUNDLE_OUTPUTS = 16,
    SINO_BUNDLE_GROUPS = 4,   /* of R = 4 */
    SINO_GATHER_NONE = 0xffff /* padding of the last bundles: no output */
};

typedef struct SinoGatherHeader {
    int64_t bytes; /* header, tables and lists of all visits */
    int64_t tile_count, ray_count;
    int64_t nonzero_count;                      /* nonzeros of A, all orientations included */
    int64_t stored_nonzero_count, stored_count; /* stored nonzeros; stored lengths, padding included */
    int64_t index_bytes;                        /* bytes of bundles and slots of a visit, at most */
    int32_t precision;                          /* SinoPrecision */
    int32_t back;                               /* 0: projects, 1: backprojects */
    int32_t outputs;                            /* R: 4 or 16 */
    int32_t chain_count, visit_count;
    int32_t angles;           /* angles of a batch, at most: spans per visit */
    int32_t columns;          /* slots per angle */
    int32_t unit_count;       /* projection: Σ orientations of chains; backprojection: tile_count */
    int32_t part_count;       /* backprojection: 0 */
    int32_t part_unit_count;  /* Σ orientations of all parts */
    int64_t early_unit_count; /* Σ orientations of the even parts, which run first */
    int64_t whole_units[2];   /* work of a launch, in that of its longest unit, rounded up: even parts, odd parts;
                                 backprojection: tile_count, 0 */
} SinoGatherHeader;

typedef struct SinoGatherChain {
    int32_t first_visit, visit_count;
    int32_t first_unit;    /* units of earlier chains; projection: one per orientation */
    uint32_t orientations; /* projection: bit g: the chain serves orientation g */
    int64_t step;          /* projection: rows between a ray and the same ray in the next orientation */
} SinoGatherChain;

/* Consecutive visits of one chain. Even parts come first in the table; both kinds are sorted by work. */
typedef struct SinoGatherPart {
    int32_t chain, first_visit, visit_count;
    int32_t first_unit; /* number of the first of its units, of part_unit_count */
    int64_t work;       /* estimated time of a unit, in that of one voxel of a group */
} SinoGatherPart;

typedef struct SinoGatherVisit {
    int64_t offset; /* offset of its lists from the start of the header; a multiple of 128 */
    int64_t step;   /* rows from a ray to the same ray in the next orientation */
    int32_t tile;   /* number of the tile in the stored orientation */
    int32_t bundle_count, step_count;
    uint32_t orientations; /* bit g: the visit serves orientation g; bit 0 is always set */
} SinoGatherVisit;

/* Backprojection: the stored tile whose lists serve a tile of the image, and the orientation; sorted by tile. tile −1:
 * end of the sources. */
typedef struct SinoGatherSource {
    int32_t tile, orientation;
} SinoGatherSource;

/* Rows first … first + count − 1 of the footprint; count 0: none. */
typedef struct SinoGatherSpan {
    uint32_t first, count;
} SinoGatherSpan;

typedef struct SinoGatherBundle {
    uint32_t first, count;                /* steps within the visit; R = 4: an even count */
    uint16_t output[SINO_BUNDLE_OUTPUTS]; /* slots, no slot twice; R = 4: [group][r] */
} SinoGatherBundle;

/* Pointers to the arrays of a visit. */
typedef struct SinoGatherLists {
    SinoGatherBundle *bundle;
    uint16_t *slot;
    void *length; /* starts on 128 bytes */
} SinoGatherLists;

/* S: inputs per step. */
SINO_INLINE int32_t sino_gather_step_inputs(int32_t outputs)
{
    return outputs == SINO_BUNDLE_OUTPUTS ? 16 : SINO_BUNDLE_GROUPS;
}

/* Lengths per step. */
SINO_INLINE int32_t sino_gather_step_lengths(int32_t outputs)
{
    return outputs == SINO_BUNDLE_OUTPUTS ? 256 : 16;
}

/* Offsets of slots and lengths in a visit's lists, in bytes. */
SINO_INLINE int64_t sino_gather_slots_at(const SinoGatherVisit *visit)
{
    return sino_block_align(visit->bundle_count * (int64_t)sizeof(SinoGatherBundle), 32);
}

SINO_INLINE int64_t sino_gather_lengths_at(int32_t outputs, const SinoGatherVisit *visit)
{
    const int64_t slots = (int64_t)visit->step_count * sino_gather_step_inputs(outputs);
    return sino_block_align(sino_gather_slots_at(visit) + slots * (int64_t)sizeof(uint16_t), 128);
}

/* Sets the pointers to the visit's arrays. Returns the bytes of its lists, a multiple of 128. */
SINO_INLINE int64_t sino_gather_arrays(const SinoGatherHeader *header, const SinoGatherVisit *visit,
                                       SinoGatherLists *lists)
{
    const int64_t lengths_at = sino_gather_lengths_at(header->outputs, visit);
    const int64_t lengths = (int64_t)visit->step_count * sino_gather_step_lengths(header->outputs);
    uint8_t *const base = (uint8_t *)header + visit->offset;
    lists->bundle = (SinoGatherBundle *)(void *)base;
    lists->slot = (uint16_t *)(void *)(base + sino_gather_slots_at(visit));
    lists->length = base + lengths_at;
    return sino_block_align(lengths_at + lengths * (int64_t)sino_precision_bytes((SinoPrecision)header->precision),
                            128);
}

SINO_INLINE const SinoGatherChain *sino_gather_chains(const SinoGatherHeader *header)
{
    return (const SinoGatherChain *)(const void *)(header + 1);
}

SINO_INLINE const SinoGatherVisit *sino_gather_visits(const SinoGatherHeader *header)
{
    return (const SinoGatherVisit *)(const void *)(sino_gather_chains(header) + header->chain_count);
}

SINO_INLINE const SinoGatherSource *sino_gather_sources(const SinoGatherHeader *header)
{
    return (const SinoGatherSource *)(const void *)(sino_gather_visits(header) + header->visit_count);
}

/* As in the block: in orientation g stored tile t lies at the place of tile number to[t·SINO_ORIENTATIONS + g]. */
SINO_INLINE const int32_t *sino_gather_tiles(const SinoGatherHeader *header)
{
    return (const int32_t *)(const void *)(sino_gather_sources(header) + header->tile_count * SINO_ORIENTATIONS);
}

SINO_INLINE const SinoGatherSpan *sino_gather_spans(const SinoGatherHeader *header)
{
    return (const SinoGatherSpan *)(const void *)(sino_gather_tiles(header) + header->tile_count * SINO_ORIENTATIONS);
}

SINO_INLINE const SinoGatherPart *sino_gather_parts(const SinoGatherHeader *header)
{
    return (const SinoGatherPart *)(const void *)(sino_gather_spans(header) +
                                                  (int64_t)header->visit_count * header->angles);
}

/* Number of voxel v in a tile that is brought to orientation g (sino_orientation_place): odd quarter turns swap row and
 * column, then either may be reversed. */
SINO_INLINE int32_t sino_gather_voxel(int32_t orientation, int32_t voxel)
{
    const int32_t backwards = (int32_t)((UINT64_C(0xfff0000f0ffff000) >> (8 * orientation)) & 0xff);
    const int32_t turned = orientation % 2 == 0 ? voxel : (voxel << 4 | voxel >> 4) & 0xff;
    return turned ^ backwards;
}

/* R = 16: index of length (output, input) among the 256 of a step. Lane 4·(output mod 8) + input/2 mod 4 holds outputs
 * o, o + 8 and inputs 2t, 2t + 1, 2t + 8, 2t + 9. */
SINO_INLINE int32_t sino_gather_fragment(int32_t output, int32_t input)
{
    const int32_t lane = output % 8 * 4 + input / 2 % 4;
    return lane * 8 + input / 8 * 4 + output / 8 * 2 + input % 2;
}

/* R = 16: the eighth of the shared-memory banks with the first 16 bytes of the slot's row of 32 halves. The inputs of a
 * step are ordered so that any eight consecutive ones differ in it where possible. */
SINO_INLINE int32_t sino_gather_bank(int32_t slot)
{
    return (slot & 1) << 2 | (((slot >> 1) + (slot >> 4)) & 3);
}
