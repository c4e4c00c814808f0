/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, inside: shared by the files rays*.c. */
#pragma once

#include "pack.h"
#include "rays.h"

/* Builds every block in memory. */
SinoStatus sino_rays_build(SinoRuntime *runtime, SinoRays *op);

/* A run of tiles of one partition. */
typedef struct SinoRaysRun {
    int64_t partition;
    SinoPackRun pack;
} SinoRaysRun;

/* Traces the runs into the areas of their partitions; runs of one area must be consecutive. Rays have their numbers in
 * the whole layout. If GPUs trace, *pinned is set and the used part of each area is page-locked, so that GPU copies are
 * asynchronous and run at full bandwidth. */
SinoStatus sino_rays_trace(SinoRuntime *runtime, const SinoLayout *layout, int64_t run_count, SinoRaysRun *run,
                           bool *pinned);

/* Unpins every block. */
void sino_rays_unpin(SinoRays *op);

/* The least number of tiles of a run; a run exceeds it by less than one super-tile. */
int64_t sino_rays_run_tiles(const SinoRuntime *runtime, const SinoRays *op);

/* Allocates op->window_count windows, and determines sizes and footprints of all partitions unless a file gave them. */
SinoStatus sino_rays_open_windows(SinoRuntime *runtime, SinoRays *op);
void sino_rays_close_windows(SinoRays *op);

/* If devices compute: the lists that they gather from, and footprints as data. Consumes the status of building,
 * and tells it to the ranks of op->ring. SINO_BAD_INPUT from the check: the operator is in windows. */
SinoStatus sino_rays_check_devices(const SinoRuntime *runtime, const SinoRays *op);
SinoStatus sino_rays_open_devices(SinoRuntime *runtime, SinoRays *op, SinoStatus status);
void sino_rays_close_devices(SinoRays *op);

/* Makes the lists of every partition and direction. Consumes the status of building. */
SinoStatus sino_rays_make_lists(SinoRuntime *runtime, SinoRays *op, SinoStatus status);

/* Upper bound of the bytes of partition p's block: as if each nonzero were alone in its group's union, in groups of
 * four rays. */
int64_t sino_rays_most_bytes(const SinoRays *op, int64_t p);

/* Makes the footprint of partition p from touched[ray], which is 1 for every ray that it meets. */
SinoStatus sino_rays_number_rays(SinoRays *op, int64_t p, const uint8_t *touched);

/* In a simulation, in place of tracing (rays_sketch.c). _run: the results of a traced run. _footprints: of all
 * partitions, unless there is only one. _header: of partition p's block. _lists: the lists for devices, by tasks; waits
 * for them; consumes the status of building. */
void sino_rays_sketch_run(const SinoRays *op, SinoPackRun *run);
SinoStatus sino_rays_sketch_footprints(SinoRays *op);
void sino_rays_sketch_header(const SinoRays *op, int64_t p, SinoBlockHeader *header);
SinoStatus sino_rays_sketch_lists(SinoRuntime *runtime, SinoRays *op, SinoStatus status);

/* Adds a block's counts to the operator's. */
void sino_rays_take_header(SinoRays *op, int64_t p, const SinoBlockHeader *header);
