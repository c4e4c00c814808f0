/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank memory: what one rank of a process grid holds, the largest of them all: its share of the operator, of every
 * vector and of the input, and the sums of each level. */
#ifndef SINO_RANK_MEMORY_H
#define SINO_RANK_MEMORY_H

#include "communication.h"
#include "minibatch.h"

typedef struct SinoRankNeed {
    const SinoGeometry *scan;
    SinoPrecision precision;
    SinoCommunication communication;
    SinoVectorCount vectors;
    int64_t history_columns;
    int64_t slice_input_bytes, slice_field_bytes; /* counts of a slice, of all its angles; flat and dark of a slice */
    int64_t worker_count;                         /* of a rank */
    int64_t operator_bytes;                       /* of all ranks of a group together */
    const SinoFootprintSizes *sizes;
    const SinoDecomposition *decomposition;
} SinoRankNeed;

typedef struct SinoRankMemory {
    int64_t operator_bytes;               /* blocks of its partitions */
    int64_t map_bytes;                    /* rays of footprints, as lists of 32-bit numbers, once for all slices */
    int64_t voxel_bytes;                  /* voxel vectors, halves and images of all slots */
    int64_t ray_bytes;                    /* vectors of the rays that it owns */
    int64_t footprint_bytes[SINO_LEVELS]; /* partial sums of each level */
    int64_t message_bytes;                /* being sent or received */
    int64_t input_bytes;                  /* two slabs of counts, and fields */
    int64_t building_bytes;               /* while the operator is built, before the slots are there */
    int64_t total_bytes;                  /* with the program's own */
} SinoRankMemory;

/* With `slots` minibatches of `minibatch` slices in flight, of `slice_count` that the group has. */
void sino_rank_memory(const SinoRankNeed *need, int64_t minibatch, int64_t slots, int64_t slice_count,
                      SinoRankMemory *memory);

#endif
