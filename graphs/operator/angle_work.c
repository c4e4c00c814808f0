/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle work: a minibatch's work memory with kinds of operator whose ranks share the angles. */
#include "angle_work.h"

#include "arithmetic.h"
#include "memory.h"

#include <stdlib.h>

int64_t sino_angle_work_bytes(const SinoShape *shape, SinoBatch batch)
{
    const int64_t elements = sino_times(shape->extent[SINO_ROWS_VOXELS].total, batch.stride);
    return sino_buffers_bytes(SINO_PARTIAL_BUFFERS, sino_partial_buffers, shape, batch) +
           sino_voxel_sum_bytes(elements, shape->extent[SINO_ROWS_RANKS].members);
}

static SinoStatus open_sums(SinoOperatorWork *work, int64_t stride, SinoAngleWork *made)
{
    SINO_TRY(sino_allocate(made->part_count, sizeof(void *), "a minibatch", &made->all));
    for (int64_t p = 0; p < made->part_count; p++)
        SINO_TRY(sino_voxel_sum_new(work->op->runtime, work->sums, p, sino_times(made->part_voxels[p], stride),
                                    &made->all[p]));
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
    SINO_TRY(sino_allocate(count, sizeof(void *), "a minibatch", &made->order));
    for (int64_t i = 0; i < count; i++) SINO_TRY(sino_data_new(op->runtime, "order", 0, &made->order[i]));
    SINO_TRY(sino_partial_sums_new(op->runtime, exchange, &op->shape, slices, number, overlap, &work->sums));
    return exchange->shape.data_count > 1 ? open_sums(work, slices->stride, made) : NULL;
}

void sino_angle_work_close(SinoOperatorWork *work)
{
    SinoAngleWork *made = work->own;
    if (!made) return;
    for (int64_t p = 0; made->all && p < made->part_count; p++) sino_voxel_sum_free(made->all[p]);
    free(made->all);
    sino_partial_sums_free(work->sums, &work->op->shape);
    sino_data_free_each(made->order, made->count);
    free(made);
}

SinoStatus sino_angle_work_sum(const SinoOperatorWork *work, SinoPosition position, SinoData *x)
{
    const SinoAngleWork *made = work->own;
    const int64_t p = position.partition;
    return made->all && made->part_voxels[p] > 0 ? sino_insert_voxel_sum(made->all[p], position, x) : NULL;
}
