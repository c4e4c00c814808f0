/* SPDX-License-Identifier: BSD-3-Clause */
/* Regroup on a GPU: the table of visits that the host prepares. */
#include "arithmetic.h"
#include "regroup_cuda.h"
#include "regroup_private.h"

SinoRegroupShape sino_regroup_shape(const SinoRegroup *regroup)
{
    const SinoLayout *layout = regroup->input.layout;
    const int64_t slots = regroup->input.back ? sino_times(regroup->columns, regroup->batch_angles) : SINO_TILE_VOXELS;
    int32_t most = 0;
    for (int64_t v = 0; v < regroup->visit_count; v++)
        if (regroup->origin[v].voxel_count > most) most = regroup->origin[v].voxel_count;
    return (SinoRegroupShape){.visit_count = regroup->visit_count,
                              .batch_count = regroup->input.back ? sino_regroup_batch(regroup, -1) : 0,
                              .column_count = layout->geometry.column_count,
                              .group_angles = layout->group_angles,
                              .precision = regroup->precision,
                              .back = regroup->input.back,
                              .outputs = regroup->input.outputs,
                              .columns = regroup->columns,
                              .slots = (int32_t)sino_block_align(slots, 8),
                              .voxel_max = most};
}

int64_t sino_regroup_table_bytes(const SinoRegroupShape *shape)
{
    return shape->visit_count * (int64_t)sizeof(SinoRegroupVisit) +
           shape->batch_count * (int64_t)sizeof(SinoRegroupOrder);
}

/* Makes an order of voxels for each batch, which backprojection needs. */
static void order_batches(const SinoRegroup *regroup, SinoRegroupOrder *order)
{
    const SinoLayout *layout = regroup->input.layout;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        for (int64_t angle = class->first; angle < class->first + class->count; angle += regroup->batch_angles)
            sino_regroup_order_voxels(regroup, angle, order[sino_regroup_batch(regroup, angle)].voxel);
    }
}

void sino_regroup_table(const SinoRegroup *regroup, void *table)
{
    SinoRegroupVisit *visit = table;
    for (int64_t v = 0; v < regroup->visit_count; v++) {
        const SinoRegroupOrigin *origin = &regroup->origin[v];
        visit[v] = (SinoRegroupVisit){.section = (const char *)origin->section - (const char *)regroup->input.block,
                                      .first_group = origin->first_group,
                                      .group_count = origin->group_count,
                                      .first_voxel = origin->first_voxel,
                                      .angle = origin->angle,
                                      .batch = sino_regroup_batch(regroup, origin->angle)};
    }
    if (regroup->input.back) order_batches(regroup, (void *)(visit + regroup->visit_count));
}
