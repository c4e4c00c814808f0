/* SPDX-License-Identifier: BSD-3-Clause */
/* Task zingers: finds the zingers of one minibatch's sinograms. */
#include "stages_tasks.h"

#include "task.h"

typedef struct Zingers {
    SinoOperand sinogram, undefined, tally, places, order;
    SinoRemoveZingers remove;
} Zingers;

static SinoStatus zingers_cpu(const SinoTask *task)
{
    const Zingers *of = task->arguments;
    const SinoRemoveZingers *remove = &of->remove;
    int64_t *tally = of->tally.at;
    return sino_zingers_remove(&remove->zingers, remove->rows.slices, remove->rows.place, of->sinogram.at,
                               of->undefined.at, tally, tally + remove->zingers.angle_count);
}

static SinoStatus zingers_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Zingers *of = task->arguments;
    const SinoRemoveZingers *remove = &of->remove;
    SinoZingers zingers = remove->zingers;
    int64_t *tally = of->tally.at;
    if (zingers.order) zingers.order = of->order.at;
    return sino_zingers_remove_cuda(stream, &zingers, remove->rows.slices, remove->rows.place ? of->places.at : NULL,
                                    of->sinogram.at, of->undefined.at, tally, tally + zingers.angle_count);
}

static const SinoTaskKind zingers_kind = {.name = "zingers",
                                          SINO_ARGUMENTS(Zingers, SINO_UPDATES(Zingers, sinogram),
                                                         SINO_UPDATES(Zingers, undefined), SINO_UPDATES(Zingers, tally),
                                                         SINO_MAY_READ(Zingers, places), SINO_MAY_READ(Zingers, order)),
                                          SINO_CPU_CUDA(zingers)};

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
enum { ZINGER_FLOPS = 100 };

SinoStatus sino_insert_zingers(SinoRuntime *runtime, SinoPosition position, const SinoRemoveZingers *remove)
{
    const SinoSinogramRows *rows = &remove->rows;
    const Zingers arguments = {.sinogram.data = rows->sinogram,
                               .undefined.data = remove->undefined,
                               .tally.data = remove->tally,
                               .places.data = rows->places,
                               .order.data = remove->order,
                               .remove = *remove};
    const double rays = (double)remove->zingers.angle_count * (double)remove->zingers.column_count;
    const double work = rays * (double)rows->slices.slice_count;
    return SINO_SUBMIT(runtime, &zingers_kind, position, &arguments, .work = work, .effort = ZINGER_FLOPS * work,
                       .host = rows->host, SINO_OF_SLICES(rows->slices));
}
