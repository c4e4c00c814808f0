/* SPDX-License-Identifier: BSD-3-Clause */
/* Task stripes: removes stripes from the sinograms of one minibatch. */
#include "stripes_task.h"

#include "stripes_cuda.h"
#include "task.h"

#include <assert.h>

static SinoStatus stripes_cpu(const SinoTask *task)
{
    const SinoRemoveStripes *remove = task->arguments;
    sino_stripes_run(remove->stripes, remove->rows.slices, remove->rows.place, remove->marked,
                     sino_task_buffer(task, 1), sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus stripes_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoRemoveStripes *remove = task->arguments;
    return sino_stripes_run_cuda(stream, sino_stripes_options(remove->stripes), remove->rows.slices,
                                 remove->rows.place ? sino_task_buffer(task, 2) : NULL, remove->marked,
                                 sino_task_buffer(task, 1), sino_task_buffer(task, 0));
}

static const SinoTaskKind stripes_kind = {.name = "stripes",
                                          .argument_bytes = sizeof(SinoRemoveStripes),
                                          .access_min = 2,
                                          .access_max = 3,
                                          .cpu = stripes_cpu,
                                          .cuda = SINO_ON_CUDA(stripes_cuda)};

int64_t sino_stripes_gpu_bytes(const SinoStripesOptions *options)
{
    return sino_stripes_cuda_scratch_bytes(options);
}

/* What a core takes for a ray, in flops of a product with lengths of rays, for simulations. */
static double effort_of(SinoStripesMethod method)
{
    static const double flops[] = {
        [SINO_STRIPES_FW] = 560, [SINO_STRIPES_TI] = 410, [SINO_STRIPES_SORTING] = 430, [SINO_STRIPES_VO_ALL] = 4000};
    return flops[method];
}

SinoStatus sino_insert_stripes(SinoRuntime *runtime, SinoPosition position, const SinoRemoveStripes *remove)
{
    const SinoSinogramRows *rows = &remove->rows;
    const SinoStripesOptions *options = sino_stripes_options(remove->stripes);
    assert(rows->host || sino_stripes_gpu_bytes(options) > 0);
    const SinoAccess access[] = {
        {rows->sinogram, SINO_READ_WRITE}, {remove->scratch, SINO_SCRATCH}, {rows->places, SINO_READ}};
    const double rays = (double)options->angle_count * (double)options->column_count;
    const double work = rays * (double)rows->slices.slice_count;
    return sino_task_submit(runtime, &stripes_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = remove,
                                               .argument_bytes = sizeof *remove,
                                               .access = access,
                                               .access_count = rows->places ? 3 : 2,
                                               .work = work,
                                               .effort = effort_of(options->method) * work,
                                               .host = rows->host,
                                               SINO_OF_SLICES(rows->slices)});
}
