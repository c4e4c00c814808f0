/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone bench: backprojection of a block of 32 cone-beam projections on the first GPU, by FDK and by iterative
 * algorithms, and their projection, in 1e9 updates per second (an update: one voxel and one projection): cone_bench
 * [SIZE …], else 256 512 1024: a volume of SIZE³ voxels of the default size from SIZE² pixels, half of whose width is
 * 0.18 of the source's distance. The best of five. */
#include "cone_cuda.h"
#include "cone_project.h"
#include "memory.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPETITIONS = 5,
    PROJECTIONS = SINO_CONE_CUDA_PROJECTIONS,
    BAND_ROWS = 16, /* of a task of iterative algorithms */
    SKIPPED = 77
};

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

typedef SinoStatus Product(const Bench *bench);

static SinoStatus backproject(const Bench *bench)
{
    const SinoConeBackprojectionCuda what = {.cone = &bench->cone,
                                             .lines = &bench->lines,
                                             .part = &bench->part,
                                             .angle_rad = bench->angle_rad,
                                             .unit = bench->unit,
                                             .projection = bench->projection};
    return sino_cone_backproject_cuda(NULL, &what, bench->voxels);
}

/* The entries without symmetry are more than the rays. */
static SinoStatus pass_bands(const Bench *bench, bool back)
{
    const SinoCone *cone = &bench->cone;
    void *entries = bench->entries;
    float *rays = entries;
    for (int64_t y = 0; y < cone->y_count; y += BAND_ROWS) {
        const SinoConeBand band = {y, sino_smaller(BAND_ROWS, cone->y_count - y)};
        const SinoConeAngles angles = {0, PROJECTIONS};
        float *voxels = bench->voxels + y * cone->x_count * cone->z_count;
        SINO_TRY(back ? sino_cone_project_back_cuda(NULL, cone, band, angles, true, rays, voxels)
                      : sino_cone_project_cuda(NULL, cone, band, angles, y == 0, voxels, rays));
    }
    return NULL;
}

static SinoStatus project(const Bench *bench)
{
    return pass_bands(bench, false);
}

static SinoStatus project_back(const Bench *bench)
{
    return pass_bands(bench, true);
}

/* Measures and prints the fastest call, after one that does not count. */
static SinoStatus measure(const Bench *bench, Product *product, const char *name)
{
    const double size = (double)bench->cone.x_count;
    float best_ms = 0;
    for (int i = 0; i <= REPETITIONS; i++) {
        float ms;
        CUDA_TRY(cudaEventRecord(bench->begin, NULL));
        SINO_TRY(product(bench));
        CUDA_TRY(cudaEventRecord(bench->end, NULL));
        CUDA_TRY(cudaEventSynchronize(bench->end));
        CUDA_TRY(cudaEventElapsedTime(&ms, bench->begin, bench->end));
        if (i == 1 || (i > 1 && ms < best_ms)) best_ms = ms;
    }
    printf("| cone beam, %.0f³, %s, %s | %.2f ms | %.0f G updates/s |\n", size,
           bench->lines.precision == SINO_MIXED ? "mixed" : "single", name, (double)best_ms,
           size * size * size * PROJECTIONS / ((double)best_ms * 1e6));
    return NULL;
}

static SinoStatus measure_all(const Bench *bench, const char *name)
{
    const SinoConeSymmetry symmetry = bench->lines.symmetry;
    SINO_TRY(measure(bench, backproject, name));
    if (bench->lines.precision == SINO_MIXED || symmetry.turns * symmetry.halves > 1) return NULL;
    SINO_TRY(measure(bench, project_back, "matched backprojection"));
    return measure(bench, project, "projection");
}

static SinoStatus bench_size(int64_t size)
{
    static const SinoConeSymmetry symmetry[] = {{4, 2}, {4, 1}, {1, 2}, {1, 1}};
    static const char *const name[] = {"quarter turns, mirror images", "quarter turns", "mirror images", "none"};
    for (int precision = 0; precision < 2; precision++)
        for (size_t i = 0; i < sizeof symmetry / sizeof *symmetry; i++) {
            Bench bench;
            SinoStatus status = bench_new(size, precision ? SINO_MIXED : SINO_SINGLE, symmetry[i], &bench);
            if (!status) status = measure_all(&bench, name[i]);
            bench_free(&bench);
            if (status) return status;
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
