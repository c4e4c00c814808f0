/* SPDX-License-Identifier: BSD-3-Clause */
/* Ray exchange: how partial projections become whole ones, and how rays come back to the partitions, if several
 * partitions, sockets, nodes and ranks share a slice (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-D).
 *
 * Voxels are divided by partitions (decomposition.h), rays by consecutive angles of the layout: data rank r owns the
 * rays first_ray[r] … first_ray[r + 1] − 1. In a projection, each partition computes partial sums of the rays in its
 * footprint. They are summed level by level, since the union of k neighbouring footprints is much smaller than k
 * footprints:
 *
 *     partition → reduce_socket → socket → reduce_node → node → reduce_global → owner of the rays
 *
 * Backprojection takes the same way back. A node's sums lie in pieces, one for each owner, so that a piece is sent as
 * it is. A level with a single member is left out; with one node, sums go to the rays directly.
 *
 * Index maps are made once for each footprint. All slices and both directions use them. */
#pragma once

#include "buffers.h"
#include "processes.h"
#include "rays_tasks.h"

/* A socket or a node: its children's partial sums are added up. */
typedef struct SinoRegion {
    int64_t first_child, child_count; /* children: partitions of a socket, or sockets of a node */
    SinoFootprint footprint;          /* the union of the children's footprints; `ray` owned */
    int64_t *cut;         /* [data_count + 1]: data rank r owns the rays of rows cut[r] … cut[r + 1] − 1; owned */
    const uint32_t **row; /* per child: the region's row of each of the child's rows; owned */
    int64_t **child_cut;  /* per child: `cut` of the child's rows; owned */
    SinoData **row_list;  /* per child: `row` for devices; owned; NULL: no device computes */
    SinoData *ray_list;   /* the footprint's rays that this rank owns; owned; NULL: no device computes */
} SinoRegion;

/* A node of another rank that has partial sums for rays of this rank. */
typedef struct SinoPeer {
    int64_t node; /* its number among all nodes of the batch group */
    int64_t data_rank;
    SinoFootprint footprint; /* the node's rays that this rank owns; `ray` owned */
    SinoData *ray_list;      /* the same for devices; owned; NULL: no device computes */
} SinoPeer;

/* The ranks that share each slice of a batch group, and the place of this rank among them. */
typedef struct SinoRayExchangeShape {
    int64_t first_process; /* number in the MPI job of this group's data rank 0 */
    int64_t data_rank, data_count;
    int64_t nodes, sockets, workers; /* of this rank, of a node, of a socket; partitions in Hilbert order */
    bool direct;                     /* each partition sends its sums directly to the owners of its rays */
    bool idle;                       /* this rank has no work */
} SinoRayExchangeShape;

/* The shape of a single rank, which owns every ray. */
#define SINO_EXCHANGE_ALONE(partition_count)                                                                           \
    ((const SinoRayExchangeShape){.data_count = 1, .nodes = 1, .sockets = 1, .workers = (partition_count)})

/* The partitions of a slice, as the exchange sees them. */
typedef struct SinoExchangePart {
    SinoFootprint footprint; /* `ray` not owned; NULL if the partition has every ray */
    SinoData *list; /* the footprint's rays for devices; not owned; NULL: no device computes, or a single partition */
} SinoExchangePart;

typedef struct SinoExchangeParts {
    int64_t angle_count, column_count; /* of the slice; a rank owns whole angles */
    bool whole;                /* every partition has all rays, and nothing is summed: the slice has one partition,
                                * or its partitions add to the same vector of rays */
    int64_t count;             /* partitions of this rank; they outlive the exchange */
    SinoExchangePart *part;    /* [count]; not owned */
    int64_t first, all_count;  /* the rank's first partition among all ranks' partitions, and their number */
    const int64_t *all_voxels; /* [all_count]: rows of each partition's voxel vectors; not owned */
} SinoExchangeParts;

/* The exchange of one batch group, as this rank has it. */
typedef struct SinoRayExchange {
    SinoRayExchangeShape shape;
    SinoExchangeParts parts;
    int64_t *first_ray;               /* [data_count + 1]; owned */
    int64_t socket_count, node_count; /* of this rank; 0: the level is left out */
    SinoRegion *socket, *node;
    int64_t peer_count;
    SinoPeer *peer;
    int64_t *extent_rows[SINO_ROWS_KINDS]; /* `rows` of the extents that sino_ray_exchange_extents gives; owned */
} SinoRayExchange;

/* Data rank r owns the rays of the angles sino_ray_exchange_first_angle(r) … (r + 1) − 1, in the order of the
 * layout. */
int64_t sino_ray_exchange_first_angle(int64_t angle_count, int64_t data_rank, int64_t data_count);

/* Collective over all ranks of the run. parts->count must be nodes·sockets·workers; `parts` is NULL in an idle rank.
 * SINO_FAILED: no memory, or MPI failed. */
SinoStatus sino_ray_exchange_new(SinoRuntime *runtime, const SinoRayExchangeShape *shape,
                                 const SinoExchangeParts *parts, SinoRayExchange **exchange);
void sino_ray_exchange_free(SinoRayExchange *exchange); /* takes NULL */

/* Rows of this rank's ray vectors. */
int64_t sino_ray_exchange_ray_count(const SinoRayExchange *exchange);

/* Fills in the extents that the exchange determines: rays, voxels, footprints, and the sums of every level. Their
 * `rows` arrays belong to the exchange. */
SinoStatus sino_ray_exchange_extents(SinoRayExchange *exchange, SinoExtent extent[SINO_ROWS_KINDS]);

/* Rows that enter each level's sum in a projection of one slice: rows of all partitions, of all sockets, and of all
 * nodes. Nodes' rows that stay in their rank are not counted. */
void sino_ray_exchange_rows(const SinoRayExchange *exchange, int64_t rows[SINO_REDUCTIONS]);
