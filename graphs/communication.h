/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication: what one projection of a slice moves at each level; backprojection moves the same the other way.
 *
 * Hierarchical: the partial sums of a socket's partitions are added over the union of their footprints, those of a
 * node's sockets likewise, and a node's sums go to the owners of their rays. Direct: each partition's go to the owners
 * at once (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-D). */
#ifndef SINO_COMMUNICATION_H
#define SINO_COMMUNICATION_H

#include "footprint_size.h"

/* Counts of rays, each a number per slice. */
typedef struct SinoTraffic {
    int64_t footprints[SINO_LEVELS];  /* of all members of a level: what enters the sums of the next */
    int64_t socket, node;             /* added within sockets, and within nodes; 0: nothing to add there */
    int64_t most_socket, most_node;   /* in the busiest socket and node */
    int64_t global;                   /* sent from rank to rank */
    int64_t most_sent, most_received; /* by the busiest rank */
    int64_t messages;                 /* from rank to rank, of a minibatch */
    int64_t most_messages;            /* that one rank sends, or receives */
} SinoTraffic;

SinoTraffic sino_traffic(const SinoFootprintSizes *sizes, SinoCommunication communication);

#endif
