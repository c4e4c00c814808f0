/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, sketch: what a simulation has in place of traced blocks. Footprints are the shadows of the partitions' tiles
 * (decomposition.h), nonzeros those that the decomposition expects, sizes of blocks those of a plan, sizes of lists
 * their density in docs/lab/gpu_models.md. Blocks and lists have a header, and otherwise addresses only. */
#include "rays_private.h"

#include "decomposition.h"
#include "memory.h"
#include "rays_tasks.h"
#include "simulation.h"

/* Expected nonzeros of the tiles, in every orientation: the weights of the decomposition, which may count the angles of
 * all subsets. */
static double nonzeros_of(const SinoRays *op, int64_t tile_count, const SinoTilePlace *tile)
{
    double nonzeros = 0;
    const double *weight = op->decomposition.weight + (tile - op->decomposition.tile);
    for (int64_t t = 0; t < tile_count; t++) nonzeros += weight[t];
    return nonzeros * op->weight_share;
}

void sino_rays_sketch_run(const SinoRays *op, SinoPackRun *run)
{
    const SinoLayout *layout = run->layout;
    const double nonzeros = nonzeros_of(op, run->tile_count, run->tile);
    const double all = op->decomposition.nonzero_count * op->weight_share;
    const double bytes = (double)sino_rays_estimate_bytes(layout) * nonzeros / all;
    const int64_t pieces = sino_pack_piece_count(run->tile_count, run->tile);
    run->nonzero_count = (int64_t)nonzeros;
    run->stored_nonzero_count =
        (int64_t)(nonzeros * (double)sino_layout_stored_angles(layout) / (double)layout->geometry.angle_count);
    run->stored_count = run->stored_nonzero_count;
    for (int64_t i = 0; i < pieces; i++) {
        run->piece[i] = (SinoBlockPiece){.offset = sino_block_align(run->area->used, SINO_ALIGNMENT_BYTES),
                                         .bytes = (int64_t)(bytes / (double)pieces)};
        run->area->used = run->piece[i].offset + run->piece[i].bytes;
    }
}

SinoStatus sino_rays_sketch_footprints(SinoRays *op)
{
    if (op->whole) return NULL;
    for (int64_t p = 0; p < op->partition_count; p++) {
        SinoFootprint *footprint = &op->partition[p].footprint;
        uint32_t *ray = NULL;
        SINO_TRY(sino_footprint_rays(&op->layout.geometry, &op->decomposition, op->first_partition + p,
                                     &footprint->ray_count, &ray));
        footprint->ray = sino_shared_list(ray, footprint->ray_count * (int64_t)sizeof *ray);
        op->bytes += footprint->ray_count * (int64_t)sizeof *ray;
    }
    return NULL;
}

/* Of groups of 4 rays, and of 16 with lengths of 16 bits. */
double sino_rays_list_bytes(SinoPrecision precision)
{
    static const double bytes[] = {[SINO_SINGLE] = 5.6, [SINO_DOUBLE] = 10.5, [SINO_HALF] = 4.7, [SINO_MIXED] = 4.7};
    return bytes[precision];
}

/* A core makes so many bytes of lists in a task. */
enum { LIST_PIECE_BYTES = 32 << 20, DIRECTIONS = 2 };

static int64_t list_tasks(const SinoPartitionLists *lists)
{
    return sino_ceil_divide(lists->bytes, LIST_PIECE_BYTES);
}

/* As if the visits of a task were SINO_RAYS_VISITS. */
static int64_t list_offset(const void *lists, int64_t visit)
{
    const SinoPartitionLists *of = lists;
    return (int64_t)((double)of->bytes * (double)visit / (double)(list_tasks(of) * SINO_RAYS_VISITS));
}

static SinoStatus share_lists(SinoRuntime *runtime, const SinoRays *op, const SinoPartitionLists *lists)
{
    const SinoRaysOffset offset = {list_offset, lists};
    return sino_rays_share_lists(runtime, op, list_tasks(lists) * SINO_RAYS_VISITS, &offset, lists->memory, true);
}

static SinoStatus sketch_lists(SinoRuntime *runtime, SinoRays *op, int64_t p, int direction)
{
    SinoPartition *partition = &op->partition[p];
    SinoPartitionLists *lists = &partition->lists[direction];
    const SinoBlockHeader *block = sino_data_memory(partition->block);
    const double bytes = sino_rays_list_bytes(op->layout.precision) * (double)block->stored_nonzero_count;
    lists->bytes = sino_block_align((int64_t)bytes + (int64_t)sizeof(SinoGatherHeader), SINO_ALIGNMENT_BYTES);
    lists->memory = sino_data_addresses(lists->bytes);
    SINO_CHECK(lists->memory, SINO_FAILED, "no addresses for the operator's lists for devices");
    *(SinoGatherHeader *)lists->memory = (SinoGatherHeader){.bytes = lists->bytes};
    op->lists_bytes += lists->bytes;
    const int64_t tasks = list_tasks(lists), own = op->ring.own;
    const int64_t first = sino_rays_share_visit(op, tasks * SINO_RAYS_VISITS, own) / SINO_RAYS_VISITS;
    const int64_t end = sino_rays_share_visit(op, tasks * SINO_RAYS_VISITS, own + 1) / SINO_RAYS_VISITS;
    for (int64_t i = first; i < end; i++) {
        const SinoRegroupPart part = {
            .partition = p, .first = i, .count = 1, .nonzero_count = block->stored_nonzero_count / tasks};
        SINO_TRY(sino_insert_regroup_measure(runtime, &part, NULL));
        SINO_TRY(sino_insert_regroup_fill(runtime, &part, lists->memory));
    }
    return NULL;
}

SinoStatus sino_rays_sketch_lists(SinoRuntime *runtime, SinoRays *op, SinoStatus status)
{
    for (int64_t p = 0; p < op->partition_count && !status; p++)
        for (int direction = 0; direction < DIRECTIONS && !status; direction++)
            status = sketch_lists(runtime, op, p, direction);
    status = sino_runtime_wait_after(runtime, status);
    if (op->ring.count < 2) return status;
    SINO_TRY(sino_ring_agree(sino_runtime_processes(runtime), &op->ring, status));
    for (int64_t p = 0; p < op->partition_count; p++)
        for (int direction = 0; direction < DIRECTIONS; direction++)
            SINO_TRY(share_lists(runtime, op, &op->partition[p].lists[direction]));
    return NULL;
}

void sino_rays_sketch_header(const SinoRays *op, int64_t p, SinoBlockHeader *header)
{
    const SinoPartition *partition = &op->partition[p];
    const double nonzeros = nonzeros_of(op, partition->tile_count, partition->tile);
    const double all = op->decomposition.nonzero_count * op->weight_share;
    const SinoLayout *layout = &op->layout;
    const double stored = (double)sino_layout_stored_angles(layout) / (double)layout->geometry.angle_count;
    *header = (SinoBlockHeader){.bytes = (int64_t)((double)sino_rays_estimate_bytes(layout) * nonzeros / all),
                                .tile_count = partition->tile_count,
                                .nonzero_count = (int64_t)nonzeros,
                                .stored_nonzero_count = (int64_t)(nonzeros * stored),
                                .stored_count = (int64_t)(nonzeros * stored),
                                .precision = layout->precision};
}
