/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of bricks, vectors: values from files enter them, and orientations of voxels are made of them. */
#include "bricks_tasks.h"

#include "arithmetic.h"
#include "task.h"

#include <string.h>

/* ---- orientations ---- */

typedef struct Spread {
    SinoOperand x, to;
    SinoBrickMirror mirror;
    int64_t stride;
} Spread;

static SinoStatus spread_cpu(const SinoTask *task)
{
    const Spread *of = task->arguments;
    sino_brick_mirror_spread(&of->mirror, of->stride, of->x.at, of->to.at);
    return NULL;
}

static const SinoTaskKind spread_kind = {
    .name = "bricks_spread", SINO_ARGUMENTS(Spread, SINO_READS(Spread, x), SINO_WRITES(Spread, to)), .cpu = spread_cpu};

SinoStatus sino_insert_bricks_spread(SinoRuntime *runtime, SinoPosition position, const SinoBrickMirror *mirror,
                                     SinoSlices slices, SinoData *x, SinoData *to)
{
    const Spread arguments = {.x.data = x, .to.data = to, .mirror = *mirror, .stride = slices.stride};
    const int64_t elements = sino_times(mirror->order->row_count, slices.stride);
    return SINO_SUBMIT(runtime, &spread_kind, position, &arguments,
                       .work = (double)sino_times(elements, sino_brick_mirror_count(mirror)));
}

/* ---- values from files ---- */

typedef struct Gather {
    SinoOperand vector, values, r, n; /* r, n: of gather_integrals, which may lack them */
    SinoGather gather;
    bool first;
} Gather;

static float *begin_vector(const Gather *of)
{
    const int64_t count = sino_times(of->gather.row_count, of->gather.slices.stride);
    if (of->first) memset(of->vector.at, 0, (size_t)count * sizeof(float));
    return of->vector.at;
}

static SinoStatus gather_values_cpu(const SinoTask *task)
{
    const Gather *of = task->arguments;
    sino_gather_values(&of->gather, of->values.at, begin_vector(of));
    return NULL;
}

static SinoStatus gather_integrals_cpu(const SinoTask *task)
{
    const Gather *of = task->arguments;
    sino_gather_integrals(&of->gather, of->values.at, of->r.at, of->n.at, begin_vector(of));
    return NULL;
}

#define OPERANDS                                                                                                       \
    SINO_ARGUMENTS(Gather, SINO_UPDATES(Gather, vector), SINO_READS(Gather, values), SINO_MAY_READ(Gather, r),         \
                   SINO_MAY_READ(Gather, n))
static const SinoTaskKind gather_values_kind = {.name = "gather_values", OPERANDS, .cpu = gather_values_cpu};
static const SinoTaskKind gather_integrals_kind = {.name = "gather_integrals", OPERANDS, .cpu = gather_integrals_cpu};

static SinoStatus insert_gather(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                const SinoGather *gather, bool first, SinoData *values, SinoData *r, SinoData *n,
                                SinoData *vector)
{
    const Gather arguments = {.vector = {.data = vector, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                              .values.data = values,
                              .r.data = r,
                              .n.data = n,
                              .gather = *gather,
                              .first = first};
    return SINO_SUBMIT(runtime, kind, position, &arguments, .work = (double)gather->row_count);
}

SinoStatus sino_insert_gather_values(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather, bool first,
                                     SinoData *values, SinoData *vector)
{
    return insert_gather(runtime, &gather_values_kind, position, gather, first, values, NULL, NULL, vector);
}

SinoStatus sino_insert_gather_integrals(SinoRuntime *runtime, SinoPosition position, const SinoGather *gather,
                                        bool first, SinoData *g, SinoData *r, SinoData *n, SinoData *vector)
{
    return insert_gather(runtime, &gather_integrals_kind, position, gather, first, g, r, n, vector);
}
