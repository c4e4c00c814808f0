/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stripes: removes stripes from the sinograms of one minibatch. */
#include "stages_tasks.h"

#include "stripes.h"
#include "task.h"

#include <assert.h>

typedef struct Stripes {
    SinoOperand sinogram, scratch, places;
    SinoRemoveStripes remove;
} Stripes;

static SinoStatus stripes_cpu(const SinoTask *task)
{
    const Stripes *of = task->arguments;
    const SinoRemoveStripes *remove = &of->remove;
    sino_stripes_run(remove->stripes, remove->rows.slices, remove->rows.place, remove->marked, of->scratch.at,
                     of->sinogram.at);
    return NULL;
}

static SinoStatus stripes_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Stripes *of = task->arguments;
    const SinoRemoveStripes *remove = &of->remove;
    return sino_stripes_run_cuda(stream, sino_stripes_options(remove->stripes), remove->rows.slices,
                                 remove->rows.place ? of->places.at : NULL, remove->marked, of->scratch.at,
                                 of->sinogram.at);
}

static const SinoTaskKind stripes_kind = {.name = "stripes",
                                          SINO_ARGUMENTS(Stripes, SINO_UPDATES(Stripes, sinogram),
                                                         SINO_USES(Stripes, scratch), SINO_MAY_READ(Stripes, places)),
                                          SINO_CPU_CUDA(stripes)};

int64_t sino_stripes_gpu_bytes(const SinoStripesOptions *options)
{
    return sino_stripes_cuda_scratch_bytes(options);
}

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
static double effort_of(SinoStripesMethod method)
{
    static const double flops[] = {[SINO_STRIPES_FW] = 560,
                                   [SINO_STRIPES_TI] = 410,
                                   [SINO_STRIPES_SORTING] = 430,
                                   [SINO_STRIPES_VO_ALL] = 4000,
                                   [SINO_STRIPES_WIENER] = 410};
    return flops[method];
}

SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove)
{
    const SinoSinogramRows *rows = &remove->rows;
    const SinoStripesOptions *options = sino_stripes_options(remove->stripes);
    assert(rows->host || sino_stripes_gpu_bytes(options) > 0);
    const Stripes arguments = {.sinogram.data = rows->sinogram,
                               .scratch.data = remove->scratch,
                               .places.data = rows->places,
                               .remove = *remove};
    const double rays = (double)options->angle_count * (double)options->column_count;
    const double work = rays * (double)rows->slices.slice_count;
    return SINO_SUBMIT(runtime, &stripes_kind, position, &arguments, .work = work,
                       .effort = effort_of(options->method) * work, .host = rows->host, SINO_OF_SLICES(rows->slices));
}
