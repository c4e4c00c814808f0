/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, blocks: functions that building, windows and the cache share: bounds and headers of blocks, footprints, page
 * locks. */
#include "rays_private.h"

#include "memory.h"

int64_t sino_rays_most_bytes(const SinoRays *op, int64_t p)
{
    const SinoLayout *layout = &op->layout;
    const double stored = (double)sino_layout_stored_angles(layout) / (double)layout->geometry.angle_count;
    const double group = (double)(1 + SINO_GROUP_RAYS * sino_precision_bytes(op->layout.precision));
    const int64_t angle_blocks = layout->geometry.angle_count + layout->class_count; /* of sections */
    double nonzeros = 0;
    const int64_t *first = op->decomposition.first + op->first_partition + p;
    for (int64_t t = first[0]; t < first[1]; t++) nonzeros += op->decomposition.weight[t];
    return (int64_t)(1.1 * nonzeros * stored * 2 * group) + op->partition[p].tile_count * angle_blocks * 512 +
           (1 << 20);
}

SinoStatus sino_rays_number_rays(SinoRays *op, int64_t p, const uint8_t *touched)
{
    SinoFootprint *footprint = &op->partition[p].footprint;
    uint32_t *ray = NULL;
    for (int64_t i = 0; i < op->ray_count; i++) footprint->ray_count += touched[i];
    SINO_TRY(sino_allocate(footprint->ray_count, sizeof *ray, "a footprint", &ray));
    footprint->ray = ray;
    for (int64_t i = 0; i < op->ray_count; i++)
        if (touched[i]) *ray++ = (uint32_t)i;
    op->bytes += footprint->ray_count * (int64_t)sizeof *ray;
    return NULL;
}

void sino_rays_take_header(SinoRays *op, int64_t p, const SinoBlockHeader *header)
{
    op->partition[p].nonzero_count = header->nonzero_count;
    op->partition[p].block_bytes = header->bytes;
    op->nonzero_count += header->nonzero_count;
    op->stored_nonzero_count += header->stored_nonzero_count;
    op->stored_count += header->stored_count;
    op->bytes += header->bytes;
}

void sino_rays_unpin(SinoRays *op)
{
    for (int64_t p = 0; op->partition && p < op->partition_count; p++) {
        SinoPartition *partition = &op->partition[p];
        if (partition->pinned_bytes > 0) sino_data_unpin(partition->reserved, partition->pinned_bytes);
        partition->pinned_bytes = 0;
    }
}
