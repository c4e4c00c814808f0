/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stripes: removes stripes from the sinograms of one minibatch. */
#include "stripes_task.h"

#include "task.h"

static SinoStatus stripes_cpu(const SinoTask *task)
{
    const SinoRemoveStripes *remove = task->arguments;
    sino_stripes_run(remove->stripes, remove->slices, remove->place, remove->marked, sino_task_buffer(task, 1),
                     sino_task_buffer(task, 0));
    return NULL;
}

static const SinoTaskKind stripes_kind = {.name = "stripes",
                                          .argument_bytes = sizeof(SinoRemoveStripes),
                                          .access_min = 2,
                                          .access_max = 2,
                                          .cpu = stripes_cpu};

SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove)
{
    const SinoAccess access[] = {{remove->sinogram, SINO_READ_WRITE}, {remove->scratch, SINO_SCRATCH}};
    const double rays = (double)remove->angle_count * (double)remove->column_count;
    return sino_task_submit(runtime, &stripes_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = remove,
                                               .argument_bytes = sizeof *remove,
                                               .access = access,
                                               .access_count = 2,
                                               .work = rays * (double)remove->slices.slice_count,
                                               SINO_OF_SLICES(remove->slices)});
}
