/* SPDX-License-Identifier: BSD-3-Clause */
/* update_sums, update_collect, update_start, update_step, update_residual, update_record, update_direction,
 * update_voxels: the solvers' vector work. */
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
    bool nonnegativity, first, with_along;
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

static SinoStatus sums(void *buffers[], const Arguments *arguments)
{
    sino_update_sums(arguments->slices, arguments->count, sino_buffer(buffers, 0),
                     arguments->with_along ? sino_buffer(buffers, 2) : NULL, arguments->first, sino_buffer(buffers, 1));
    return NULL;
}

static SinoStatus collect(void *buffers[], const Arguments *arguments)
{
    sino_update_collect(arguments->slices, sino_buffer(buffers, 0), arguments->first, sino_buffer(buffers, 1));
    return NULL;
}

static SinoStatus start(void *buffers[], const Arguments *arguments)
{
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 2));
    sino_update_start(arguments->slices, sino_buffer(buffers, 0), sino_buffer(buffers, 1), &history);
    return NULL;
}

static SinoStatus step(void *buffers[], const Arguments *arguments)
{
    sino_update_step(arguments->slices, sino_buffer(buffers, 0), sino_buffer(buffers, 1));
    return NULL;
}

static SinoStatus residual_cg(void *buffers[], const Arguments *arguments)
{
    sino_update_residual_cg(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                            sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

static SinoStatus residual_sirt(void *buffers[], const Arguments *arguments)
{
    sino_update_residual_sirt(arguments->slices, arguments->count, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                              arguments->first, sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

static SinoStatus record(void *buffers[], const Arguments *arguments)
{
    SinoSliceState *state = sino_buffer(buffers, 1);
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 2));
    sino_update_record(arguments->slices, sino_buffer(buffers, 0), state, &history, sino_buffer(buffers, 3));
    if (!arguments->told_apart) tell(arguments, state, &history);
    return NULL;
}

static SinoStatus progress(void *buffers[], const Arguments *arguments)
{
    const SinoHistory history = history_of(arguments, sino_buffer(buffers, 1));
    tell(arguments, sino_buffer(buffers, 0), &history);
    return NULL;
}

static SinoStatus direction(void *buffers[], const Arguments *arguments)
{
    sino_update_direction(arguments->slices, sino_buffer(buffers, 0), arguments->first, sino_buffer(buffers, 1));
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

SINO_CPU_FUNCTION(sums_cpu, Arguments, sums)
SINO_CPU_FUNCTION(collect_cpu, Arguments, collect)
SINO_CPU_FUNCTION(start_cpu, Arguments, start)
SINO_CPU_FUNCTION(step_cpu, Arguments, step)
SINO_CPU_FUNCTION(residual_cg_cpu, Arguments, residual_cg)
SINO_CPU_FUNCTION(residual_sirt_cpu, Arguments, residual_sirt)
SINO_CPU_FUNCTION(record_cpu, Arguments, record)
SINO_CPU_FUNCTION(direction_cpu, Arguments, direction)
SINO_CPU_FUNCTION(voxels_cg_cpu, Arguments, voxels_cg)
SINO_CPU_FUNCTION(voxels_sirt_cpu, Arguments, voxels_sirt)
SINO_CPU_FUNCTION(progress_cpu, Arguments, progress)

#define HISTORY(residual) ((SinoHistory[]){history_of(arguments, residual)})
#define BUFFER(i)         sino_buffer(buffers, i)

SINO_CUDA_FUNCTION(sums_cuda, Arguments,
                   sino_update_sums_cuda(stream, arguments->slices, arguments->count, BUFFER(0),
                                         arguments->with_along ? BUFFER(2) : NULL, arguments->first, BUFFER(1),
                                         BUFFER(arguments->workspace)))
SINO_CUDA_FUNCTION(collect_cuda, Arguments,
                   sino_update_collect_cuda(stream, arguments->slices, BUFFER(0), arguments->first, BUFFER(1)))
SINO_CUDA_FUNCTION(start_cuda, Arguments,
                   sino_update_start_cuda(stream, arguments->slices, BUFFER(0), BUFFER(1), HISTORY(BUFFER(2))))
SINO_CUDA_FUNCTION(step_cuda, Arguments, sino_update_step_cuda(stream, arguments->slices, BUFFER(0), BUFFER(1)))
SINO_CUDA_FUNCTION(residual_cg_cuda, Arguments,
                   sino_update_residual_cg_cuda(stream, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                BUFFER(2), BUFFER(3), BUFFER(arguments->workspace)))
SINO_CUDA_FUNCTION(residual_sirt_cuda, Arguments,
                   sino_update_residual_sirt_cuda(stream, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                  arguments->first, BUFFER(2), BUFFER(3), BUFFER(arguments->workspace)))
SINO_CUDA_FUNCTION(record_cuda, Arguments,
                   sino_update_record_cuda(stream, arguments->slices, BUFFER(0), BUFFER(1), HISTORY(BUFFER(2)),
                                           BUFFER(3)))
SINO_CUDA_FUNCTION(direction_cuda, Arguments,
                   sino_update_direction_cuda(stream, arguments->slices, BUFFER(0), arguments->first, BUFFER(1)))
SINO_CUDA_FUNCTION(voxels_cg_cuda, Arguments,
                   sino_update_voxels_cg_cuda(stream, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                              arguments->first, BUFFER(2), BUFFER(3), BUFFER(4)))
SINO_CUDA_FUNCTION(voxels_sirt_cuda, Arguments,
                   sino_update_voxels_sirt_cuda(stream, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                BUFFER(2), arguments->relaxation, arguments->nonnegativity,
                                                arguments->first, BUFFER(3)))
#undef BUFFER

/* On a device the history's residuals are a buffer of their own. */
#define BUFFER(i) sino_opencl_buffer(buffers, i)

SINO_OPENCL_FUNCTION(sums_opencl, Arguments,
                     sino_update_sums_opencl(opencl, arguments->slices, arguments->count, BUFFER(0),
                                             arguments->with_along ? BUFFER(2) : NULL, arguments->first, BUFFER(1)))
SINO_OPENCL_FUNCTION(collect_opencl, Arguments,
                     sino_update_collect_opencl(opencl, arguments->slices, BUFFER(0), arguments->first, BUFFER(1)))
SINO_OPENCL_FUNCTION(start_opencl, Arguments,
                     sino_update_start_opencl(opencl, arguments->slices, BUFFER(0), BUFFER(1), HISTORY(NULL),
                                              BUFFER(2)))
SINO_OPENCL_FUNCTION(step_opencl, Arguments, sino_update_step_opencl(opencl, arguments->slices, BUFFER(0), BUFFER(1)))
SINO_OPENCL_FUNCTION(residual_cg_opencl, Arguments,
                     sino_update_residual_cg_opencl(opencl, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                    BUFFER(2), BUFFER(3)))
SINO_OPENCL_FUNCTION(residual_sirt_opencl, Arguments,
                     sino_update_residual_sirt_opencl(opencl, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                      arguments->first, BUFFER(2), BUFFER(3)))
SINO_OPENCL_FUNCTION(record_opencl, Arguments,
                     sino_update_record_opencl(opencl, arguments->slices, BUFFER(0), BUFFER(1), HISTORY(NULL),
                                               BUFFER(2), BUFFER(3)))
SINO_OPENCL_FUNCTION(direction_opencl, Arguments,
                     sino_update_direction_opencl(opencl, arguments->slices, BUFFER(0), arguments->first, BUFFER(1)))
SINO_OPENCL_FUNCTION(voxels_cg_opencl, Arguments,
                     sino_update_voxels_cg_opencl(opencl, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                  arguments->first, BUFFER(2), BUFFER(3), BUFFER(4)))
SINO_OPENCL_FUNCTION(voxels_sirt_opencl, Arguments,
                     sino_update_voxels_sirt_opencl(opencl, arguments->slices, arguments->count, BUFFER(0), BUFFER(1),
                                                    BUFFER(2), arguments->relaxation, arguments->nonnegativity,
                                                    arguments->first, BUFFER(3)))
#undef BUFFER

SINO_CODELET(sums_codelet, "update_sums", sums_cpu, SINO_ON_CUDA(sums_cuda) SINO_ON_OPENCL(sums_opencl))
SINO_CODELET(collect_codelet, "update_collect", collect_cpu, SINO_ON_CUDA(collect_cuda) SINO_ON_OPENCL(collect_opencl))
SINO_CODELET(start_codelet, "update_start", start_cpu, SINO_ON_CUDA(start_cuda) SINO_ON_OPENCL(start_opencl))
SINO_CODELET(step_codelet, "update_step", step_cpu, SINO_ON_CUDA(step_cuda) SINO_ON_OPENCL(step_opencl))
SINO_CODELET(residual_cg_codelet, "update_residual_cg", residual_cg_cpu,
             SINO_ON_CUDA(residual_cg_cuda) SINO_ON_OPENCL(residual_cg_opencl))
SINO_CODELET(residual_sirt_codelet, "update_residual_sirt", residual_sirt_cpu,
             SINO_ON_CUDA(residual_sirt_cuda) SINO_ON_OPENCL(residual_sirt_opencl))
SINO_CODELET(record_codelet, "update_record", record_cpu, SINO_ON_CUDA(record_cuda) SINO_ON_OPENCL(record_opencl))
SINO_CODELET(direction_codelet, "update_direction", direction_cpu,
             SINO_ON_CUDA(direction_cuda) SINO_ON_OPENCL(direction_opencl))
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

SinoStatus sino_insert_update_sums(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *v, SinoData *w, bool first, SinoData *sums)
{
    Arguments arguments = {
        .position = position, .slices = slices, .count = rows, .first = first, .with_along = w != NULL};
    const SinoAccess access[] = {{v, STARPU_R}, {sums, first ? STARPU_W : STARPU_RW}, {w, STARPU_R}};
    return insert(runtime, &sums_codelet, &arguments, w ? 3 : 2, access);
}

SinoStatus sino_insert_update_collect(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *part,
                                      bool first, SinoData *total)
{
    Arguments arguments = {.position = position, .slices = slices, .count = 1, .first = first};
    const SinoAccess access[] = {{part, STARPU_R}, {total, first ? STARPU_W : STARPU_RW}};
    return insert(runtime, &collect_codelet, &arguments, 2, access);
}

SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history)
{
    Arguments arguments = {.position = position, .slices = slices, .iteration = iteration, .count = 1};
    const SinoAccess access[] = {{sums, STARPU_R}, {state, STARPU_W}, {history, STARPU_W}};
    return insert(runtime, &start_codelet, &arguments, 3, access);
}

SinoStatus sino_insert_update_step(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *sums,
                                   SinoData *state)
{
    Arguments arguments = {.position = position, .slices = slices, .count = 1};
    const SinoAccess access[] = {{sums, STARPU_R}, {state, STARPU_RW}};
    return insert(runtime, &step_codelet, &arguments, 2, access);
}

SinoStatus sino_insert_update_residual_cg(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                          int64_t ray_count, SinoData *q, SinoData *state, SinoData *r, SinoData *sums)
{
    Arguments arguments = {.position = position, .slices = slices, .count = ray_count};
    const SinoAccess access[] = {{q, STARPU_R}, {state, STARPU_R}, {r, STARPU_RW}, {sums, STARPU_W}};
    return insert(runtime, &residual_cg_codelet, &arguments, 4, access);
}

SinoStatus sino_insert_update_residual_sirt(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                            int64_t ray_count, SinoData *b, SinoData *row_weight, bool first,
                                            SinoData *w, SinoData *sums)
{
    Arguments arguments = {.position = position, .slices = slices, .count = ray_count, .first = first};
    const SinoAccess access[] = {
        {b, STARPU_R}, {row_weight, STARPU_R}, {w, first ? STARPU_W : STARPU_RW}, {sums, STARPU_W}};
    return insert(runtime, &residual_sirt_codelet, &arguments, 4, access);
}

/* Where devices compute, a task on a core tells how far the run is. */
SinoStatus sino_insert_update_record(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                     SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history,
                                     SinoData *active)
{
    Arguments arguments = {.position = position,
                           .slices = slices,
                           .iteration = iteration,
                           .count = 1,
                           .told_apart = sino_runtime_devices(runtime) != SINO_DEVICE_CPU};
    const SinoAccess access[] = {{sums, STARPU_R}, {state, STARPU_RW}, {history, STARPU_RW}, {active, STARPU_W}};
    const SinoAccess told[] = {{state, STARPU_R}, {history, STARPU_R}};
    SINO_TRY(insert(runtime, &record_codelet, &arguments, 4, access));
    return arguments.told_apart ? insert(runtime, &progress_codelet, &arguments, 2, told) : NULL;
}

SinoStatus sino_insert_update_direction(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *sums,
                                        bool first, SinoData *state)
{
    Arguments arguments = {.position = position, .slices = slices, .count = 1, .first = first};
    const SinoAccess access[] = {{sums, STARPU_R}, {state, STARPU_RW}};
    return insert(runtime, &direction_codelet, &arguments, 2, access);
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
