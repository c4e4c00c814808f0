/* SPDX-License-Identifier: BSD-3-Clause */
/* cast_units, cast_narrow, cast_widen: vectors to halves and back, with adaptive normalisation. */
#include "tasks.h"

#include "cast_cuda.h"
#include "cast_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    int64_t rows;
    int exponent;
    bool first, last;
} Arguments;

static SinoStatus find_units(void *buffers[], const Arguments *arguments)
{
    sino_cast_units(arguments->slices, arguments->rows, sino_buffer(buffers, 0), arguments->exponent, arguments->first,
                    arguments->last, sino_buffer(buffers, 1));
    return NULL;
}

static SinoStatus narrow(void *buffers[], const Arguments *arguments)
{
    sino_cast_narrow(arguments->slices, arguments->rows, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                     sino_buffer(buffers, 2));
    return NULL;
}

static SinoStatus widen(void *buffers[], const Arguments *arguments)
{
    sino_cast_widen(arguments->slices, arguments->rows, sino_buffer(buffers, 0), sino_buffer(buffers, 1),
                    sino_buffer(buffers, 2));
    return NULL;
}

SINO_CPU_FUNCTION(units_cpu, Arguments, find_units)
SINO_CPU_FUNCTION(narrow_cpu, Arguments, narrow)
SINO_CPU_FUNCTION(widen_cpu, Arguments, widen)

SINO_CUDA_FUNCTION(units_cuda, Arguments,
                   sino_cast_units_cuda(stream, arguments->slices, arguments->rows, sino_buffer(buffers, 0),
                                        arguments->exponent, arguments->first, arguments->last,
                                        sino_buffer(buffers, 1)))
SINO_CUDA_FUNCTION(narrow_cuda, Arguments,
                   sino_cast_narrow_cuda(stream, arguments->slices, arguments->rows, sino_buffer(buffers, 0),
                                         sino_buffer(buffers, 1), sino_buffer(buffers, 2)))
SINO_CUDA_FUNCTION(widen_cuda, Arguments,
                   sino_cast_widen_cuda(stream, arguments->slices, arguments->rows, sino_buffer(buffers, 0),
                                        sino_buffer(buffers, 1), sino_buffer(buffers, 2)))

SINO_OPENCL_FUNCTION(units_opencl, Arguments,
                     sino_cast_units_opencl(opencl, arguments->slices, arguments->rows, sino_opencl_buffer(buffers, 0),
                                            arguments->exponent, arguments->first, arguments->last,
                                            sino_opencl_buffer(buffers, 1)))
SINO_OPENCL_FUNCTION(narrow_opencl, Arguments,
                     sino_cast_narrow_opencl(opencl, arguments->slices, arguments->rows, sino_opencl_buffer(buffers, 0),
                                             sino_opencl_buffer(buffers, 1), sino_opencl_buffer(buffers, 2)))
SINO_OPENCL_FUNCTION(widen_opencl, Arguments,
                     sino_cast_widen_opencl(opencl, arguments->slices, arguments->rows, sino_opencl_buffer(buffers, 0),
                                            sino_opencl_buffer(buffers, 1), sino_opencl_buffer(buffers, 2)))

SINO_CODELET(units_codelet, "cast_units", units_cpu, SINO_ON_CUDA(units_cuda) SINO_ON_OPENCL(units_opencl))
SINO_CODELET(narrow_codelet, "cast_narrow", narrow_cpu, SINO_ON_CUDA(narrow_cuda) SINO_ON_OPENCL(narrow_opencl))
SINO_CODELET(widen_codelet, "cast_widen", widen_cpu, SINO_ON_CUDA(widen_cuda) SINO_ON_OPENCL(widen_opencl))

SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units)
{
    const Arguments arguments = {.head = {.work = (double)(rows * slices.stride)},
                                 .slices = slices,
                                 .rows = rows,
                                 .exponent = exponent,
                                 .first = first,
                                 .last = last};
    const SinoAccess access[] = {{x, STARPU_R}, {units, first ? STARPU_W : STARPU_RW}};
    return sino_task_submit(runtime, &units_codelet, position, false, &arguments, sizeof arguments, 2, access);
}

static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, SinoPosition position, SinoSlices slices,
                         int64_t rows, SinoData *x, SinoData *units, SinoData *to)
{
    const Arguments arguments = {.head = {.work = (double)(rows * slices.stride)}, .slices = slices, .rows = rows};
    const SinoAccess access[] = {{x, STARPU_R}, {units, STARPU_R}, {to, STARPU_W}};
    return sino_task_submit(runtime, codelet, position, false, &arguments, sizeof arguments, 3, access);
}

SinoStatus sino_insert_cast_narrow(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *x, SinoData *units, SinoData *to)
{
    return insert(runtime, &narrow_codelet, position, slices, rows, x, units, to);
}

SinoStatus sino_insert_cast_widen(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *x, SinoData *units, SinoData *to)
{
    return insert(runtime, &widen_codelet, position, slices, rows, x, units, to);
}
