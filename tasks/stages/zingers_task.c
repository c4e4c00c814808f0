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
    SinoZingers zingers = remove->zingers;
    int64_t *tally = sino_task_buffer(task, 2);
    int next = 3;
    const int64_t *place = remove->rows.place ? sino_task_buffer(task, next++) : NULL;
    if (zingers.order) zingers.order = sino_task_buffer(task, next);
    return sino_zingers_remove_cuda(stream, &zingers, remove->rows.slices, place, sino_task_buffer(task, 0),
                                    sino_task_buffer(task, 1), tally, tally + remove->zingers.angle_count);
}

static const SinoTaskKind zingers_kind = {.name = "zingers",
                                          .argument_bytes = sizeof(SinoRemoveZingers),
                                          .access_min = 3,
                                          .access_max = 5,
                                          .cpu = zingers_cpu,
                                          .cuda = SINO_ON_CUDA(zingers_cuda)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
enum { ZINGER_FLOPS = 100 };

SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove)
{
    const SinoSinogramRows *rows = &remove->rows;
    SinoAccess access[5] = {
        {rows->sinogram, SINO_READ_WRITE}, {remove->undefined, SINO_READ_WRITE}, {remove->tally, SINO_READ_WRITE}};
    int access_count = 3;
    if (rows->places) access[access_count++] = (SinoAccess){rows->places, SINO_READ};
    if (remove->order) access[access_count++] = (SinoAccess){remove->order, SINO_READ};
    const double rays = (double)remove->zingers.angle_count * (double)remove->zingers.column_count;
    const double work = rays * (double)rows->slices.slice_count;
    return sino_task_submit(runtime, &zingers_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = remove,
                                               .argument_bytes = sizeof *remove,
                                               .access = access,
                                               .access_count = access_count,
                                               .work = work,
                                               .effort = ZINGER_FLOPS * work,
                                               .host = rows->host,
                                               SINO_OF_SLICES(rows->slices)});
}
