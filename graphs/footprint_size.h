/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprint size: how many rays meet each partition, socket and node of a slice, and who owns them, without tracing.
 *
 * At an angle θ a rectangle of voxels meets the rays |s − (x·cosθ + y·sinθ)| < w·|cosθ| + h·|sinθ| of its center (x, y)
 * and half sides w and h. A partition's tiles are few such rectangles; the columns that their union covers are its
 * rays at that angle. Exact but for rays that only touch a border or cut off less than 1e-9 of a corner.
 *
 * Rays are owned by angle, so that each rank reads one part of the scan: of K angles in the order of the file, data
 * rank d of P_d has d·K/P_d … (d+1)·K/P_d − 1. */
#ifndef SINO_FOOTPRINT_SIZE_H
#define SINO_FOOTPRINT_SIZE_H

#include "decomposition.h"
#include "topology.h"

typedef enum SinoLevel { SINO_LEVEL_WORKER, SINO_LEVEL_SOCKET, SINO_LEVEL_NODE, SINO_LEVELS } SinoLevel;

/* Of one member of a level: a partition, a socket or a node. */
typedef struct SinoFootprintSize {
    int64_t ray_count;
    int64_t own_count;   /* rays that its own rank owns */
    int64_t owner_count; /* other ranks that own any of its rays */
} SinoFootprintSize;

typedef struct SinoFootprintSizes {
    SinoTopology topology;
    int64_t member_count[SINO_LEVELS];
    SinoFootprintSize *member[SINO_LEVELS]; /* owned */
    int64_t *taken[SINO_LEVELS]; /* of each rank: rays it owns in the footprints of other ranks' members; owned */
    int64_t *sender_count[SINO_LEVELS]; /* of each rank: members of other ranks that have any of its rays; owned */
} SinoFootprintSizes;

/* `scan` has its angles in the order of the file; the decomposition has the topology's partitions. Time grows with
 * angles × rectangles: seconds for 4501 angles and a thousand partitions. */
SinoStatus sino_footprint_sizes_new(const SinoGeometry *scan, const SinoDecomposition *decomposition,
                                    const SinoTopology *topology, SinoFootprintSizes *result);
void sino_footprint_sizes_free(SinoFootprintSizes *sizes);

/* Rays of all members of a level together. */
int64_t sino_footprint_sizes_total(const SinoFootprintSizes *sizes, SinoLevel level);

/* The first angle, in the order of the file, that a data rank owns; of rank P_d: K. */
static inline int64_t sino_owner_first_angle(int64_t angle_count, int64_t rank_count, int64_t rank)
{
    return rank * angle_count / rank_count;
}

/* The data rank that owns an angle. */
static inline int64_t sino_owner_of_angle(int64_t angle_count, int64_t rank_count, int64_t angle)
{
    return ((angle + 1) * rank_count - 1) / angle_count;
}

#endif
