/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the hierarchy of a slice's partitions: nodes, sockets of a node, workers of a socket. Each worker has one
 * partition. In Hilbert order the partitions of a socket, and the sockets of a node, are neighbours in the slice.
 * Neighbours' footprints overlap and are summed before they travel further (M. Hidayetoğlu et al., "Petascale XCT", SC
 * 2020, Sec. III-D3).
 *
 * Ranks that share a slice have equal runs of its nodes: one node each, or several if a cluster is simulated on one
 * machine. Partition p belongs to socket p / workers and node p / (sockets · workers). */
#pragma once

#include "arithmetic.h"
#include "log.h"
#include "status.h"
#include "team_settings.h"

enum { SINO_PARTITIONS_MAX = 1 << 15 };

typedef struct SinoTopology {
    int64_t rank_count; /* P_d: ranks that share a slice */
    int64_t node_count; /* nodes of the ranks together, a multiple of rank_count */
    int64_t sockets;    /* sockets of a node */
    int64_t workers;    /* workers of a socket */
} SinoTopology;

typedef struct SinoTopologyRequest {
    SinoTopologyShape shape; /* given by the user; 0: to be chosen */
    int64_t rank_count;
    int64_t rank_partitions; /* partitions of a rank if the shape leaves them open; ≥ 1 */
    int64_t machine_sockets; /* sino_platform_socket_count() */
} SinoTopologyRequest;

/* Chooses what the user has not given: one node per rank; the machine's sockets, but no more than there are partitions;
 * enough workers for rank_partitions or slightly more. SINO_BAD_INPUT: node_count is no multiple of rank_count, or
 * there are more than SINO_PARTITIONS_MAX partitions. */
SinoStatus sino_topology_new(const SinoTopologyRequest *request, SinoTopology *topology);

static inline int64_t sino_topology_sockets(const SinoTopology *topology)
{
    return sino_times(topology->node_count, topology->sockets);
}

static inline int64_t sino_topology_partitions(const SinoTopology *topology)
{
    return sino_times(sino_topology_sockets(topology), topology->workers);
}

static inline int64_t sino_topology_rank_of_node(const SinoTopology *topology, int64_t node)
{
    return node / (topology->node_count / topology->rank_count);
}

static inline int64_t sino_topology_rank_of_partition(const SinoTopology *topology, int64_t partition)
{
    return sino_topology_rank_of_node(topology, partition / (topology->sockets * topology->workers));
}

/* Partitions of one rank. They are consecutive: rank r's begin with r · this number. */
static inline int64_t sino_topology_rank_partitions(const SinoTopology *topology)
{
    return sino_topology_partitions(topology) / topology->rank_count;
}

/* Divides each rank's weight equally among its partitions: share[partition], for sino_decomposition_new. rank_weight
 * NULL: all ranks are alike. */
void sino_topology_shares(const SinoTopology *topology, const double *rank_weight, double *share);

/* Process grid: P_b batch groups × P_d data ranks. A group has a contiguous share of the slices and needs no other
 * group; its P_d ranks share each of its slices. Rank r is data rank r mod P_d of group r / P_d; ranks beyond the grid
 * are idle (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-A). */

/* Bytes of memory that a rank needs if data_ranks ranks share each slice. The value falls as data_ranks grows. */
typedef SinoStatus (*SinoRankBytes)(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes);

typedef struct SinoProcessGridRequest {
    SinoGridShape shape; /* given by the user; 0: to be chosen */
    int64_t rank_count, slice_count;
    int64_t node_count;        /* from --topology: nodes of the ranks of a slice, in equal runs; 0: not given */
    int64_t unit_count;        /* indivisible parts of a slice (sino_decomposition_units) */
    const double *rank_weight; /* [rank_count]: relative speed of each rank; NULL: all alike; not owned */
    SinoRankBytes rank_bytes;  /* NULL: memory is not limited */
    const void *context;       /* of rank_bytes; not owned */
    int64_t budget_bytes;      /* memory of one rank */
} SinoProcessGridRequest;

typedef struct SinoProcessGrid {
    int64_t rank_count; /* ranks of the run */
    int64_t batch_groups, data_ranks;
    int64_t *first_slice; /* group g has the slices first_slice[g] … first_slice[g+1] − 1, possibly none; owned */
    char why[192];        /* the reason, a clause for the log: "given", "the fewest ranks per slice that …" */
} SinoProcessGrid;

/* Takes the given grid, or chooses the least P_d that divides the number of ranks (and of nodes, if given), leaves no
 * group without slices, and fits the budget. If no divisor fits, the least P_d that fits is chosen. SINO_BAD_INPUT: the
 * given grid has more ranks than the run; or no grid fits the budget (the message names a budget that would do). */
SinoStatus sino_process_grid_new(const SinoProcessGridRequest *request, SinoProcessGrid *grid);
void sino_process_grid_free(SinoProcessGrid *grid);

/* The group of a rank; −1: the rank is beyond the grid. */
int64_t sino_process_grid_group(const SinoProcessGrid *grid, int64_t rank);

static inline int64_t sino_process_grid_slices(const SinoProcessGrid *grid, int64_t group)
{
    return grid->first_slice[group + 1] - grid->first_slice[group];
}

/* True if the rank is beyond the grid or its group has no slices. */
bool sino_process_grid_is_idle(const SinoProcessGrid *grid, int64_t rank);

/* Number of ranks without work: ranks beyond the grid, ranks of groups without slices, and data ranks in excess of the
 * slice's unit_count indivisible parts. Which data ranks have no part follows from the decomposition. */
int64_t sino_process_grid_idle(const SinoProcessGrid *grid, int64_t unit_count);

/* Cuts `count` items into `parts` runs in proportion to weight[parts] (NULL: equal): run i has the items first[i] …
 * first[i + 1] − 1. `first` has parts + 1 elements. */
void sino_process_grid_cut(int64_t count, int64_t parts, const double *weight, int64_t *first);
