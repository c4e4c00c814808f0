/* SPDX-License-Identifier: BSD-3-Clause */
/* Task update: update_… are the solvers' vector operations, weights_… compute the weights of some solvers, progress
 * reports the progress of the run. */
#include "solvers_tasks.h"

#include "arithmetic.h"
#include "rays_tasks.h"
#include "task.h"

#include <assert.h>

/* vector: in the order of the formula's row. workspace: for sums on a GPU. */
typedef struct Formula {
    SinoOperand vector[SINO_UPDATE_VECTORS], state, sums, workspace;
    SinoUpdate update;
} Formula;

static SinoStatus formula_cpu(const SinoTask *task)
{
    const Formula *of = task->arguments;
    void *vector[SINO_UPDATE_VECTORS];
    for (int i = 0; i < SINO_UPDATE_VECTORS; i++) vector[i] = of->vector[i].at;
    sino_update(&of->update, vector, of->state.at, of->sums.at);
    return NULL;
}

static SinoStatus formula_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Formula *of = task->arguments;
    void *vector[SINO_UPDATE_VECTORS];
    for (int i = 0; i < SINO_UPDATE_VECTORS; i++) vector[i] = of->vector[i].at;
    return sino_update_cuda(stream, &of->update, vector, of->state.at, of->sums.at, of->workspace.at);
}

static SinoStatus formula_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Formula *of = task->arguments;
    cl_mem vector[SINO_UPDATE_VECTORS];
    for (int i = 0; i < SINO_UPDATE_VECTORS; i++) vector[i] = of->vector[i].opencl;
    return sino_update_opencl(opencl, &of->update, vector, of->state.opencl, of->sums.opencl);
}

static const SinoTaskKind formula_kind[SINO_UPDATE_FORMULA_COUNT] = {
#define ROW(function, NAME, task, a, b, c, d, sum_count, state_read)                                                   \
    [SINO_UPDATE_##NAME] = {.name = task,                                                                              \
                            SINO_ARGUMENTS(Formula, SINO_MAY_READ(Formula, vector[0]),                                 \
                                           SINO_MAY_READ(Formula, vector[1]), SINO_MAY_READ(Formula, vector[2]),       \
                                           SINO_MAY_READ(Formula, vector[3]), SINO_MAY_READ(Formula, state),           \
                                           SINO_MAY_WRITE(Formula, sums), SINO_MAY_USE(Formula, workspace)),           \
                            SINO_CPU_CUDA_OPENCL(formula)},
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
};
_Static_assert(SINO_UPDATE_VECTORS == 4, "rows of the vectors");

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
    Formula arguments = {.state.data = task->state,
                         .sums = {.data = task->sums, .mode = update->add ? SINO_READ_WRITE : SINO_WRITE},
                         .workspace.data = task->sums ? sino_runtime_workspace(runtime) : NULL,
                         .update = *update};
    const int64_t rows = update->row_count > 0 ? update->row_count : update->rows;
    const int64_t row_bytes =
        sino_times(update->slices.stride, (int64_t)sino_precision_bytes(update->slices.precision));
    int count = 0;
    for (; count < SINO_UPDATE_VECTORS && row->vector[count] != SINO_NO_VECTOR; count++)
        arguments.vector[count] = (SinoOperand){.data = task->vector[count],
                                                .mode = among ? SINO_READ : mode_of(row->vector[count], update->first)};
    return SINO_SUBMIT(runtime, &formula_kind[update->formula], position, &arguments, SINO_OF_SLICES(update->slices),
                       .work = (double)(rows * update->slices.stride),
                       .part_bytes = among ? sino_times(sino_times(rows, row_bytes), count) : 0);
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
typedef struct Slices {
    SinoOperand sums, state, history, active;
    SinoSlices slices;
    SinoUpdateRule rule;
    bool first;
    double argument;
    SinoIteration iteration;
    bool progress_apart; /* a separate task, progress, reports, so that no worker waits for a device */
} Slices;

static SinoStatus insert_slices(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, Slices arguments)
{
    return SINO_SUBMIT(runtime, kind, position, &arguments, SINO_OF_SLICES(arguments.slices),
                       .work = (double)arguments.slices.stride);
}

static SinoStatus rule_cpu(const SinoTask *task)
{
    const Slices *of = task->arguments;
    sino_update_slices(of->rule, of->slices, of->first, of->argument, of->sums.at, of->state.at);
    return NULL;
}

static SinoStatus rule_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Slices *of = task->arguments;
    return sino_update_slices_cuda(stream, of->rule, of->slices, of->first, of->argument, of->sums.at, of->state.at);
}

static SinoStatus rule_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Slices *of = task->arguments;
    return sino_update_slices_opencl(opencl, of->rule, of->slices, of->first, of->argument, of->sums.opencl,
                                     of->state.opencl);
}

static const SinoTaskKind rule_kind[SINO_UPDATE_RULE_COUNT] = {
#define ROW(function, NAME, task)                                                                                      \
    [SINO_RULE_##NAME] = {.name = task,                                                                                \
                          SINO_ARGUMENTS(Slices, SINO_READS(Slices, sums), SINO_UPDATES(Slices, state)),               \
                          SINO_CPU_CUDA_OPENCL(rule)},
    SINO_UPDATE_RULES(ROW)
#undef ROW
};

SinoStatus sino_insert_update_slices(SinoRuntime *runtime, SinoPosition position, SinoUpdateRule rule,
                                     SinoSlices slices, bool first, double argument, SinoData *sums, SinoData *state)
{
    return insert_slices(runtime, &rule_kind[rule], position,
                         (Slices){.sums.data = sums,
                                  .state.data = state,
                                  .slices = slices,
                                  .rule = rule,
                                  .first = first,
                                  .argument = argument});
}

static SinoStatus residual_cpu(const SinoTask *task)
{
    const Slices *of = task->arguments;
    sino_update_residual(of->slices, of->state.at, of->sums.at);
    return NULL;
}

static SinoStatus residual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Slices *of = task->arguments;
    return sino_update_residual_cuda(stream, of->slices, of->state.at, of->sums.at);
}

static const SinoTaskKind residual_kind = {.name = "update_residual",
                                           SINO_ARGUMENTS(Slices, SINO_READS(Slices, state), SINO_WRITES(Slices, sums)),
                                           SINO_CPU_CUDA(residual)};

SinoStatus sino_insert_update_residual(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *state,
                                       SinoData *sums)
{
    return insert_slices(runtime, &residual_kind, position,
                         (Slices){.sums.data = sums, .state.data = state, .slices = slices});
}

typedef struct Collect {
    SinoOperand part, total;
    SinoSlices slices;
    bool first;
} Collect;

static SinoStatus collect_cpu(const SinoTask *task)
{
    const Collect *of = task->arguments;
    sino_update_collect(of->slices, of->part.at, of->first, of->total.at);
    return NULL;
}

static SinoStatus collect_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Collect *of = task->arguments;
    return sino_update_collect_cuda(stream, of->slices, of->part.at, of->first, of->total.at);
}

static SinoStatus collect_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Collect *of = task->arguments;
    return sino_update_collect_opencl(opencl, of->slices, of->part.opencl, of->first, of->total.opencl);
}

static const SinoTaskKind collect_kind = {
    .name = "update_collect",
    SINO_ARGUMENTS(Collect, SINO_READS(Collect, part), SINO_UPDATES(Collect, total)),
    SINO_CPU_CUDA_OPENCL(collect)};

/* Inserts update_collect: total += part, where `part` are another rank's sums; `first` starts the total. */
static SinoStatus insert_collect(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *part,
                                 bool first, SinoData *total)
{
    const Collect arguments = {.part.data = part,
                               .total = {.data = total, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                               .slices = slices,
                               .first = first};
    return SINO_SUBMIT(runtime, &collect_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)slices.stride);
}

typedef struct CollectAll {
    SinoOperand total;
    SinoOperandList part;
    SinoSlices slices;
} CollectAll;

static SinoStatus collect_all_cpu(const SinoTask *task)
{
    const CollectAll *of = task->arguments;
    for (int64_t i = 0; i < of->part.count; i++) sino_update_collect(of->slices, of->part.at[i], i == 0, of->total.at);
    return NULL;
}

static const SinoTaskKind collect_all_kind = {
    .name = "update_collect",
    SINO_ARGUMENTS(CollectAll, SINO_WRITES(CollectAll, total), SINO_READS_EACH(CollectAll, part)),
    .cpu = collect_all_cpu};

/* On devices, one part after another: sums stay there. */
static SinoStatus collect_each(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t count,
                               SinoData *const *part, SinoData *total)
{
    for (int64_t i = 0; i < count; i++) SINO_TRY(insert_collect(runtime, position, slices, part[i], i == 0, total));
    return NULL;
}

SinoStatus sino_insert_update_collect_all(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t count,
                                          SinoData *const *part, SinoData *total)
{
    const CollectAll arguments = {.total.data = total, .part = {.data = part, .count = count}, .slices = slices};
    if (sino_runtime_devices(runtime) != SINO_DEVICE_CPU)
        return collect_each(runtime, position, slices, count, part, total);
    return SINO_SUBMIT(runtime, &collect_all_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(count * slices.stride));
}

/* The history. `residual`: its address, for CPU and CUDA functions; NULL for OpenCL. */
static SinoHistory history_of(const Slices *of, double *residual)
{
    const SinoIteration *iteration = &of->iteration;
    return (SinoHistory){.residual = residual,
                         .columns = iteration->columns,
                         .numbers = iteration->numbers,
                         .iteration = iteration->iteration,
                         .tolerance = iteration->tolerance,
                         .likelihood_tolerance = iteration->likelihood_tolerance};
}

static SinoStatus start_cpu(const SinoTask *task)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, of->history.at);
    sino_update_start(of->slices, of->sums.at, of->state.at, &history);
    return NULL;
}

static SinoStatus start_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, of->history.at);
    return sino_update_start_cuda(stream, of->slices, of->sums.at, of->state.at, &history);
}

static SinoStatus start_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, NULL);
    return sino_update_start_opencl(opencl, of->slices, of->sums.opencl, of->state.opencl, &history,
                                    of->history.opencl);
}

static const SinoTaskKind start_kind = {
    .name = "update_start",
    SINO_ARGUMENTS(Slices, SINO_READS(Slices, sums), SINO_WRITES(Slices, state), SINO_WRITES(Slices, history)),
    SINO_CPU_CUDA_OPENCL(start)};

SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history)
{
    return insert_slices(
        runtime, &start_kind, position,
        (Slices){
            .sums.data = sums, .state.data = state, .history.data = history, .slices = slices, .iteration = iteration});
}

/* Reports the progress of the run, with the residual just recorded. */
static void report_progress(const SinoTask *task, const SinoHistory *history)
{
    const int64_t slices = ((const Slices *)task->arguments)->slices.slice_count;
    const SinoMinibatchProgress now =
        sino_minibatch_progress(slices, history->numbers, history->iteration, history->residual);
    sino_runtime_advance(task->runtime, (double)slices, task->position, &now);
}

static SinoStatus record_cpu(const SinoTask *task)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, of->history.at);
    sino_update_record(of->slices, of->sums.at, of->state.at, &history, of->active.at);
    if (!of->progress_apart) report_progress(task, &history);
    return NULL;
}

static SinoStatus record_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, of->history.at);
    return sino_update_record_cuda(stream, of->slices, of->sums.at, of->state.at, &history, of->active.at);
}

static SinoStatus record_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, NULL);
    return sino_update_record_opencl(opencl, of->slices, of->sums.opencl, of->state.opencl, &history,
                                     of->history.opencl, of->active.opencl);
}

static SinoStatus progress_cpu(const SinoTask *task)
{
    const Slices *of = task->arguments;
    const SinoHistory history = history_of(of, of->history.at);
    report_progress(task, &history);
    return NULL;
}

static const SinoTaskKind record_kind = {.name = "update_record",
                                         SINO_ARGUMENTS(Slices, SINO_READS(Slices, sums), SINO_UPDATES(Slices, state),
                                                        SINO_UPDATES(Slices, history), SINO_WRITES(Slices, active)),
                                         SINO_CPU_CUDA_OPENCL(record)};

static const SinoTaskKind progress_kind = {
    .name = "progress", SINO_ARGUMENTS(Slices, SINO_READS(Slices, history)), .cpu = progress_cpu};

SinoStatus sino_insert_update_record(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                     SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history,
                                     SinoData *active)
{
    const Slices arguments = {.sums.data = sums,
                              .state.data = state,
                              .history.data = history,
                              .active.data = active,
                              .slices = slices,
                              .iteration = iteration,
                              .progress_apart = sino_runtime_devices(runtime) != SINO_DEVICE_CPU};
    SINO_TRY(insert_slices(runtime, &record_kind, position, arguments));
    return arguments.progress_apart ? insert_slices(runtime, &progress_kind, position, arguments) : NULL;
}

void sino_update_strengthen(SinoSliceState *state, double strength)
{
    sino_fista_set_strength(state, strength);
}
