/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication: the number of rays that one projection of a slice moves at each level. Backprojection moves the same
 * numbers the other way.
 *
 * Hierarchical: the partial sums of a socket's partitions are added over the union of their footprints; so are those of
 * a node's sockets; a node's sums go to the owners of their rays. Direct: each partition's sums go to the owners
 * directly (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-D). */
#pragma once

#include "footprint_size.h"

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
