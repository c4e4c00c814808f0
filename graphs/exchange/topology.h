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
