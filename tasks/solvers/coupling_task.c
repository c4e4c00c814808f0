/* SPDX-License-Identifier: BSD-3-Clause */
/* Task coupling: what ties minibatches of slices together. */
#include "solvers_tasks.h"

#include "coupling.h"
#include "task.h"

typedef struct Edge {
    SinoOperand vector, edge;
    SinoSlices slices;
    int64_t rows, slice;
} Edge;

static SinoStatus edge_cpu(const SinoTask *task)
{
    const Edge *of = task->arguments;
    sino_coupling_edge(of->slices, of->rows, of->slice, of->vector.at, of->edge.at);
    return NULL;
}

static SinoStatus edge_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Edge *of = task->arguments;
    return sino_coupling_edge_cuda(stream, of->slices, of->rows, of->slice, of->vector.at, of->edge.at);
}

static const SinoTaskKind edge_kind = {
    .name = "edge", SINO_ARGUMENTS(Edge, SINO_READS(Edge, vector), SINO_WRITES(Edge, edge)), SINO_CPU_CUDA(edge)};

SinoStatus sino_insert_edge(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows, int64_t slice,
                            bool host, SinoData *vector, SinoData *edge)
{
    const Edge arguments = {.vector.data = vector, .edge.data = edge, .slices = slices, .rows = rows, .slice = slice};
    return SINO_SUBMIT(runtime, &edge_kind, position, &arguments, SINO_OF_SLICES(slices), .work = (double)rows,
                       .part_bytes = 2 * rows * (int64_t)sino_precision_bytes(slices.precision), .host = host);
}

typedef struct Steps {
    SinoOperand state, after;
    SinoSlices slices;
    bool before;
} Steps;

static SinoStatus steps_cpu(const SinoTask *task)
{
    const Steps *of = task->arguments;
    sino_coupling_steps(of->slices, of->before, of->after.at, of->state.at);
    return NULL;
}

static const SinoTaskKind steps_kind = {.name = "coupling_steps",
                                        SINO_ARGUMENTS(Steps, SINO_UPDATES(Steps, state), SINO_MAY_READ(Steps, after)),
                                        .cpu = steps_cpu};

SinoStatus sino_insert_coupling_steps(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, bool before,
                                      SinoData *after, SinoData *state)
{
    const Steps arguments = {.state.data = state, .after.data = after, .slices = slices, .before = before};
    return SINO_SUBMIT(runtime, &steps_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)slices.stride, .host = true);
}

/* sums, state: of each minibatch; arrived: totals of other ranks. */
typedef struct Sums {
    SinoOperand total;
    SinoOperandList sums, state, arrived;
    SinoSlices slices;
    int64_t last_count;
} Sums;

static SinoStatus sums_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    SinoSliceSums *total = of->total.at, sum = {0};
    for (int64_t i = 0; i < of->sums.count; i++) {
        SinoSlices slices = of->slices;
        if (i == of->sums.count - 1) slices.slice_count = of->last_count;
        sino_coupling_add(slices, of->sums.at[i], of->state.at[i], &sum);
    }
    for (int64_t i = 0; i < of->arrived.count; i++)
        sum = sino_slice_add(sum, *(const SinoSliceSums *)of->arrived.at[i], false);
    for (int64_t f = 0; f < of->slices.stride; f++) total[f] = sum;
    return NULL;
}

static const SinoTaskKind sums_kind = {.name = "coupling_sums",
                                       SINO_ARGUMENTS(Sums, SINO_WRITES(Sums, total), SINO_READS_EACH(Sums, sums),
                                                      SINO_READS_EACH(Sums, state), SINO_READS_EACH(Sums, arrived)),
                                       .cpu = sums_cpu};

SinoStatus sino_insert_coupling_sums(SinoRuntime *runtime, SinoPosition position, const SinoCouplingSums *of,
                                     SinoData *total)
{
    const Sums arguments = {.total.data = total,
                            .sums = {.data = of->sums, .count = of->count},
                            .state = {.data = of->state, .count = of->count},
                            .arrived = {.data = of->arrived, .count = of->arrived_count},
                            .slices = of->slices,
                            .last_count = of->last_count};
    return SINO_SUBMIT(runtime, &sums_kind, position, &arguments, SINO_OF_SLICES(of->slices),
                       .work = (double)(of->count * of->slices.stride), .host = true);
}
