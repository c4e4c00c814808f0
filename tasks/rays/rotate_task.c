/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rotate_project and rotate_back: products of a parallel beam's A and Aᵀ with a partition, without a matrix. */
#include "rotate_task.h"

#include "arithmetic.h"
#include "block.h"
#include "rotate_cuda.h"
#include "rotate_opencl.h"
#include "task.h"

#include <assert.h>
#include <string.h>

/* Data of a product: those of every one; `order` of some angles; or tables, of the angles and of the tiles, which
 * backprojections lack if no device computes. A projection has the numbers of tiles, a backprojection the tiles. */
enum { VOXELS, SCRATCH, RAYS, EVERY, ORDER = EVERY, TURN = EVERY, TILES, ALL };

typedef struct Arguments {
    SinoRotate what;
    bool first;
} Arguments;

/* Of a sample: once for all slices of a minibatch, and for each slice. */
double sino_rotate_effort(SinoInterpolation interpolation, double samples, int64_t slices)
{
    static const struct Sample {
        double place, slice;
    } flops[SINO_INTERPOLATIONS] = {[SINO_INTERPOLATION_NEAREST] = {125, 4.5},
                                    [SINO_INTERPOLATION_LINEAR] = {150, 14},
                                    [SINO_INTERPOLATION_CUBIC] = {325, 60}};
    const struct Sample *of = &flops[interpolation];
    return samples * (of->place + of->slice * (double)slices);
}

int64_t sino_rotate_task_scratch_bytes(void)
{
    return sino_rotate_scratch_bytes();
}

const char *sino_rotate_task_isa_name(void)
{
    return sino_rotate_isa_name();
}

/* Sets the rays of the task's angles to 0, panel by panel. */
static void clear_rays(const SinoRotate *what, float *rays)
{
    const int64_t rows = sino_geometry_ray_count(&what->geometry), columns = what->geometry.column_count;
    for (SinoPanel at = sino_panel_at(what->slices, 0); at.first < what->slices.stride;
         at = sino_panel_next(what->slices, at)) {
        const int64_t row = columns * at.slices.stride;
        float *panel = sino_panel_to(at, rows, rays);
        memset(panel + what->first_angle * row, 0, (size_t)(what->angle_count * row) * sizeof *panel);
    }
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    float *rays = sino_task_buffer(task, RAYS);
    if (arguments->first) clear_rays(&arguments->what, rays);
    sino_rotate_project(&arguments->what, sino_task_buffer(task, VOXELS), sino_task_buffer(task, SCRATCH), rays);
    return NULL;
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const SinoRotate *what = &((const Arguments *)task->arguments)->what;
    const int64_t rows = sino_times(what->tile_count, SINO_TILE_VOXELS);
    float *voxels = sino_task_buffer(task, VOXELS);
    memset(voxels, 0, (size_t)sino_times(rows, what->slices.stride) * sizeof *voxels);
    sino_rotate_back(what, sino_task_buffer(task, RAYS), sino_task_buffer(task, SCRATCH), voxels);
    return NULL;
}

static SinoRotateTables tables_of(const SinoTask *task)
{
    return (SinoRotateTables){.turn = sino_task_buffer(task, TURN),
                              .number = sino_task_buffer(task, TILES),
                              .tile = sino_task_buffer(task, TILES)};
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoRotateTables tables = tables_of(task);
    return sino_rotate_project_cuda(stream, &arguments->what, &tables, arguments->first, sino_task_buffer(task, VOXELS),
                                    sino_task_buffer(task, RAYS));
}

static SinoStatus back_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoRotateTables tables = tables_of(task);
    return sino_rotate_back_cuda(stream, &((const Arguments *)task->arguments)->what, &tables, true,
                                 sino_task_buffer(task, RAYS), sino_task_buffer(task, VOXELS));
}

static SinoRotateOpenclTables opencl_tables_of(const SinoTask *task)
{
    return (SinoRotateOpenclTables){.turn = sino_task_opencl_buffer(task, TURN),
                                    .number = sino_task_opencl_buffer(task, TILES),
                                    .tile = sino_task_opencl_buffer(task, TILES)};
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    const SinoRotateOpenclTables tables = opencl_tables_of(task);
    return sino_rotate_project_opencl(opencl, &arguments->what, &tables, arguments->first,
                                      sino_task_opencl_buffer(task, VOXELS), sino_task_opencl_buffer(task, RAYS));
}

static SinoStatus back_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SinoRotateOpenclTables tables = opencl_tables_of(task);
    return sino_rotate_back_opencl(opencl, &((const Arguments *)task->arguments)->what, &tables, true,
                                   sino_task_opencl_buffer(task, RAYS), sino_task_opencl_buffer(task, VOXELS));
}

static const SinoTaskKind project_kind = {.name = "rotate_project",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = ORDER + 1,
                                          .access_max = ORDER + 1,
                                          .cpu = project_cpu};

static const SinoTaskKind project_all_kind = {.name = "rotate_project",
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = ALL,
                                              .access_max = ALL,
                                              .cpu = project_cpu,
                                              .cuda = SINO_ON_CUDA(project_cuda),
                                              .opencl = SINO_ON_OPENCL(project_opencl)};

static const SinoTaskKind back_kind = {.name = "rotate_back",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = EVERY,
                                       .access_max = ALL,
                                       .cpu = back_cpu,
                                       .cuda = SINO_ON_CUDA(back_cuda),
                                       .opencl = SINO_ON_OPENCL(back_opencl)};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                         const Arguments *arguments, int access_count, const SinoAccess *access)
{
    const SinoRotate *what = &arguments->what;
    const double samples = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->angle_count;
    return sino_task_submit(
        runtime, kind,
        &(SinoTaskRequest){.position = position,
                           .arguments = arguments,
                           .argument_bytes = sizeof *arguments,
                           .access = access,
                           .access_count = access_count,
                           SINO_OF_SLICES(what->slices),
                           .work = samples * (double)what->slices.stride,
                           .effort = sino_rotate_effort(what->interpolation, samples, what->slices.slice_count),
                           .host = access_count < ALL});
}

SinoStatus sino_insert_rotate_project(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, bool first,
                                      SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    const Arguments arguments = {.what = *what, .first = first};
    const SinoAccess access[] = {[VOXELS] = {voxels, SINO_READ},
                                 [SCRATCH] = {scratch, SINO_SCRATCH},
                                 [RAYS] = {rays, SINO_READ},
                                 [ORDER] = {order, SINO_READ_WRITE}};
    return insert(runtime, &project_kind, position, &arguments, ORDER + 1, access);
}

SinoStatus sino_insert_rotate_project_all(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                          bool first, const SinoRotateData *tables, SinoData *voxels, SinoData *scratch,
                                          SinoData *rays)
{
    const Arguments arguments = {.what = *what, .first = first};
    const SinoAccess access[] = {[VOXELS] = {voxels, SINO_READ},
                                 [SCRATCH] = {scratch, SINO_SCRATCH},
                                 [RAYS] = {rays, first ? SINO_WRITE : SINO_READ_WRITE},
                                 [TURN] = {tables->turn, SINO_READ},
                                 [TILES] = {tables->number, SINO_READ}};
    assert(what->first_angle == 0 && what->angle_count == what->geometry.angle_count);
    return insert(runtime, &project_all_kind, position, &arguments, ALL, access);
}

SinoStatus sino_insert_rotate_back(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                   const SinoRotateData *tables, SinoData *rays, SinoData *scratch, SinoData *voxels)
{
    const Arguments arguments = {.what = *what};
    const SinoAccess access[] = {[VOXELS] = {voxels, SINO_WRITE},
                                 [SCRATCH] = {scratch, SINO_SCRATCH},
                                 [RAYS] = {rays, SINO_READ},
                                 [TURN] = {tables->turn, SINO_READ},
                                 [TILES] = {tables->tile, SINO_READ}};
    return insert(runtime, &back_kind, position, &arguments, tables->tile ? ALL : EVERY, access);
}
