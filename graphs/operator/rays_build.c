/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, building: all blocks, by parallel tasks.
 *
 * The size of a block is known only after its rays are traced. Each block therefore reserves an address range larger
 * than it can need, of which only the written pages take memory. Runs of tiles are traced into the blocks
 * (rays_trace.c); then rays get their numbers in the footprints. Memory is touched once, and its peak stays near one
 * copy of A. */
#include "memory.h"
#include "pack_task.h"
#include "rays_private.h"
#include "simulation.h"

#include <stdlib.h>

typedef struct Build {
    SinoRuntime *runtime;
    SinoRays *op;
    SinoRaysRun *run;
    int64_t run_count;
    SinoPackArea *area; /* [partition] */
    uint8_t **touched;  /* [partition][ray]: 1 if the partition meets the ray; NULL: it has all rays */
    uint32_t **local;   /* [partition][ray]: the ray's row in the footprint; NULL: the ray's own number */
    bool pinned;        /* the used part of every area with tiles is page-locked */
} Build;

/* Number of tiles of a run that begins at tile[0]: at least `least`, in whole super-tiles. A super-tile divided between
 * two runs would be summed in another order, so bits would depend on the number of workers. */
static int64_t run_tiles(int64_t least, int64_t tile_count, const SinoTilePlace *tile)
{
    int64_t count = 0;
    while (count < tile_count && count < least) count += sino_trace_super_tile(tile_count - count, tile + count);
    return count;
}

/* Plans a partition's runs, and reserves the address range that they share. */
static SinoStatus plan_partition(Build *build, int64_t p, int64_t least)
{
    SinoPartition *partition = &build->op->partition[p];
    SinoPackArea *area = &build->area[p];
    const int64_t first_run = build->run_count, count = partition->tile_count;
    char text[24];
    for (int64_t t = 0, tiles; t < count; t += tiles) {
        tiles = run_tiles(least, count - t, partition->tile + t);
        SinoRaysRun *run = &build->run[build->run_count++];
        *run = (SinoRaysRun){.partition = p,
                             .pack = {.layout = &build->op->layout,
                                      .first_tile = t,
                                      .tile_count = tiles,
                                      .tile = partition->tile + t,
                                      .area = area,
                                      .touched = build->touched ? build->touched[p] : NULL}};
        partition->piece_count += sino_pack_piece_count(run->pack.tile_count, run->pack.tile);
    }
    *area = (SinoPackArea){.capacity = sino_rays_most_bytes(build->op, p),
                           .used = sino_block_head_bytes(count, partition->piece_count)};
    area->block = sino_reserve(area->capacity);
    SINO_CHECK(area->block, SINO_FAILED, "no addresses for the operator: %s asked for",
               sino_bytes_text(area->capacity, text));
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces((const SinoBlockHeader *)(void *)area->block);
    for (int64_t r = first_run; r < build->run_count; r++) {
        SinoPackRun *run = &build->run[r].pack;
        run->piece = piece;
        piece += sino_pack_piece_count(run->tile_count, run->tile);
    }
    return NULL;
}

static SinoStatus plan_runs(Build *build)
{
    SinoRays *op = build->op;
    const int64_t *first = op->decomposition.first + op->first_partition;
    const int64_t tile_count = first[op->partition_count] - first[0];
    const int64_t least = sino_rays_run_tiles(build->runtime, op);
    SINO_TRY(sino_allocate(tile_count + op->partition_count, sizeof *build->run, "runs of tiles", &build->run));
    SINO_TRY(sino_allocate(op->partition_count, sizeof *build->area, "partitions", &build->area));
    for (int64_t p = 0; p < op->partition_count; p++) SINO_TRY(plan_partition(build, p, least));
    return NULL;
}

static SinoStatus number_rays(Build *build, int64_t p)
{
    SinoRays *op = build->op;
    SINO_TRY(sino_rays_number_rays(op, p, build->touched[p]));
    SINO_TRY(sino_allocate(op->ray_count, sizeof *build->local[p], "numbering a footprint", &build->local[p]));
    sino_pack_local(&op->partition[p].footprint, build->local[p]);
    return NULL;
}

static SinoStatus renumber_rays(Build *build)
{
    SinoStatus status = NULL;
    if (build->op->whole) return NULL;
    if (SINO_SIMULATES) status = sino_rays_sketch_footprints(build->op);
    for (int64_t p = 0; build->touched && p < build->op->partition_count && !status; p++)
        status = number_rays(build, p);
    for (int64_t r = 0; r < build->run_count && !status; r++) {
        const SinoRaysRun *run = &build->run[r];
        status = sino_insert_pack(build->runtime, run->partition, &run->pack,
                                  build->local ? build->local[run->partition] : NULL);
    }
    return sino_runtime_wait_after(build->runtime, status);
}

static int64_t pinned_bytes(const Build *build, int64_t p)
{
    return build->pinned && build->op->partition[p].tile_count > 0 ? build->area[p].used : 0;
}

/* Writes the header of the finished block and hands the block to the partition. */
static SinoStatus finish_block(Build *build, int64_t p)
{
    SinoRays *op = build->op;
    SinoPartition *partition = &op->partition[p];
    SinoPackArea *area = &build->area[p];
    SinoBlockHeader header = {.bytes = area->used,
                              .tile_count = partition->tile_count,
                              .piece_count = partition->piece_count,
                              .ray_count = partition->footprint.ray_count,
                              .precision = op->layout.precision};
    for (int64_t r = 0; r < build->run_count; r++) {
        const SinoPackRun *run = &build->run[r].pack;
        if (build->run[r].partition != p) continue;
        header.nonzero_count += run->nonzero_count;
        header.stored_nonzero_count += run->stored_nonzero_count;
        header.stored_count += run->stored_count;
    }
    SINO_TRY(sino_pack_head(&header, &op->layout, partition->tile, area->block));
    SINO_TRY(sino_data_borrow(build->runtime, "A", area->block, header.bytes, &partition->block));
    partition->reserved = area->block;
    partition->reserved_bytes = area->capacity;
    partition->pinned_bytes = pinned_bytes(build, p);
    area->block = NULL;
    return NULL;
}

static SinoStatus finish_blocks(Build *build)
{
    SinoRays *op = build->op;
    for (int64_t p = 0; p < op->partition_count; p++) {
        SINO_TRY(finish_block(build, p));
        sino_rays_take_header(op, p, op->partition[p].reserved);
    }
    return NULL;
}

/* Allocates the marks of the rays that each partition touches; none for a single partition. */
static SinoStatus new_marks(Build *build)
{
    const int64_t count = build->op->partition_count;
    if (build->op->whole || SINO_SIMULATES) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *build->touched, "footprints", &build->touched));
    SINO_TRY(sino_allocate(count, sizeof *build->local, "footprints", &build->local));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_allocate(build->op->ray_count, 1, "a footprint's marks", &build->touched[p]));
    return NULL;
}

/* Releases the address range, unless the partition has taken it. */
static void free_area(Build *build, int64_t p)
{
    const SinoPackArea *area = &build->area[p];
    const int64_t pinned = pinned_bytes(build, p);
    if (area->block && pinned > 0) sino_data_unpin(area->block, pinned);
    sino_release(area->block, area->capacity);
}

static void free_build(Build *build)
{
    for (int64_t p = 0; p < build->op->partition_count; p++) {
        if (build->area) free_area(build, p);
        if (build->touched) free(build->touched[p]);
        if (build->local) free(build->local[p]);
    }
    free(build->area);
    free(build->touched);
    free(build->local);
    free(build->run);
}

SinoStatus sino_rays_build(SinoRuntime *runtime, SinoRays *op)
{
    SinoStatus status = NULL;
    Build build = {.runtime = runtime, .op = op};
    SINO_TRY_OR(status, cleanup, new_marks(&build));
    SINO_TRY_OR(status, cleanup, plan_runs(&build));
    for (int64_t r = 0; SINO_SIMULATES && r < build.run_count; r++) sino_rays_sketch_run(op, &build.run[r].pack);
    SINO_TRY_OR(status, cleanup, sino_rays_trace(runtime, &op->layout, build.run_count, build.run, &build.pinned));
    SINO_TRY_OR(status, cleanup, renumber_rays(&build));
    SINO_TRY_OR(status, cleanup, finish_blocks(&build));
cleanup:
    free_build(&build);
    return status;
}
