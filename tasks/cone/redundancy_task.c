/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks complete and redundancy: projections of a half acquisition, for direct methods. */
#include "cone_tasks.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

struct SinoCompletion {
    SinoRuntime *runtime; /* not owned */
    SinoRedundancy *redundancy;
};

typedef struct Sinograms {
    SinoOperand from, to;
    const SinoRedundancy *redundancy;
    SinoSlices slices;
} Sinograms;

SinoStatus sino_completion_new(SinoRuntime *runtime, const SinoGeometry *geometry, const int64_t *place,
                               SinoCompletion **completion)
{
    SinoCompletion *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "the half acquisition", &made));
    made->runtime = runtime;
    SINO_GIVE(sino_redundancy_new(geometry, place, &made->redundancy), made, sino_completion_free, completion);
}

void sino_completion_free(SinoCompletion *completion)
{
    if (!completion) return;
    sino_redundancy_free(completion->redundancy);
    free(completion);
}

static SinoStatus complete_cpu(const SinoTask *task)
{
    const Sinograms *of = task->arguments;
    sino_redundancy_complete(of->redundancy, of->slices, of->from.at, of->to.at);
    return NULL;
}

static SinoStatus redundancy_cpu(const SinoTask *task)
{
    const Sinograms *of = task->arguments;
    sino_redundancy_weigh(of->redundancy, of->slices, of->from.at, of->to.at);
    return NULL;
}

#define OPERANDS SINO_ARGUMENTS(Sinograms, SINO_READS(Sinograms, from), SINO_WRITES(Sinograms, to))
static const SinoTaskKind complete_kind = {.name = "complete", OPERANDS, .cpu = complete_cpu};
static const SinoTaskKind redundancy_kind = {.name = "redundancy", OPERANDS, .cpu = redundancy_cpu};

static SinoStatus insert(const SinoTaskKind *kind, const SinoCompletion *completion, SinoPosition position,
                         SinoSlices slices, SinoData *from, SinoData *to)
{
    const Sinograms arguments = {
        .from.data = from, .to.data = to, .redundancy = completion->redundancy, .slices = slices};
    return SINO_SUBMIT(completion->runtime, kind, position, &arguments, SINO_OF_SLICES(slices));
}

SinoStatus sino_insert_complete(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                SinoData *sinogram, SinoData *completed)
{
    return insert(&complete_kind, completion, position, slices, sinogram, completed);
}

SinoStatus sino_insert_redundancy(const SinoCompletion *completion, SinoPosition position, SinoSlices slices,
                                  SinoData *completed, SinoData *sinogram)
{
    return insert(&redundancy_kind, completion, position, slices, completed, sinogram);
}
