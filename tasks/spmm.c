/* SPDX-License-Identifier: BSD-3-Clause */
/* spmm_project, spmm_backproject: one partition's block of A times one minibatch. */
#include "tasks.h"

#include "block_data.h"
#include "spmm_cuda.h"
#include "spmm_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    int64_t stride;
    bool has_units, has_lists;
} Arguments;

/* The block in main memory. */
static const void *block_of(void *buffers[], const Arguments *arguments)
{
    return arguments->has_lists ? sino_block_buffer(buffers, 0)->block : sino_buffer(buffers, 0);
}

static const float *unit_of(void *buffers[], const Arguments *arguments)
{
    return arguments->has_units ? ((const SinoUnits *)sino_buffer(buffers, 4))->unit : NULL;
}

static SinoStatus project(void *buffers[], const Arguments *arguments)
{
    sino_spmm_project(block_of(buffers, arguments), arguments->stride, sino_buffer(buffers, 1),
                      unit_of(buffers, arguments), sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

static SinoStatus backproject(void *buffers[], const Arguments *arguments)
{
    sino_spmm_backproject(block_of(buffers, arguments), arguments->stride, sino_buffer(buffers, 1),
                          unit_of(buffers, arguments), sino_buffer(buffers, 2), sino_buffer(buffers, 3));
    return NULL;
}

SINO_CPU_FUNCTION(project_cpu, Arguments, project)
SINO_CPU_FUNCTION(backproject_cpu, Arguments, backproject)

/* The product on the GPU of the worker that calls. */
__attribute__((unused)) static SinoSpmmProductCuda product_of(void *buffers[], const Arguments *arguments)
{
    const SinoBlockInterface *block = sino_block_buffer(buffers, 0);
    return (SinoSpmmProductCuda){.device = *sino_runtime_spmm_device(arguments->head.runtime),
                                 .header = block->header,
                                 .lists = (const void *)block->lists,
                                 .panel_width = sino_panel_width((SinoPrecision)block->header.precision),
                                 .stride = arguments->stride,
                                 .unit = unit_of(buffers, arguments)};
}

SINO_CUDA_FUNCTION(project_cuda, Arguments,
                   sino_spmm_project_cuda(stream, ((SinoSpmmProductCuda[]){product_of(buffers, arguments)}),
                                          sino_buffer(buffers, 1), sino_buffer(buffers, 2)))
SINO_CUDA_FUNCTION(backproject_cuda, Arguments,
                   sino_spmm_backproject_cuda(stream, ((SinoSpmmProductCuda[]){product_of(buffers, arguments)}),
                                              sino_buffer(buffers, 1), sino_buffer(buffers, 2)))

SINO_OPENCL_FUNCTION(project_opencl, Arguments,
                     sino_spmm_project_opencl(opencl, &sino_block_buffer(buffers, 0)->header,
                                              sino_block_opencl(buffers, 0), arguments->stride,
                                              sino_opencl_buffer(buffers, 1),
                                              arguments->has_units ? sino_opencl_buffer(buffers, 4) : NULL,
                                              sino_opencl_buffer(buffers, 2)))
SINO_OPENCL_FUNCTION(backproject_opencl, Arguments,
                     sino_spmm_backproject_opencl(opencl, &sino_block_buffer(buffers, 0)->header,
                                                  sino_block_opencl(buffers, 0), arguments->stride,
                                                  sino_opencl_buffer(buffers, 1),
                                                  arguments->has_units ? sino_opencl_buffer(buffers, 4) : NULL,
                                                  sino_opencl_buffer(buffers, 2)))

SINO_CODELET(project_codelet, "spmm_project", project_cpu, SINO_ON_CUDA(project_cuda) SINO_ON_OPENCL(project_opencl))
SINO_CODELET(backproject_codelet, "spmm_backproject", backproject_cpu,
             SINO_ON_CUDA(backproject_cuda) SINO_ON_OPENCL(backproject_opencl))

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position,
                         const SinoSpmm *spmm, SinoData *from, SinoData *to)
{
    const Arguments arguments = {.head = {.work = spmm->work, .host = !spmm->has_lists},
                                 .stride = spmm->stride,
                                 .has_units = spmm->units != NULL,
                                 .has_lists = spmm->has_lists};
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
