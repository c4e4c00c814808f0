/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle work: a minibatch's work memory with kinds of operator whose ranks share the angles. */
#include "angle_work.h"

#include "memory.h"

#include <stdlib.h>

/* Sums over the ranks in memory at a time, by which partitions take turns: one for each, of its size, or some for the
 * largest. */
enum { SUMS = 4 };

static int64_t summed_voxels(const SinoExtent *extent)
{
    return extent->members > SUMS ? sino_times(SUMS, extent->most) : extent->total;
}

int64_t sino_angle_work_bytes(const SinoShape *shape, SinoBatch batch)
{
    const int64_t elements = sino_times(summed_voxels(&shape->extent[SINO_ROWS_VOXELS]), batch.stride);
    return sino_buffers_bytes(SINO_PARTIAL_BUFFERS, sino_partial_buffers, shape, batch) +
           sino_voxel_sum_bytes(elements, shape->extent[SINO_ROWS_RANKS].members);
}

static SinoStatus open_sums(SinoOperatorWork *work, int64_t stride, SinoAngleWork *made)
{
    const int64_t most = work->op->shape.extent[SINO_ROWS_VOXELS].most;
    made->sum_count = sino_smaller(made->part_count, SUMS);
    SINO_TRY(sino_allocate(made->sum_count, sizeof(void *), "a minibatch", &made->all));
    for (int64_t i = 0; i < made->sum_count; i++) {
        const int64_t voxels = made->part_count > SUMS ? most : made->part_voxels[i];
        SINO_TRY(sino_voxel_sum_new(work->op->runtime, work->sums, i, sino_times(voxels, stride), &made->all[i]));
    }
    return NULL;
}

SinoStatus sino_angle_work_open(SinoOperatorWork *work, SinoRayExchange *exchange, int64_t count, int64_t part_count,
                                const int64_t *part_voxels, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoOperator *op = work->op;
    SinoAngleWork *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    work->own = made;
    made->count = count;
    made->part_count = part_count;
    made->part_voxels = part_voxels;
    made->stride = slices->stride;
    SINO_TRY(sino_allocate(count, sizeof(void *), "a minibatch", &made->order));
    for (int64_t i = 0; i < count; i++) SINO_TRY(sino_data_new(op->runtime, "order", 0, &made->order[i]));
    SINO_TRY(sino_partial_sums_new(op->runtime, exchange, &op->shape, slices, number, overlap, &work->sums));
    return exchange->shape.data_count > 1 ? open_sums(work, slices->stride, made) : NULL;
}

void sino_angle_work_close(SinoOperatorWork *work)
{
    SinoAngleWork *made = work->own;
    if (!made) return;
    for (int64_t i = 0; made->all && i < made->sum_count; i++) sino_voxel_sum_free(made->all[i]);
    free(made->all);
    sino_partial_sums_free(work->sums, &work->op->shape);
    sino_data_free_each(made->order, made->count);
    free(made);
}

SinoStatus sino_angle_work_sum(const SinoOperatorWork *work, SinoPosition position, SinoData *x)
{
    const SinoAngleWork *made = work->own;
    const int64_t p = position.partition;
    if (!made->all || made->part_voxels[p] == 0) return NULL;
    return sino_insert_voxel_sum(made->all[p % made->sum_count], position,
                                 sino_times(made->part_voxels[p], made->stride), x);
}
