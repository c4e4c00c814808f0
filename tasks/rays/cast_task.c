/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cast (cast_units, cast_narrow, cast_widen): casts vectors to halves and back, with adaptive normalisation. */
#include "cast_task.h"

#include "cast_cuda.h"
#include "cast_opencl.h"
#include "task.h"

typedef struct Arguments {
    SinoSlices slices;
    int64_t rows;
    int exponent;
    bool first, last;
} Arguments;

static SinoStatus units_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_cast_units(arguments->slices, arguments->rows, sino_task_buffer(task, 0), arguments->exponent,
                    arguments->first, arguments->last, sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus narrow_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_cast_narrow(arguments->slices, arguments->rows, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                     sino_task_buffer(task, 2));
    return NULL;
}

static SinoStatus widen_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_cast_widen(arguments->slices, arguments->rows, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                    sino_task_buffer(task, 2));
    return NULL;
}

static SinoStatus units_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_units_cuda(stream, arguments->slices, arguments->rows, sino_task_buffer(task, 0),
                                arguments->exponent, arguments->first, arguments->last, sino_task_buffer(task, 1));
}

static SinoStatus narrow_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_narrow_cuda(stream, arguments->slices, arguments->rows, sino_task_buffer(task, 0),
                                 sino_task_buffer(task, 1), sino_task_buffer(task, 2));
}

static SinoStatus widen_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_widen_cuda(stream, arguments->slices, arguments->rows, sino_task_buffer(task, 0),
                                sino_task_buffer(task, 1), sino_task_buffer(task, 2));
}

static SinoStatus units_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_units_opencl(opencl, arguments->slices, arguments->rows, sino_task_opencl_buffer(task, 0),
                                  arguments->exponent, arguments->first, arguments->last,
                                  sino_task_opencl_buffer(task, 1));
}

static SinoStatus narrow_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_narrow_opencl(opencl, arguments->slices, arguments->rows, sino_task_opencl_buffer(task, 0),
                                   sino_task_opencl_buffer(task, 1), sino_task_opencl_buffer(task, 2));
}

static SinoStatus widen_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Arguments *arguments = task->arguments;
    return sino_cast_widen_opencl(opencl, arguments->slices, arguments->rows, sino_task_opencl_buffer(task, 0),
                                  sino_task_opencl_buffer(task, 1), sino_task_opencl_buffer(task, 2));
}

static const SinoTaskKind units_kind = {.name = "cast_units",
                                        .argument_bytes = sizeof(Arguments),
                                        .access_min = 2,
                                        .access_max = 2,
                                        .cpu = units_cpu,
                                        .cuda = SINO_ON_CUDA(units_cuda),
                                        .opencl = SINO_ON_OPENCL(units_opencl)};

static const SinoTaskKind narrow_kind = {.name = "cast_narrow",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = 3,
                                         .access_max = 3,
                                         .cpu = narrow_cpu,
                                         .cuda = SINO_ON_CUDA(narrow_cuda),
                                         .opencl = SINO_ON_OPENCL(narrow_opencl)};

static const SinoTaskKind widen_kind = {.name = "cast_widen",
                                        .argument_bytes = sizeof(Arguments),
                                        .access_min = 3,
                                        .access_max = 3,
                                        .cpu = widen_cpu,
                                        .cuda = SINO_ON_CUDA(widen_cuda),
                                        .opencl = SINO_ON_OPENCL(widen_opencl)};

SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units)
{
    const Arguments arguments = {.slices = slices, .rows = rows, .exponent = exponent, .first = first, .last = last};
    const SinoAccess access[] = {{x, SINO_READ}, {units, first ? SINO_WRITE : SINO_READ_WRITE}};
    return sino_task_submit(runtime, &units_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)(rows * slices.stride)});
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, SinoSlices slices,
                         int64_t rows, SinoData *x, SinoData *units, SinoData *to)
{
    const Arguments arguments = {.slices = slices, .rows = rows};
    const SinoAccess access[] = {{x, SINO_READ}, {units, SINO_READ}, {to, SINO_WRITE}};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 3,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)(rows * slices.stride)});
}

SinoStatus sino_insert_cast_narrow(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *x, SinoData *units, SinoData *to)
{
    return insert(runtime, &narrow_kind, position, slices, rows, x, units, to);
}

SinoStatus sino_insert_cast_widen(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *x, SinoData *units, SinoData *to)
{
    return insert(runtime, &widen_kind, position, slices, rows, x, units, to);
}
