/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm (spmm_project, spmm_backproject): one partition's block of A times one minibatch. */
#include "spmm_task.h"

#include "block_interface.h"
#include "cast.h"
#include "spmm_cuda.h"
#include "spmm_opencl.h"
#include "task.h"

typedef struct Arguments {
    int64_t stride;
    bool has_units, has_lists;
    SinoSpmmRows rows;
} Arguments;

/* The block in main memory. */
static const void *block_of(const SinoTask *task, const Arguments *arguments)
{
    return arguments->has_lists ? sino_task_block(task, 0)->block : sino_task_buffer(task, 0);
}

static const float *unit_of(const SinoTask *task, const Arguments *arguments)
{
    return arguments->has_units ? ((const SinoUnits *)sino_task_buffer(task, 4))->unit : NULL;
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_spmm_project(block_of(task, arguments), arguments->stride, sino_task_buffer(task, 1), unit_of(task, arguments),
                      sino_task_buffer(task, 2), sino_task_buffer(task, 3));
    return NULL;
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    if (arguments->rows.row)
        sino_spmm_backproject_rows(block_of(task, arguments), arguments->stride, arguments->rows,
                                   sino_task_buffer(task, 1), sino_task_buffer(task, 2), sino_task_buffer(task, 3));
    else
        sino_spmm_backproject(block_of(task, arguments), arguments->stride, sino_task_buffer(task, 1),
                              unit_of(task, arguments), sino_task_buffer(task, 2), sino_task_buffer(task, 3));
    return NULL;
}

/* The product's operands on the calling worker's GPU. */
static SinoSpmmProductCuda product_of(const SinoTask *task, const Arguments *arguments)
{
    const SinoBlockInterface *block = sino_task_block(task, 0);
    return (SinoSpmmProductCuda){.device = *sino_runtime_spmm_device(task->runtime),
                                 .header = block->header,
                                 .lists = (const void *)block->lists,
                                 .panel_width = sino_panel_width((SinoPrecision)block->header.precision),
                                 .stride = arguments->stride,
                                 .unit = unit_of(task, arguments)};
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoSpmmProductCuda product = product_of(task, arguments);
    return sino_spmm_project_cuda(stream, &product, sino_task_buffer(task, 1), sino_task_buffer(task, 2));
}

static SinoStatus backproject_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoSpmmProductCuda product = product_of(task, arguments);
    return sino_spmm_backproject_cuda(stream, &product, sino_task_buffer(task, 1), sino_task_buffer(task, 2));
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_spmm_project_opencl(opencl, &sino_task_block(task, 0)->header, sino_task_block_opencl(task, 0),
                                    arguments->stride, sino_task_opencl_buffer(task, 1),
                                    arguments->has_units ? sino_task_opencl_buffer(task, 4) : NULL,
                                    sino_task_opencl_buffer(task, 2));
}

static SinoStatus backproject_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_spmm_backproject_opencl(opencl, &sino_task_block(task, 0)->header, sino_task_block_opencl(task, 0),
                                        arguments->stride, sino_task_opencl_buffer(task, 1),
                                        arguments->has_units ? sino_task_opencl_buffer(task, 4) : NULL,
                                        sino_task_opencl_buffer(task, 2));
}

static const SinoTaskKind project_kind = {.name = "spmm_project",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 4,
                                          .access_max = 5,
                                          .cpu = project_cpu,
                                          .cuda = SINO_ON_CUDA(project_cuda),
                                          .opencl = SINO_ON_OPENCL(project_opencl)};

static const SinoTaskKind backproject_kind = {.name = "spmm_backproject",
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 4,
                                              .access_max = 5,
                                              .cpu = backproject_cpu,
                                              .cuda = SINO_ON_CUDA(backproject_cuda),
                                              .opencl = SINO_ON_OPENCL(backproject_opencl)};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const SinoSpmm *spmm,
                         SinoData *from, SinoData *to)
{
    const Arguments arguments = {
        .stride = spmm->stride, .has_units = spmm->units != NULL, .has_lists = spmm->has_lists, .rows = spmm->rows};
    const SinoAccess access[] = {{spmm->block, SINO_READ},
                                 {from, SINO_READ},
                                 {to, SINO_WRITE},
                                 {spmm->scratch, SINO_SCRATCH},
                                 {spmm->units, SINO_READ}};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = spmm->units ? 5 : 4,
                                               .work = spmm->work,
                                               .flops = spmm->flops,
                                               .precision = 1 + (int)spmm->precision,
                                               .width = spmm->stride,
                                               .host = !spmm->has_lists || spmm->rows.row});
}

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y)
{
    return insert(runtime, &project_kind, position, spmm, x, y);
}

SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x)
{
    return insert(runtime, &backproject_kind, position, spmm, y, x);
}
