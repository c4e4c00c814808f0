/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, building: all blocks, by parallel tasks.
 *
 * The size of a block is known only after its rays are traced. Each block therefore reserves an address range larger
 * than it can need, of which only the written pages take memory. Runs of tiles are traced into the blocks
 * (rays_trace.c); then rays get their numbers in the footprints. Memory is touched once, and its peak stays near one
 * copy of A. Ranks that have the same blocks trace a share of each (rays_share.c). */
#include "memory.h"
#include "rays_private.h"
#include "rays_tasks.h"
#include "simulation.h"

#include <stdlib.h>

typedef struct Build {
    SinoRuntime *runtime;
    SinoRays *op;
    SinoRaysRun *run; /* those that this rank traces, then those of other ranks (rays_private.h) */
    int64_t own_count, run_count;
    SinoPackArea *area;      /* [partition] */
    SinoBlockHeader *header; /* [partition] */
    int64_t *pinned;         /* [partition]: page-locked bytes of the area */
    uint8_t **touched;       /* [partition][ray]: 1 if the partition meets the ray; NULL: it has all rays */
    uint32_t **local;        /* [partition][ray]: the ray's row in the footprint; NULL: the ray's own number */
} Build;

/* Number of tiles of a run that begins at tile[0]: at least `least`, in whole super-tiles. A super-tile divided between
 * two runs would be summed in another order, so bits would depend on the number of workers. */
static int64_t run_tiles(int64_t least, int64_t tile_count, const SinoTilePlace *tile)
{
    int64_t count = 0;
    while (count < tile_count && count < least) count += sino_trace_super_tile(tile_count - count, tile + count);
    return count;
}

/* Adds runs of a partition's tiles `first` … end − 1, which are whole super-tiles. */
static void add_runs(Build *build, int64_t p, int64_t first, int64_t end, int64_t least)
{
    const SinoPartition *partition = &build->op->partition[p];
    SinoPackArea *area = &build->area[p];
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces((const SinoBlockHeader *)(void *)area->block);
    piece += sino_pack_piece_count(first, partition->tile);
    for (int64_t t = first, tiles; t < end; t += tiles) {
        tiles = run_tiles(least, end - t, partition->tile + t);
        build->run[build->run_count++] = (SinoRaysRun){.partition = p,
                                                       .pack = {.layout = &build->op->layout,
                                                                .first_tile = t,
                                                                .tile_count = tiles,
                                                                .tile = partition->tile + t,
                                                                .area = area,
                                                                .piece = piece,
                                                                .touched = build->touched ? build->touched[p] : NULL}};
        piece += sino_pack_piece_count(tiles, partition->tile + t);
    }
}

/* Reserves the address range that a partition's runs share. */
static SinoStatus reserve(Build *build, int64_t p)
{
    SinoPartition *partition = &build->op->partition[p];
    SinoPackArea *area = &build->area[p];
    const int64_t count = partition->tile_count;
    char text[24];
    partition->piece_count = sino_pack_piece_count(count, partition->tile);
    *area = (SinoPackArea){.capacity = sino_rays_most_bytes(build->op, p),
                           .used = sino_block_head_bytes(count, partition->piece_count)};
    area->block = sino_reserve(area->capacity);
    SINO_CHECK(area->block, SINO_FAILED, "no addresses for the operator: %s asked for",
               sino_bytes_text(area->capacity, text));
    return NULL;
}

static SinoStatus plan_runs(Build *build)
{
    SinoRays *op = build->op;
    const int64_t *first = op->decomposition.first + op->first_partition;
    const int64_t tile_count = first[op->partition_count] - first[0];
    const int64_t least = sino_rays_run_tiles(build->runtime, op), own = op->ring.own, ranks = op->ring.count;
    int64_t share[SINO_RING_MAX + 1];
    SINO_TRY(sino_allocate(tile_count + op->partition_count, sizeof *build->run, "runs of tiles", &build->run));
    SINO_TRY(sino_allocate(op->partition_count, sizeof *build->area, "partitions", &build->area));
    SINO_TRY(sino_allocate(op->partition_count, sizeof *build->header, "partitions", &build->header));
    SINO_TRY(sino_allocate(op->partition_count, sizeof *build->pinned, "partitions", &build->pinned));
    for (int64_t p = 0; p < op->partition_count; p++) {
        SINO_TRY(reserve(build, p));
        sino_rays_share_tiles(op, p, share);
        add_runs(build, p, share[own], share[own + 1], least);
    }
    build->own_count = build->run_count;
    for (int64_t p = 0; p < op->partition_count && ranks > 1; p++) {
        sino_rays_share_tiles(op, p, share);
        add_runs(build, p, 0, share[own], sino_times(least, ranks));
        add_runs(build, p, share[own + 1], share[ranks], sino_times(least, ranks));
    }
    return NULL;
}

/* Page-locks the used part of each block whose runs GPUs have traced, or frees the locks. */
static void pin(Build *build, bool locked)
{
    for (int64_t p = 0; p < build->op->partition_count; p++) {
        SinoPackArea *area = &build->area[p];
        if (locked)
            sino_data_pin(build->runtime, area->block, area->used);
        else if (build->pinned[p] > 0)
            sino_data_unpin(area->block, build->pinned[p]);
        build->pinned[p] = locked ? area->used : 0;
    }
}

/* Traces this rank's runs, and counts what they hold. */
static SinoStatus trace(Build *build)
{
    bool pinned = false;
    for (int64_t r = 0; SINO_SIMULATES && r < build->own_count; r++)
        sino_rays_sketch_run(build->op, &build->run[r].pack);
    SINO_TRY(sino_rays_trace(build->runtime, &build->op->layout, build->own_count, build->run, &pinned));
    for (int64_t r = 0; r < build->own_count; r++) {
        const SinoPackRun *run = &build->run[r].pack;
        SinoBlockHeader *header = &build->header[build->run[r].partition];
        header->nonzero_count += run->nonzero_count;
        header->stored_nonzero_count += run->stored_nonzero_count;
        header->stored_count += run->stored_count;
        if (pinned) build->pinned[build->run[r].partition] = run->area->used;
    }
    return NULL;
}

/* The stored lengths of other ranks' runs, by their bytes. */
static void count_lengths(Build *build)
{
    for (int64_t r = build->own_count; r < build->run_count; r++) {
        SinoPackRun *run = &build->run[r].pack;
        const SinoBlockHeader *header = &build->header[build->run[r].partition];
        const int64_t pieces = sino_pack_piece_count(run->tile_count, run->tile);
        int64_t bytes = 0;
        for (int64_t i = 0; i < pieces; i++) bytes += run->piece[i].bytes;
        run->stored_count = (int64_t)((double)header->stored_count * (double)bytes / (double)run->area->used);
    }
}

/* Takes the runs of other ranks. Addresses that are page-locked in part cannot be copied to a GPU. */
static SinoStatus share(Build *build, SinoStatus status)
{
    SinoRays *op = build->op;
    bool pinned = false;
    if (op->ring.count < 2) return status;
    for (int64_t p = 0; build->pinned && p < op->partition_count; p++) pinned |= build->pinned[p] > 0;
    if (pinned) pin(build, false);
    SINO_TRY(sino_rays_share_blocks(build->runtime, op, status, build->area, build->header));
    if (pinned) pin(build, true);
    if (op->whole) return NULL;
    count_lengths(build);
    for (int64_t r = build->own_count; r < build->run_count && !status; r++)
        status = sino_insert_mark(build->runtime, build->run[r].partition, &build->run[r].pack);
    return sino_runtime_wait_after(build->runtime, status);
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

/* Writes the header of the finished block and hands the block to the partition. */
static SinoStatus finish_block(Build *build, int64_t p)
{
    SinoRays *op = build->op;
    SinoPartition *partition = &op->partition[p];
    SinoPackArea *area = &build->area[p];
    SinoBlockHeader *header = &build->header[p];
    header->bytes = area->used;
    header->tile_count = partition->tile_count;
    header->piece_count = partition->piece_count;
    header->ray_count = partition->footprint.ray_count;
    header->precision = op->layout.precision;
    SINO_TRY(sino_pack_head(header, &op->layout, partition->tile, area->block));
    SINO_TRY(sino_data_borrow(build->runtime, "A", area->block, header->bytes, &partition->block));
    partition->reserved = area->block;
    partition->reserved_bytes = area->capacity;
    partition->pinned_bytes = build->pinned[p];
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
    if (area->block && build->pinned && build->pinned[p] > 0) sino_data_unpin(area->block, build->pinned[p]);
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
    free(build->header);
    free(build->pinned);
    free(build->touched);
    free(build->local);
    free(build->run);
}

SinoStatus sino_rays_build(SinoRuntime *runtime, SinoRays *op)
{
    SinoStatus status = NULL;
    Build build = {.runtime = runtime, .op = op};
    status = new_marks(&build);
    if (!status) status = plan_runs(&build);
    if (!status) status = trace(&build);
    SINO_TRY_OR(status, cleanup, share(&build, status));
    SINO_TRY_OR(status, cleanup, renumber_rays(&build));
    SINO_TRY_OR(status, cleanup, finish_blocks(&build));
cleanup:
    free_build(&build);
    return status;
}
