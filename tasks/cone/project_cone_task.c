/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks project_cone and project_cone_back: the products of a cone beam's A and Aᵀ with a band of the volume. */
#include "project_cone_task.h"

#include "arithmetic.h"
#include "precision.h"
#include "task.h"

#include <string.h>

enum { VOXELS, SCRATCH, RAYS, ORDER }; /* data of a product */

int64_t sino_project_cone_scratch_bytes(const SinoCone *cone)
{
    return sino_cone_project_scratch_bytes(cone);
}

const char *sino_project_cone_isa_name(void)
{
    return sino_cone_project_isa_name();
}

/* The part of the vector of rays that the task works on. */
static float *rays_of(const SinoTask *task)
{
    const SinoProjectCone *what = task->arguments;
    const int64_t rays = sino_times(what->cone->column_count, what->cone->row_count);
    return (float *)sino_task_buffer(task, RAYS) + what->angles.first * rays;
}

static void advance(const SinoTask *task)
{
    const SinoProjectCone *what = task->arguments;
    sino_runtime_advance(task->runtime, what->progress, SINO_NOWHERE, &(SinoMinibatchProgress){0});
}

static SinoStatus project_cone_cpu(const SinoTask *task)
{
    const SinoProjectCone *what = task->arguments;
    const int64_t rays = sino_times(what->cone->column_count, what->cone->row_count);
    if (what->first) memset(rays_of(task), 0, (size_t)(what->angles.count * rays) * sizeof(float));
    sino_cone_project(what->cone, what->band, what->angles, sino_task_buffer(task, VOXELS),
                      sino_task_buffer(task, SCRATCH), rays_of(task));
    advance(task);
    return NULL;
}

static SinoStatus project_cone_back_cpu(const SinoTask *task)
{
    const SinoProjectCone *what = task->arguments;
    const int64_t run = sino_times(what->cone->x_count, what->cone->z_count);
    float *voxels = sino_task_buffer(task, VOXELS);
    memset(voxels, 0, (size_t)(what->band.row_count * run) * sizeof *voxels);
    sino_cone_project_back(what->cone, what->band, what->angles, rays_of(task), sino_task_buffer(task, SCRATCH),
                           voxels);
    advance(task);
    return NULL;
}

static const SinoTaskKind project_cone_kind = {.name = "project_cone",
                                               .argument_bytes = sizeof(SinoProjectCone),
                                               .access_min = 4,
                                               .access_max = 4,
                                               .cpu = project_cone_cpu};

static const SinoTaskKind project_cone_back_kind = {.name = "project_cone_back",
                                                    .argument_bytes = sizeof(SinoProjectCone),
                                                    .access_min = 3,
                                                    .access_max = 3,
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
                                 const SinoProjectCone *what, int access_count, const SinoAccess *access)
{
    const double runs = (double)what->band.row_count * (double)what->cone->x_count;
    const double updates = runs * (double)what->cone->z_count * (double)what->angles.count;
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = what,
                                               .argument_bytes = sizeof *what,
                                               .access = access,
                                               .access_count = access_count,
                                               .work = updates,
                                               .flops = SINO_CONE_UPDATE_FLOPS * updates,
                                               .precision = 1 + (int)SINO_SINGLE,
                                               .part_bytes = moved_bytes(what)});
}

SinoStatus sino_insert_project_cone(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                    SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    const SinoAccess access[] = {[VOXELS] = {voxels, SINO_READ},
                                 [SCRATCH] = {scratch, SINO_SCRATCH},
                                 [RAYS] = {rays, SINO_READ},
                                 [ORDER] = {order, SINO_READ_WRITE}};
    return insert_product(runtime, &project_cone_kind, position, what, 4, access);
}

SinoStatus sino_insert_project_cone_back(SinoRuntime *runtime, SinoPosition position, const SinoProjectCone *what,
                                         SinoData *rays, SinoData *scratch, SinoData *voxels)
{
    const SinoAccess access[] = {
        [VOXELS] = {voxels, SINO_WRITE}, [SCRATCH] = {scratch, SINO_SCRATCH}, [RAYS] = {rays, SINO_READ}};
    return insert_product(runtime, &project_cone_back_kind, position, what, 3, access);
}
