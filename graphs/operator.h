/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: the memoised system matrix A of one slice geometry, a block per partition, built by parallel tasks. When it
 * is larger than the memory for it, a few windows hold some of the blocks at a time, and the others are traced or read
 * from a file again. */
#ifndef SINO_OPERATOR_H
#define SINO_OPERATOR_H

#include "decomposition.h"

/* What devices gather from, of one direction; data NULL: no device computes. */
typedef struct SinoPartitionLists {
    void *memory; /* owned */
    int64_t bytes;
    SinoData *data; /* the block beside it (block_data.h) */
} SinoPartitionLists;

typedef struct SinoPartition {
    int64_t tile_count;
    const SinoTilePlace *tile; /* of the decomposition */
    int64_t voxel_count;       /* tile_count·T²: rows of its voxel vectors */
    int64_t nonzero_count;
    SinoFootprint footprint;     /* `ray` is the operator's; NULL when the partition has every tile and every ray */
    SinoPartitionLists lists[2]; /* projecting, backprojecting */
    SinoData *tiles;             /* places of its tiles for devices; NULL likewise */
    SinoData *rays;              /* the footprint's list for devices; NULL: none computes, or a single partition */
    SinoData *block;
    int64_t block_bytes, piece_count;
    void *reserved; /* addresses of the block; owned */
    int64_t reserved_bytes;
    int64_t pinned_bytes; /* of it, while a GPU writes the block and reads it */
    const void *kept;     /* the block on the pages of a file; NULL: there is none */
} SinoPartition;

/* Memory that holds the block of one partition after another. */
typedef struct SinoOperatorWindow {
    SinoData *block;
    void *reserved; /* owned */
    int64_t holds;  /* the partition, once the tasks submitted so far have run; −1: none */
} SinoOperatorWindow;

typedef struct SinoOperator {
    SinoLayout layout;               /* the order of its rays, and their precision */
    SinoDecomposition decomposition; /* of the whole slice */
    int64_t first_partition;         /* those of this process begin here */
    int64_t partition_count;
    SinoPartition *partition;
    bool whole;           /* the only partition there is */
    int64_t window_count; /* 0: every partition has its block */
    int64_t window_bytes;
    SinoOperatorWindow *window;
    SinoData *scratch;     /* of spmm */
    int64_t ray_count;     /* K·M */
    int64_t nonzero_count; /* of all partitions, in every orientation */
    int64_t stored_nonzero_count;
    int64_t stored_count;   /* lengths, with zeros that fill up groups */
    int64_t bytes;          /* of all blocks and footprints */
    int64_t lists_bytes;    /* of all lists for devices */
    double build_s;         /* the time that building or reading it took */
    SinoOperatorFile *file; /* whose mapped pages blocks and footprints are; NULL: it was built */
} SinoOperator;

typedef struct SinoOperatorRequest {
    SinoGeometry geometry; /* of the scan, its angles in any order */
    SinoPrecision precision;
    bool symmetry;           /* store angles that are quarter turns or mirror images of others only once (layout.h) */
    int64_t partition_count; /* of this process */
    int64_t first_partition; /* among those of all processes */
    int64_t all_partitions;  /* of all processes; 0: there are no others */
    const double *share;     /* of the nonzeros, for all of these; NULL: all the same */
    int64_t window_count;    /* blocks in memory at a time; 0: all of them */
    const char *cache;       /* directory of operators that are kept (operator_cache.h); NULL: none */
} SinoOperatorRequest;

/* Returns when the operator is built, or read from the cache. SINO_BAD_INPUT: more than 2³² rays. */
SinoStatus sino_operator_new(SinoRuntime *runtime, const SinoOperatorRequest *request, SinoOperator **result);
void sino_operator_free(SinoOperator *op); /* takes NULL */

/* The block of a partition for the tasks that are inserted next, until another one is asked for. Where it has none of
 * its own, a task is inserted that copies it from the file, or traces it again, into the window that was filled longest
 * ago. */
SinoStatus sino_operator_block(SinoRuntime *runtime, const SinoOperator *op, SinoPosition position, SinoData **block);

/* The same as what devices gather from, when `spmm->has_lists` comes out true; fills in spmm->block. */
SinoStatus sino_operator_use(SinoRuntime *runtime, const SinoOperator *op, SinoPosition position, bool back,
                             SinoSpmm *spmm);

/* Bytes that the operator of a layout will take: an upper bound, before it is built. */
int64_t sino_operator_estimate_bytes(const SinoLayout *layout);

/* Bytes that building it takes beside its own; worker_count ≥ 1. */
int64_t sino_operator_building_bytes(const SinoGeometry *geometry, int64_t partition_count, int64_t worker_count,
                                     int64_t operator_bytes);

#endif
