/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the hierarchy of the partitions of a slice: nodes, sockets of a node, workers of a socket. */
#include "topology.h"

#include "memory.h"

#include <inttypes.h>

SinoStatus sino_topology_new(const SinoTopologyRequest *request, SinoTopology *result)
{
    const SinoTopologyShape *shape = &request->shape;
    SinoTopology made = {.rank_count = request->rank_count};
    made.node_count = shape->nodes ? shape->nodes : made.rank_count;
    SINO_CHECK(made.node_count % made.rank_count == 0, SINO_BAD_INPUT,
               "--topology has nodes=%" PRId64 "; allowed: a multiple of the %" PRId64 " ranks that share a slice",
               made.node_count, made.rank_count);
    const int64_t node_partitions = sino_ceil_divide(request->rank_partitions, made.node_count / made.rank_count);
    const int64_t sockets = request->machine_sockets < node_partitions ? request->machine_sockets : node_partitions;
    made.sockets = shape->sockets ? shape->sockets : shape->workers ? request->machine_sockets : sockets;
    made.workers = shape->workers ? shape->workers : sino_ceil_divide(node_partitions, made.sockets);
    int64_t all_sockets, partitions;
    SINO_TRY(sino_multiply(made.node_count, made.sockets, "sockets", &all_sockets));
    SINO_TRY(sino_multiply(all_sockets, made.workers, "partitions", &partitions));
    SINO_CHECK(partitions <= SINO_PARTITIONS_MAX, SINO_BAD_INPUT,
               "%" PRId64 " nodes of %" PRId64 " sockets of %" PRId64 " workers make %" PRId64
               " partitions of a slice; allowed: %d",
               made.node_count, made.sockets, made.workers, partitions, SINO_PARTITIONS_MAX);
    *result = made;
    return NULL;
}

void sino_topology_shares(const SinoTopology *topology, const double *rank_weight, double *share)
{
    const int64_t count = sino_topology_partitions(topology);
    for (int64_t p = 0; p < count; p++)
        share[p] = rank_weight ? rank_weight[sino_topology_rank_of_partition(topology, p)] : 1;
}
