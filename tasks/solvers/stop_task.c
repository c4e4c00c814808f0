/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stop: slices of a minibatch stop after a number of iterations of their own. */
#include "solvers_tasks.h"

#include "task.h"
#include "update_slice.h"

typedef struct Stop {
    SinoOperand state;
    SinoSlices slices;
    int64_t iteration;
    const int64_t *last; /* [slice] */
} Stop;

static SinoStatus stop_cpu(const SinoTask *task)
{
    const Stop *of = task->arguments;
    SinoSliceState *state = of->state.at;
    for (int64_t f = 0; f < of->slices.slice_count; f++)
        if (of->last[f] == of->iteration) state[f].stopped = 1;
    return NULL;
}

static const SinoTaskKind stop_kind = {
    .name = "stop", SINO_ARGUMENTS(Stop, SINO_UPDATES(Stop, state)), .cpu = stop_cpu};

SinoStatus sino_insert_stop(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t iteration,
                            const int64_t *last, SinoData *state)
{
    const Stop arguments = {.state.data = state, .slices = slices, .iteration = iteration, .last = last};
    return SINO_SUBMIT(runtime, &stop_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)slices.stride);
}
