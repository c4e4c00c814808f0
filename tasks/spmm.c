/* SPDX-License-Identifier: BSD-3-Clause */
/* spmm_project, spmm_backproject: one partition's block of A times one minibatch. */
#include "spmm.h"
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    int64_t stride;
} Arguments;

static SinoStatus project(void *buffers[], const Arguments *arguments)
{
    sino_spmm_project(sino_buffer(buffers, 0), arguments->stride, sino_buffer(buffers, 1), sino_buffer(buffers, 2));
    return NULL;
}

static SinoStatus backproject(void *buffers[], const Arguments *arguments)
{
    sino_spmm_backproject(sino_buffer(buffers, 0), arguments->stride, sino_buffer(buffers, 1), sino_buffer(buffers, 2));
    return NULL;
}

SINO_CPU_FUNCTION(project_cpu, Arguments, project)
SINO_CPU_FUNCTION(backproject_cpu, Arguments, backproject)
SINO_CODELET(project_codelet, "spmm_project", project_cpu)
SINO_CODELET(backproject_codelet, "spmm_backproject", backproject_cpu)

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, int64_t stride,
                         double work, SinoData *block, SinoData *from, SinoData *to)
{
    const Arguments arguments = {.head = {.work = work}, .stride = stride};
    const SinoAccess access[] = {{block, STARPU_R}, {from, STARPU_R}, {to, STARPU_W}};
    return sino_task_submit(runtime, codelet, position, false, &arguments, sizeof arguments, 3, access);
}

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, int64_t stride, double work,
                                    SinoData *block, SinoData *x, SinoData *y)
{
    return insert(runtime, &project_codelet, position, stride, work, block, x, y);
}

SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, int64_t stride, double work,
                                        SinoData *block, SinoData *y, SinoData *x)
{
    return insert(runtime, &backproject_codelet, position, stride, work, block, y, x);
}
