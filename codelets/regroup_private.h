/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup, between its files: where visits come from (regroup_walk.c) for those that write them (regroup_cpu.c,
 * regroup_cuda.cu). */
#ifndef SINO_REGROUP_PRIVATE_H
#define SINO_REGROUP_PRIVATE_H

#include "regroup.h"

enum {
    SINO_STRIP_WIDTH = 4, /* voxels, of the strips of tiles along which rays walk */
    SINO_VISIT_RAYS_MAX = SINO_GROUP_ANGLES_MAX * (3 * SINO_TILE / 2 + 4), /* √2·T of an angle, and rounding */
    SINO_VISIT_GROUPS_MAX = SINO_VISIT_RAYS_MAX / SINO_GROUP_RAYS + SINO_SECTION_GROUPS, /* of the block */
    SINO_VISIT_SLOTS_MAX = SINO_VISIT_RAYS_MAX + SINO_GROUP_ANGLES_MAX * SINO_STRIP_WIDTH
};

/* Where a visit comes from, and its place in the order. */
typedef struct SinoRegroupOrigin {
    const SinoSectionHeader *section;
    int32_t first_group, group_count, first_voxel, voxel_count;
    int32_t chain; /* backprojecting, the tile; projecting, the number of its first angle */
    int32_t angle; /* the first of its batch, in the layout */
    int32_t tile;
    int64_t strip;
    double across, along; /* of the strips' direction, voxels */
    bool begins;          /* a part of the chain */
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
};

/* The number of the ray's angle in the layout. */
int64_t sino_regroup_angle(const SinoRegroup *regroup, uint32_t row);

/* The number of the batch that begins with the angle; angle −1: of all batches. */
int64_t sino_regroup_batch(const SinoRegroup *regroup, int64_t angle);

/* The middle direction of a batch, and how far its angles are from it; NULL: not wanted. */
double sino_regroup_middle_rad(const SinoRegroup *regroup, int64_t first, double *reach_rad);

/* Voxels of a tile by their offset across the batch's middle direction; of equal ones, the first row first. */
void sino_regroup_order_voxels(const SinoRegroup *regroup, int64_t first, uint8_t *order);

#endif
