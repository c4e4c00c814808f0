/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: the memoised system matrix A of one slice geometry, a block per partition, built by parallel tasks.
 *
 * Runs of tiles are traced each into memory of its own; when all sizes are known each partition gets one block, into
 * which its runs are moved, each freed as it goes, so that the peak stays near one copy of A. */
#include "operator.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A run of tiles of one partition, traced by one task. */
typedef struct Run {
    int64_t partition, first_tile, tile_count;
    SinoTrace trace;
    uint8_t *to; /* its place in the block */
} Run;

typedef struct Build {
    SinoRuntime *runtime;
    SinoOperator *operator;
    Run *run;
    int64_t run_count;
    uint8_t **touched; /* per partition, a byte per ray; NULL: all rays */
    uint32_t **local;  /* per partition, a ray's place in the footprint; NULL: the ray's own number */
} Build;

/* Enough runs for every worker to have several, so that none waits long for the last one. */
enum { RUNS_PER_WORKER = 8 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static SinoStatus plan_runs(Build *build)
{
    const SinoOperator *operator= build->operator;
    const int64_t wanted = RUNS_PER_WORKER * sino_runtime_worker_count(build->runtime);
    const int64_t size = operator->decomposition.tile_count / wanted + 1;
    SINO_TRY(sino_allocate(operator->decomposition.tile_count + operator->partition_count, sizeof *build->run,
                           "runs of tiles", &build->run));
    for (int64_t p = 0; p < operator->partition_count; p++) {
        const int64_t count = operator->partition[p].tile_count;
        for (int64_t t = 0; t < count; t += size)
            build->run[build->run_count++] = (Run){.partition = p, .first_tile = t, .tile_count = min(size, count - t)};
    }
    return NULL;
}

static SinoStatus trace_runs(Build *build)
{
    SinoOperator *operator= build->operator;
    for (int64_t r = 0; r < build->run_count; r++) {
        Run *run = &build->run[r];
        const SinoPartition *partition = &operator->partition[run->partition];
        SINO_TRY(sino_insert_trace(build->runtime, run->partition, &operator->geometry, operator->precision,
                                   run->tile_count, partition->tile + run->first_tile, &run->trace,
                                   build->touched ? build->touched[run->partition] : NULL));
    }
    return sino_runtime_wait(build->runtime);
}

/* The footprint from the rays touched, and each ray's place in it. */
static SinoStatus number_rays(Build *build, int64_t p)
{
    SinoOperator *operator= build->operator;
    SinoFootprint *footprint = &operator->partition[p].footprint;
    const uint8_t *touched = build->touched[p];
    uint32_t *ray = NULL;
    for (int64_t i = 0; i < operator->ray_count; i++) footprint->ray_count += touched[i];
    SINO_TRY(sino_allocate(footprint->ray_count, sizeof *ray, "a footprint", &ray));
    footprint->ray = ray;
    SINO_TRY(sino_allocate(operator->ray_count, sizeof *build->local[p], "numbering a footprint", &build->local[p]));
    uint32_t next = 0;
    for (int64_t i = 0; i < operator->ray_count; i++) {
        if (!touched[i]) continue;
        ray[next] = (uint32_t)i;
        build->local[p][i] = next++;
    }
    operator->bytes += footprint->ray_count *(int64_t) sizeof *ray;
    return NULL;
}

/* The partition's block, its header, and the place of each of its runs. */
static SinoStatus place_runs(Build *build, int64_t p)
{
    SinoOperator *operator= build->operator;
    SinoPartition *partition = &operator->partition[p];
    SinoBlockHeader header = {.bytes = (int64_t)sizeof header,
                              .tile_count = partition->tile_count,
                              .ray_count = partition->footprint.ray_count,
                              .precision = operator->precision };
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
    operator->nonzero_count += header.nonzero_count;
    operator->bytes += header.bytes;
    return NULL;
}

static SinoStatus pack_runs(Build *build)
{
    SinoStatus status = NULL, wait_status;
    SinoOperator *operator= build->operator;
    for (int64_t p = 0; p < operator->partition_count && !status; p++) {
        if (build->touched) status = number_rays(build, p);
        if (!status) status = place_runs(build, p);
    }
    for (int64_t r = 0; r < build->run_count && !status; r++) {
        Run *run = &build->run[r];
        status = sino_insert_pack(build->runtime, run->partition, &run->trace,
                                  build->local ? build->local[run->partition] : NULL, run->to);
    }
    wait_status = sino_runtime_wait(build->runtime);
    for (int64_t p = 0; p < operator->partition_count; p++)
        if (operator->partition[p].block) sino_data_release(operator->partition[p].block);
    if (!status) return wait_status;
    sino_status_free(wait_status);
    return status;
}

static SinoStatus new_partitions(SinoOperator *operator)
{
    SINO_TRY(sino_allocate(operator->partition_count, sizeof *operator->partition, "partitions", &operator->partition));
    for (int64_t p = 0; p < operator->partition_count; p++) {
        const int64_t first = operator->decomposition.first[p];
        SinoPartition *partition = &operator->partition[p];
        partition->tile = operator->decomposition.tile + first;
        partition->tile_count = operator->decomposition.first[p + 1] - first;
        partition->voxel_count = partition->tile_count * SINO_TILE_VOXELS;
        if (operator->partition_count == 1) partition->footprint.ray_count = operator->ray_count;
    }
    return NULL;
}

/* With several partitions, room to find out which rays each of them touches. */
static SinoStatus new_marks(Build *build)
{
    const int64_t count = build->operator->partition_count;
    if (count == 1) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *build->touched, "footprints", &build->touched));
    SINO_TRY(sino_allocate(count, sizeof *build->local, "footprints", &build->local));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_allocate(build->operator->ray_count, 1, "a footprint's marks", &build->touched[p]));
    return NULL;
}

static void free_build(Build *build)
{
    for (int64_t r = 0; r < build->run_count; r++) sino_trace_free(&build->run[r].trace);
    for (int64_t p = 0; p < build->operator->partition_count; p++) {
        if (build->touched) free(build->touched[p]);
        if (build->local) free(build->local[p]);
    }
    free(build->touched);
    free(build->local);
    free(build->run);
}

static SinoStatus build_operator(SinoRuntime *runtime, SinoOperator *operator)
{
    SinoStatus status = NULL;
    Build build = {.runtime = runtime, .operator= operator};
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
    SinoOperator *operator= NULL;
    const double begin = now();
    int64_t ray_count;
    SINO_TRY(sino_multiply(geometry->angle_count, geometry->column_count, "rays", &ray_count));
    SINO_CHECK(ray_count <= UINT32_MAX, SINO_BAD_INPUT, "%" PRId64 " angles × %" PRId64 " columns; allowed: 2³² rays",
               geometry->angle_count, geometry->column_count);
    SINO_TRY(sino_allocate(1, sizeof *operator, "the operator", &operator));
    operator->geometry = * geometry;
    operator->precision = precision;
    operator->partition_count = partition_count;
    operator->ray_count = ray_count;
    SINO_TRY_OR(status, fail, sino_decomposition_new(geometry, partition_count, &operator->decomposition));
    SINO_TRY_OR(status, fail, new_partitions(operator));
    SINO_TRY_OR(status, fail, build_operator(runtime, operator));
    operator->build_s = now() - begin;
    *result = operator;
    return NULL;
fail:
    sino_operator_free(operator);
    return status;
}

void sino_operator_free(SinoOperator *operator)
{
    if (!operator) return;
    for (int64_t p = 0; operator->partition && p<operator->partition_count; p++) {
        sino_data_free(operator->partition[p].block);
        free((uint32_t *)operator->partition[p].footprint.ray);
    }
    free(operator->partition);
    sino_decomposition_free(&operator->decomposition);
    free(operator);
}

int64_t sino_operator_estimate_bytes(const SinoGeometry *geometry, SinoPrecision precision)
{
    /* Measured on 16 × 16 tiles and groups of four rays: 6.3 and 11.6 bytes per nonzero; coarser angles pad more. */
    const double bytes_per_nonzero = precision == SINO_DOUBLE ? 14 : 7.5;
    double nonzeros = 0;
    for (int64_t k = 0; k < geometry->angle_count; k++)
        nonzeros += fabs(cos(geometry->angle_rad[k])) + fabs(sin(geometry->angle_rad[k]));
    const double size = (double)geometry->grid_size;
    const double covered = fmin(size, (double)geometry->column_count);
    return (int64_t)(nonzeros * size * covered * bytes_per_nonzero);
}
