/* SPDX-License-Identifier: BSD-3-Clause */
/* update_start, update_residual, update_norm, update_voxels: the solvers' vector work; progress: what it came to. */
#include "tasks.h"

#include "update_cuda.h"
#include "update_opencl.h"

#include <math.h>
#include <string.h>

typedef struct Arguments {
    SinoTaskHead head;
    SinoPosition position;
    SinoSlices slices;
    SinoIteration iteration;
    int64_t count; /* rays or voxels */
    double relaxation;
    bool nonnegativity, first, last, with_g0;
    int workspace;   /* the buffer of CUDA's kernels; where GPUs compute */
    bool told_apart; /* by a task of its own, so that nothing waits for a device */
} Arguments;

static SinoHistory history_of(const Arguments *arguments, double *residual)
{
    return (SinoHistory){.residual = residual,
                         .columns = arguments->iteration.columns,
                         .iteration = arguments->iteration.iteration,
                         .tolerance = arguments->iteration.tolerance};
}

/* The number of slices that go on. */
static int64_t count_active(SinoSlices slices, const SinoSliceState *state)
{
    int64_t active = 0;
    for (int64_t f = 0; f < slices.slice_count; f++) active += !state[f].stopped;
    return active;
}

/* Tells how far the run is, from the residuals just recorded. */
static void tell(const Arguments *arguments, const SinoSliceState *state, const SinoHistory *history)
{
    double residual = 0, residual0 = 0;
    for (int64_t f = 0; f < arguments->slices.slice_count; f++) {
        const double value = history->residual[f * history->columns + history->iteration];
        if (isnan(value)) continue;
        residual += value;
        residual0 += state[f].residual0;
    }
    const SinoProgress where = {.slab = arguments->position.slab + 1,
                                .iteration = history->iteration,
                                .iteration_count = history->columns - 1,
                                .residual = residual0 > 0 ? sqrt(residual / residual0) : NAN};
    sino_runtime_advance(arguments->head.runtime, (double)arguments->slices.slice_count, &where);
}

static SinoStatus start(void *buffers[], const Arguments *arguments)
{
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 2));
    sino_update_start(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1), &history);
    return NULL;
}

static SinoStatus residual_cg(void *buffers[], const Arguments *arguments)
{
    SinoSliceState *state = sino_buffer(buffers, 2);
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 3));
    sino_update_residual_cg(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                            state, &history);
    *(int64_t *)sino_buffer(buffers, 4) = count_active(arguments->slices, state);
    if (!arguments->told_apart) tell(arguments, state, &history);
    return NULL;
}

static SinoStatus residual_sirt(void *buffers[], const Arguments *arguments)
{
    SinoSliceState *state = sino_buffer(buffers, 3);
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 4));
    sino_update_residual_sirt(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                              arguments->first, sino_buffer(buffers, 2), state, &history);
    *(int64_t *)sino_buffer(buffers, 5) = count_active(arguments->slices, state);
    if (!arguments->first && !arguments->told_apart) tell(arguments, state, &history);
    return NULL;
}

static SinoStatus norm(void *buffers[], const Arguments *arguments)
{
    sino_update_norm(arguments->slices, arguments->count, sino_buffer(buffers, 0),
                     arguments->with_g0 ? sino_buffer(buffers, 2) : NULL, sino_buffer(buffers, 1), arguments->first,
                     arguments->last);
    return NULL;
}

static SinoStatus voxels_cg(void *buffers[], const Arguments *arguments)
{
    sino_update_voxels_cg(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                          arguments->first, sino_buffer(buffers, 2), sino_buffer(buffers, 3), sino_buffer(buffers, 4));
    return NULL;
}

static SinoStatus voxels_sirt(void *buffers[], const Arguments *arguments)
{
    sino_update_voxels_sirt(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                            sino_buffer(buffers, 2), arguments->relaxation, arguments->nonnegativity, arguments->first,
                            sino_buffer(buffers, 3));
    return NULL;
}

static SinoStatus progress(void *buffers[], const Arguments *arguments)
{
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 1));
    tell(arguments, sino_buffer(buffers, 0), &history);
    return NULL;
}

SINO_CPU_FUNCTION(start_cpu, Arguments, start)
SINO_CPU_FUNCTION(residual_cg_cpu, Arguments, residual_cg)
SINO_CPU_FUNCTION(residual_sirt_cpu, Arguments, residual_sirt)
SINO_CPU_FUNCTION(norm_cpu, Arguments, norm)
SINO_CPU_FUNCTION(voxels_cg_cpu, Arguments, voxels_cg)
SINO_CPU_FUNCTION(voxels_sirt_cpu, Arguments, voxels_sirt)
SINO_CPU_FUNCTION(progress_cpu, Arguments, progress)

#define HISTORY(residual) ((SinoHistory[]){history_of(arguments, residual)})

SINO_CUDA_FUNCTION(start_cuda, Arguments,
                   sino_update_start_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                          sino_buffer(buffers, 1), HISTORY(sino_buffer(buffers, 2)),
                                          sino_buffer(buffers, arguments->workspace)))
SINO_CUDA_FUNCTION(norm_cuda, Arguments,
                   sino_update_norm_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                         arguments->with_g0 ? sino_buffer(buffers, 2) : NULL, sino_buffer(buffers, 1),
                                         arguments->first, arguments->last, sino_buffer(buffers, arguments->workspace)))
SINO_CUDA_FUNCTION(voxels_cg_cuda, Arguments,
                   sino_update_voxels_cg_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                              sino_buffer(buffers, 1), arguments->first, sino_buffer(buffers, 2),
                                              sino_buffer(buffers, 3), sino_buffer(buffers, 4)))
SINO_CUDA_FUNCTION(voxels_sirt_cuda, Arguments,
                   sino_update_voxels_sirt_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                                sino_buffer(buffers, 1), sino_buffer(buffers, 2), arguments->relaxation,
                                                arguments->nonnegativity, arguments->first, sino_buffer(buffers, 3)))

/* A residual, and then how many slices go on. */
SINO_CUDA_FUNCTION(residual_cg_cuda, Arguments,
                   sino_update_residual_cg_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                                sino_buffer(buffers, 1), sino_buffer(buffers, 2),
                                                HISTORY(sino_buffer(buffers, 3)),
                                                sino_buffer(buffers, arguments->workspace))
                       ?: sino_update_active_cuda(stream, arguments->slices, sino_buffer(buffers, 2),
                                                  sino_buffer(buffers, 4)))
SINO_CUDA_FUNCTION(residual_sirt_cuda, Arguments,
                   sino_update_residual_sirt_cuda(stream, arguments->slices, arguments->count, sino_buffer(buffers, 0),
                                                  sino_buffer(buffers, 1), arguments->first, sino_buffer(buffers, 2),
                                                  sino_buffer(buffers, 3), HISTORY(sino_buffer(buffers, 4)),
                                                  sino_buffer(buffers, arguments->workspace))
                       ?: sino_update_active_cuda(stream, arguments->slices, sino_buffer(buffers, 3),
                                                  sino_buffer(buffers, 5)))

/* On a device the history's residuals are a buffer of their own. */
SINO_OPENCL_FUNCTION(start_opencl, Arguments,
                     sino_update_start_opencl(opencl, arguments->slices, arguments->count,
                                              sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1),
                                              HISTORY(NULL), sino_opencl_buffer(buffers, 2)))
SINO_OPENCL_FUNCTION(residual_cg_opencl, Arguments,
                     sino_update_residual_cg_opencl(opencl, arguments->slices, arguments->count,
                                                    sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1),
                                                    sino_opencl_buffer(buffers, 2), HISTORY(NULL),
                                                    sino_opencl_buffer(buffers, 3), sino_opencl_buffer(buffers, 4)))
SINO_OPENCL_FUNCTION(residual_sirt_opencl, Arguments,
                     sino_update_residual_sirt_opencl(opencl, arguments->slices, arguments->count,
                                                      sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1),
                                                      arguments->first, sino_opencl_buffer(buffers, 2),
                                                      sino_opencl_buffer(buffers, 3), HISTORY(NULL),
                                                      sino_opencl_buffer(buffers, 4), sino_opencl_buffer(buffers, 5)))
SINO_OPENCL_FUNCTION(norm_opencl, Arguments,
                     sino_update_norm_opencl(opencl, arguments->slices, arguments->count,
                                             sino_opencl_buffer(buffers, 0),
                                             arguments->with_g0 ? sino_opencl_buffer(buffers, 2) : NULL,
                                             sino_opencl_buffer(buffers, 1), arguments->first, arguments->last))
SINO_OPENCL_FUNCTION(voxels_cg_opencl, Arguments,
                     sino_update_voxels_cg_opencl(opencl, arguments->slices, arguments->count,
                                                  sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1),
                                                  arguments->first, sino_opencl_buffer(buffers, 2),
                                                  sino_opencl_buffer(buffers, 3), sino_opencl_buffer(buffers, 4)))
SINO_OPENCL_FUNCTION(voxels_sirt_opencl, Arguments,
                     sino_update_voxels_sirt_opencl(opencl, arguments->slices, arguments->count,
                                                    sino_opencl_buffer(buffers, 0), sino_opencl_buffer(buffers, 1),
                                                    sino_opencl_buffer(buffers, 2), arguments->relaxation,
                                                    arguments->nonnegativity, arguments->first,
                                                    sino_opencl_buffer(buffers, 3)))

SINO_CODELET(start_codelet, "update_start", start_cpu, SINO_ON_CUDA(start_cuda) SINO_ON_OPENCL(start_opencl))
SINO_CODELET(residual_cg_codelet, "update_residual_cg", residual_cg_cpu,
             SINO_ON_CUDA(residual_cg_cuda) SINO_ON_OPENCL(residual_cg_opencl))
SINO_CODELET(residual_sirt_codelet, "update_residual_sirt", residual_sirt_cpu,
             SINO_ON_CUDA(residual_sirt_cuda) SINO_ON_OPENCL(residual_sirt_opencl))
SINO_CODELET(norm_codelet, "update_norm", norm_cpu, SINO_ON_CUDA(norm_cuda) SINO_ON_OPENCL(norm_opencl))
SINO_CODELET(voxels_cg_codelet, "update_voxels_cg", voxels_cg_cpu,
             SINO_ON_CUDA(voxels_cg_cuda) SINO_ON_OPENCL(voxels_cg_opencl))
SINO_CODELET(voxels_sirt_codelet, "update_voxels_sirt", voxels_sirt_cpu,
             SINO_ON_CUDA(voxels_sirt_cuda) SINO_ON_OPENCL(voxels_sirt_opencl))
SINO_CODELET(progress_codelet, "progress", progress_cpu)

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, Arguments *arguments, int access_count,
                         const SinoAccess *access)
{
    SinoAccess all[SINO_TASK_DATA_MAX];
    SinoData *workspace = sino_runtime_workspace(runtime);
    arguments->head.work = (double)(arguments->count * arguments->slices.stride);
    arguments->workspace = access_count;
    memcpy(all, access, (size_t)access_count * sizeof *access);
    if (workspace) all[access_count++] = (SinoAccess){workspace, STARPU_SCRATCH};
    return sino_task_submit(runtime, codelet, arguments->position, false, arguments, sizeof *arguments, access_count,
                            all);
}

/* A residual, and how far the run is: where devices compute, a task on a core tells it. */
static SinoStatus insert_residual(SinoRuntime *runtime, struct starpu_codelet *codelet, Arguments *arguments,
                                  int access_count, const SinoAccess *access, SinoData *state, SinoData *history)
{
    const SinoAccess told[] = {{state, STARPU_R}, {history, STARPU_R}};
    arguments->told_apart = sino_runtime_devices(runtime) != SINO_DEVICE_CPU;
    SINO_TRY(insert(runtime, codelet, arguments, access_count, access));
    if (!arguments->told_apart || arguments->first) return NULL;
    return insert(runtime, &progress_codelet, arguments, 2, told);
}

SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, int64_t ray_count, SinoData *r, SinoData *state,
                                    SinoData *history)
{
    Arguments arguments = {.position = position, .slices = slices, .iteration = iteration, .count = ray_count};
    const SinoAccess access[] = {{r, STARPU_R}, {state, STARPU_W}, {history, STARPU_W}};
    return insert(runtime, &start_codelet, &arguments, 3, access);
}

SinoStatus sino_insert_update_residual_cg(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                          SinoIteration iteration, int64_t ray_count, SinoData *q, SinoData *r,
                                          SinoData *state, SinoData *history, SinoData *active)
{
    Arguments arguments = {.position = position, .slices = slices, .iteration = iteration, .count = ray_count};
    const SinoAccess access[] = {
        {q, STARPU_R}, {r, STARPU_RW}, {state, STARPU_RW}, {history, STARPU_RW}, {active, STARPU_W}};
    return insert_residual(runtime, &residual_cg_codelet, &arguments, 5, access, state, history);
}

SinoStatus sino_insert_update_residual_sirt(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                            SinoIteration iteration, int64_t ray_count, SinoData *b,
                                            SinoData *row_weight, bool first, SinoData *w, SinoData *state,
                                            SinoData *history, SinoData *active)
{
    Arguments arguments = {
        .position = position, .slices = slices, .iteration = iteration, .count = ray_count, .first = first};
    const SinoAccess access[] = {{b, STARPU_R},      {row_weight, STARPU_R}, {w, first ? STARPU_W : STARPU_RW},
                                 {state, STARPU_RW}, {history, STARPU_RW},   {active, STARPU_W}};
    return insert_residual(runtime, &residual_sirt_codelet, &arguments, 6, access, state, history);
}

SinoStatus sino_insert_update_norm(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t voxel_count,
                                   SinoData *g, SinoData *g0, SinoData *state, bool first, bool last)
{
    Arguments arguments = {.position = position,
                           .slices = slices,
                           .count = voxel_count,
                           .first = first,
                           .last = last,
                           .with_g0 = g0 != NULL};
    const SinoAccess access[] = {{g, STARPU_R}, {state, STARPU_RW}, {g0, STARPU_R}};
    return insert(runtime, &norm_codelet, &arguments, g0 ? 3 : 2, access);
}

SinoStatus sino_insert_update_voxels_cg(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                        int64_t voxel_count, bool first, SinoData *g, SinoData *state, SinoData *g0,
                                        SinoData *d, SinoData *x)
{
    Arguments arguments = {.position = position, .slices = slices, .count = voxel_count, .first = first};
    const enum starpu_data_access_mode mode = first ? STARPU_W : STARPU_RW;
    const SinoAccess access[] = {
        {g, STARPU_R}, {state, STARPU_R}, {g0, first ? STARPU_W : STARPU_R}, {d, mode}, {x, mode}};
    return insert(runtime, &voxels_cg_codelet, &arguments, 5, access);
}

SinoStatus sino_insert_update_voxels_sirt(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                          int64_t voxel_count, double relaxation, bool nonnegativity, bool first,
                                          SinoData *g, SinoData *column_weight, SinoData *state, SinoData *x)
{
    Arguments arguments = {.position = position,
                           .slices = slices,
                           .count = voxel_count,
                           .relaxation = relaxation,
                           .nonnegativity = nonnegativity,
                           .first = first};
    const SinoAccess access[] = {
        {g, STARPU_R}, {column_weight, STARPU_R}, {state, STARPU_R}, {x, first ? STARPU_W : STARPU_RW}};
    return insert(runtime, &voxels_sirt_codelet, &arguments, 4, access);
}
