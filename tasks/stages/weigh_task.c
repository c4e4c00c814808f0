/* SPDX-License-Identifier: BSD-3-Clause */
/* Task weigh: weighs the line integrals of a block of cone-beam projections before the ramp filter. */
#include "weigh_task.h"

#include "cone_weigh_cuda.h"
#include "task.h"

typedef struct Arguments {
    SinoWeigh what;
    int to, weights; /* numbers of buffers, of which the sinogram is the first */
} Arguments;

static SinoStatus weigh_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoWeigh *what = &arguments->what;
    sino_cone_weigh(what->cone, what->angle_count, what->rows, what->first_row, what->ray_weight,
                    sino_task_buffer(task, 0), sino_task_buffer(task, arguments->to));
    return NULL;
}

static SinoStatus weigh_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoWeigh *what = &arguments->what;
    const float *weights = sino_task_buffer(task, arguments->weights);
    return sino_cone_weigh_cuda(stream, what->cone, what->angle_count, what->rows, what->first_row,
                                weights + what->first_weight, sino_task_buffer(task, 0),
                                sino_task_buffer(task, arguments->to));
}

static const SinoTaskKind weigh_kind = {.name = "weigh",
                                        .argument_bytes = sizeof(Arguments),
                                        .access_min = 1,
                                        .access_max = 3,
                                        .cpu = weigh_cpu,
                                        .cuda = SINO_ON_CUDA(weigh_cuda)};

SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram,
                             SinoData *weighed)
{
    const int to = weighed != sinogram, weights = to + 1;
    const Arguments arguments = {*weigh, to, weights};
    SinoAccess access[3] = {{sinogram, to ? SINO_READ : SINO_READ_WRITE}};
    if (to) access[to] = (SinoAccess){weighed, SINO_WRITE};
    access[weights] = (SinoAccess){weigh->weights, SINO_READ};
    return sino_task_submit(runtime, &weigh_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = weigh->weights ? weights + 1 : weights,
                                               .host = !weigh->weights});
}
