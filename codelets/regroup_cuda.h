/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup on a GPU: the bytes that sino_regroup_measure and sino_regroup_fill (regroup.h) make of the same visits. The
 * host knows which visits there are, and their order; it hands over a table of them. What launchers promise is in
 * cuda_stream.h.
 *
 *     sino_regroup_table                                     on the host
 *     sino_regroup_measure_cuda(stream, …, size)             for all visits, some at a time; a copy to the host
 *     sino_regroup_take, _bytes, _head                       on the host
 *     sino_regroup_fill_cuda(stream, …, head, …, lists)      for all visits, some at a time */
#ifndef SINO_REGROUP_CUDA_H
#define SINO_REGROUP_CUDA_H

#include "cuda_stream.h"
#include "regroup.h"
#include "status.h"

/* Where a visit comes from. */
typedef struct SinoRegroupVisit {
    int64_t section; /* from the start of the block */
    int32_t first_group, group_count, first_voxel;
    int32_t angle; /* the first of its batch, in the layout */
    int64_t batch; /* its number */
} SinoRegroupVisit;

/* Voxels of a tile by their offset across the middle direction of a batch. */
typedef struct SinoRegroupOrder {
    uint8_t voxel[SINO_TILE_VOXELS];
} SinoRegroupOrder;

/* Of all visits; plain numbers. */
typedef struct SinoRegroupShape {
    int64_t visit_count, batch_count;
    int64_t column_count, group_angles; /* of the layout */
    int32_t precision;                  /* SinoPrecision */
    int32_t back, outputs;              /* as in the lists' header */
    int32_t columns;
    int32_t slots;     /* that inputs can have, and a few more: a multiple of 8 */
    int32_t voxel_max; /* the most voxels that a visit's groups have */
} SinoRegroupShape;

SinoRegroupShape sino_regroup_shape(const SinoRegroup *regroup);

/* SinoRegroupVisit visit[visit_count] | SinoRegroupOrder order[batch_count] */
int64_t sino_regroup_table_bytes(const SinoRegroupShape *shape);
void sino_regroup_table(const SinoRegroup *regroup, void *table);

/* Shared memory that kernels take. */
int64_t sino_regroup_cuda_shared_bytes(const SinoRegroupShape *shape);

/* Everything is in device memory, on 32 bytes, but the structure itself. */
typedef struct SinoRegroupCuda {
    SinoRegroupShape shape;
    const void *block;
    const uint32_t *ray; /* the footprint's; NULL: every ray, in order */
    const void *table;
} SinoRegroupCuda;

/* Visits first … first + count − 1; `size` has `count` elements. SINO_FAILED: CUDA refuses the launch; more than
 * INT_MAX visits. */
SinoStatus sino_regroup_measure_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, int64_t first, int64_t count,
                                     SinoRegroupSize *size);

/* `head` has the header and tables of the lists; `lists`, on 128 bytes, begins with those of visit `first`. */
SinoStatus sino_regroup_fill_cuda(cudaStream_t stream, const SinoRegroupCuda *regroup, const void *head, int64_t first,
                                  int64_t count, void *lists);

#endif
