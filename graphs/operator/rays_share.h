/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, sharing: ranks that reconstruct other slices with the same A build it together, in the ring op->ring. Functions
 * with a runtime are called by all ranks of the ring alike. */
#pragma once

#include "rays_private.h"

/* Before anything is built; op->ring is left empty unless all its ranks build the same. Consumes the status. */
SinoStatus sino_rays_share_begin(SinoRuntime *runtime, SinoRays *op, SinoStatus status);

/* Rank i of the ring traces tiles first[i] … first[i+1] − 1 of partition p, whole super-tiles, with nearly equal shares
 * of the nonzeros. A rank alone traces all of them. */
void sino_rays_share_tiles(const SinoRays *op, int64_t p, int64_t first[SINO_RING_MAX + 1]);

/* Completes the blocks in area[partition], after each rank has traced its tiles; header[partition] counts what this one
 * has traced, and then all of it. Consumes the status of tracing. SINO_FAILED: an area is too small. */
SinoStatus sino_rays_share_blocks(SinoRuntime *runtime, SinoRays *op, SinoStatus status, SinoPackArea *area,
                                  SinoBlockHeader *header);

/* The first of the visits (rays_lists.c) that a rank of the ring makes, a multiple of SINO_RAYS_VISITS, so that arrays
 * of visits are cut between cache lines. A rank alone makes all. */
enum { SINO_RAYS_VISITS = 64 };
int64_t sino_rays_share_visit(const SinoRays *op, int64_t visit_count, int64_t rank);

/* Where the bytes of a visit begin; for visit_count: where the last ones end. */
typedef struct SinoRaysOffset {
    int64_t (*of)(const void *context, int64_t visit);
    const void *context;
} SinoRaysOffset;

/* Completes an array at `lists` of which each rank has written its visits. `addresses`: as for sino_ring_share. */
SinoStatus sino_rays_share_lists(SinoRuntime *runtime, const SinoRays *op, int64_t visit_count,
                                 const SinoRaysOffset *offset, void *lists, bool addresses);
