/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup, private: the visits that regroup_walk.c finds, for the files that write them (regroup_cpu.c,
 * regroup_cuda.cu). */
#pragma once

#include "regroup.h"

enum {
    SINO_STRIP_WIDTH = 4, /* voxels, width of the strips of tiles along the rays */
    SINO_VISIT_RAYS_MAX = SINO_GROUP_ANGLES_MAX * (3 * SINO_TILE / 2 + 4), /* √2·T per angle, and rounding */
    SINO_VISIT_GROUPS_MAX = SINO_VISIT_RAYS_MAX / SINO_GROUP_RAYS + SINO_SECTION_GROUPS, /* of the block */
    SINO_VISIT_SLOTS_MAX = SINO_VISIT_RAYS_MAX + SINO_GROUP_ANGLES_MAX * SINO_STRIP_WIDTH
};

/* The part of the block that becomes a visit, and its place in the order of visits. */
typedef struct SinoRegroupOrigin {
    const SinoSectionHeader *section;
    int32_t first_group, group_count, first_voxel, voxel_count;
    int32_t chain; /* backprojection: the tile; projection: number of the first angle of the batch */
    int32_t angle; /* first angle of its batch, in the layout */
    int32_t tile;
    int64_t strip;
    double across, along; /* position across and along the direction of the strips, voxels */
    bool begins;          /* the visit begins a part of the chain */
} SinoRegroupOrigin;

struct SinoRegroup {
    SinoRegroupInput input;
    SinoPrecision precision;
    int64_t batch_angles;
    int64_t visit_count, chain_count;
    int32_t columns;
    SinoRegroupOrigin *origin;
    SinoGatherVisit *visit;
    SinoGatherChain *chain;
    SinoGatherSpan *span; /* [visit][batch_angles] */
    SinoGatherPart *part;
    int64_t part_count, early_unit_count, part_unit_count;
    int64_t whole_units[2];
};

/* Number in the layout of the angle of a row's ray. */
int64_t sino_regroup_angle(const SinoRegroup *regroup, uint32_t row);

/* Number of the batch that begins with the angle; angle −1: number of all batches. */
int64_t sino_regroup_batch(const SinoRegroup *regroup, int64_t angle);

/* Sorts the voxels of a tile by their offset across the batch's middle direction; equal ones by row. */
void sino_regroup_order_voxels(const SinoRegroup *regroup, int64_t first, uint8_t *order);
