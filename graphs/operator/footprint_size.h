/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprint size: how many rays meet each partition, socket and node of a slice, and which ranks own them, computed
 * without tracing.
 *
 * At angle θ, a rectangle of voxels with center (x, y) and half sides w and h meets the rays |s − (x·cosθ + y·sinθ)| <
 * w·|cosθ| + h·|sinθ|. A partition's tiles form few such rectangles. The columns covered by the union of their shadows
 * are the partition's rays at that angle. The result is exact, except for rays that only touch a border or cut off less
 * than 1e-9 of a corner.
 *
 * Rays are owned by angle, so that each rank reads one part of the scan: of K angles in the order of the file, data
 * rank d of P_d owns the angles d·K/P_d … (d+1)·K/P_d − 1. */
#pragma once

#include "arithmetic.h"
#include "decomposition.h"
#include "topology.h"

/* Levels of the topology; a worker is one partition. */
typedef enum SinoLevel { SINO_LEVEL_WORKER, SINO_LEVEL_SOCKET, SINO_LEVEL_NODE, SINO_LEVELS } SinoLevel;

/* The footprint of one member of a level: a partition, a socket or a node. */
typedef struct SinoFootprintSize {
    int64_t ray_count;
    int64_t own_count;   /* rays owned by the member's rank */
    int64_t owner_count; /* number of other ranks that own any of its rays */
} SinoFootprintSize;

typedef struct SinoFootprintSizes {
    SinoTopology topology;
    int64_t member_count[SINO_LEVELS];
    SinoFootprintSize *member[SINO_LEVELS]; /* owned */
    int64_t *taken[SINO_LEVELS];            /* [level][rank]: rays of the rank in other ranks' footprints; owned */
    int64_t *sender_count[SINO_LEVELS];     /* [level][rank]: other ranks' members with rays of the rank; owned */
} SinoFootprintSizes;

/* `scan` has its angles in the order of the file. The decomposition must have the topology's number of partitions. Of
 * more than four million angles × rectangles, neighbouring angles count as one of them, so that the time has a bound.
 * SINO_FAILED: no memory. */
SinoStatus sino_footprint_sizes_new(const SinoGeometry *scan, const SinoDecomposition *decomposition,
                                    const SinoTopology *topology, SinoFootprintSizes *result);
void sino_footprint_sizes_free(SinoFootprintSizes *sizes);

/* The rays of one partition of the decomposition, in ascending order: *count of them, in *ray, which the caller frees.
 * `geometry` has its angles in the order of the rays. SINO_FAILED: no memory. */
SinoStatus sino_footprint_rays(const SinoGeometry *geometry, const SinoDecomposition *decomposition, int64_t partition,
                               int64_t *count, uint32_t **ray);

/* Sum of the ray counts of all members of a level. */
int64_t sino_footprint_sizes_total(const SinoFootprintSizes *sizes, SinoLevel level);

/* The first angle, in the order of the file, that data rank `rank` owns; angle_count for rank = rank_count. */
static inline int64_t sino_owner_first_angle(int64_t angle_count, int64_t rank_count, int64_t rank)
{
    return sino_times(rank, angle_count) / rank_count;
}

/* The data rank that owns an angle. */
static inline int64_t sino_owner_of_angle(int64_t angle_count, int64_t rank_count, int64_t angle)
{
    return ((angle + 1) * rank_count - 1) / angle_count;
}
