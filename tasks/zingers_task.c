/* SPDX-License-Identifier: BSD-3-Clause */
/* Task zingers: finds the zingers of one minibatch's sinograms. */
#include "zingers_task.h"

#include "task.h"
#include "zingers_cuda.h"

static SinoStatus zingers_cpu(const SinoTask *task)
{
    const SinoRemoveZingers *remove = task->arguments;
    int64_t *tally = sino_task_buffer(task, 2);
    return sino_zingers_remove(&remove->zingers, remove->rows.slices, remove->rows.place, sino_task_buffer(task, 0),
                               sino_task_buffer(task, 1), tally, tally + remove->zingers.angle_count);
}

static SinoStatus zingers_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoRemoveZingers *remove = task->arguments;
    int64_t *tally = sino_task_buffer(task, 2);
    return sino_zingers_remove_cuda(stream, &remove->zingers, remove->rows.slices,
                                    remove->rows.place ? sino_task_buffer(task, 3) : NULL, sino_task_buffer(task, 0),
                                    sino_task_buffer(task, 1), tally, tally + remove->zingers.angle_count);
}

static const SinoTaskKind zingers_kind = {.name = "zingers",
                                          .argument_bytes = sizeof(SinoRemoveZingers),
                                          .access_min = 3,
                                          .access_max = 4,
                                          .cpu = zingers_cpu,
                                          .cuda = SINO_ON_CUDA(zingers_cuda)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
enum { ZINGER_FLOPS = 100 };

SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove)
{
    const SinoSinogramRows *rows = &remove->rows;
    const SinoAccess access[] = {{rows->sinogram, SINO_READ_WRITE},
                                 {remove->undefined, SINO_READ_WRITE},
                                 {remove->tally, SINO_READ_WRITE},
                                 {rows->places, SINO_READ}};
    const double rays = (double)remove->zingers.angle_count * (double)remove->zingers.column_count;
    const double work = rays * (double)rows->slices.slice_count;
    return sino_task_submit(runtime, &zingers_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = remove,
                                               .argument_bytes = sizeof *remove,
                                               .access = access,
                                               .access_count = rows->places ? 4 : 3,
                                               .work = work,
                                               .effort = ZINGER_FLOPS * work,
                                               .host = rows->host,
                                               SINO_OF_SLICES(rows->slices)});
}
