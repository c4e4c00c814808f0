/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial sums: the tasks and messages by which one minibatch's partial projections pass between the members of an
 * exchange (ray_exchange.h). */
#pragma once

#include "message.h"
#include "partial_maps.h"

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
    SINO_CARGO_SHARES, /* voxel_sum.h */
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
