/* SPDX-License-Identifier: BSD-3-Clause */
/* Task correct: from counts to line integrals of one minibatch. */
#include "stages_tasks.h"

#include "arithmetic.h"
#include "correct_cuda.h"
#include "task.h"

/* scratch: for GPUs. angles: places, and what blends the flat fields, for GPUs. */
typedef struct Correct {
    SinoOperand counts, flat, dark, sinogram, repaired, tally, scratch, angles;
    SinoCorrection correction;
    int64_t place_count, flat_first; /* in `angles` */
} Correct;

static SinoStatus correct_cpu(const SinoTask *task)
{
    const Correct *of = task->arguments;
    return sino_correct(&of->correction, of->counts.at, of->flat.at, of->dark.at, of->sinogram.at, of->repaired.at,
                        of->tally.at);
}

static SinoStatus correct_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Correct *of = task->arguments;
    SinoCorrection correction = of->correction;
    const int64_t *angles = of->angles.at;
    if (correction.place) correction.place = angles;
    if (correction.flat_at)
        correction.flat_at = (const double *)(const void *)(angles + of->place_count) + of->flat_first;
    return sino_correct_cuda(stream, &correction, of->counts.at, of->flat.at, of->dark.at, of->sinogram.at,
                             of->repaired.at, of->tally.at, of->scratch.at);
}

static const SinoTaskKind correct_kind = {
    .name = "correct",
    SINO_ARGUMENTS(Correct, SINO_READS(Correct, counts), SINO_READS(Correct, flat), SINO_READS(Correct, dark),
                   SINO_WRITES(Correct, sinogram), SINO_WRITES(Correct, repaired), SINO_WRITES(Correct, tally),
                   SINO_MAY_USE(Correct, scratch), SINO_MAY_READ(Correct, angles)),
    SINO_CPU_CUDA(correct)};

SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch)
{
    return sino_data_scratch(runtime, "correct scratch", sino_correct_cuda_workspace_bytes(correction), scratch);
}

/* Counts of the minibatch, which are a part of the slab's, and its sinogram. */
static int64_t moved_bytes(const SinoCorrection *correction)
{
    static const int64_t count_bytes[] = {
        [SINO_CORRECT_UINT8] = 1, [SINO_CORRECT_UINT16] = 2, [SINO_CORRECT_FLOAT32] = 4};
    const SinoSlices *slices = &correction->slices;
    const int64_t counts = sino_times(slices->slice_count, correction->binning) * count_bytes[correction->input];
    const int64_t values = sino_times(slices->stride, (int64_t)sino_precision_bytes(slices->precision));
    return sino_times(sino_times(correction->angle_count, correction->column_count),
                      counts + values / correction->binning);
}

SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct)
{
    const bool host = !correct->scratch;
    const Correct arguments = {.counts.data = correct->counts,
                               .flat.data = correct->flat,
                               .dark.data = correct->dark,
                               .sinogram.data = correct->sinogram,
                               .repaired.data = correct->repaired,
                               .tally.data = correct->tally,
                               .scratch.data = correct->scratch,
                               .angles.data = host ? NULL : correct->angles,
                               .correction = correct->correction,
                               .place_count = correct->place_count,
                               .flat_first = correct->flat_first};
    return SINO_SUBMIT(runtime, &correct_kind, position, &arguments, .part_bytes = moved_bytes(&correct->correction),
                       .host = host);
}
