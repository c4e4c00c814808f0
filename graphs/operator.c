/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: the memoised system matrix A of one slice geometry, a block per partition, built by parallel tasks.
 *
 * Runs of tiles are traced each into memory of its own; when all sizes are known each partition gets one block, into
 * which its runs are moved, each freed as it goes, so that the peak stays near one copy of A. */
#include "operator.h"

#include "memory.h"
#include "platform.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run of tiles of one partition, traced by one task. */
typedef struct Run {
    int64_t partition, first_tile, tile_count;
    SinoTrace trace;
    uint8_t *to; /* its place in the block */
} Run;

typedef struct Build {
    SinoRuntime *runtime;
    SinoOperator *op;
    Run *run;
    int64_t run_count;
    uint8_t **touched; /* per partition, a byte per ray; NULL: all rays */
    uint32_t **local;  /* per partition, a ray's place in the footprint; NULL: the ray's own number */
} Build;

static const double half_turn_rad = 3.14159265358979323846;

/* Enough runs for every worker to have several, so that none waits long for the last one. */
enum { RUNS_PER_WORKER = 8 };

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Tiles of a run: whole super-tiles, as far as a partition's ends allow. */
static int64_t run_tiles(int64_t tile_count, int64_t worker_count)
{
    const int64_t super = (int64_t)SINO_SUPER_TILE * SINO_SUPER_TILE;
    return (tile_count / (RUNS_PER_WORKER * worker_count) / super + 1) * super;
}

static SinoStatus plan_runs(Build *build)
{
    const SinoOperator *op = build->op;
    const int64_t size = run_tiles(op->decomposition.tile_count, sino_runtime_worker_count(build->runtime));
    SINO_TRY(sino_allocate(op->decomposition.tile_count + op->partition_count, sizeof *build->run, "runs of tiles",
                           &build->run));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const int64_t count = op->partition[p].tile_count;
        for (int64_t t = 0; t < count; t += size)
            build->run[build->run_count++] = (Run){.partition = p, .first_tile = t, .tile_count = min(size, count - t)};
    }
    return NULL;
}

static SinoStatus trace_runs(Build *build)
{
    SinoOperator *op = build->op;
    SinoStatus status = NULL;
    for (int64_t r = 0; r < build->run_count && !status; r++) {
        Run *run = &build->run[r];
        const SinoPartition *partition = &op->partition[run->partition];
        status = sino_insert_trace(build->runtime, run->partition, &op->geometry, op->precision, run->first_tile,
                                   run->tile_count, partition->tile + run->first_tile, &run->trace,
                                   build->touched ? build->touched[run->partition] : NULL);
    }
    /* The tasks in flight write to the runs, which the caller frees after a failure. */
    return sino_runtime_wait_after(build->runtime, status);
}

/* The footprint from the rays touched, and each ray's place in it. */
static SinoStatus number_rays(Build *build, int64_t p)
{
    SinoOperator *op = build->op;
    SinoFootprint *footprint = &op->partition[p].footprint;
    const uint8_t *touched = build->touched[p];
    uint32_t *ray = NULL;
    for (int64_t i = 0; i < op->ray_count; i++) footprint->ray_count += touched[i];
    SINO_TRY(sino_allocate(footprint->ray_count, sizeof *ray, "a footprint", &ray));
    footprint->ray = ray;
    SINO_TRY(sino_allocate(op->ray_count, sizeof *build->local[p], "numbering a footprint", &build->local[p]));
    uint32_t next = 0;
    for (int64_t i = 0; i < op->ray_count; i++) {
        if (!touched[i]) continue;
        ray[next] = (uint32_t)i;
        build->local[p][i] = next++;
    }
    op->bytes += footprint->ray_count * (int64_t)sizeof *ray;
    return NULL;
}

/* The partition's block, its header, and the place of each of its runs. */
static SinoStatus place_runs(Build *build, int64_t p)
{
    SinoOperator *op = build->op;
    SinoPartition *partition = &op->partition[p];
    SinoBlockHeader header = {.bytes = (int64_t)sizeof header,
                              .tile_count = partition->tile_count,
                              .ray_count = partition->footprint.ray_count,
                              .precision = op->precision};
    for (int64_t r = 0; r < build->run_count; r++) {
        if (build->run[r].partition != p) continue;
        header.bytes += build->run[r].trace.size;
        header.nonzero_count += build->run[r].trace.nonzero_count;
        header.stored_count += build->run[r].trace.stored_count;
    }
    SINO_TRY(sino_data_new(build->runtime, "A", header.bytes, &partition->block));
    void *memory;
    SINO_TRY(sino_data_acquire(partition->block, STARPU_W, &memory));
    memcpy(memory, &header, sizeof header);
    uint8_t *to = (uint8_t *)memory + sizeof header;
    for (int64_t r = 0; r < build->run_count; r++) {
        if (build->run[r].partition != p) continue;
        build->run[r].to = to;
        to += build->run[r].trace.size;
    }
    partition->nonzero_count = header.nonzero_count;
    partition->block_bytes = header.bytes;
    op->nonzero_count += header.nonzero_count;
    op->bytes += header.bytes;
    return NULL;
}

static SinoStatus pack_runs(Build *build)
{
    SinoStatus status = NULL;
    SinoOperator *op = build->op;
    for (int64_t p = 0; p < op->partition_count && !status; p++) {
        if (build->touched) status = number_rays(build, p);
        if (!status) status = place_runs(build, p);
    }
    for (int64_t r = 0; r < build->run_count && !status; r++) {
        Run *run = &build->run[r];
        status = sino_insert_pack(build->runtime, run->partition, &run->trace,
                                  build->local ? build->local[run->partition] : NULL, run->to);
    }
    status = sino_runtime_wait_after(build->runtime, status);
    for (int64_t p = 0; p < op->partition_count; p++)
        if (op->partition[p].block) sino_data_release(op->partition[p].block);
    return status;
}

static SinoStatus new_partitions(SinoOperator *op)
{
    SINO_TRY(sino_allocate(op->partition_count, sizeof *op->partition, "partitions", &op->partition));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const int64_t first = op->decomposition.first[p];
        SinoPartition *partition = &op->partition[p];
        partition->tile = op->decomposition.tile + first;
        partition->tile_count = op->decomposition.first[p + 1] - first;
        partition->voxel_count = partition->tile_count * SINO_TILE_VOXELS;
        if (op->partition_count == 1) partition->footprint.ray_count = op->ray_count;
    }
    return NULL;
}

/* With several partitions, room to find out which rays each of them touches. */
static SinoStatus new_marks(Build *build)
{
    const int64_t count = build->op->partition_count;
    if (count == 1) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *build->touched, "footprints", &build->touched));
    SINO_TRY(sino_allocate(count, sizeof *build->local, "footprints", &build->local));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_allocate(build->op->ray_count, 1, "a footprint's marks", &build->touched[p]));
    return NULL;
}

static void free_build(Build *build)
{
    for (int64_t r = 0; r < build->run_count; r++) sino_trace_free(&build->run[r].trace);
    for (int64_t p = 0; p < build->op->partition_count; p++) {
        if (build->touched) free(build->touched[p]);
        if (build->local) free(build->local[p]);
    }
    free(build->touched);
    free(build->local);
    free(build->run);
}

static SinoStatus build_operator(SinoRuntime *runtime, SinoOperator *op)
{
    SinoStatus status = NULL;
    Build build = {.runtime = runtime, .op = op};
    SINO_TRY_OR(status, cleanup, new_marks(&build));
    SINO_TRY_OR(status, cleanup, plan_runs(&build));
    SINO_TRY_OR(status, cleanup, trace_runs(&build));
    SINO_TRY_OR(status, cleanup, pack_runs(&build));
cleanup:
    free_build(&build);
    return status;
}

SinoStatus sino_operator_new(SinoRuntime *runtime, const SinoGeometry *geometry, SinoPrecision precision,
                             int64_t partition_count, SinoOperator **result)
{
    SinoStatus status = NULL;
    SinoOperator *op = NULL;
    const double begin = sino_platform_now_s();
    int64_t ray_count;
    SINO_TRY(sino_multiply(geometry->angle_count, geometry->column_count, "rays", &ray_count));
    SINO_CHECK(ray_count <= UINT32_MAX, SINO_BAD_INPUT, "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays",
               geometry->angle_count, geometry->column_count);
    SINO_TRY(sino_allocate(1, sizeof *op, "the operator", &op));
    op->geometry = *geometry;
    op->precision = precision;
    op->partition_count = partition_count;
    op->ray_count = ray_count;
    SINO_TRY_OR(status, fail, sino_decomposition_new(geometry, partition_count, &op->decomposition));
    SINO_TRY_OR(status, fail, new_partitions(op));
    SINO_TRY_OR(status, fail, build_operator(runtime, op));
    op->build_s = sino_platform_now_s() - begin;
    *result = op;
    return NULL;
fail:
    sino_operator_free(op);
    return status;
}

void sino_operator_free(SinoOperator *op)
{
    if (!op) return;
    for (int64_t p = 0; op->partition && p < op->partition_count; p++) {
        sino_data_free(op->partition[p].block);
        free((uint32_t *)op->partition[p].footprint.ray);
    }
    free(op->partition);
    sino_decomposition_free(&op->decomposition);
    free(op);
}

/* Mean distance of neighbouring angles as directions: of 0° and 179° it is 1°. */
static double mean_step_rad(const SinoGeometry *geometry)
{
    double sum = 0;
    for (int64_t k = 1; k < geometry->angle_count; k++)
        sum += fabs(remainder(geometry->angle_rad[k] - geometry->angle_rad[k - 1], half_turn_rad));
    return geometry->angle_count > 1 ? sum / (double)(geometry->angle_count - 1) : half_turn_rad;
}

/* The rays of a group share fewer voxels the coarser the angles are. Measured with K angles over 180°, 16 × 16 tiles
 * and groups of four rays, whatever N ≥ 16 is: 18.5 bytes at K = 1, 15.1 at 15, 10.9 at 60, 8.6 at 120, 6.3 at 400, 5.7
 * at 1000; this is 6 to 18 % more. It is concave in the step, so the mean step bounds uneven ones. */
static double bytes_per_nonzero(const SinoGeometry *geometry, SinoPrecision precision)
{
    const double coarse_rad = half_turn_rad / 45, step_rad = mean_step_rad(geometry);
    const double single = 6 + 14 * step_rad / (step_rad + coarse_rad);
    return precision == SINO_DOUBLE ? 1.83 * single : single;
}

int64_t sino_operator_estimate_bytes(const SinoGeometry *geometry, SinoPrecision precision)
{
    const int64_t headers = 64 << 10;
    double nonzeros = 0;
    for (int64_t k = 0; k < geometry->angle_count; k++)
        nonzeros += fabs(cos(geometry->angle_rad[k])) + fabs(sin(geometry->angle_rad[k]));
    const double size = (double)geometry->grid_size;
    const double covered = fmin(size, (double)geometry->column_count);
    return (int64_t)(nonzeros * size * covered * bytes_per_nonzero(geometry, precision)) + headers;
}

int64_t sino_operator_building_bytes(const SinoGeometry *geometry, int64_t partition_count, int64_t worker_count,
                                     int64_t operator_bytes)
{
    const int64_t mark_bytes = 1 + (int64_t)sizeof(uint32_t); /* touched, local */
    const int64_t marks = partition_count > 1 ? partition_count * sino_geometry_ray_count(geometry) * mark_bytes : 0;
    const int64_t side = (geometry->grid_size + SINO_TILE - 1) / SINO_TILE;
    /* Each worker moves a run into the block. */
    const double moving = (double)(worker_count * run_tiles(side * side, worker_count)) / (double)(side * side);
    return (int64_t)((double)operator_bytes * fmin(1, moving)) + marks;
}
