/* SPDX-License-Identifier: BSD-3-Clause */
/* Task air: normalises the sinograms of one minibatch to the light beside the object. */
#include "stages_tasks.h"

#include "task.h"

typedef struct Air {
    SinoOperand sinogram, places;
    SinoAir air;
    SinoSlices slices;
    const int64_t *place;
} Air;

static SinoStatus air_cpu(const SinoTask *task)
{
    const Air *of = task->arguments;
    sino_air_normalise(&of->air, of->slices, of->place, of->sinogram.at);
    return NULL;
}

static SinoStatus air_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Air *of = task->arguments;
    return sino_air_normalise_cuda(stream, &of->air, of->slices, of->place ? of->places.at : NULL, of->sinogram.at);
}

static const SinoTaskKind air_kind = {
    .name = "air", SINO_ARGUMENTS(Air, SINO_UPDATES(Air, sinogram), SINO_MAY_READ(Air, places)), SINO_CPU_CUDA(air)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
enum { AIR_FLOPS = 120 };

SinoStatus sino_insert_air(SinoRuntime *runtime, SinoPosition position, const SinoAir *air,
                           const SinoSinogramRows *rows)
{
    const Air arguments = {.sinogram.data = rows->sinogram,
                           .places.data = rows->places,
                           .air = *air,
                           .slices = rows->slices,
                           .place = rows->place};
    const double work = (double)air->angle_count * (double)air->column_count * (double)rows->slices.stride;
    return SINO_SUBMIT(runtime, &air_kind, position, &arguments, .work = work, .effort = AIR_FLOPS * work,
                       .host = rows->host, SINO_OF_SLICES(rows->slices));
}
