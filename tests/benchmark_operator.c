/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark of the operator's kernels: building A, project and backproject on every core at once, beside the FMA peak
 * and the read bandwidth of the same cores, measured in the same run.
 *
 * usage: benchmark_operator [COLUMNS [ANGLES [single|double]]], 512 375 single when not given. Prints CSV; GFLOP/s
 * count true nonzeros: 2 × nonzeros × slices. */
#include "decomposition.h"
#include "memory.h"
#include "platform.h"
#include "vector.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 64, REPEATS = 5 };

static void require(SinoStatus status)
{
    if (!status) return;
    fprintf(stderr, "benchmark_operator: %s\n", sino_status_text(status));
    exit(1);
}

/* One worker's share, and the work to do on it. */
typedef struct Worker {
    void (*work)(struct Worker *worker);
    const void *block;
    int64_t stride;
    void *x, *y, *stream;
    int64_t stream_bytes;
    double result;
} Worker;

static void project(Worker *worker)
{
    sino_spmm_project(worker->block, worker->stride, worker->x, worker->y);
}

static void backproject(Worker *worker)
{
    sino_spmm_backproject(worker->block, worker->stride, worker->y, worker->x);
}

/* Independent chains of multiply-adds: enough to fill two pipelines of a latency of up to six cycles. */
enum { CHAINS = 12, FMA_ROUNDS = 20000000 };

typedef float Lanes __attribute__((vector_size(32)));

#ifdef __x86_64__
__attribute__((target("avx2,fma")))
#endif
static void
multiply_add(Worker *worker)
{
    Lanes sum[CHAINS];
    const Lanes factor = (Lanes){0} + 0.999999f, term = (Lanes){0} + 1e-6f;
    for (int i = 0; i < CHAINS; i++) sum[i] = (Lanes){0} + (float)i;
    for (int64_t round = 0; round < FMA_ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sum[i] = sum[i] * factor + term;
    for (int i = 0; i < CHAINS; i++) worker->result += (double)sum[i][0];
}

SINO_VECTORISED static uint64_t sum_words(const uint64_t *word, int64_t count)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += word[i];
    return sum;
}

static void read_stream(Worker *worker)
{
    worker->result += (double)sum_words(worker->stream, worker->stream_bytes / (int64_t)sizeof(uint64_t));
}

static void *run_worker(void *argument)
{
    Worker *worker = argument;
    worker->work(worker);
    return NULL;
}

/* The shortest of some runs on all workers at once. */
static double best_s(Worker *worker, int64_t count, void (*work)(Worker *worker))
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        pthread_t thread[WORKERS_MAX];
        const double begin = sino_platform_now_s();
        for (int64_t w = 0; w < count; w++) {
            worker[w].work = work;
            if (pthread_create(&thread[w], NULL, run_worker, &worker[w]) != 0) exit(1);
        }
        for (int64_t w = 0; w < count; w++) pthread_join(thread[w], NULL);
        best = fmin(best, sino_platform_now_s() - begin);
    }
    return best;
}

/* The block of a whole slice, footprint every ray; caller frees. */
static SinoBlockHeader *build(const SinoGeometry *geometry, SinoPrecision precision, double *seconds)
{
    SinoDecomposition whole;
    SinoTrace trace;
    require(sino_decomposition_new(geometry, 1, &whole));
    const double begin = sino_platform_now_s();
    require(sino_trace_tiles(geometry, precision, 0, whole.tile_count, whole.tile, &trace));
    SinoBlockHeader *block = sino_allocate_large((int64_t)sizeof *block + trace.size);
    if (!block) exit(1);
    *block = (SinoBlockHeader){.bytes = (int64_t)sizeof *block + trace.size,
                               .tile_count = whole.tile_count,
                               .ray_count = sino_geometry_ray_count(geometry),
                               .nonzero_count = trace.nonzero_count,
                               .stored_count = trace.stored_count,
                               .precision = precision};
    sino_pack_tiles(&trace, NULL, (uint8_t *)(block + 1));
    *seconds = sino_platform_now_s() - begin;
    sino_decomposition_free(&whole);
    return block;
}

static void measure(const SinoBlockHeader *block, int64_t slices, int64_t worker_count, double fma_peak)
{
    Worker worker[WORKERS_MAX] = {0};
    const SinoPrecision precision = (SinoPrecision)block->precision;
    const int64_t stride = sino_panel_stride(precision, slices);
    const int64_t row = stride * (int64_t)sino_precision_bytes(precision);
    for (int64_t w = 0; w < worker_count; w++) {
        worker[w] = (Worker){.block = block, .stride = stride};
        worker[w].x = sino_allocate_large(block->tile_count * SINO_TILE_VOXELS * row);
        worker[w].y = sino_allocate_large(block->ray_count * row);
        if (!worker[w].x || !worker[w].y) exit(1);
        memset(worker[w].x, 0, (size_t)(block->tile_count * SINO_TILE_VOXELS * row));
    }
    const double flops = 2e-9 * (double)block->nonzero_count * (double)slices * (double)worker_count;
    const double forward = flops / best_s(worker, worker_count, project);
    const double back = flops / best_s(worker, worker_count, backproject);
    const double peak = precision == SINO_DOUBLE ? fma_peak / 2 : fma_peak;
    printf("%s,%" PRId64 ",%" PRId64 ",%.2f,%.2f,%.3f,%.3f\n", precision == SINO_DOUBLE ? "double" : "single", slices,
           worker_count, forward, back, forward / peak, back / peak);
    for (int64_t w = 0; w < worker_count; w++) {
        free(worker[w].x);
        free(worker[w].y);
    }
}

static double read_gbps(int64_t worker_count)
{
    Worker worker[WORKERS_MAX] = {0};
    const int64_t bytes = (int64_t)256 << 20;
    for (int64_t w = 0; w < worker_count; w++) {
        worker[w] = (Worker){.stream = sino_allocate_large(bytes), .stream_bytes = bytes};
        if (!worker[w].stream) exit(1);
        memset(worker[w].stream, 1, (size_t)bytes);
    }
    const double seconds = best_s(worker, worker_count, read_stream);
    for (int64_t w = 0; w < worker_count; w++) free(worker[w].stream);
    return 1e-9 * (double)(bytes * worker_count) / seconds;
}

static double fma_gflops(int64_t worker_count)
{
    Worker worker[WORKERS_MAX] = {0};
    const double lanes = (double)(sizeof(Lanes) / sizeof(float));
    return 2e-9 * lanes * CHAINS * FMA_ROUNDS * (double)worker_count / best_s(worker, worker_count, multiply_add);
}

int main(int argc, char **argv)
{
    const int64_t columns = argc > 1 ? strtoll(argv[1], NULL, 10) : 512;
    const int64_t angles = argc > 2 ? strtoll(argv[2], NULL, 10) : 375;
    const SinoPrecision precision = argc > 3 && strcmp(argv[3], "double") == 0 ? SINO_DOUBLE : SINO_SINGLE;
    const int64_t cores = sino_platform_core_count(), workers = cores < WORKERS_MAX ? cores : WORKERS_MAX;
    const int64_t slices[] = {1, 2, 4, 8, 16, 32, 64};
    double *angle_rad = NULL, seconds = 0;
    if (columns < 1 || angles < 1) return 2;
    require(sino_allocate(angles, sizeof *angle_rad, "angles", &angle_rad));
    for (int64_t k = 0; k < angles; k++) angle_rad[k] = 3.14159265358979323846 * (double)k / (double)angles;
    const SinoGeometry geometry = {.angle_count = angles,
                                   .column_count = columns,
                                   .grid_size = columns,
                                   .angle_rad = angle_rad,
                                   .center = (double)(columns - 1) / 2};
    const double peak = fma_gflops(workers), bandwidth = read_gbps(workers);
    printf("# FMA peak %.1f GFLOP/s in single with 256-bit registers, read bandwidth %.1f GB/s, %" PRId64
           " cores, kernels: %s\n",
           peak, bandwidth, workers, sino_spmm_isa_name());
    SinoBlockHeader *block = build(&geometry, precision, &seconds);
    printf("# %" PRId64 " columns, %" PRId64 " angles: %" PRId64 " nonzeros, density %.3f, %.2f bytes per nonzero, "
           "built at %.1f M nonzeros per second on one core\n",
           columns, angles, block->nonzero_count, (double)block->nonzero_count / (double)block->stored_count,
           (double)block->bytes / (double)block->nonzero_count, 1e-6 * (double)block->nonzero_count / seconds);
    printf("precision,slices,workers,project_gflops,backproject_gflops,project_of_peak,backproject_of_peak\n");
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) measure(block, slices[i], workers, peak);
    free(block);
    free(angle_rad);
    return 0;
}
