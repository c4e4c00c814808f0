/* SPDX-License-Identifier: BSD-3-Clause */
/* spmm_project, spmm_backproject: one partition's block of A times one minibatch. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    int64_t stride;
    bool has_units;
} Arguments;

static const float *unit_of(void *buffers[], const Arguments *arguments)
{
    return arguments->has_units ? ((const SinoUnits *)sino_buffer(buffers, 4))->unit : NULL;
}

static SinoStatus project(void *buffers[], const Arguments *arguments)
{
    sino_spmm_project(sino_buffer(buffers, 0), arguments->stride, sino_buffer(buffers, 1), unit_of(buffers, arguments),
                      sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

static SinoStatus backproject(void *buffers[], const Arguments *arguments)
{
    sino_spmm_backproject(sino_buffer(buffers, 0), arguments->stride, sino_buffer(buffers, 1),
                          unit_of(buffers, arguments), sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

SINO_CPU_FUNCTION(project_cpu, Arguments, project)
SINO_CPU_FUNCTION(backproject_cpu, Arguments, backproject)
SINO_CODELET(project_codelet, "spmm_project", project_cpu)
SINO_CODELET(backproject_codelet, "spmm_backproject", backproject_cpu)

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position,
                         const SinoSpmm *spmm, SinoData *from, SinoData *to)
{
    const Arguments arguments = {
        .head = {.work = spmm->work}, .stride = spmm->stride, .has_units = spmm->units != NULL};
    const SinoAccess access[] = {{spmm->block, STARPU_R},
                                 {from, STARPU_R},
                                 {to, STARPU_W},
                                 {spmm->scratch, STARPU_SCRATCH},
                                 {spmm->units, STARPU_R}};
    return sino_task_submit(runtime, codelet, position, false, &arguments, sizeof arguments, spmm->units ? 5 : 4,
                            access);
}

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y)
{
    return insert(runtime, &project_codelet, position, spmm, x, y);
}

SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x)
{
    return insert(runtime, &backproject_codelet, position, spmm, y, x);
}
