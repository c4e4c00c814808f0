/* SPDX-License-Identifier: BSD-3-Clause */
/* Task weigh: weighs the line integrals of a block of cone-beam projections before the ramp filter. */
#include "weigh_task.h"

#include "cone_weigh_cuda.h"
#include "task.h"

static SinoStatus weigh_cpu(const SinoTask *task)
{
    const SinoWeigh *what = task->arguments;
    sino_cone_weigh(what->cone, what->angle_count, what->rows, what->first_row, what->ray_weight,
                    sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus weigh_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoWeigh *what = task->arguments;
    const float *weights = sino_task_buffer(task, 1);
    return sino_cone_weigh_cuda(stream, what->cone, what->angle_count, what->rows, what->first_row,
                                weights + what->first_weight, sino_task_buffer(task, 0));
}

static const SinoTaskKind weigh_kind = {.name = "weigh",
                                        .argument_bytes = sizeof(SinoWeigh),
                                        .access_min = 1,
                                        .access_max = 2,
                                        .cpu = weigh_cpu,
                                        .cuda = SINO_ON_CUDA(weigh_cuda)};

SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram)
{
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}, {weigh->weights, SINO_READ}};
    const bool host = !weigh->weights;
    return sino_task_submit(runtime, &weigh_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = weigh,
                                               .argument_bytes = sizeof *weigh,
                                               .access = access,
                                               .access_count = host ? 1 : 2,
                                               .host = host});
}
