/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial sums: maps, tasks and messages. */
#pragma once

#include "message.h"
#include "ray_exchange.h"
#include "reduce.h"

/* Maps of partial sums: from the rows of a footprint to those of the sum that they are added to. */

/* Of sums that take all their parts at once. NULL: there are none of these sums. */
typedef struct SinoPartialMaps {
    SinoRowMap *socket; /* [partition]: to the rows of its socket */
    SinoRowMap *only;   /* [child of the only node]: to the rays of this rank */
    SinoRowMap *piece;  /* [data rank][child of a node, node after node]: to the node's rows that the rank owns */
    SinoRowMap *global; /* [node of this rank, then peer]: to the rays of this rank */
} SinoPartialMaps;

/* *maps is zero before. They point to footprints of the exchange. sino_partial_maps_free is called also after a
 * failure. SINO_FAILED: no memory. */
SinoStatus sino_partial_maps_new(const SinoRayExchange *exchange, SinoPartialMaps *maps);
void sino_partial_maps_free(SinoPartialMaps *maps);

/* Children of all nodes of this rank: its sockets, or its partitions if there are no sockets. */
int64_t sino_node_children(const SinoRayExchange *exchange);

/* The rays of this rank that its node n has sums of; the list is the node's. */
SinoFootprint sino_own_rays(const SinoRayExchange *exchange, int64_t n);

/* From all rows of a footprint to rows row[i] − base; to the rays of this rank; from the rows of child c of a node to
 * the node's rows that a data rank owns. */
SinoRowMap sino_map_whole(const SinoFootprint *footprint, const uint32_t *row, int64_t base, int64_t total_rows);
SinoRowMap sino_map_rays(const SinoRayExchange *exchange, const SinoFootprint *footprint);
SinoRowMap sino_map_piece(const SinoRegion *node, const SinoFootprint *child, int64_t c, int64_t data_rank);

/* Partial sums: the tasks and messages by which one minibatch's partial projections pass between the members of an
 * exchange (ray_exchange.h). */

/* Buffers of a slot's partial sums; the index of each buffer is given in brackets. */
enum SinoPartialBuffer {
    SINO_PARTIAL_SOCKET,    /* [socket of this rank] */
    SINO_PARTIAL_PIECE,     /* [node of this rank]: sums of the rays that this rank owns */
    SINO_PARTIAL_SENT,      /* [node][data rank]: sums of the rays that the other data rank owns */
    SINO_PARTIAL_SENT_HALF, /* SENT as halves and their units, the form in which they are sent if halves are stored */
    SINO_PARTIAL_SENT_UNITS,
    SINO_PARTIAL_ARRIVAL, /* [peer] */
    SINO_PARTIAL_ARRIVAL_HALF,
    SINO_PARTIAL_ARRIVAL_UNITS,
    SINO_PARTIAL_RANK_SUMS,  /* [data rank]: SinoSliceSums of the other data ranks */
    SINO_PARTIAL_TOTAL_SUMS, /* SinoSliceSums over all data ranks */
    SINO_PARTIAL_VOXELS,     /* [partition of the slice]: the tomogram of other ranks' partitions */
    SINO_PARTIAL_BUFFERS
};
extern const SinoBuffer sino_partial_buffers[SINO_PARTIAL_BUFFERS];

/* One minibatch's sums of sockets and nodes on their footprints, and the data that ranks send each other. */
typedef struct SinoPartialSums {
    const SinoRayExchange *exchange; /* not owned */
    const SinoSlices *slices;        /* the minibatch's; not owned */
    int64_t number;                  /* of the minibatch's slot; part of message tags */
    bool overlap;                    /* false: the submitting thread waits until each exchange is done */
    SinoData **buffer[SINO_PARTIAL_BUFFERS];
    SinoPartialMaps maps;
} SinoPartialSums;

/* Allocates the buffers. `shape` has the extents of the exchange (sino_ray_exchange_extents). slices->stride must stay
 * the same; slices->slice_count may change. SINO_FAILED: no memory. */
SinoStatus sino_partial_sums_new(SinoRuntime *runtime, const SinoRayExchange *exchange, const SinoShape *shape,
                                 const SinoSlices *slices, int64_t number, bool overlap, SinoPartialSums **sums);
void sino_partial_sums_free(SinoPartialSums *sums, const SinoShape *shape); /* takes NULL */

/* total[ray of this rank] = the sum of the partials of all partitions of the slice. `partial`: this rank's partials;
 * NULL: they have been added to where sino_partial_sums_find says. Inserts reduce_socket, reduce_node, messages and
 * reduce_global. */
SinoStatus sino_insert_reduction(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                 SinoData *const *partial, SinoData *total);

/* Whether the rays of this rank are sums of data that it has itself (sino_insert_reduction_to_parts), on cores. */
bool sino_partial_sums_have_parts(const SinoRuntime *runtime, const SinoPartialSums *sums);

/* Where they are: inserts reduce_socket, if there are sockets, and tells the data whose sums the rays are. */
SinoStatus sino_insert_reduction_to_parts(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                          SinoData *const *partial, SinoParts *parts);

/* The way back: fills partial[partition of this rank] from the rays of all data ranks, of which this rank has `total`.
 * Inserts spread_global, messages, spread_node and spread_socket. */
SinoStatus sino_insert_spreading(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *total,
                                 SinoData *const *partial);

/* Whether products need no partials of their own, as the rays of a partition go to those of its socket, or of a single
 * rank without sockets, and to no others. Backprojections on cores find their rows there; products on devices pass them
 * on by themselves. */
bool sino_partial_sums_are_found(const SinoRayExchange *exchange);

/* Where the rays of a partition are: row i is row row[i] of row_count of the data. */
typedef struct SinoPartialRows {
    SinoData *data;
    const uint32_t *row;
    int64_t row_count;
    SinoData *list; /* the rows for devices; NULL: there is none */
    bool first;     /* of the partitions that are added up there */
} SinoPartialRows;
SinoPartialRows sino_partial_sums_find(const SinoPartialSums *sums, int64_t p, SinoData *total);

/* The way back as far as these data. After the backprojections sino_partial_sums_forget says that nobody reads the sums
 * of sockets any more. */
SinoStatus sino_insert_spreading_to_sockets(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                            SinoData *total);
void sino_partial_sums_forget(const SinoPartialSums *sums);

/* What a message carries, part of its tag. */
typedef enum SinoCargo {
    SINO_CARGO_PARTIALS,
    SINO_CARGO_PARTIAL_UNITS,
    SINO_CARGO_RAYS,
    SINO_CARGO_RAY_UNITS,
    SINO_CARGO_SUMS,
    SINO_CARGO_ACTIVE,
    SINO_CARGO_VOXELS,
    SINO_CARGO_SHARES, /* of voxel sums */
    SINO_CARGO_TOTALS,
    SINO_CARGO_EDGE_FIRST, /* solver_fista_volume.c, between ranks whose slices follow each other */
    SINO_CARGO_EDGE_LAST,
    SINO_CARGO_EDGE_STATE,
    SINO_CARGO_SLICE_SUMS,
    SINO_CARGO_SLICE_TOTALS,
    SINO_CARGOES
} SinoCargo;

/* A message to or from another data rank of the exchange. index: of the message among those of its cargo. */
SinoMessage sino_partial_message(const SinoPartialSums *sums, const char *name, SinoPosition position,
                                 int64_t data_rank, SinoCargo cargo, int64_t index);

/* A message to or from any process. It belongs to no slot, so that there is one of a cargo and index at a time. */
SinoMessage sino_partial_message_between(const char *name, SinoPosition position, int64_t process, SinoCargo cargo,
                                         int64_t index);

/* Adds up the sums (SinoSliceSums) of all data ranks, of which `own` are this rank's. *all is `own` if this rank is
 * alone. */
SinoStatus sino_insert_collection(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *own,
                                  SinoData **all);

/* Sends data rank 0's `active`, the number of slices that go on, to the other data ranks, because all of them must
 * submit the same graph. `which` numbers the SINO_SLOT_ACTIVE buffers, which take turns, for the message tags. */
SinoStatus sino_insert_agreement(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, int64_t which,
                                 SinoData *active);

/* The data rank that keeps the images of a minibatch, and the messages that bring it the voxels of all partitions of
 * the slice. There, other ranks' voxels arrive in SINO_PARTIAL_VOXELS; own[p] are the voxels of this rank's partition
 * p. */
int64_t sino_partial_sums_keeper(const SinoPartialSums *sums, int64_t minibatch);
SinoStatus sino_insert_voxel_messages(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                      SinoData *const *own);

/* Voxel sum: adds up a vector of voxels over the ranks that share the slices, all of which have all voxels. Each rank
 * adds up one segment of the vector, in the order of ranks, and sends the sum to the others: a rank sends and receives
 * the vector twice, whatever the number of ranks. */

typedef struct SinoVoxelSum SinoVoxelSum;

/* For vectors of at most `elements` floats. *sum NULL: there is one rank. sums: of the same minibatch; not owned.
 * `number` is unique among the minibatch's, and goes into message tags. */
SinoStatus sino_voxel_sum_new(SinoRuntime *runtime, SinoPartialSums *sums, int64_t number, int64_t elements,
                              SinoVoxelSum **sum);
void sino_voxel_sum_free(SinoVoxelSum *sum); /* takes NULL */

/* Bytes of a sum over rank_count ranks. */
int64_t sino_voxel_sum_bytes(int64_t elements, int64_t rank_count);

/* Inserts the tasks and messages of voxels += those of all other ranks, with the same bits on every rank; the next sum
 * waits for them. Takes NULL. */
SinoStatus sino_insert_voxel_sum(SinoVoxelSum *sum, SinoPosition position, int64_t elements, SinoData *voxels);
