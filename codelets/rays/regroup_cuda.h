/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup on a GPU: sino_regroup_measure and sino_regroup_fill (regroup.h), byte for byte. The host determines the
 * visits and their order, and provides a table of them. cuda_stream.h gives the contract of launchers.
 *
 *     sino_regroup_table                                     on the host
 *     sino_regroup_measure_cuda(stream, …, size)             for all visits, some at a time; then a copy to the host
 *     sino_regroup_take, _bytes, _head                       on the host
 *     sino_regroup_fill_cuda(stream, …, head, …, lists)      for all visits, some at a time */
#pragma once

#include "cuda_stream.h"
#include "regroup.h"
#include "status.h"

/* The part of the block that becomes a visit. */
typedef struct SinoRegroupVisit {
    int64_t section; /* offset of the section from the start of the block */
    int32_t first_group, group_count, first_voxel;
    int32_t angle; /* first angle of its batch, in the layout */
    int64_t batch; /* its number */
} SinoRegroupVisit;

/* Voxels of a tile, sorted by their offset across the middle direction of a batch. */
typedef struct SinoRegroupOrder {
    uint8_t voxel[SINO_TILE_VOXELS];
} SinoRegroupOrder;

/* Sizes that all visits share. Without pointers, so that a kernel can receive it by value. */
typedef struct SinoRegroupShape {
    int64_t visit_count, batch_count;
    int64_t column_count, group_angles; /* of the layout */
    int32_t precision;                  /* SinoPrecision */
    int32_t back, outputs;              /* as in SinoGatherHeader */
    int32_t columns;
    int32_t slots;     /* slots that inputs can have, and a few more: a multiple of 8 */
    int32_t voxel_max; /* largest number of voxels in the groups of a visit */
} SinoRegroupShape;

SinoRegroupShape sino_regroup_shape(const SinoRegroup *regroup);

/* Table: SinoRegroupVisit visit[visit_count] | SinoRegroupOrder order[batch_count] */
int64_t sino_regroup_table_bytes(const SinoRegroupShape *shape);
void sino_regroup_table(const SinoRegroup *regroup, void *table);

/* Bytes of shared memory that the kernels need per thread block. */
int64_t sino_regroup_cuda_shared_bytes(const SinoRegroupShape *shape);

/* Input of the kernels. The structure is in host memory; all pointers are to device memory, aligned to 32 bytes. */
typedef struct SinoRegroupCuda {
    SinoRegroupShape shape;
    const void *block;
    const uint32_t *ray; /* rays of the footprint; NULL: every ray, in order */
    const void *table;
} SinoRegroupCuda;

/* Measures visits first … first + count − 1 into size[count]. SINO_FAILED: CUDA refused the launch, or more than
 * INT_MAX visits. */
SinoStatus sino_regroup_measure_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, int64_t first, int64_t count,
                                     SinoRegroupSize *size);

/* Writes visits first … first + count − 1. `head`: header and tables of the lists. `lists`, aligned to 128 bytes,
 * receives the lists of visit `first` at its start. */
SinoStatus sino_regroup_fill_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, const void *head, int64_t first,
                                  int64_t count, void *lists);
