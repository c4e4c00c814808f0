/* SPDX-License-Identifier: BSD-3-Clause */
/* Projector speed: seconds of one core per slice and product of `rotate`, `lines`, `pixels` and
 * `gridding`, for docs/lab/projectors.md.
 *
 *     projector_speed [SIZE ANGLES SLICES] */
#include "block.h"
#include "gridding.h"
#include "memory.h"
#include "pixels.h"
#include "rotate.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A scan, its tiles super-tile by super-tile, and vectors of it. */
typedef struct Job {
    SinoGeometry geometry;
    SinoSlices slices;
    SinoTilePlace *tile;
    int64_t tile_count;
    float *x, *y;
    void *scratch;
} Job;

static double core_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void list_tiles(Job *job)
{
    const int64_t side = sino_tile_side(job->geometry.grid_size), super = SINO_SUPER_TILE, inner = super * super;
    assert_success(sino_allocate(side * side, sizeof *job->tile, "tiles", &job->tile));
    for (int64_t i = 0; i < side * side; i++) {
        const int64_t of = i / inner, in = i % inner;
        const SinoTilePlace place = {.row = (int32_t)(of / (side / super) * super + in / super),
                                     .column = (int32_t)(of % (side / super) * super + in % super)};
        if (sino_tile_range(job->geometry.grid_size, place.row).count == 0) continue;
        if (sino_tile_range(job->geometry.grid_size, place.column).count == 0) continue;
        job->tile[job->tile_count++] = place;
    }
}

static float *vector(int64_t rows, int64_t stride)
{
    float *made = sino_allocate_large(sino_times(sino_times(rows, stride), (int64_t)sizeof *made));
    assert_non_null(made);
    for (int64_t i = 0; i < rows * stride; i++) made[i] = 1;
    return made;
}

static Job job_of(int64_t size, int64_t angles, int64_t slices, double *angle_rad)
{
    const int64_t stride = sino_panel_stride(SINO_SINGLE, slices);
    Job job = {.geometry = {.angle_count = angles,
                            .column_count = size,
                            .grid_size = size,
                            .angle_rad = angle_rad,
                            .center = 0.5 * (double)(size - 1)},
               .slices = {.precision = SINO_SINGLE, .stride = stride, .slice_count = slices}};
    list_tiles(&job);
    job.x = vector(sino_times(job.tile_count, SINO_TILE_VOXELS), stride);
    job.y = vector(sino_geometry_ray_count(&job.geometry), stride);
    assert_success(sino_allocate(sino_larger(sino_rotate_scratch_bytes(), sino_pixels_scratch_bytes()), 1, "scratch",
                                 &job.scratch));
    return job;
}

typedef enum Product { PROJECT, BACK, LINES, LINES_BACK, STRIPS, STRIPS_BACK, PIXELS, GRIDDING } Product;

static void multiply(const Job *job, Product product, SinoInterpolation interpolation)
{
    const SinoRotate rotate = {.geometry = job->geometry,
                               .interpolation = interpolation,
                               .slices = job->slices,
                               .angle_count = job->geometry.angle_count,
                               .tile_count = job->tile_count,
                               .tile = job->tile};
    const SinoPixels pixels = {.geometry = job->geometry,
                               .weights = product == PIXELS                             ? SINO_PIXELS_LINEAR
                                          : product == STRIPS || product == STRIPS_BACK ? SINO_PIXELS_STRIPS
                                                                                        : SINO_PIXELS_LENGTHS,
                               .slices = job->slices,
                               .angle_count = job->geometry.angle_count,
                               .tile_count = job->tile_count,
                               .tile = job->tile};
    if (product == PROJECT) sino_rotate_project(&rotate, job->x, job->scratch, job->y);
    if (product == BACK) sino_rotate_back(&rotate, job->y, job->scratch, job->x);
    if (product == LINES || product == STRIPS) sino_pixels_project(&pixels, job->x, job->scratch, job->y);
    if (product == PIXELS || product == LINES_BACK || product == STRIPS_BACK)
        sino_pixels_back(&pixels, job->y, job->scratch, job->x);
}

/* All tiles in one part. */
static double gridding_s(const Job *job)
{
    const int64_t side = sino_tile_side(job->geometry.grid_size), rows = sino_times(job->tile_count, SINO_TILE_VOXELS);
    SinoTileNumber *tile = NULL;
    SinoGridding *gridding = NULL;
    assert_success(sino_allocate(sino_times(side, side), sizeof *tile, "tiles", &tile));
    for (int64_t i = 0; i < side * side; i++) tile[i] = (SinoTileNumber){-1, 0};
    for (int64_t i = 0; i < job->tile_count; i++)
        tile[job->tile[i].row * side + job->tile[i].column] = (SinoTileNumber){0, (int32_t)i};
    assert_success(sino_gridding_new(&job->geometry, &gridding));
    void *scratch = sino_allocate_large(sino_gridding_scratch_bytes(&job->geometry));
    assert_non_null(scratch);
    const SinoTileMap map = {tile, &rows};
    const double begin = core_s();
    sino_gridding_adjoint(gridding, &map, job->slices, job->y, scratch, (float *const[]){job->x});
    const double end = core_s();
    sino_free_large(scratch);
    sino_gridding_free(gridding);
    free(tile);
    return end - begin;
}

static double product_s(const Job *job, Product product, SinoInterpolation interpolation)
{
    if (product == GRIDDING) return gridding_s(job);
    const double begin = core_s();
    multiply(job, product, interpolation);
    return core_s() - begin;
}

/* The best of three. */
static void measure(const Job *job, Product product, SinoInterpolation interpolation, const char *name)
{
    const double size = (double)job->geometry.grid_size, samples = size * size * (double)job->geometry.angle_count;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) best = fmin(best, product_s(job, product, interpolation));
    best /= (double)job->slices.slice_count;
    printf("%-24s %8.4f core-seconds per slice, %6.3f ns per pixel and angle\n", name, best, 1e9 * best / samples);
}

int main(int count, char **words)
{
    const int64_t size = count == 4 ? strtoll(words[1], NULL, 10) : 512,
                  angles = count == 4 ? strtoll(words[2], NULL, 10) : 375,
                  slices = count == 4 ? strtoll(words[3], NULL, 10) : 32;
    double *angle_rad = NULL;
    assert_success(sino_allocate(angles, sizeof *angle_rad, "angles", &angle_rad));
    for (int64_t k = 0; k < angles; k++) angle_rad[k] = M_PI * ((double)k + 0.3) / (double)angles;
    Job job = job_of(size, angles, slices, angle_rad);
    measure(&job, PIXELS, SINO_INTERPOLATION_LINEAR, "backproject, pixels");
    measure(&job, GRIDDING, SINO_INTERPOLATION_LINEAR, "backproject, gridding");
    measure(&job, LINES, SINO_INTERPOLATION_LINEAR, "project, lines");
    measure(&job, LINES_BACK, SINO_INTERPOLATION_LINEAR, "backproject, lines");
    measure(&job, STRIPS, SINO_INTERPOLATION_LINEAR, "project, strips");
    measure(&job, STRIPS_BACK, SINO_INTERPOLATION_LINEAR, "backproject, strips");
    measure(&job, PROJECT, SINO_INTERPOLATION_NEAREST, "project, nearest");
    measure(&job, BACK, SINO_INTERPOLATION_NEAREST, "backproject, nearest");
    measure(&job, PROJECT, SINO_INTERPOLATION_LINEAR, "project, linear");
    measure(&job, BACK, SINO_INTERPOLATION_LINEAR, "backproject, linear");
    measure(&job, PROJECT, SINO_INTERPOLATION_CUBIC, "project, cubic");
    measure(&job, BACK, SINO_INTERPOLATION_CUBIC, "backproject, cubic");
    sino_free_large(job.x);
    sino_free_large(job.y);
    free(job.scratch);
    free(job.tile);
    free(angle_rad);
    return 0;
}
