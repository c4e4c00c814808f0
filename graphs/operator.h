/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: the memoised system matrix A of one slice geometry, a block per partition, built by parallel tasks. */
#ifndef SINO_OPERATOR_H
#define SINO_OPERATOR_H

#include "decomposition.h"

typedef struct SinoPartition {
    int64_t tile_count;
    const SinoTilePlace *tile; /* of the decomposition */
    int64_t voxel_count;       /* tile_count·T²: rows of its voxel vectors */
    int64_t nonzero_count;
    SinoFootprint footprint; /* `ray` is owned; NULL with a single partition, whose footprint is every ray */
    SinoData *block;
    int64_t block_bytes;
} SinoPartition;

typedef struct SinoOperator {
    SinoGeometry geometry; /* angle_rad not owned */
    SinoPrecision precision;
    SinoDecomposition decomposition;
    int64_t partition_count;
    SinoPartition *partition;
    int64_t ray_count;     /* K·M */
    int64_t nonzero_count; /* of all partitions */
    int64_t bytes;         /* of all blocks and footprints */
    double build_s;
} SinoOperator;

/* Returns when the operator is built. SINO_BAD_INPUT: more than 2³² rays. */
SinoStatus sino_operator_new(SinoRuntime *runtime, const SinoGeometry *geometry, SinoPrecision precision,
                             int64_t partition_count, SinoOperator **result);
void sino_operator_free(SinoOperator *op); /* takes NULL */

/* Bytes that the operator of a geometry will take: an upper bound, before it is built. */
int64_t sino_operator_estimate_bytes(const SinoGeometry *geometry, SinoPrecision precision);

/* Bytes that building it takes beside its own; worker_count ≥ 1. */
int64_t sino_operator_building_bytes(const SinoGeometry *geometry, int64_t partition_count, int64_t worker_count,
                                     int64_t operator_bytes);

#endif
