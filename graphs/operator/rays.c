/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays: the memoised system matrix A of one slice geometry, a block per partition. */
#include "rays_private.h"

#include "memory.h"
#include "simulation.h"

#include <inttypes.h>
#include <stdlib.h>

static SinoStatus new_partitions(SinoRays *op)
{
    SINO_TRY(sino_allocate(op->partition_count, sizeof *op->partition, "partitions", &op->partition));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const int64_t global = op->first_partition + p, first = op->decomposition.first[global];
        SinoPartition *partition = &op->partition[p];
        partition->tile = op->decomposition.tile + first;
        partition->tile_count = op->decomposition.first[global + 1] - first;
        partition->voxel_count = partition->tile_count * SINO_TILE_VOXELS;
        if (op->whole) partition->footprint.ray_count = op->ray_count;
    }
    return NULL;
}

static SinoStatus new_layout(const SinoRaysRequest *request, SinoLayout *layout)
{
    if (request->scan) return sino_layout_part(request->scan, request->part_count, request->part, layout);
    return sino_layout_new(&request->geometry, request->precision, request->symmetry, layout);
}

/* Everything but the blocks, unless they are in a file. */
static SinoStatus prepare(SinoRuntime *runtime, const SinoRaysRequest *request, SinoRays *op)
{
    const int64_t angles = request->scan ? request->part_count : request->geometry.angle_count;
    const int64_t columns = request->geometry.column_count;
    const int64_t all = request->all_partitions > 0 ? request->all_partitions : request->partition_count;
    SINO_TRY(sino_multiply(angles, columns, "rays", &op->ray_count));
    SINO_CHECK(op->ray_count <= UINT32_MAX, SINO_BAD_INPUT,
               "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays", angles, columns);
    op->partition_count = request->partition_count;
    op->first_partition = request->first_partition;
    op->whole = all == 1;
    op->weight_share = (double)angles / (double)request->geometry.angle_count;
    SINO_TRY(new_layout(request, &op->layout));
    const SinoLayout *balanced = request->scan ? request->scan : &op->layout;
    SINO_TRY(sino_decomposition_new(balanced, all, request->share, &op->decomposition));
    SINO_TRY(new_partitions(op));
    SINO_TRY(sino_data_scratch(runtime, "spmm scratch", sino_spmm_scratch_bytes(), &op->scratch));
    op->window_count = request->window_count < op->partition_count ? request->window_count : 0;
    SINO_TRY(sino_rays_check_devices(runtime, op));
    sino_runtime_profile_begin(runtime);
    return sino_rays_cache_load(runtime, request->cache, op);
}

SinoStatus sino_rays_new(SinoRuntime *runtime, const SinoRaysRequest *request, SinoRays **result)
{
    SinoStatus status = NULL;
    SinoRays *op = NULL;
    const double begin = sino_runtime_now_s();
    status = sino_allocate(1, sizeof *op, "the operator", &op);
    if (status) return sino_ring_agree(sino_runtime_processes(runtime), &request->ring, status);
    op->ring = request->ring;
    status = prepare(runtime, request, op);
    SINO_TRY_OR(status, fail, sino_rays_share_begin(runtime, op, status));
    if (op->window_count > 0)
        status = sino_rays_open_windows(runtime, op);
    else if (!op->file)
        status = sino_rays_build(runtime, op);
    SINO_TRY_OR(status, fail, sino_rays_open_devices(runtime, op, status));
    sino_rays_unpin(op);
    op->build_s = sino_runtime_now_s() - begin;
    sino_runtime_profile_report(runtime, "building: ");
    *result = op;
    return NULL;
fail:
    sino_rays_free(op);
    return status;
}

void sino_rays_free(SinoRays *op)
{
    if (!op) return;
    sino_rays_close_windows(op);
    sino_rays_close_devices(op);
    sino_rays_unpin(op);
    for (int64_t p = 0; op->partition && p < op->partition_count; p++) {
        sino_data_free(op->partition[p].block);
        sino_release(op->partition[p].reserved, op->partition[p].reserved_bytes);
        if (!op->file) sino_shared_list_free(op->partition[p].footprint.ray);
    }
    sino_operator_file_close(op->file);
    free(op->partition);
    sino_data_free(op->scratch);
    sino_decomposition_free(&op->decomposition);
    sino_layout_free(&op->layout);
    free(op);
}
