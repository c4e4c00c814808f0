/* SPDX-License-Identifier: BSD-3-Clause */
/* Task backproject_cone: adds a block of cone-beam projections to a part of the volume. */
#include "backproject_cone_task.h"

#include "cone_cuda.h"
#include "cone_opencl.h"
#include "task.h"

#include <string.h>

_Static_assert((int)SINO_BLOCK_PROJECTIONS <= (int)SINO_CONE_CUDA_PROJECTIONS, "a GPU adds a block at once");

enum { PART, SCRATCH, PIECE }; /* buffers of a task; the last ones are its pieces */

/* Finds the unit and the lines of each projection of the block, in the memory where the task runs. */
static void find_projections(const SinoTask *task, const float **unit, const void **projection)
{
    const SinoBackprojectCone *what = task->arguments;
    const int64_t count = sino_cone_projections(what->lines);
    const int64_t bytes = sino_times(sino_cone_projection_entries(what->lines), sino_cone_entry_bytes(what->lines));
    for (int64_t p = 0; p < count; p++) {
        void *piece = sino_task_buffer(task, (int)(PIECE + p / what->piece_projections));
        const int64_t of_piece = p % what->piece_projections;
        unit[p] = sino_lines_units(piece) + of_piece;
        projection[p] = (const char *)sino_lines_in(piece) + of_piece * bytes;
    }
}

/* Of tasks on devices: when their kernels are launched. */
static void tell_progress(const SinoTask *task)
{
    const SinoBackprojectCone *what = task->arguments;
    if (what->progress > 0)
        sino_runtime_advance(task->runtime, what->progress, task->position, &(SinoMinibatchProgress){0});
}

static SinoStatus backproject_cone_cpu(const SinoTask *task)
{
    const SinoBackprojectCone *what = task->arguments;
    float unit[SINO_BLOCK_PROJECTIONS];
    const float *unit_at[SINO_BLOCK_PROJECTIONS];
    const void *projection[SINO_BLOCK_PROJECTIONS];
    float *part = sino_task_buffer(task, PART);
    const SinoConeBackprojection call = {what->cone, what->lines, &what->part, what->angle_rad, unit, projection};
    find_projections(task, unit_at, projection);
    for (int64_t p = 0; p < sino_cone_projections(what->lines); p++) unit[p] = *unit_at[p];
    if (what->first) memset(part, 0, (size_t)sino_cone_part_voxels(&what->part, what->lines->symmetry) * sizeof *part);
    sino_cone_backproject(&call, sino_task_buffer(task, SCRATCH), part);
    tell_progress(task);
    return NULL;
}

static SinoStatus backproject_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoBackprojectCone *what = task->arguments;
    const float *unit[SINO_BLOCK_PROJECTIONS];
    const void *projection[SINO_BLOCK_PROJECTIONS];
    const SinoConeBackprojectionCuda call = {.cone = what->cone,
                                             .lines = what->lines,
                                             .part = &what->part,
                                             .angle_rad = what->angle_rad,
                                             .unit = unit,
                                             .projection = projection,
                                             .first = what->first};
    find_projections(task, unit, projection);
    SINO_TRY(sino_cone_backproject_cuda(stream, &call, sino_task_buffer(task, PART)));
    tell_progress(task);
    return NULL;
}

static SinoStatus backproject_cone_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SinoBackprojectCone *what = task->arguments;
    const int64_t count = sino_cone_projections(what->lines), head = sino_lines_bytes(what->lines, 0);
    const int64_t bytes = sino_lines_bytes(what->lines, 1) - head;
    SinoConeProjectionOpencl projection[SINO_BLOCK_PROJECTIONS];
    const SinoConeBackprojectionOpencl call = {.cone = what->cone,
                                               .lines = what->lines,
                                               .part = &what->part,
                                               .angle_rad = what->angle_rad,
                                               .projection = projection,
                                               .first = what->first};
    for (int64_t p = 0; p < count; p++) {
        const int64_t of_piece = p % what->piece_projections;
        projection[p] = (SinoConeProjectionOpencl){
            .memory = sino_task_opencl_buffer(task, (int)(PIECE + p / what->piece_projections)),
            .lines_bytes = head + sino_times(of_piece, bytes),
            .unit_bytes = of_piece * (int64_t)sizeof(float)};
    }
    SINO_TRY(sino_cone_backproject_opencl(opencl, &call, sino_task_opencl_buffer(task, PART)));
    tell_progress(task);
    return NULL;
}

static const SinoTaskKind backproject_cone_kind = {.name = "backproject_cone",
                                                   .argument_bytes = sizeof(SinoBackprojectCone),
                                                   .access_min = PIECE + 1,
                                                   .access_max = PIECE + SINO_BLOCK_PIECES,
                                                   .cpu = backproject_cone_cpu,
                                                   .cuda = SINO_ON_CUDA(backproject_cone_cuda),
                                                   .opencl = SINO_ON_OPENCL(backproject_cone_opencl)};

SinoStatus sino_insert_backproject_cone(SinoRuntime *runtime, SinoPosition position, const SinoBackprojectCone *what,
                                        int64_t piece_count, SinoData *const *piece, SinoData *scratch, SinoData *part)
{
    SinoAccess access[PIECE + SINO_BLOCK_PIECES] = {
        [PART] = {part, what->first ? SINO_WRITE : SINO_READ_WRITE}, [SCRATCH] = {scratch, SINO_SCRATCH}};
    const double updates =
        (double)sino_cone_part_voxels(&what->part, what->lines->symmetry) * (double)sino_cone_projections(what->lines);
    for (int64_t i = 0; i < piece_count; i++) access[PIECE + i] = (SinoAccess){piece[i], SINO_READ};
    return sino_task_submit(runtime, &backproject_cone_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = what,
                                               .argument_bytes = sizeof *what,
                                               .access = access,
                                               .access_count = (int)(PIECE + piece_count),
                                               .work = updates,
                                               .flops = SINO_CONE_UPDATE_FLOPS * updates,
                                               .precision = 1 + (int)what->lines->precision,
                                               .priority = -1 - (int)what->turn});
}
