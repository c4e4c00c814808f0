/* SPDX-License-Identifier: BSD-3-Clause */
/* Task air: normalises the sinograms of one minibatch to the light beside the object. */
#include "air_task.h"

#include "air_cuda.h"
#include "task.h"

typedef struct Arguments {
    SinoAir air;
    SinoSlices slices;
    const int64_t *place;
} Arguments;

static SinoStatus air_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_air_normalise(&arguments->air, arguments->slices, arguments->place, sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus air_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_air_normalise_cuda(stream, &arguments->air, arguments->slices,
                                   arguments->place ? sino_task_buffer(task, 1) : NULL, sino_task_buffer(task, 0));
}

static const SinoTaskKind air_kind = {.name = "air",
                                      .argument_bytes = sizeof(Arguments),
                                      .access_min = 1,
                                      .access_max = 2,
                                      .cpu = air_cpu,
                                      .cuda = SINO_ON_CUDA(air_cuda)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
enum { AIR_FLOPS = 120 };

SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air,
                           const SinoSinogramRows *rows)
{
    const Arguments arguments = {*air, rows->slices, rows->place};
    const SinoAccess access[] = {{rows->sinogram, SINO_READ_WRITE}, {rows->places, SINO_READ}};
    const double work = (double)air->angle_count * (double)air->column_count * (double)rows->slices.stride;
    return sino_task_submit(runtime, &air_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = rows->places ? 2 : 1,
                                               .work = work,
                                               .effort = AIR_FLOPS * work,
                                               .host = rows->host,
                                               SINO_OF_SLICES(rows->slices)});
}
