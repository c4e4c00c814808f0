/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stop: slices of a minibatch stop after a number of iterations of their own. */
#include "stop_task.h"

#include "task.h"
#include "update_slice.h"

typedef struct Arguments {
    SinoSlices slices;
    int64_t iteration;
    const int64_t *last; /* [slice] */
} Arguments;

static SinoStatus stop_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    SinoSliceState *state = sino_task_buffer(task, 0);
    for (int64_t f = 0; f < arguments->slices.slice_count; f++)
        if (arguments->last[f] == arguments->iteration) state[f].stopped = 1;
    return NULL;
}

static const SinoTaskKind stop_kind = {
    .name = "stop", .argument_bytes = sizeof(Arguments), .access_min = 1, .access_max = 1, .cpu = stop_cpu};

SinoStatus sino_insert_stop(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t iteration,
                            const int64_t *last, SinoData *state)
{
    const Arguments arguments = {.slices = slices, .iteration = iteration, .last = last};
    const SinoAccess access[] = {{state, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &stop_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)slices.stride,
                                               .access_count = 1,
                                               .access = access});
}
