/* SPDX-License-Identifier: BSD-3-Clause */
/* Decomposition: a slice's voxels in Hilbert-ordered tiles, cut into partitions with nearly equal (or given) shares of
 * the nonzeros. */
#pragma once

#include "arithmetic.h"
#include "topology.h"
#include "trace.h"

typedef struct SinoDecomposition {
    int64_t tile_count, partition_count;
    SinoTilePlace *tile; /* [tile_count]: super-tile by super-tile along the Hilbert curve, within a partition; owned */
    double *weight;      /* [tile_count]: expected nonzeros; owned */
    int64_t *first; /* [partition_count + 1]: tiles of partition p: first[p] … first[p+1] − 1, or none; owned */
    double nonzero_count; /* expected */
    int64_t coarseness;   /* voxels of the scan along a side of a voxel of the tiles: 1, or more in a sketch */
} SinoDecomposition;

/* Cuts the slice into partition_count ≥ 1 partitions; if there are more partitions than tiles, some are empty. share[p]
 * ≥ 0, not all 0, is partition p's relative share of the nonzeros; NULL: equal shares. If the layout has several
 * orientations, a super-tile is followed by the other super-tiles of its orbit under the orientations' group
 * (layout.h). An orbit of tiles is never cut; an orbit of super-tiles is, between its orbits of tiles. SINO_FAILED: no
 * memory. */
SinoStatus sino_decomposition_new(const SinoLayout *layout, int64_t partition_count, const double *share,
                                  SinoDecomposition *result);

/* The same for sizes of a plan, in a time that does not grow with the slice: where partitions have many tiles, the
 * slice is cut at a lower resolution. Weights are those of the scan. */
SinoStatus sino_decomposition_sketch(const SinoLayout *layout, int64_t partition_count, const double *share,
                                     SinoDecomposition *result);

/* Voxels along a side of the grid that the tiles cover, which is grid_size for a coarseness of 1. */
int64_t sino_decomposition_grid(int64_t grid_size, int64_t coarseness);

/* Voxels of the scan in partitions first … end − 1. */
int64_t sino_decomposition_voxels(const SinoDecomposition *decomposition, int64_t first, int64_t end);

/* Number of units that cannot be cut: tiles, or orbits of tiles. More partitions than units are of no use. */
int64_t sino_decomposition_units(const SinoLayout *layout);
void sino_decomposition_free(SinoDecomposition *decomposition);

/* Position of (x, y) on the Hilbert curve through a square of 2^order cells a side. */
uint64_t sino_decomposition_hilbert(int order, uint32_t x, uint32_t y);

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

/* Communication: the number of rays that one projection of a slice moves at each level. Backprojection moves the same
 * numbers the other way.
 *
 * Hierarchical: the partial sums of a socket's partitions are added over the union of their footprints; so are those of
 * a node's sockets; a node's sums go to the owners of their rays. Direct: each partition's sums go to the owners
 * directly (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-D). */

/* Numbers of rays per slice, and numbers of messages. */
typedef struct SinoTraffic {
    int64_t footprints[SINO_LEVELS];  /* rays of all members of a level: the input of the next level's sums */
    int64_t socket, node;             /* rays added within sockets, and within nodes; 0: nothing is added */
    int64_t most_socket, most_node;   /* rays added in the busiest socket and node */
    int64_t global;                   /* rays sent from rank to rank */
    int64_t most_sent, most_received; /* rays that the busiest rank sends, and receives */
    int64_t messages;                 /* messages between ranks, per minibatch */
    int64_t most_messages;            /* messages that one rank sends, or receives, at most */
} SinoTraffic;

/* The traffic of one projection, from the footprints of all members. */
SinoTraffic sino_traffic(const SinoFootprintSizes *sizes, SinoCommunication communication);
