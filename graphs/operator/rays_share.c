/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, sharing: ranks that reconstruct other slices with the same A build it together. Each traces some super-tiles of
 * every partition, and makes some visits of the lists for devices; then all of these go round.
 *
 * Pieces lie in another order in each rank's block. The table of pieces, by which kernels sum, is the same. */
#include "rays_private.h"

#include "memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a rank is about to build. */
typedef struct Intent {
    SinoOperatorKey key;
    int64_t builds;  /* 0: its blocks are in windows, or from a file */
    int64_t devices; /* which determine the lists */
} Intent;

SinoStatus sino_rays_share_begin(SinoRuntime *runtime, SinoRays *op, SinoStatus status)
{
    SinoProcesses *processes = sino_runtime_processes(runtime);
    SinoRing *ring = &op->ring;
    Intent own, all[SINO_RING_MAX];
    if (ring->count < 2) return status;
    memset(&own, 0, sizeof own);
    if (!status) status = sino_rays_cache_key(op, &own.key);
    own.builds = op->window_count == 0 && !op->file;
    own.devices = sino_runtime_devices(runtime);
    SINO_TRY(sino_ring_agree(processes, ring, status));
    SINO_TRY(sino_ring_gather(processes, ring, sizeof own, &own, all));
    for (int64_t i = 0; i < op->ring.count; i++)
        if (!own.builds || memcmp(&all[i], &own, sizeof own) != 0) {
            *ring = (SinoRing){0};
            break;
        }
    return NULL;
}

void sino_rays_share_tiles(const SinoRays *op, int64_t p, int64_t first[SINO_RING_MAX + 1])
{
    const SinoPartition *partition = &op->partition[p];
    const double *weight = op->decomposition.weight + (partition->tile - op->decomposition.tile);
    const int64_t ranks = op->ring.count > 1 ? op->ring.count : 1, count = partition->tile_count;
    double all = 0, sum = 0;
    int64_t rank = 0, tiles;
    for (int64_t t = 0; t < count; t++) all += weight[t];
    first[0] = 0;
    for (int64_t t = 0; t < count; t += tiles) {
        double more = 0;
        tiles = sino_trace_super_tile(count - t, partition->tile + t);
        for (int64_t i = t; i < t + tiles; i++) more += weight[i];
        while (rank + 1 < ranks && (sum + more / 2) * (double)ranks >= all * (double)(rank + 1)) first[++rank] = t;
        sum += more;
    }
    while (rank < ranks) first[++rank] = count;
}

/* What a rank has traced of a partition. */
typedef struct Traced {
    int64_t bytes, nonzero_count, stored_nonzero_count, stored_count;
} Traced;

/* Shares the table of pieces. */
static SinoStatus share_pieces(SinoRuntime *runtime, const SinoRays *op, int64_t p, SinoBlockPiece **piece)
{
    const SinoTilePlace *tile = op->partition[p].tile;
    int64_t first[SINO_RING_MAX + 1], bytes[SINO_RING_MAX];
    void *memory[SINO_RING_MAX];
    sino_rays_share_tiles(op, p, first);
    for (int64_t i = 0; i < op->ring.count; i++) {
        const int64_t pieces = sino_pack_piece_count(first[i + 1] - first[i], tile + first[i]);
        bytes[i] = sino_times(pieces, sizeof **piece);
        memory[i] = piece[i];
        piece[i + 1] = piece[i] + pieces;
    }
    return sino_ring_share(sino_runtime_processes(runtime), &op->ring, bytes, memory, false);
}

/* This rank's sections lie at the begin of the area; those of the others follow. traced[rank · step] is of this
 * partition. */
static SinoStatus share_block(SinoRuntime *runtime, SinoRays *op, int64_t p, SinoPackArea *area, const Traced *traced,
                              int64_t step)
{
    const SinoPartition *partition = &op->partition[p];
    const int64_t ranks = op->ring.count, own = op->ring.own;
    const int64_t begin = sino_block_head_bytes(partition->tile_count, partition->piece_count);
    SinoBlockPiece *piece[SINO_RING_MAX + 1] = {
        (SinoBlockPiece *)sino_block_pieces((const SinoBlockHeader *)(void *)area->block)};
    int64_t bytes[SINO_RING_MAX], offset[SINO_RING_MAX];
    void *memory[SINO_RING_MAX];
    int64_t all = sino_block_align(begin, SINO_ALIGNMENT_BYTES);
    for (int64_t i = 0; i < ranks; i++) all += sino_block_align(traced[i * step].bytes, SINO_ALIGNMENT_BYTES);
    SINO_CHECK(all <= area->capacity, SINO_FAILED, "the operator needs %" PRId64 " bytes; foreseen: %" PRId64, all,
               area->capacity);
    SINO_TRY(share_pieces(runtime, op, p, piece));
    for (int64_t i = 0; i < ranks; i++) {
        bytes[i] = traced[i * step].bytes;
        offset[i] = i == own ? begin : sino_block_align(area->used, SINO_ALIGNMENT_BYTES);
        memory[i] = area->block + offset[i];
        if (i != own) area->used = offset[i] + bytes[i];
    }
    SINO_TRY(sino_ring_share(sino_runtime_processes(runtime), &op->ring, bytes, memory, true));
    for (int64_t i = 0; i < ranks; i++)
        for (SinoBlockPiece *at = piece[i]; at < piece[i + 1]; at++) at->offset += offset[i] - begin;
    return NULL;
}

static SinoStatus share_all(SinoRuntime *runtime, SinoRays *op, SinoPackArea *area, SinoBlockHeader *header,
                            Traced *traced)
{
    const int64_t count = op->partition_count, ranks = op->ring.count;
    assert(traced);
    Traced *own = traced + ranks * count;
    for (int64_t p = 0; p < count; p++)
        own[p] =
            (Traced){area[p].used - sino_block_head_bytes(op->partition[p].tile_count, op->partition[p].piece_count),
                     header[p].nonzero_count, header[p].stored_nonzero_count, header[p].stored_count};
    SINO_TRY(sino_ring_gather(sino_runtime_processes(runtime), &op->ring, count * (int64_t)sizeof *own, own, traced));
    for (int64_t p = 0; p < count; p++) {
        SINO_TRY(share_block(runtime, op, p, &area[p], &traced[p], count));
        for (int64_t i = 0; i < ranks; i++) {
            if (i == op->ring.own) continue;
            header[p].nonzero_count += traced[i * count + p].nonzero_count;
            header[p].stored_nonzero_count += traced[i * count + p].stored_nonzero_count;
            header[p].stored_count += traced[i * count + p].stored_count;
        }
    }
    return NULL;
}

SinoStatus sino_rays_share_blocks(SinoRuntime *runtime, SinoRays *op, SinoStatus status, SinoPackArea *area,
                                  SinoBlockHeader *header)
{
    Traced *traced = NULL;
    if (op->ring.count < 2) return status;
    if (!status)
        status =
            sino_allocate(sino_times(op->ring.count + 1, op->partition_count), sizeof *traced, "partitions", &traced);
    status = sino_ring_agree(sino_runtime_processes(runtime), &op->ring, status);
    if (!status) status = share_all(runtime, op, area, header, traced);
    free(traced);
    return status;
}

int64_t sino_rays_share_visit(const SinoRays *op, int64_t visit_count, int64_t rank)
{
    if (op->ring.count < 2) return visit_count * rank;
    return sino_smaller(visit_count,
                        sino_block_align(sino_times(visit_count, rank) / op->ring.count, SINO_RAYS_VISITS));
}

SinoStatus sino_rays_share_lists(SinoRuntime *runtime, const SinoRays *op, int64_t visit_count,
                                 const SinoRaysOffset *offset, void *lists, bool addresses)
{
    int64_t bytes[SINO_RING_MAX];
    void *memory[SINO_RING_MAX];
    for (int64_t i = 0; i < op->ring.count; i++) {
        const int64_t begin = offset->of(offset->context, sino_rays_share_visit(op, visit_count, i));
        bytes[i] = offset->of(offset->context, sino_rays_share_visit(op, visit_count, i + 1)) - begin;
        memory[i] = (char *)lists + begin;
    }
    return sino_ring_share(sino_runtime_processes(runtime), &op->ring, bytes, memory, addresses);
}
