/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on an OpenCL device: a launch per wave backward, one for all rows forward. */
#include "brick_opencl.h"

#include "arithmetic.h"

#include <stddef.h>

_Static_assert(SINO_SINGLE == 0 && SINO_BRICK_ROWS == 32 && SINO_BRICK_WAVE_ROWS == 8192 &&
                   sizeof(SinoBrickHead) == 64 && sizeof(SinoBrickLists) == 136 && sizeof(SinoBrickWave) == 48 &&
                   offsetof(SinoBrickLists, wave_at) == 64 && offsetof(SinoBrickLists, run_code_at) == 128 &&
                   offsetof(SinoBrickWave, first_entry) == 40 && sizeof(SinoBrickListRow) == 8 &&
                   sizeof(SinoBrickListRun) == 8 && sizeof(SinoBrickSums) == 32,
               "brick.cl has these");

/* The same struct as BrickRays of brick.cl. */
typedef struct Rays {
    int64_t first, rows;
} Rays;

/* Behind the weights of the rows lie the sums of the bands. */
static int64_t weight_bytes(int64_t row_count, int64_t stride)
{
    return sino_ceil_multiple(sino_times(sino_times(row_count, stride), (int64_t)sizeof(float)), 64);
}

int64_t sino_brick_opencl_work_bytes(int64_t row_count, int64_t stride)
{
    const int64_t sums = sino_times(sino_brick_band_count(row_count), stride);
    return weight_bytes(row_count, stride) + sino_times(sums, (int64_t)sizeof(SinoBrickSums));
}

static SinoOpenclSlices layout_of(int64_t stride)
{
    return sino_opencl_slices((SinoSlices){.precision = SINO_SINGLE, .stride = stride, .slice_count = stride});
}

static SinoStatus project(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x, Rays rays, cl_mem y)
{
    const SinoOpenclSlices layout = layout_of(product->stride);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(product->block), SINO_CL(product->lists_at),
                                           SINO_CL(x),      SINO_CL(rays),           SINO_CL(y)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "brick_project", product->stride, product->lists->row_count,
                              SINO_CL_COUNT(argument), argument);
}

static Rays rays_of(const SinoBrickProductOpencl *product)
{
    return (Rays){product->first_row, product->rows};
}

SinoStatus sino_brick_project_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x, cl_mem y)
{
    return project(opencl, product, x, rays_of(product), y);
}

/* x += Aᵀ of what the weights are. */
static SinoStatus backproject(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x)
{
    const SinoOpenclSlices layout = layout_of(product->stride);
    const SinoBrickWave *wave = sino_brick_list_waves(product->lists);
    for (int64_t w = 0; w < product->lists->wave_count; w++) {
        const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(product->block), SINO_CL(product->lists_at),
                                               SINO_CL(w),      SINO_CL(product->work),  SINO_CL(x)};
        SINO_TRY(sino_opencl_launch(opencl, SINO_SINGLE, "brick_backproject", product->stride, wave[w].run_count,
                                    SINO_CL_COUNT(argument), argument));
    }
    return NULL;
}

SinoStatus sino_brick_backproject_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem y, cl_mem x)
{
    const SinoOpenclSlices layout = layout_of(product->stride);
    const Rays rays = rays_of(product);
    const SinoOpenclArgument argument[] = {
        SINO_CL(layout), SINO_CL(product->block), SINO_CL(product->lists_at), SINO_CL(rays),
        SINO_CL(y),      SINO_CL(product->work)};
    SINO_TRY(sino_opencl_launch(opencl, SINO_SINGLE, "brick_weigh", product->stride, product->lists->row_count,
                                SINO_CL_COUNT(argument), argument));
    return backproject(opencl, product, x);
}

static SinoStatus compare(SinoOpencl *opencl, const SinoBrickProductOpencl *product,
                          const SinoBrickCountsOpencl *counts, cl_mem sums)
{
    const SinoOpenclSlices layout = layout_of(product->stride);
    const Rays rays = rays_of(product);
    const int64_t rows = product->lists->row_count, sums_at = weight_bytes(rows, product->stride);
    const SinoOpenclArgument each[] = {
        SINO_CL(layout),         SINO_CL(product->block),         SINO_CL(product->lists_at), SINO_CL(rays),
        SINO_CL(counts->counts), SINO_CL(counts->multiplicative), SINO_CL(counts->additive),  SINO_CL(product->work),
        SINO_CL(sums_at)};
    const SinoOpenclArgument all[] = {SINO_CL(layout),        SINO_CL(product->block), SINO_CL(product->lists_at),
                                      SINO_CL(product->work), SINO_CL(sums_at),        SINO_CL(sums)};
    SINO_TRY(sino_opencl_launch(opencl, SINO_SINGLE, "brick_compare", product->stride, sino_brick_band_count(rows),
                                SINO_CL_COUNT(each), each));
    return sino_opencl_launch(opencl, SINO_SINGLE, "brick_sums", product->stride, 1, SINO_CL_COUNT(all), all);
}

SinoStatus sino_brick_sweep_opencl(SinoOpencl *opencl, const SinoBrickProductOpencl *product, cl_mem x,
                                   const SinoBrickCountsOpencl *counts, cl_mem x_sum, cl_mem sums)
{
    SINO_TRY(project(opencl, product, x, (Rays){0, product->lists->row_count}, product->work));
    SINO_TRY(compare(opencl, product, counts, sums));
    return backproject(opencl, product, x_sum);
}

/* ---- vectors of voxels ---- */

SinoStatus sino_voxels_clear_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem to)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(to)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "voxels_clear", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_voxels_add_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem from, cl_mem to)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(from), SINO_CL(to)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "voxels_add", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_voxels_mask_opencl(SinoOpencl *opencl, SinoSlices slices, int64_t rows, cl_mem mask, cl_mem from,
                                   cl_mem to)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(rows), SINO_CL(mask), SINO_CL(from), SINO_CL(to)};
    return sino_opencl_launch(opencl, SINO_SINGLE, "voxels_mask", slices.stride, rows, SINO_CL_COUNT(argument),
                              argument);
}
