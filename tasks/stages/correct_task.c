/* SPDX-License-Identifier: BSD-3-Clause */
/* Task correct: from counts to line integrals of one minibatch. */
#include "correct_task.h"

#include "arithmetic.h"
#include "correct_cuda.h"
#include "task.h"

typedef struct Arguments {
    SinoCorrection correction;
    int64_t place_count, flat_first; /* in the data `angles` */
} Arguments;

static SinoStatus correct_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_correct(&arguments->correction, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                        sino_task_buffer(task, 2), sino_task_buffer(task, 3), sino_task_buffer(task, 4),
                        sino_task_buffer(task, 5));
}

static SinoStatus correct_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    SinoCorrection correction = arguments->correction;
    const int64_t *angles = correction.place || correction.flat_at ? sino_task_buffer(task, 7) : NULL;
    if (correction.place) correction.place = angles;
    if (correction.flat_at)
        correction.flat_at = (const double *)(const void *)(angles + arguments->place_count) + arguments->flat_first;
    return sino_correct_cuda(stream, &correction, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                             sino_task_buffer(task, 2), sino_task_buffer(task, 3), sino_task_buffer(task, 4),
                             sino_task_buffer(task, 5), sino_task_buffer(task, 6));
}

static const SinoTaskKind correct_kind = {.name = "correct",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 6,
                                          .access_max = 8,
                                          .cpu = correct_cpu,
                                          .cuda = SINO_ON_CUDA(correct_cuda)};

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
    const int given = correct->angles ? 8 : 7;
    const Arguments arguments = {
        .correction = correct->correction, .place_count = correct->place_count, .flat_first = correct->flat_first};
    const SinoAccess access[] = {{correct->counts, SINO_READ},     {correct->flat, SINO_READ},
                                 {correct->dark, SINO_READ},       {correct->sinogram, SINO_WRITE},
                                 {correct->repaired, SINO_WRITE},  {correct->tally, SINO_WRITE},
                                 {correct->scratch, SINO_SCRATCH}, {correct->angles, SINO_READ}};
    return sino_task_submit(runtime, &correct_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = host ? 6 : given,
                                               .part_bytes = moved_bytes(&correct->correction),
                                               .host = host});
}
