/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks, vectors: values from files enter them, and orientations of voxels are made of them. */
#include "brick_task.h"

#include "arithmetic.h"
#include "task.h"

#include <string.h>

/* ---- orientations ---- */

typedef struct SpreadArguments {
    SinoBrickMirror mirror;
    int64_t stride;
} SpreadArguments;

static SinoStatus spread_cpu(const SinoTask *task)
{
    const SpreadArguments *arguments = task->arguments;
    sino_brick_mirror_spread(&arguments->mirror, arguments->stride, sino_task_buffer(task, 0),
                             sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind spread_kind = {.name = "bricks_spread",
                                         .argument_bytes = sizeof(SpreadArguments),
                                         .access_min = 2,
                                         .access_max = 2,
                                         .cpu = spread_cpu};

SinoStatus sino_insert_bricks_spread(SinoRuntime *runtime, SinoPosition position, const SinoBrickMirror *mirror,
                                     SinoSlices slices, SinoData *x, SinoData *to)
{
    const SpreadArguments arguments = {.mirror = *mirror, .stride = slices.stride};
    const SinoAccess access[] = {{x, SINO_READ}, {to, SINO_WRITE}};
    const int64_t elements = sino_times(mirror->order->row_count, slices.stride);
    return sino_task_submit(runtime, &spread_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)sino_times(elements, sino_brick_mirror_count(mirror))});
}

/* ---- values from files ---- */

enum { VECTOR, VALUES, MORE }; /* data of the tasks that gather */

typedef struct GatherArguments {
    SinoGather gather;
    bool first;
    int r, n; /* numbers of the data; 0: none */
} GatherArguments;

static float *begin_vector(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    float *vector = sino_task_buffer(task, VECTOR);
    const int64_t count = sino_times(arguments->gather.row_count, arguments->gather.slices.stride);
    if (arguments->first) memset(vector, 0, (size_t)count * sizeof *vector);
    return vector;
}

static SinoStatus gather_values_cpu(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    sino_gather_values(&arguments->gather, sino_task_buffer(task, VALUES), begin_vector(task));
    return NULL;
}

static SinoStatus gather_integrals_cpu(const SinoTask *task)
{
    const GatherArguments *arguments = task->arguments;
    sino_gather_integrals(&arguments->gather, sino_task_buffer(task, VALUES),
                          arguments->r > 0 ? sino_task_buffer(task, arguments->r) : NULL,
                          arguments->n > 0 ? sino_task_buffer(task, arguments->n) : NULL, begin_vector(task));
    return NULL;
}

static const SinoTaskKind gather_values_kind = {.name = "gather_values",
                                                .argument_bytes = sizeof(GatherArguments),
                                                .access_min = MORE,
                                                .access_max = MORE,
                                                .cpu = gather_values_cpu};

static const SinoTaskKind gather_integrals_kind = {.name = "gather_integrals",
                                                   .argument_bytes = sizeof(GatherArguments),
                                                   .access_min = MORE,
                                                   .access_max = MORE + 2,
                                                   .cpu = gather_integrals_cpu};

static SinoStatus insert_gather(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                GatherArguments *arguments, SinoData *values, SinoData *r, SinoData *n,
                                SinoData *vector)
{
    SinoAccess access[MORE + 2] = {
        [VECTOR] = {vector, arguments->first ? SINO_WRITE : SINO_READ_WRITE}, [VALUES] = {values, SINO_READ}};
    int count = MORE;
    if (r) {
        arguments->r = count;
        access[count++] = (SinoAccess){r, SINO_READ};
    }
    if (n) {
        arguments->n = count;
        access[count++] = (SinoAccess){n, SINO_READ};
    }
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = count,
                                               .work = (double)arguments->gather.row_count});
}

SinoStatus sino_insert_gather_values(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather, bool first,
                                     SinoData *values, SinoData *vector)
{
    GatherArguments arguments = {.gather = *gather, .first = first};
    return insert_gather(runtime, &gather_values_kind, position, &arguments, values, NULL, NULL, vector);
}

SinoStatus sino_insert_gather_integrals(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather,
                                        bool first, SinoData *g, SinoData *r, SinoData *n, SinoData *vector)
{
    GatherArguments arguments = {.gather = *gather, .first = first};
    return insert_gather(runtime, &gather_integrals_kind, position, &arguments, g, r, n, vector);
}
