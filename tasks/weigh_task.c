/* SPDX-License-Identifier: BSD-3-Clause */
/* Task weigh: weighs the line integrals of a block of cone-beam projections before the ramp filter. */
#include "weigh_task.h"

#include "task.h"

static SinoStatus weigh_cpu(const SinoTask *task)
{
    const SinoWeigh *what = task->arguments;
    sino_cone_weigh(what->cone, what->angle_count, what->rows, what->first_row, what->ray_weight,
                    sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind weigh_kind = {
    .name = "weigh", .argument_bytes = sizeof(SinoWeigh), .access_min = 1, .access_max = 1, .cpu = weigh_cpu};

SinoStatus sino_insert_weigh(SinoRuntime *runtime, SinoPosition position, const SinoWeigh *weigh, SinoData *sinogram)
{
    const SinoAccess access[] = {{sinogram, SINO_READ_WRITE}};
    return sino_task_submit(runtime, &weigh_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = weigh,
                                               .argument_bytes = sizeof *weigh,
                                               .access = access,
                                               .access_count = 1});
}
