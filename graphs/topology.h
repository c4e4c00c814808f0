/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the hierarchy of the partitions of a slice: nodes, sockets of a node, workers of a socket, one partition
 * each. In Hilbert order partitions of a socket, and sockets of a node, are neighbours in the slice, so that their
 * footprints overlap and are summed before they travel further (M. Hidayetoğlu et al., "Petascale XCT", SC 2020,
 * Sec. III-D3).
 *
 * Ranks that share a slice have equal runs of its nodes: one each, or several where a cluster is tried out on one
 * machine. Partition p belongs to socket p / workers, node p / (sockets · workers). */
#ifndef SINO_TOPOLOGY_H
#define SINO_TOPOLOGY_H

#include "settings.h"

enum { SINO_PARTITIONS_MAX = 1 << 20 };

typedef struct SinoTopology {
    int64_t rank_count; /* P_d: ranks that share a slice */
    int64_t node_count; /* theirs, a multiple of rank_count */
    int64_t sockets;    /* of a node */
    int64_t workers;    /* of a socket */
} SinoTopology;

typedef struct SinoTopologyRequest {
    SinoTopologyShape shape; /* what was given */
    int64_t rank_count;
    int64_t rank_partitions; /* how many partitions a rank is to have where the shape leaves that open; ≥ 1 */
    int64_t machine_sockets; /* sino_platform_socket_count() */
} SinoTopologyRequest;

/* What is not given: a node per rank; the machine's sockets, but no more than partitions; workers to make up
 * rank_partitions, or a few more. SINO_BAD_INPUT: nodes that are no multiple of the ranks, or too many partitions. */
SinoStatus sino_topology_new(const SinoTopologyRequest *request, SinoTopology *topology);

static inline int64_t sino_topology_sockets(const SinoTopology *topology)
{
    return topology->node_count * topology->sockets;
}

static inline int64_t sino_topology_partitions(const SinoTopology *topology)
{
    return sino_topology_sockets(topology) * topology->workers;
}

static inline int64_t sino_topology_rank_of_node(const SinoTopology *topology, int64_t node)
{
    return node / (topology->node_count / topology->rank_count);
}

static inline int64_t sino_topology_rank_of_partition(const SinoTopology *topology, int64_t partition)
{
    return sino_topology_rank_of_node(topology, partition / (topology->sockets * topology->workers));
}

/* The partitions of a rank follow each other: this many, from rank · this many on. */
static inline int64_t sino_topology_rank_partitions(const SinoTopology *topology)
{
    return sino_topology_partitions(topology) / topology->rank_count;
}

/* Each partition's share of its rank's weight; rank_weight NULL: all ranks are alike. For sino_decomposition_new. */
void sino_topology_shares(const SinoTopology *topology, const double *rank_weight, double *share);

#endif
