/* SPDX-License-Identifier: BSD-3-Clause */
/* Minibatch: the data of F slices that are solved together, and the projections that every solver's graph is made of.
 */
#ifndef SINO_MINIBATCH_H
#define SINO_MINIBATCH_H

#include "partial_sums.h"

enum { SINO_RAY_VECTORS_MAX = 2, SINO_VOXEL_VECTORS_MAX = 4, SINO_LOOKAHEAD = 3 };

/* Vectors that a solver needs, of each kind; the first are the sinogram and the tomogram. */
typedef struct SinoVectorCount {
    int64_t rays, voxels; /* whole ray vectors; voxel vectors per partition */
} SinoVectorCount;

/* A slot: its data serve one minibatch after another; StarPU orders the tasks of the next after those of the last.
 * Vectors lie in panels (panel.h). */
typedef struct SinoMinibatch {
    SinoPosition position; /* slab and minibatch; partition and iteration −1 */
    SinoSlices slices;
    int64_t first_slice;
    bool stopped; /* no more iterations are submitted */
    SinoVectorCount vectors;
    SinoPartialSums *partial_sums;
    SinoData *rays[SINO_RAY_VECTORS_MAX];      /* a row for every ray of this process; rays[0] is the sinogram */
    SinoData **voxels[SINO_VOXEL_VECTORS_MAX]; /* per partition a row per voxel; voxels[0] is the tomogram */
    SinoData **partial;                        /* per partition a row per footprint ray; NULL when there is but one */
    SinoData **narrow_rays, **narrow_voxels;   /* per partition, of halves: what spmm reads; NULL in other precisions */
    SinoData *units;                           /* SinoUnits of the narrow vector written last; NULL likewise */
    SinoData *sums;                            /* SinoSliceSums[stride], of this process's rows */
    SinoData *state;                           /* SinoSliceState[stride] */
    SinoData *history;                         /* double[slice][columns] */
    SinoData *repaired;                        /* int64[slice] */
    SinoData *image;                           /* float[slice][N][N] */
    SinoData *active[SINO_LOOKAHEAD];          /* int64: slices that go on after iteration i, at i mod LOOKAHEAD */
} SinoMinibatch;

/* For slices of at most slices.stride; history_columns is iterations + 1; `number` tells slots apart. */
typedef struct SinoMinibatchRequest {
    const SinoOperator *op;
    const SinoExchange *exchange;
    SinoSlices slices;
    SinoVectorCount vectors;
    int64_t history_columns, number;
    bool overlap; /* of exchanges between processes with what else there is to do */
} SinoMinibatchRequest;
SinoStatus sino_minibatch_new(SinoRuntime *runtime, const SinoMinibatchRequest *request, SinoMinibatch **result);
void sino_minibatch_free(SinoMinibatch *minibatch, int64_t partition_count); /* takes NULL */

/* Bytes of one slot, before the operator exists: an upper bound. */
int64_t sino_minibatch_bytes(const SinoGeometry *geometry, SinoPrecision precision, const SinoExchangeShape *shape,
                             int64_t stride, SinoVectorCount vectors, int64_t history_columns);

/* rays[to] = A·voxels[from], by spmm_project and the levels of reduction; half and mixed precision cast what is
 * multiplied. */
SinoStatus sino_insert_project(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                               int64_t iteration, int64_t from, int64_t to);

/* voxels[to] = Aᵀ·rays[from], by the levels of spreading and spmm_backproject; likewise. */
SinoStatus sino_insert_backproject(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                                   int64_t iteration, int64_t from, int64_t to);

/* The sums of all processes that share the slices, from minibatch->sums. */
SinoStatus sino_insert_collect(SinoRuntime *runtime, SinoMinibatch *minibatch, int64_t iteration, SinoData **all);

/* The minibatch's position at an iteration and partition. */
SinoPosition sino_minibatch_at(const SinoMinibatch *minibatch, int64_t iteration, int64_t partition);

#endif
