/* SPDX-License-Identifier: BSD-3-Clause */
/* Task backproject_cone: adds a block of cone-beam projections to a part of the volume. */
#include "cone_tasks.h"

#include "cone_cuda.h"
#include "cone_opencl.h"
#include "task.h"

#include <string.h>

_Static_assert((int)SINO_BLOCK_PROJECTIONS <= (int)SINO_CONE_CUDA_PROJECTIONS, "a GPU adds a block at once");

typedef struct Backproject {
    SinoOperand part, scratch;
    SinoOperandList piece;
    SinoBackprojectCone what;
} Backproject;

/* Finds the unit and the lines of each projection of the block, in the memory where the task runs. */
static void find_projections(const Backproject *of, const float **unit, const void **projection)
{
    const SinoBackprojectCone *what = &of->what;
    const int64_t count = sino_cone_projections(what->lines);
    const int64_t bytes = sino_times(sino_cone_projection_entries(what->lines), sino_cone_entry_bytes(what->lines));
    for (int64_t p = 0; p < count; p++) {
        void *piece = of->piece.at[p / what->piece_projections];
        const int64_t of_piece = p % what->piece_projections;
        unit[p] = sino_lines_units(piece) + of_piece;
        projection[p] = (const char *)sino_lines_in(piece) + of_piece * bytes;
    }
}

/* Of tasks on devices: when their kernels are launched. */
static void tell_progress(const SinoTask *task)
{
    const Backproject *of = task->arguments;
    if (of->what.progress > 0)
        sino_runtime_advance(task->runtime, of->what.progress, task->position, &(SinoMinibatchProgress){0});
}

static SinoStatus backproject_cone_cpu(const SinoTask *task)
{
    const Backproject *of = task->arguments;
    const SinoBackprojectCone *what = &of->what;
    float unit[SINO_BLOCK_PROJECTIONS];
    const float *unit_at[SINO_BLOCK_PROJECTIONS];
    const void *projection[SINO_BLOCK_PROJECTIONS];
    const SinoConeBackprojection call = {what->cone, what->lines, &what->part, what->angle_rad, unit, projection};
    find_projections(of, unit_at, projection);
    for (int64_t p = 0; p < sino_cone_projections(what->lines); p++) unit[p] = *unit_at[p];
    if (what->first)
        memset(of->part.at, 0, (size_t)sino_cone_part_voxels(&what->part, what->lines->symmetry) * sizeof(float));
    sino_cone_backproject(&call, of->scratch.at, of->part.at);
    tell_progress(task);
    return NULL;
}

static SinoStatus backproject_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Backproject *of = task->arguments;
    const SinoBackprojectCone *what = &of->what;
    const float *unit[SINO_BLOCK_PROJECTIONS];
    const void *projection[SINO_BLOCK_PROJECTIONS];
    const SinoConeBackprojectionCuda call = {.cone = what->cone,
                                             .lines = what->lines,
                                             .part = &what->part,
                                             .angle_rad = what->angle_rad,
                                             .unit = unit,
                                             .projection = projection,
                                             .first = what->first};
    find_projections(of, unit, projection);
    SINO_TRY(sino_cone_backproject_cuda(stream, &call, of->part.at));
    tell_progress(task);
    return NULL;
}

static SinoStatus backproject_cone_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Backproject *of = task->arguments;
    const SinoBackprojectCone *what = &of->what;
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
        projection[p] = (SinoConeProjectionOpencl){.memory = of->piece.opencl[p / what->piece_projections],
                                                   .lines_bytes = head + sino_times(of_piece, bytes),
                                                   .unit_bytes = of_piece * (int64_t)sizeof(float)};
    }
    SINO_TRY(sino_cone_backproject_opencl(opencl, &call, of->part.opencl));
    tell_progress(task);
    return NULL;
}

static const SinoTaskKind backproject_cone_kind = {.name = "backproject_cone",
                                                   SINO_ARGUMENTS(Backproject, SINO_UPDATES(Backproject, part),
                                                                  SINO_USES(Backproject, scratch),
                                                                  SINO_READS_EACH(Backproject, piece)),
                                                   SINO_CPU_CUDA_OPENCL(backproject_cone)};

SinoStatus sino_insert_backproject_cone(SinoRuntime *runtime, SinoPosition position, const SinoBackprojectCone *what,
                                        int64_t piece_count, SinoData *const *piece, SinoData *scratch, SinoData *part)
{
    const Backproject arguments = {.part = {.data = part, .mode = what->first ? SINO_WRITE : SINO_READ_WRITE},
                                   .scratch.data = scratch,
                                   .piece = {.data = piece, .count = piece_count},
                                   .what = *what};
    const double updates =
        (double)sino_cone_part_voxels(&what->part, what->lines->symmetry) * (double)sino_cone_projections(what->lines);
    return SINO_SUBMIT(runtime, &backproject_cone_kind, position, &arguments, .work = updates,
                       .flops = SINO_CONE_UPDATE_FLOPS * updates, .precision = 1 + (int)what->lines->precision,
                       .priority = -1 - (int)what->turn);
}
