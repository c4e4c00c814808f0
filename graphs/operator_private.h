/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator, inside: shared by operator.c and the files operator_*.c. */
#ifndef SINO_OPERATOR_PRIVATE_H
#define SINO_OPERATOR_PRIVATE_H

#include "operator.h"

/* Every block in memory. */
SinoStatus sino_operator_build(SinoRuntime *runtime, SinoOperator *op);

/* A run of tiles of one partition. */
typedef struct SinoOperatorRun {
    int64_t partition;
    SinoPackRun pack;
} SinoOperatorRun;

/* The runs into the areas of their partitions, whose runs follow each other; with rays' numbers of the whole layout.
 * Where GPUs compute, *pinned comes out true, and what of each area is used is pinned then: they copy from and to it at
 * full speed, and meanwhile. */
SinoStatus sino_operator_trace(SinoRuntime *runtime, const SinoLayout *layout, int64_t run_count, SinoOperatorRun *run,
                               bool *pinned);

/* Blocks need not be pinned any more. */
void sino_operator_unpin(SinoOperator *op);

/* Tiles that a run has at least; it has few more. */
int64_t sino_operator_run_tiles(const SinoRuntime *runtime, const SinoOperator *op);

/* op->window_count windows; sizes and footprints of all partitions, unless they are known from a file. */
SinoStatus sino_operator_open_windows(SinoRuntime *runtime, SinoOperator *op);
void sino_operator_close_windows(SinoOperator *op);

/* When devices compute: the lists that they gather from, and footprints as data. SINO_BAD_INPUT: the operator is in
 * windows. */
SinoStatus sino_operator_check_devices(const SinoRuntime *runtime, const SinoOperator *op);
SinoStatus sino_operator_open_devices(SinoRuntime *runtime, SinoOperator *op);
void sino_operator_close_devices(SinoOperator *op);

/* The lists of every partition and direction. */
SinoStatus sino_operator_make_lists(SinoRuntime *runtime, SinoOperator *op);

/* More than the block of a partition can take: each nonzero would be alone in its group's union, in a group of four
 * rays. */
int64_t sino_operator_most_bytes(const SinoOperator *op, int64_t p);

/* The footprint from the rays touched: a byte for each. */
SinoStatus sino_operator_number_rays(SinoOperator *op, int64_t p, const uint8_t *touched);

/* What an operator knows of its blocks. */
void sino_operator_take_header(SinoOperator *op, int64_t p, const SinoBlockHeader *header);

#endif
