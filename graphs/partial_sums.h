/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial sums: those of one minibatch on their way between the members of an exchange, as tasks and messages of its
 * graph. */
#ifndef SINO_PARTIAL_SUMS_H
#define SINO_PARTIAL_SUMS_H

#include "exchange.h"
#include "message.h"

/* A message's rows, as halves with their units on the wire when the precision stores halves. */
typedef struct SinoParcel {
    SinoData *rows;   /* of the solver's precision; NULL: there are none */
    SinoData *halves; /* NULL: the rows are sent as they are */
    SinoData *units;
} SinoParcel;

/* Sums of sockets and nodes, on their footprints, and what goes between processes: of one minibatch. */
typedef struct SinoPartialSums {
    const SinoExchange *exchange; /* not owned */
    SinoPrecision stored;         /* of the operator: what is sent is stored in it */
    SinoSlices slices;            /* slice_count is the minibatch's */
    int64_t number;               /* of the minibatch's slot: messages of different slots have tags of their own */
    bool overlap;                 /* false: whoever submits waits for each exchange */
    SinoData **socket;            /* per socket */
    SinoParcel *piece;            /* per node and data rank: [node][data rank] */
    SinoParcel *arrival;          /* per peer */
    SinoData **slice_sums;        /* SinoSliceSums per data rank; its own is NULL */
    SinoData *slice_total;        /* of all data ranks */
    SinoData **voxels;            /* per partition of the batch group: tomogram of those elsewhere; NULL: own ones */
} SinoPartialSums;

/* `stored` is the precision of the operator, slices.precision the solver's. */
SinoStatus sino_partial_sums_new(SinoRuntime *runtime, const SinoExchange *exchange, const SinoOperator *op,
                                 SinoSlices slices, int64_t number, bool overlap, SinoPartialSums **sums);
void sino_partial_sums_free(SinoPartialSums *sums); /* takes NULL */

/* Bytes of a slot's partial sums for `footprint_rows` rows of all partitions' footprints; 0 when nothing is shared. */
int64_t sino_partial_sums_bytes(const SinoExchangeShape *shape, SinoPrecision precision, int64_t stride,
                                int64_t footprint_rows, int64_t voxels);

/* total, the rays of this process, from the partial sums of its partitions and of others: reduce_socket, reduce_node,
 * messages, reduce_global. */
SinoStatus sino_insert_reduction(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *const *partial, SinoData *total);

/* Partials of this process's partitions from everybody's rays: spread_global, messages, spread_node, spread_socket. */
SinoStatus sino_insert_spreading(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *total, SinoData *const *partial);

/* The sums of all data ranks from those of this one: *all is `own` when there are no others. */
SinoStatus sino_insert_collection(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *own,
                                  SinoData **all);

/* What data rank 0 knows of the slices that go on, to the others: all submit the same graph. `which` counts the data
 * that take turns. */
SinoStatus sino_insert_agreement(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, int64_t which,
                                 SinoData *active);

/* The data rank that stores a minibatch, and the partitions of the whole slice there: own[p], or what was sent. Other
 * ranks send theirs and get NULL. */
int64_t sino_partial_sums_keeper(const SinoPartialSums *sums, int64_t minibatch);
SinoStatus sino_insert_gathering(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *const *own);

#endif
