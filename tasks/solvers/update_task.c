/* SPDX-License-Identifier: BSD-3-Clause */
/* Task update: update_… are the solvers' vector operations, weights_… compute the weights of some solvers, progress
 * reports the progress of the run. */
#include "update_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "rays_gate_task.h"
#include "task.h"
#include "update_cuda.h"
#include "update_opencl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Buffers of a formula's task: vectors, state, sums and, for sums on a GPU, the workspace. */
typedef struct Arguments {
    SinoUpdate update;
    int vector_count;
    int state, sums, workspace; /* index of the buffer; −1: there is none */
} Arguments;

static void *buffer_or_null(const SinoTask *task, int i)
{
    return i < 0 ? NULL : sino_task_buffer(task, i);
}

static cl_mem opencl_buffer_or_null(const SinoTask *task, int i)
{
    return i < 0 ? NULL : sino_task_opencl_buffer(task, i);
}

static SinoStatus formula_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    void *vector[SINO_UPDATE_VECTORS] = {0};
    for (int i = 0; i < arguments->vector_count; i++) vector[i] = sino_task_buffer(task, i);
    sino_update(&arguments->update, vector, buffer_or_null(task, arguments->state),
                buffer_or_null(task, arguments->sums));
    return NULL;
}

static SinoStatus formula_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    void *vector[SINO_UPDATE_VECTORS] = {0};
    for (int i = 0; i < arguments->vector_count; i++) vector[i] = sino_task_buffer(task, i);
    return sino_update_cuda(stream, &arguments->update, vector, buffer_or_null(task, arguments->state),
                            buffer_or_null(task, arguments->sums), buffer_or_null(task, arguments->workspace));
}

static SinoStatus formula_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    cl_mem vector[SINO_UPDATE_VECTORS] = {0};
    for (int i = 0; i < arguments->vector_count; i++) vector[i] = sino_task_opencl_buffer(task, i);
    return sino_update_opencl(opencl, &arguments->update, vector, opencl_buffer_or_null(task, arguments->state),
                              opencl_buffer_or_null(task, arguments->sums));
}

static const SinoTaskKind formula_kind[SINO_UPDATE_FORMULA_COUNT] = {
#define ROW(function, NAME, task, a, b, c, d, sum_count, state_read)                                                   \
    [SINO_UPDATE_##NAME] = {.name = task,                                                                              \
                            .argument_bytes = sizeof(Arguments),                                                       \
                            .access_min = 1,                                                                           \
                            .access_max = SINO_UPDATE_VECTORS + 3,                                                     \
                            .cpu = formula_cpu,                                                                        \
                            .cuda = SINO_ON_CUDA(formula_cuda),                                                        \
                            .opencl = SINO_ON_OPENCL(formula_opencl)},
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
};

/* The access mode of a vector of the formula. */
static SinoAccessMode mode_of(int vector, bool first)
{
    const bool loaded = vector & (first ? SINO_LOADED_FIRST : SINO_LOADED);
    const bool stored = vector & (first ? SINO_STORED_FIRST : SINO_STORED);
    return !stored ? SINO_READ : loaded ? SINO_READ_WRITE : SINO_WRITE;
}

/* Inserts one task. `among`: it is one of several that share the rows, between the gates of vectors that they store. */
static SinoStatus insert_one(SinoRuntime *runtime, SinoPosition position, const SinoUpdateTask *task, bool among)
{
    const SinoUpdate *update = &task->update;
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    SinoData *workspace = sino_runtime_workspace(runtime);
    SinoAccess access[SINO_UPDATE_VECTORS + 3];
    Arguments arguments = {.update = *update, .state = -1, .sums = -1, .workspace = -1};
    const int64_t rows = update->row_count > 0 ? update->row_count : update->rows;
    const int64_t row_bytes =
        sino_times(update->slices.stride, (int64_t)sino_precision_bytes(update->slices.precision));
    int count = 0;
    for (; count < SINO_UPDATE_VECTORS && row->vector[count] != SINO_NO_VECTOR; count++)
        access[count] =
            (SinoAccess){task->vector[count], among ? SINO_READ : mode_of(row->vector[count], update->first)};
    arguments.vector_count = count;
    const int64_t bytes = sino_times(sino_times(rows, row_bytes), count);
    if (task->state) {
        arguments.state = count;
        access[count++] = (SinoAccess){task->state, SINO_READ};
    }
    if (task->sums) {
        arguments.sums = count;
        access[count++] = (SinoAccess){task->sums, update->add ? SINO_READ_WRITE : SINO_WRITE};
    }
    if (task->sums && workspace) {
        arguments.workspace = count;
        access[count++] = (SinoAccess){workspace, SINO_SCRATCH};
    }
    return sino_task_submit(runtime, &formula_kind[update->formula],
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = count,
                                               SINO_OF_SLICES(update->slices),
                                               .work = (double)(rows * update->slices.stride),
                                               .part_bytes = among ? bytes : 0});
}

/* Inserts rays_begin or rays_end for every vector that the formula stores. */
static SinoStatus insert_gates(SinoRuntime *runtime, SinoPosition position, const SinoUpdateTask *task, bool begins)
{
    const SinoUpdateRow *row = &sino_update_row[task->update.formula];
    for (int i = 0; i < SINO_UPDATE_VECTORS && row->vector[i] != SINO_NO_VECTOR; i++) {
        const SinoAccessMode mode = mode_of(row->vector[i], task->update.first);
        if (mode == SINO_READ) continue;
        SINO_TRY(begins ? sino_insert_rays_begin(runtime, position, mode == SINO_READ_WRITE, task->vector[i])
                        : sino_insert_rays_end(runtime, position, task->vector[i]));
    }
    return NULL;
}

static SinoStatus insert_parts(SinoRuntime *runtime, SinoPosition position, const SinoUpdateTask *task, int64_t parts)
{
    SINO_TRY(insert_gates(runtime, position, task, true));
    for (int64_t i = 0; i < parts; i++) {
        SinoUpdateTask part = *task;
        SinoUpdate *update = &part.update;
        update->first_row = sino_part_first(update->rows, parts, i);
        update->row_count = sino_part_first(update->rows, parts, i + 1) - update->first_row;
        if (task->sums) part.sums = task->part_sums[i];
        position.partition = i;
        SINO_TRY(insert_one(runtime, position, &part, true));
    }
    position.partition = -1;
    SINO_TRY(insert_gates(runtime, position, task, false));
    if (!task->sums) return NULL;
    return sino_insert_update_collect_all(runtime, position, task->update.slices, parts, task->part_sums, task->sums);
}

SinoStatus sino_insert_update(SinoRuntime *runtime, SinoPosition position, const SinoUpdateTask *task)
{
    const SinoUpdate *update = &task->update;
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    const bool shared = task->part_count > 1 && !update->add && sino_runtime_devices(runtime) == SINO_DEVICE_CPU;
    const int64_t parts = shared ? sino_useful_parts(update->slices, update->rows, task->part_count) : 1;
    assert(row->reads_state == (task->state != NULL) && (row->sums > 0) == (task->sums != NULL));
    (void)row;
    return parts > 1 ? insert_parts(runtime, position, task, parts) : insert_one(runtime, position, task, false);
}

/* Arguments of the tasks that work per slice, not per element. */
typedef struct SliceArguments {
    SinoSlices slices;
    SinoUpdateRule rule;
    bool first;
    double argument;
    SinoIteration iteration;
    bool progress_apart; /* a separate task, progress, reports, so that no worker waits for a device */
} SliceArguments;

static SinoStatus insert_slices(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                const SliceArguments *arguments, int access_count, const SinoAccess *access)
{
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = access_count,
                                               SINO_OF_SLICES(arguments->slices),
                                               .work = (double)arguments->slices.stride});
}

static SinoStatus rule_cpu(const SinoTask *task)
{
    const SliceArguments *arguments = task->arguments;
    sino_update_slices(arguments->rule, arguments->slices, arguments->first, arguments->argument,
                       sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus rule_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SliceArguments *arguments = task->arguments;
    return sino_update_slices_cuda(stream, arguments->rule, arguments->slices, arguments->first, arguments->argument,
                                   sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static SinoStatus rule_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SliceArguments *arguments = task->arguments;
    return sino_update_slices_opencl(opencl, arguments->rule, arguments->slices, arguments->first, arguments->argument,
                                     sino_task_opencl_buffer(task, 0), sino_task_opencl_buffer(task, 1));
}

static const SinoTaskKind rule_kind[SINO_UPDATE_RULE_COUNT] = {
#define ROW(function, NAME, task)                                                                                      \
    [SINO_RULE_##NAME] = {.name = task,                                                                                \
                          .argument_bytes = sizeof(SliceArguments),                                                    \
                          .access_min = 2,                                                                             \
                          .access_max = 2,                                                                             \
                          .cpu = rule_cpu,                                                                             \
                          .cuda = SINO_ON_CUDA(rule_cuda),                                                             \
                          .opencl = SINO_ON_OPENCL(rule_opencl)},
    SINO_UPDATE_RULES(ROW)
#undef ROW
};

SinoStatus sino_insert_update_slices(SinoRuntime *runtime, SinoPosition position, SinoUpdateRule rule,
                                     SinoSlices slices, bool first, double argument, SinoData *sums, SinoData *state)
{
    const SliceArguments arguments = {.slices = slices, .rule = rule, .first = first, .argument = argument};
    const SinoAccess access[] = {{sums, SINO_READ}, {state, SINO_READ_WRITE}};
    return insert_slices(runtime, &rule_kind[rule], position, &arguments, 2, access);
}

static SinoStatus residual_cpu(const SinoTask *task)
{
    const SliceArguments *arguments = task->arguments;
    sino_update_residual(arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus residual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SliceArguments *arguments = task->arguments;
    return sino_update_residual_cuda(stream, arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static const SinoTaskKind residual_kind = {.name = "update_residual",
                                           .argument_bytes = sizeof(SliceArguments),
                                           .access_min = 2,
                                           .access_max = 2,
                                           .cpu = residual_cpu,
                                           .cuda = SINO_ON_CUDA(residual_cuda)};

SinoStatus sino_insert_update_residual(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *state,
                                       SinoData *sums)
{
    const SliceArguments arguments = {.slices = slices};
    const SinoAccess access[] = {{state, SINO_READ}, {sums, SINO_WRITE}};
    return insert_slices(runtime, &residual_kind, position, &arguments, 2, access);
}

static SinoStatus collect_cpu(const SinoTask *task)
{
    const SliceArguments *arguments = task->arguments;
    sino_update_collect(arguments->slices, sino_task_buffer(task, 0), arguments->first, sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus collect_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SliceArguments *arguments = task->arguments;
    return sino_update_collect_cuda(stream, arguments->slices, sino_task_buffer(task, 0), arguments->first,
                                    sino_task_buffer(task, 1));
}

static SinoStatus collect_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SliceArguments *arguments = task->arguments;
    return sino_update_collect_opencl(opencl, arguments->slices, sino_task_opencl_buffer(task, 0), arguments->first,
                                      sino_task_opencl_buffer(task, 1));
}

static const SinoTaskKind collect_kind = {.name = "update_collect",
                                          .argument_bytes = sizeof(SliceArguments),
                                          .access_min = 2,
                                          .access_max = 2,
                                          .cpu = collect_cpu,
                                          .cuda = SINO_ON_CUDA(collect_cuda),
                                          .opencl = SINO_ON_OPENCL(collect_opencl)};

SinoStatus sino_insert_update_collect(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *part,
                                      bool first, SinoData *total)
{
    const SliceArguments arguments = {.slices = slices, .first = first};
    const SinoAccess access[] = {{part, SINO_READ}, {total, first ? SINO_WRITE : SINO_READ_WRITE}};
    return insert_slices(runtime, &collect_kind, position, &arguments, 2, access);
}

/* Arguments of the task that takes all parts at once, its buffers after the total. */
typedef struct AllArguments {
    SinoSlices slices;
    int count;
} AllArguments;

static SinoStatus collect_all_cpu(const SinoTask *task)
{
    const AllArguments *arguments = task->arguments;
    for (int i = 0; i < arguments->count; i++)
        sino_update_collect(arguments->slices, sino_task_buffer(task, i + 1), i == 0, sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind collect_all_kind = {.name = "update_collect",
                                              .argument_bytes = sizeof(AllArguments),
                                              .access_min = 2,
                                              .access_max = SINO_TASK_DATA_MANY,
                                              .cpu = collect_all_cpu};

/* On devices, one part after another: sums stay there. */
static SinoStatus collect_each(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t count,
                               SinoData *const *part, SinoData *total)
{
    for (int64_t i = 0; i < count; i++)
        SINO_TRY(sino_insert_update_collect(runtime, position, slices, part[i], i == 0, total));
    return NULL;
}

SinoStatus sino_insert_update_collect_all(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t count,
                                          SinoData *const *part, SinoData *total)
{
    const AllArguments arguments = {.slices = slices, .count = (int)count};
    SinoAccess *access;
    if (sino_runtime_devices(runtime) != SINO_DEVICE_CPU)
        return collect_each(runtime, position, slices, count, part, total);
    SINO_TRY(sino_allocate(count + 1, sizeof *access, "the data of a task", &access));
    access[0] = (SinoAccess){total, SINO_WRITE};
    for (int64_t i = 0; i < count; i++) access[i + 1] = (SinoAccess){part[i], SINO_READ};
    SinoStatus status = sino_task_submit(runtime, &collect_all_kind,
                                         &(SinoTaskRequest){.position = position,
                                                            .arguments = &arguments,
                                                            .argument_bytes = sizeof arguments,
                                                            .access = access,
                                                            .access_count = (int)count + 1,
                                                            SINO_OF_SLICES(slices),
                                                            .work = (double)(count * slices.stride)});
    free(access);
    return status;
}

/* The history. `residual`: its address, for CPU and CUDA functions; NULL for OpenCL. */
static SinoHistory history_of(const SinoTask *task, double *residual)
{
    const SinoIteration iteration = ((const SliceArguments *)task->arguments)->iteration;
    return (SinoHistory){.residual = residual,
                         .columns = iteration.columns,
                         .numbers = iteration.numbers,
                         .iteration = iteration.iteration,
                         .tolerance = iteration.tolerance,
                         .likelihood_tolerance = iteration.likelihood_tolerance};
}

static SinoStatus start_cpu(const SinoTask *task)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, sino_task_buffer(task, 2));
    sino_update_start(arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1), &history);
    return NULL;
}

static SinoStatus start_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, sino_task_buffer(task, 2));
    return sino_update_start_cuda(stream, arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                                  &history);
}

static SinoStatus start_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, NULL);
    return sino_update_start_opencl(opencl, arguments->slices, sino_task_opencl_buffer(task, 0),
                                    sino_task_opencl_buffer(task, 1), &history, sino_task_opencl_buffer(task, 2));
}

static const SinoTaskKind start_kind = {.name = "update_start",
                                        .argument_bytes = sizeof(SliceArguments),
                                        .access_min = 3,
                                        .access_max = 3,
                                        .cpu = start_cpu,
                                        .cuda = SINO_ON_CUDA(start_cuda),
                                        .opencl = SINO_ON_OPENCL(start_opencl)};

SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history)
{
    const SliceArguments arguments = {.slices = slices, .iteration = iteration};
    const SinoAccess access[] = {{sums, SINO_READ}, {state, SINO_WRITE}, {history, SINO_WRITE}};
    return insert_slices(runtime, &start_kind, position, &arguments, 3, access);
}

/* Reports the progress of the run, with the residual just recorded. */
static void report_progress(const SinoTask *task, const SinoHistory *history)
{
    const int64_t slices = ((const SliceArguments *)task->arguments)->slices.slice_count;
    const SinoMinibatchProgress now =
        sino_minibatch_progress(slices, history->numbers, history->iteration, history->residual);
    sino_runtime_advance(task->runtime, (double)slices, task->position, &now);
}

static SinoStatus record_cpu(const SinoTask *task)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, sino_task_buffer(task, 2));
    sino_update_record(arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1), &history,
                       sino_task_buffer(task, 3));
    if (!arguments->progress_apart) report_progress(task, &history);
    return NULL;
}

static SinoStatus record_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, sino_task_buffer(task, 2));
    return sino_update_record_cuda(stream, arguments->slices, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                                   &history, sino_task_buffer(task, 3));
}

static SinoStatus record_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const SliceArguments *arguments = task->arguments;
    const SinoHistory history = history_of(task, NULL);
    return sino_update_record_opencl(opencl, arguments->slices, sino_task_opencl_buffer(task, 0),
                                     sino_task_opencl_buffer(task, 1), &history, sino_task_opencl_buffer(task, 2),
                                     sino_task_opencl_buffer(task, 3));
}

static SinoStatus progress_cpu(const SinoTask *task)
{
    const SinoHistory history = history_of(task, sino_task_buffer(task, 0));
    report_progress(task, &history);
    return NULL;
}

static const SinoTaskKind record_kind = {.name = "update_record",
                                         .argument_bytes = sizeof(SliceArguments),
                                         .access_min = 4,
                                         .access_max = 4,
                                         .cpu = record_cpu,
                                         .cuda = SINO_ON_CUDA(record_cuda),
                                         .opencl = SINO_ON_OPENCL(record_opencl)};

static const SinoTaskKind progress_kind = {.name = "progress",
                                           .argument_bytes = sizeof(SliceArguments),
                                           .access_min = 1,
                                           .access_max = 1,
                                           .cpu = progress_cpu};

SinoStatus sino_insert_update_record(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                     SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history,
                                     SinoData *active)
{
    const SliceArguments arguments = {
        .slices = slices, .iteration = iteration, .progress_apart = sino_runtime_devices(runtime) != SINO_DEVICE_CPU};
    const SinoAccess access[] = {
        {sums, SINO_READ}, {state, SINO_READ_WRITE}, {history, SINO_READ_WRITE}, {active, SINO_WRITE}};
    const SinoAccess reported[] = {{history, SINO_READ}};
    SINO_TRY(insert_slices(runtime, &record_kind, position, &arguments, 4, access));
    return arguments.progress_apart ? insert_slices(runtime, &progress_kind, position, &arguments, 1, reported) : NULL;
}

void sino_update_strengthen(SinoSliceState *state, double strength)
{
    sino_fista_set_strength(state, strength);
}
