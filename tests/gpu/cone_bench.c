/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone bench: backprojection of a block of 32 cone-beam projections on the first GPU, in 1e9 updates per second (an
 * update: one voxel and one projection): cone_bench [SIZE …], else 256 512 1024: a volume of SIZE³ voxels of the
 * default size from SIZE² pixels, half of whose width is 0.18 of the source's distance. The best of five. */
#include "cone_cuda.h"
#include "memory.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 5, PROJECTIONS = SINO_CONE_CUDA_PROJECTIONS, SKIPPED = 77 };

#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        SINO_CHECK(error_ == cudaSuccess, SINO_FAILED, "%s: %s", #call, cudaGetErrorString(error_));                   \
    } while (0)

/* A block on the GPU. */
typedef struct Bench {
    SinoCone cone;
    SinoConeLines lines;
    SinoConePart part;
    double angle_rad[PROJECTIONS];
    const float *unit[PROJECTIONS];
    const void *projection[PROJECTIONS];
    char *entries; /* of all projections */
    float *units, *voxels;
    cudaEvent_t begin, end;
} Bench;

static void shape(int64_t size, SinoPrecision precision, SinoConeSymmetry symmetry, Bench *bench)
{
    const double pixel = 0.2, magnification = 1.5, voxel = pixel / magnification;
    const double distance = 0.5 * (double)size * voxel / 0.18;
    const int64_t share = symmetry.turns == SINO_CONE_TURNS ? 2 : 1;
    *bench = (Bench){.cone = {.angle_count = PROJECTIONS,
                              .column_count = size,
                              .row_count = size,
                              .x_count = size,
                              .y_count = size,
                              .z_count = size,
                              .angle_rad = bench->angle_rad,
                              .source_object = distance,
                              .source_detector = distance * magnification,
                              .pixel_width = pixel,
                              .pixel_height = pixel,
                              .voxel_size = voxel,
                              .center = 0.5 * (double)(size - 1),
                              .center_row = 0.5 * (double)(size - 1)},
                     .lines = {.symmetry = symmetry,
                               .precision = precision,
                               .group_count = PROJECTIONS / symmetry.turns,
                               .column_count = size,
                               .entry_count = sino_ceil_multiple(size / symmetry.halves + 2, SINO_CONE_ENTRIES)},
                     .part = {0, 0, size / share, size / share, 0, size / symmetry.halves}};
    for (int p = 0; p < PROJECTIONS; p++) bench->angle_rad[p] = 2 * SINO_PI * p / PROJECTIONS;
}

/* Values between 0.5 and 1, or of mixed precision up to SINO_CONE_LARGEST. */
static SinoStatus fill_random(SinoPrecision precision, int64_t bytes, void *memory)
{
    uint64_t state = 88172645463325252u;
    uint32_t *copy;
    SINO_TRY(sino_allocate(sino_ceil_divide(bytes, (int64_t)sizeof *copy), sizeof *copy, "entries", &copy));
    for (int64_t i = 0; i < sino_ceil_divide(bytes, (int64_t)sizeof *copy); i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const float value = 0.5F + (float)(state >> 40) * 0x1p-25F;
        copy[i] = (uint32_t)(state >> 32) & 0x7cff7cff;
        if (precision == SINO_SINGLE) memcpy(&copy[i], &value, sizeof value);
    }
    const cudaError_t error = cudaMemcpy(memory, copy, (size_t)bytes, cudaMemcpyHostToDevice);
    free(copy);
    CUDA_TRY(error);
    return NULL;
}

static SinoStatus bench_new(int64_t size, SinoPrecision precision, SinoConeSymmetry symmetry, Bench *bench)
{
    static const float ones[PROJECTIONS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    shape(size, precision, symmetry, bench);
    const int64_t bytes = sino_times(sino_cone_projection_entries(&bench->lines), sino_cone_entry_bytes(&bench->lines));
    const int64_t voxel_bytes = sino_times(sino_cone_part_voxels(&bench->part, symmetry), sizeof(float));
    CUDA_TRY(cudaMalloc((void **)&bench->entries, (size_t)sino_times(bytes, PROJECTIONS)));
    CUDA_TRY(cudaMalloc((void **)&bench->units, sizeof ones));
    CUDA_TRY(cudaMalloc((void **)&bench->voxels, (size_t)voxel_bytes));
    SINO_TRY(fill_random(precision, sino_times(bytes, PROJECTIONS), bench->entries));
    CUDA_TRY(cudaMemcpy(bench->units, ones, sizeof ones, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(bench->voxels, 0, (size_t)voxel_bytes));
    CUDA_TRY(cudaEventCreate(&bench->begin));
    CUDA_TRY(cudaEventCreate(&bench->end));
    for (int p = 0; p < PROJECTIONS; p++) {
        bench->projection[p] = bench->entries + sino_times(p, bytes);
        bench->unit[p] = bench->units + p;
    }
    return NULL;
}

static void bench_free(Bench *bench)
{
    cudaFree(bench->entries);
    cudaFree(bench->units);
    cudaFree(bench->voxels);
    if (bench->begin) cudaEventDestroy(bench->begin);
    if (bench->end) cudaEventDestroy(bench->end);
}

/* Milliseconds of the fastest call, after one that does not count. */
static SinoStatus measure(const Bench *bench, float *best_ms)
{
    const SinoConeBackprojectionCuda what = {.cone = &bench->cone,
                                             .lines = &bench->lines,
                                             .part = &bench->part,
                                             .angle_rad = bench->angle_rad,
                                             .unit = bench->unit,
                                             .projection = bench->projection};
    for (int i = 0; i <= REPETITIONS; i++) {
        float ms;
        CUDA_TRY(cudaEventRecord(bench->begin, NULL));
        SINO_TRY(sino_cone_backproject_cuda(NULL, &what, bench->voxels));
        CUDA_TRY(cudaEventRecord(bench->end, NULL));
        CUDA_TRY(cudaEventSynchronize(bench->end));
        CUDA_TRY(cudaEventElapsedTime(&ms, bench->begin, bench->end));
        if (i == 1 || (i > 1 && ms < *best_ms)) *best_ms = ms;
    }
    return NULL;
}

static SinoStatus bench_size(int64_t size)
{
    static const SinoConeSymmetry symmetry[] = {{4, 2}, {4, 1}, {1, 2}, {1, 1}};
    static const char *const name[] = {"quarter turns, mirror images", "quarter turns", "mirror images", "none"};
    for (int precision = 0; precision < 2; precision++)
        for (size_t i = 0; i < sizeof symmetry / sizeof *symmetry; i++) {
            Bench bench;
            float ms = 0;
            SinoStatus status = bench_new(size, precision ? SINO_MIXED : SINO_SINGLE, symmetry[i], &bench);
            if (!status) status = measure(&bench, &ms);
            bench_free(&bench);
            if (status) return status;
            const double updates = (double)size * (double)size * (double)size * PROJECTIONS;
            printf("| cone beam, %lld³, %s, %s | %.2f ms | %.0f G updates/s |\n", (long long)size,
                   precision ? "mixed" : "single", name[i], (double)ms, updates / ((double)ms * 1e6));
        }
    return NULL;
}

/* SIZE is even: without that there are no mirror images and no quarter turns. */
static SinoStatus bench_all(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const int64_t size = strtoll(argv[i], NULL, 10);
        SINO_CHECK(size >= 2 && size % 2 == 0, SINO_BAD_INPUT, "size %s; allowed: an even number from 2", argv[i]);
        SINO_TRY(bench_size(size));
    }
    for (int64_t size = 256; argc == 1 && size <= 1024; size *= 2) SINO_TRY(bench_size(size));
    return NULL;
}

int main(int argc, char **argv)
{
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        printf("skipped: no GPU (%s)\n", cudaGetErrorString(error));
        return SKIPPED;
    }
    SinoStatus status = bench_all(argc, argv);
    if (!status) return 0;
    fprintf(stderr, "cone_bench: %s\n", sino_status_text(status));
    sino_status_free(status);
    return 1;
}
