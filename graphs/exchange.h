/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange: how partial projections become whole ones, and rays come back to whoever needs them, when a slice is shared
 * by several partitions, sockets, nodes and processes (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-D).
 *
 * Voxels are shared out by partitions (decomposition.h), rays by consecutive angles of the layout: a process owns the
 * rays first_ray[r] … first_ray[r + 1] − 1. Projecting, each partition has partial sums of its footprint. They are
 * added up in three levels, on footprints that grow less than their number falls,
 *
 *     partition → reduce_socket → socket → reduce_node → node → reduce_global → owner of the rays
 *
 * and backprojection takes the same way back. A node's sums lie in pieces, one for each owner, so that a piece is sent
 * as it is. Levels with a single member are left out; with one node, sums go to the rays at once.
 *
 * Index maps are made once for each footprint and serve all slices and both ways. */
#ifndef SINO_EXCHANGE_H
#define SINO_EXCHANGE_H

#include "operator.h"

/* A socket or a node: children whose partial sums are added up. */
typedef struct SinoRegion {
    int64_t first_child, child_count; /* partitions, or a node's sockets */
    SinoFootprint footprint;          /* of all children; `ray` owned */
    int64_t *cut;                     /* its rows cut[r] … cut[r + 1] − 1 are rays of data rank r; owned */
    uint32_t **row;                   /* per child, which row of it each of the child's rows is; owned */
    int64_t **child_cut;              /* per child, as cut for the child's rows; owned */
    SinoData **row_list;              /* per child, `row` for devices; owned; NULL: none computes */
    SinoData *ray_list;               /* the footprint's rays of this process's own, likewise */
} SinoRegion;

/* A node of another process that has partial sums for rays of this one. */
typedef struct SinoPeer {
    int64_t node; /* among all of the batch group */
    int64_t data_rank;
    SinoFootprint footprint; /* of both; `ray` owned */
    SinoData *ray_list;      /* for devices; owned; NULL: none computes */
} SinoPeer;

/* The processes that share each slice of a batch group, and which one this is. */
typedef struct SinoExchangeShape {
    int64_t first_process; /* of the job: data rank 0 of this group */
    int64_t data_rank, data_count;
    int64_t nodes, sockets, workers; /* of this process, of a node, of a socket: partitions in Hilbert order */
    bool direct;                     /* each partition sends its sums to the owners of its rays itself */
    bool idle;                       /* no part in the work */
} SinoExchangeShape;

/* One process that has every ray, and its partitions. */
#define SINO_EXCHANGE_ALONE(partition_count)                                                                           \
    ((const SinoExchangeShape){.data_count = 1, .nodes = 1, .sockets = 1, .workers = (partition_count)})

static inline int64_t sino_exchange_partitions(const SinoExchangeShape *shape)
{
    return shape->nodes * shape->sockets * shape->workers;
}

typedef struct SinoExchange {
    SinoExchangeShape shape;
    int64_t *first_ray;               /* [data_count + 1]; owned */
    int64_t socket_count, node_count; /* of this process; 0: that level is left out */
    SinoRegion *socket, *node;
    int64_t peer_count;
    SinoPeer *peer;
} SinoExchange;

/* Rays of data rank r are those of angles sino_exchange_first_angle(r) … (r + 1) − 1 of the layout. */
int64_t sino_exchange_first_angle(int64_t angle_count, int64_t data_rank, int64_t data_count);

/* Collective. The operator's partitions are nodes·sockets·workers; NULL in an idle process. */
SinoStatus sino_exchange_new(SinoRuntime *runtime, const SinoExchangeShape *shape, const SinoOperator *op,
                             SinoExchange **exchange);
void sino_exchange_free(SinoExchange *exchange); /* takes NULL */

/* Rows of this process's ray vectors. */
int64_t sino_exchange_ray_count(const SinoExchange *exchange);

/* Rows that pass each level in a projection of one slice: of all partitions, of all sockets, and of all nodes without
 * those that stay in their process. */
void sino_exchange_rows(const SinoExchange *exchange, const SinoOperator *op, int64_t rows[SINO_REDUCTIONS]);

#endif
