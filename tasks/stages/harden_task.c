/* SPDX-License-Identifier: BSD-3-Clause */
/* Task harden: corrects the sinograms of one minibatch for beam hardening. */
#include "harden_task.h"

#include "harden_cuda.h"
#include "task.h"

typedef struct Arguments {
    SinoHardening hardening;
    int64_t ray_count;
    SinoSlices slices;
} Arguments;

static SinoStatus harden_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_harden(&arguments->hardening, arguments->ray_count, arguments->slices, sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus harden_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_harden_cuda(stream, &arguments->hardening, arguments->ray_count, arguments->slices,
                            sino_task_buffer(task, 0));
}

static const SinoTaskKind harden_kind = {.name = "harden",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = 1,
                                         .access_max = 1,
                                         .cpu = harden_cpu,
                                         .cuda = SINO_ON_CUDA(harden_cuda)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations: for the value, and for each
 * power. */
enum { HARDEN_FLOPS = 26, POWER_FLOPS = 3 };

SinoStatus sino_insert_harden(SinoRuntime *runtime, SinoPosition position, const SinoHardening *hardening,
                              int64_t ray_count, const SinoSinogramRows *rows)
{
    const Arguments arguments = {*hardening, ray_count, rows->slices};
    const SinoAccess access[] = {{rows->sinogram, SINO_READ_WRITE}};
    const double work = (double)ray_count * (double)rows->slices.stride;
    return sino_task_submit(runtime, &harden_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1,
                                               .work = work,
                                               .effort = (double)(HARDEN_FLOPS + POWER_FLOPS * hardening->count) * work,
                                               .host = rows->host,
                                               SINO_OF_SLICES(rows->slices)});
}
