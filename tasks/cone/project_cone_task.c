/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks project_cone and project_cone_back: the products of a cone beam's A and Aᵀ with a band of the volume. */
#include "cone_tasks.h"

#include "arithmetic.h"
#include "task.h"

#include <string.h>

typedef struct Product {
    SinoOperand voxels, scratch, rays, order; /* order: of project_cone */
    SinoProjectCone what;
} Product;

/* The part of the vector of rays that the task works on. */
static float *rays_of(const Product *of)
{
    const SinoProjectCone *what = &of->what;
    const int64_t rays = sino_times(what->cone->column_count, what->cone->row_count);
    return (float *)of->rays.at + what->angles.first * rays;
}

static void advance(const SinoTask *task)
{
    const Product *of = task->arguments;
    sino_runtime_advance(task->runtime, of->what.progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
}

static SinoStatus project_cone_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoProjectCone *what = &of->what;
    const int64_t rays = sino_times(what->cone->column_count, what->cone->row_count);
    if (what->first) memset(rays_of(of), 0, (size_t)(what->angles.count * rays) * sizeof(float));
    sino_cone_project(what->cone, what->band, what->angles, of->voxels.at, of->scratch.at, rays_of(of));
    advance(task);
    return NULL;
}

static SinoStatus project_cone_back_cpu(const SinoTask *task)
{
    const Product *of = task->arguments;
    const SinoProjectCone *what = &of->what;
    const int64_t run = sino_times(what->cone->x_count, what->cone->z_count);
    memset(of->voxels.at, 0, (size_t)(what->band.row_count * run) * sizeof(float));
    sino_cone_project_back(what->cone, what->band, what->angles, rays_of(of), of->scratch.at, of->voxels.at);
    advance(task);
    return NULL;
}

static SinoStatus project_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoProjectCone *what = &of->what;
    SINO_TRY(
        sino_cone_project_cuda(stream, what->cone, what->band, what->angles, what->first, of->voxels.at, rays_of(of)));
    advance(task);
    return NULL;
}

static SinoStatus project_cone_back_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Product *of = task->arguments;
    const SinoProjectCone *what = &of->what;
    SINO_TRY(
        sino_cone_project_back_cuda(stream, what->cone, what->band, what->angles, true, rays_of(of), of->voxels.at));
    advance(task);
    return NULL;
}

static const SinoTaskKind project_cone_kind = {.name = "project_cone",
                                               SINO_ARGUMENTS(Product, SINO_READS(Product, voxels),
                                                              SINO_USES(Product, scratch), SINO_READS(Product, rays),
                                                              SINO_UPDATES(Product, order)),
                                               .cpu = project_cone_cpu};

static const SinoTaskKind project_cone_all_kind = {
    .name = "project_cone",
    SINO_ARGUMENTS(Product, SINO_READS(Product, voxels), SINO_USES(Product, scratch), SINO_UPDATES(Product, rays)),
    SINO_CPU_CUDA(project_cone)};

static const SinoTaskKind project_cone_back_kind = {
    .name = "project_cone_back",
    SINO_ARGUMENTS(Product, SINO_WRITES(Product, voxels), SINO_USES(Product, scratch), SINO_READS(Product, rays)),
    SINO_CPU_CUDA(project_cone_back)};

/* By a window (cone.h), which GPUs do not know. */
static const SinoTaskKind project_cone_windowed_kind = {
    .name = "project_cone_back",
    SINO_ARGUMENTS(Product, SINO_WRITES(Product, voxels), SINO_USES(Product, scratch), SINO_READS(Product, rays)),
    .cpu = project_cone_back_cpu};

/* The band's voxels, and the rays of the angles. */
static int64_t moved_bytes(const SinoProjectCone *what)
{
    const SinoCone *cone = what->cone;
    const int64_t voxels = sino_times(sino_times(what->band.row_count, cone->x_count), cone->z_count);
    const int64_t rays = sino_times(sino_times(what->angles.count, cone->column_count), cone->row_count);
    return sino_times(voxels + rays, (int64_t)sizeof(float));
}

static SinoStatus insert_product(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 const Product *product)
{
    const SinoProjectCone *what = &product->what;
    const double runs = (double)what->band.row_count * (double)what->cone->x_count;
    const double updates = runs * (double)what->cone->z_count * (double)what->angles.count * what->voxel_rays;
    return SINO_SUBMIT(runtime, kind, position, product, .work = updates, .flops = SINO_CONE_UPDATE_FLOPS * updates,
                       .precision = 1 + (int)SINO_SINGLE, .part_bytes = moved_bytes(what));
}

SinoStatus sino_insert_project_cone(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                    SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    Product product = {
        .voxels.data = voxels, .scratch.data = scratch, .rays.data = rays, .order.data = order, .what = *what};
    if (!order) product.rays.mode = what->first ? SINO_WRITE : SINO_READ_WRITE;
    return insert_product(runtime, order ? &project_cone_kind : &project_cone_all_kind, position, &product);
}

SinoStatus sino_insert_project_cone_back(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                         SinoData *rays, SinoData *scratch, SinoData *voxels)
{
    const Product product = {.voxels.data = voxels, .scratch.data = scratch, .rays.data = rays, .what = *what};
    const SinoTaskKind *kind = what->cone->window.pitch_mm > 0 ? &project_cone_windowed_kind : &project_cone_back_kind;
    return insert_product(runtime, kind, position, &product);
}
