/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays: the memoised system matrix A of one slice geometry, a block per partition, built by parallel tasks. If A is
 * larger than its memory budget, a few windows hold some of the blocks at a time; a block that is needed again is
 * traced again or read from a file. */
#pragma once

#include "decomposition.h"
#include "operator_file.h"
#include "processes.h"
#include "rays_tasks.h"
#include "reduce.h"

/* The lists that devices gather from, for one direction; data NULL: no device computes. */
typedef struct SinoPartitionLists {
    void *memory; /* owned */
    int64_t bytes;
    SinoData *data; /* the lists together with the block (block_data.h) */
} SinoPartitionLists;

typedef struct SinoPartition {
    int64_t tile_count;
    const SinoTilePlace *tile; /* the decomposition's; not owned */
    int64_t voxel_count;       /* rows of its voxel vectors: tile_count·T² */
    int64_t nonzero_count;
    SinoFootprint footprint;     /* `ray` is owned by the operator; NULL: the partition has every tile and every ray */
    SinoPartitionLists lists[2]; /* for projection, for backprojection */
    SinoData *tiles;             /* places of its tiles for devices; NULL: no device computes */
    SinoData *rays;              /* the footprint's rays for devices; NULL: no device computes, or a single partition */
    SinoData *block;
    int64_t block_bytes, piece_count;
    void *reserved; /* reserved address range that holds the block; owned */
    int64_t reserved_bytes;
    int64_t pinned_bytes; /* page-locked bytes of the range, while GPUs write and read the block */
    const void *kept;     /* the block in a mapped file; NULL: none */
} SinoPartition;

/* Memory that holds the block of one partition after another. */
typedef struct SinoRaysWindow {
    SinoData *block;
    void *reserved; /* owned */
    int64_t holds;  /* the partition whose block is here after the tasks submitted so far; −1: none */
} SinoRaysWindow;

typedef struct SinoRays {
    SinoLayout layout;               /* order and precision of its rays */
    SinoDecomposition decomposition; /* the whole slice's */
    double weight_share;     /* of the decomposition's weights: its angles among those by which the slice was cut */
    int64_t first_partition; /* this rank's first partition among the slice's partitions */
    int64_t partition_count;
    SinoPartition *partition;
    bool whole;           /* the slice has a single partition */
    int64_t window_count; /* 0: every partition has a block of its own */
    int64_t window_bytes;
    SinoRaysWindow *window;
    SinoRing ring;         /* ranks that build the same blocks together */
    SinoData *scratch;     /* scratch memory of spmm */
    int64_t ray_count;     /* K·M */
    int64_t nonzero_count; /* of all partitions of this process, in every orientation */
    int64_t stored_nonzero_count;
    int64_t stored_count;   /* stored lengths, padding zeros included */
    int64_t bytes;          /* all blocks and footprints */
    int64_t lists_bytes;    /* all lists for devices */
    double build_s;         /* seconds spent on building or reading the operator */
    SinoOperatorFile *file; /* the mapped file that holds blocks and footprints; NULL: the operator was built */
} SinoRays;

typedef struct SinoRaysRequest {
    SinoGeometry geometry;  /* the scan's; angles in any order */
    const SinoLayout *scan; /* its layout, if the operator has a part of the angles only: part[0 … part_count − 1] of
                             * the scan. Partitions balance the nonzeros of the scan. NULL: all angles; not owned */
    int64_t part_count;
    const int64_t *part; /* not owned */
    SinoPrecision precision;
    bool symmetry;           /* store quarter turns and mirror images of an angle only once (layout.h) */
    int64_t partition_count; /* of this rank */
    int64_t first_partition; /* this rank's first partition among all ranks' partitions */
    int64_t all_partitions;  /* partitions of all ranks; 0: this rank is alone */
    const double *share;     /* [all_partitions]: relative shares of the nonzeros; NULL: equal */
    int64_t window_count;    /* blocks in memory at a time; 0: all */
    const char *cache;       /* directory of saved operators (rays_private.h); NULL: none */
    SinoRing ring;           /* ranks that may build it together, which all call alike */
} SinoRaysRequest;

/* Returns when the operator is built or has been read from the cache. SINO_BAD_INPUT: more than 2³² rays. */
SinoStatus sino_rays_new(SinoRuntime *runtime, const SinoRaysRequest *request, SinoRays **result);
void sino_rays_free(SinoRays *op); /* takes NULL */

/* *block: the block of partition position.partition, valid for tasks inserted before the next call. If the partition
 * has no block of its own, this inserts a task that copies the block from the file, or traces it again, into the window
 * that was filled longest ago. */
SinoStatus sino_rays_block(SinoRuntime *runtime, const SinoRays *op, SinoPosition position, SinoData **block);

/* Selects the operand of one product, spmm->block: the gather lists of the direction if devices compute
 * (spmm->has_lists = true), else the block (sino_rays_block). `back`: backprojection. */
SinoStatus sino_rays_use(SinoRuntime *runtime, const SinoRays *op, SinoPosition position, bool back, SinoSpmm *spmm);

/* Whether every device has so many bytes of lists, those of all partitions, so that products are as fast on any. */
bool sino_rays_are_everywhere(const SinoRuntime *runtime, int64_t lists_bytes);

/* Whether products on devices that all have the lists had better pass on their rays by themselves (rays_tasks.h). Those
 * of a minibatch add to a sum one after another, so there must be a sum for each device, or for each partition.
 * `sockets`: that have sums; `slots`: minibatches in flight. */
bool sino_rays_pass_on(int64_t partitions, int64_t sockets, int64_t slots, int64_t devices);

/* Upper bound of the bytes of a layout's operator, before it is built. */
int64_t sino_rays_estimate_bytes(const SinoLayout *layout);

/* The usual bytes of lists for devices per stored nonzero, of one direction. */
double sino_rays_list_bytes(SinoPrecision precision);

/* Temporary bytes while the operator is built, in addition to operator_bytes; worker_count ≥ 1. */
int64_t sino_rays_building_bytes(const SinoGeometry *geometry, int64_t partition_count, int64_t worker_count,
                                 int64_t operator_bytes);
