/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, inside: shared by the files rays*.c. */
#pragma once

#include "angle_subsets.h"
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

/* Rays, sharing: ranks that reconstruct other slices with the same A build it together, in the ring op->ring. Functions
 * with a runtime are called by all ranks of the ring alike. */

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

/* Rays, cache: operators saved as files of a directory, by a key made of everything that determines them. */

/* The key: everything that determines the blocks. SINO_FAILED: no memory. */
SinoStatus sino_rays_cache_key(const SinoRays *op, SinoOperatorKey *key);

/* Called before any work. SINO_BAD_INPUT: no file can be written in the directory (NULL: no directory is asked for). */
SinoStatus sino_rays_cache_check(const char *directory);

/* Loads the operator if the directory (NULL: none) has its file. `op` must have its decomposition and partitions, but
 * no blocks. On success op->file is the mapped file, and blocks, footprints and counts are filled in; they live as long
 * as the file stays open. If there is no file, or the file cannot be trusted (a warning says so), op->file stays NULL.
 * SINO_FAILED: no memory. */
SinoStatus sino_rays_cache_load(SinoRuntime *runtime, const char *directory, SinoRays *op);

/* Saves an operator in the directory and replaces an earlier file. Does nothing if the operator was loaded from a file
 * or is in windows. A failure is only a warning. */
void sino_rays_cache_save(SinoRuntime *runtime, const char *directory, SinoRays *op);

/* Rays, the kind of operator: shared by rays_kind.c, rays_product.c, rays_report.c and rays_size.c.
 *
 * It has the memoised system matrix of a parallel-beam scan (rays.h), one matrix for each subset of the angles, all
 * with the same partitions. Each subset has an exchange, which turns its partial sums into rays. */

/* One subset of the angles. */
typedef struct SinoRaysSubset {
    SinoRays *rays;
    SinoRayExchange *exchange;
    SinoExchangePart *part; /* [partition of this rank] */
    int64_t *all_voxels;    /* [partition of the slice] */
    SinoShape shape;
} SinoRaysSubset;

/* SinoOperator.own. All members are owned. */
typedef struct SinoRaysOwn {
    SinoRaysSubset *subset; /* [subset_count] */
    int64_t *place;         /* SinoOperator.place */
    int64_t *subset_rays;   /* rows of SINO_ROWS_SUBSET */
    SinoAngleSubsets angles;
    SinoLayout scan; /* of all angles; of several subsets only */
} SinoRaysOwn;

/* The functions of sino_rays_kind that are defined in other files. */
SinoStatus sino_rays_outline(const SinoProblem *problem, SinoOperatorOutline *outline);
SinoStatus sino_rays_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                          SinoOperatorSize *size);
int64_t sino_rays_work_bytes(const SinoShape *shape, SinoBatch batch);
SinoStatus sino_rays_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
void sino_rays_work_close(SinoOperatorWork *work);
SinoStatus sino_rays_project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y);
SinoStatus sino_rays_project_parts(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x,
                                   SinoParts *parts);
int64_t sino_rays_image_bytes(const SinoOperator *op, SinoSlices slices);
SinoStatus sino_rays_backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x);
SinoStatus sino_rays_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                           SinoData *const *x, SinoData *image);
void sino_rays_report(const SinoOperator *op);
