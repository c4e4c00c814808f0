/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather: one partition's share of A as lists for devices, one for each direction, made from its block (block.h).
 *
 * Both directions are one operation: R outputs gather from a list of inputs, each with R lengths, 0 where an output
 * does not meet an input. Projecting, outputs are rays and inputs are the voxels of a tile; backprojecting, the other
 * way round. Outputs of nearly the same offset are together, as in a block's groups, so that they share inputs.
 *
 *     SinoGatherHeader | SinoGatherChain chain[chain_count] | SinoGatherVisit visit[visit_count]
 *         | SinoGatherSource source[tile_count][SINO_ORIENTATIONS] | int32 tile[tile_count][SINO_ORIENTATIONS]
 *         | SinoGatherSpan span[visit_count][angles] | SinoGatherPart part[part_count] | lists of visits:
 *             { SinoGatherBundle bundle[bundle_count] | uint16 slot[step_count][S] | real length[step_count][16 | 256]
 * }
 *
 * A *visit* is one tile and one batch, up to SINO_GROUP_ANGLES_MAX neighbouring stored angles. A *chain* owns outputs:
 * it goes through its visits in their order, adds up, and nobody else adds to the same rows, so that sums need neither
 * atomics nor luck. Projecting, a chain is a batch, once for each orientation of its angles, and its visits are tiles,
 * strip by strip along the rays. Backprojecting, chain t has the visits of stored tile t, batch after batch; who owns
 * tile t in the image takes those of its sources: source[t][i].tile in orientation source[t][i].orientation.
 *
 * A chain of rays may be walked by several blocks: *parts* of it, as broad as makes one and the next but one have no
 * rays in common. Every other part comes first, those between them when they are done.
 *
 * Slots stand for rows of the vectors. A voxel's slot is its number v within the tile, in the stored orientation. A
 * ray's slot is a·columns + row % columns, where a is its angle within the batch and row that of the footprint, stored
 * orientation; in the orientation that is number j of the visit's it is j·step rows later. The rays of one visit and
 * angle are consecutive rows: the visit's span. Projecting, spans say which rows a chain holds sums of while it is at
 * the visit: at least those that the visit adds to. Neighbouring visits have most of them in common. A slot holds one
 * row at a time, so a row is added to y when the next span has it no longer.
 *
 * R = 4, for multiply-add units, any precision: a bundle is 4 groups of 4 outputs side by side, S = 4, a step is one
 * input of each: slot[q], length[q][r]. R = 16, for matrix units, half and mixed: a bundle is one group of 16, S = 16,
 * a step is 16 inputs k = 0 … 15, its lengths in the order of an m16n8k16 A fragment (sino_gather_fragment): 8 halves
 * for each lane. Outputs of a group have their slots' last two bits differ, four by four, where they can
 * (shared memory's banks). Steps fill up with lengths 0 and a slot that the bundle has. */
#ifndef SINO_GATHER_H
#define SINO_GATHER_H

#include "block.h"

#include <stdbool.h>

enum {
    SINO_BUNDLE_OUTPUTS = 16,
    SINO_BUNDLE_GROUPS = 4,   /* of R = 4 */
    SINO_GATHER_NONE = 0xffff /* an output that is not there: of the last bundles */
};

/* Raised with every change of what lists of the same block hold. */
enum { SINO_GATHER_VERSION = 1 };

typedef struct SinoGatherHeader {
    int64_t bytes; /* of all lists */
    int64_t tile_count, ray_count;
    int64_t nonzero_count;                      /* true ones, of every orientation */
    int64_t stored_nonzero_count, stored_count; /* true ones that are stored; lengths stored, padding included */
    int64_t index_bytes;                        /* most of a visit: bundles and slots */
    int32_t precision;                          /* SinoPrecision */
    int32_t back;                               /* 0: projects, 1: backprojects */
    int32_t outputs;                            /* R: 4 or 16 */
    int32_t chain_count, visit_count;
    int32_t angles;           /* most angles of a batch: spans of a visit */
    int32_t columns;          /* slots of an angle */
    int32_t unit_count;       /* projecting: Σ orientations of chains; backprojecting: tile_count */
    int32_t part_count;       /* projecting; backprojecting 0 */
    int32_t part_unit_count;  /* Σ orientations of parts */
    int64_t early_unit_count; /* those of the parts that come first */
} SinoGatherHeader;

typedef struct SinoGatherChain {
    int32_t first_visit, visit_count;
    int32_t first_unit;    /* units of the chains before: one for each orientation when projecting */
    uint32_t orientations; /* projecting: bit g: it serves orientation g */
    int64_t step;          /* projecting: rows from a ray to the same ray in the next orientation */
} SinoGatherChain;

/* Visits of one chain; parts that come first are first in the table. */
typedef struct SinoGatherPart {
    int32_t chain, first_visit, visit_count;
    int32_t first_unit; /* of part_unit_count */
} SinoGatherPart;

typedef struct SinoGatherVisit {
    int64_t offset; /* of its lists, from the start of the header; a multiple of 128 */
    int64_t step;   /* rows from a ray to the same ray in the next orientation */
    int32_t tile;   /* in the stored orientation */
    int32_t bundle_count, step_count;
    uint32_t orientations; /* bit g: the visit serves orientation g; bit 0 always */
} SinoGatherVisit;

/* Backprojecting: the stored tile whose lists serve a tile of the image, and the orientation; sorted by tile; tile −1:
 * no more. */
typedef struct SinoGatherSource {
    int32_t tile, orientation;
} SinoGatherSource;

/* Rows first … first + count − 1 of the footprint; count 0: none. */
typedef struct SinoGatherSpan {
    uint32_t first, count;
} SinoGatherSpan;

typedef struct SinoGatherBundle {
    uint32_t first, count;                /* steps, within the visit; R = 4: an even count */
    uint16_t output[SINO_BUNDLE_OUTPUTS]; /* slots, [group][r] when R = 4; none twice */
} SinoGatherBundle;

/* Where a visit's arrays are. */
typedef struct SinoGatherLists {
    SinoGatherBundle *bundle;
    uint16_t *slot;
    void *length; /* starts on 128 bytes */
} SinoGatherLists;

/* S: inputs of a step. */
SINO_INLINE int32_t sino_gather_step_inputs(int32_t outputs)
{
    return outputs == SINO_BUNDLE_OUTPUTS ? 16 : SINO_BUNDLE_GROUPS;
}

/* Lengths of a step. */
SINO_INLINE int32_t sino_gather_step_lengths(int32_t outputs)
{
    return outputs == SINO_BUNDLE_OUTPUTS ? 256 : 16;
}

/* Where slots and lengths begin in a visit's lists. */
SINO_INLINE int64_t sino_gather_slots_at(const SinoGatherVisit *visit)
{
    return sino_block_align(visit->bundle_count * (int64_t)sizeof(SinoGatherBundle), 32);
}

SINO_INLINE int64_t sino_gather_lengths_at(int32_t outputs, const SinoGatherVisit *visit)
{
    const int64_t slots = (int64_t)visit->step_count * sino_gather_step_inputs(outputs);
    return sino_block_align(sino_gather_slots_at(visit) + slots * (int64_t)sizeof(uint16_t), 128);
}

/* Returns the bytes of the visit's lists, a multiple of 128. */
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

/* Where each tile lies, as in the block: stored tile t is tile to[t·SINO_ORIENTATIONS + g] in orientation g. */
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

/* The row, in the stored orientation, that a ray's slot stands for, given the spans of the visit. */
SINO_INLINE int64_t sino_gather_row(const SinoGatherSpan *span, int32_t columns, uint16_t slot)
{
    const SinoGatherSpan of_angle = span[slot / columns];
    const int32_t ahead = slot % columns - (int32_t)(of_angle.first % (uint32_t)columns);
    return (int64_t)of_angle.first + (ahead < 0 ? ahead + columns : ahead);
}

/* Voxel v of a tile in orientation g (sino_orientation_place): row and column change places at odd quarter turns, then
 * run backwards or not. */
SINO_INLINE int32_t sino_gather_voxel(int32_t orientation, int32_t voxel)
{
    const int32_t backwards = (int32_t)((UINT64_C(0xfff0000f0ffff000) >> (8 * orientation)) & 0xff);
    const int32_t turned = orientation % 2 == 0 ? voxel : (voxel << 4 | voxel >> 4) & 0xff;
    return turned ^ backwards;
}

/* R = 16: where length (output, input) of a step is among its 256. Lane 4·(output mod 8) + input/2 mod 4 holds outputs
 * o, o + 8 and inputs 2t, 2t + 1, 2t + 8, 2t + 9. */
SINO_INLINE int32_t sino_gather_fragment(int32_t output, int32_t input)
{
    const int32_t lane = output % 8 * 4 + input / 2 % 4;
    return lane * 8 + input / 8 * 4 + output / 8 * 2 + input % 2;
}

/* R = 16: which eighth of the banks of shared memory the slot's row of 32 halves has its first 16 bytes in. Inputs of a
 * step are ordered so that each eight differ where they can. */
SINO_INLINE int32_t sino_gather_bank(int32_t slot)
{
    return (slot & 1) << 2 | (((slot >> 1) + (slot >> 4)) & 3);
}

#endif
