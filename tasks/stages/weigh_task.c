/* SPDX-License-Identifier: BSD-3-Clause */
/* Task weigh: weighs the line integrals of a block of cone-beam projections before the ramp filter. */
#include "stages_tasks.h"

#include "task.h"

typedef struct Weigh {
    SinoOperand sinogram, weighed, weights; /* weighed: unless it is the sinogram; weights: for GPUs */
    SinoWeigh what;
} Weigh;

static SinoStatus weigh_cpu(const SinoTask *task)
{
    const Weigh *of = task->arguments;
    const SinoWeigh *what = &of->what;
    sino_cone_weigh(what->cone, what->angle_count, what->rows, what->first_row, what->ray_weight, of->sinogram.at,
                    of->weighed.at ? of->weighed.at : of->sinogram.at);
    return NULL;
}

static SinoStatus weigh_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Weigh *of = task->arguments;
    const SinoWeigh *what = &of->what;
    return sino_cone_weigh_cuda(stream, what->cone, what->angle_count, what->rows, what->first_row,
                                (const float *)of->weights.at + what->first_weight, of->sinogram.at,
                                of->weighed.at ? of->weighed.at : of->sinogram.at);
}

static const SinoTaskKind weigh_kind = {
    .name = "weigh",
    SINO_ARGUMENTS(Weigh, SINO_READS(Weigh, sinogram), SINO_MAY_WRITE(Weigh, weighed), SINO_MAY_READ(Weigh, weights)),
    SINO_CPU_CUDA(weigh)};

SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram,
                             SinoData *weighed)
{
    const bool apart = weighed != sinogram;
    const Weigh arguments = {.sinogram = {.data = sinogram, .mode = apart ? SINO_READ : SINO_READ_WRITE},
                             .weighed.data = apart ? weighed : NULL,
                             .weights.data = weigh->weights,
                             .what = *weigh};
    return SINO_SUBMIT(runtime, &weigh_kind, position, &arguments, .host = !weigh->weights);
}
