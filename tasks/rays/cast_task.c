/* SPDX-License-Identifier: BSD-3-Clause */
/* Task cast (cast_units, cast_narrow, cast_widen): casts vectors to halves and back, with adaptive normalisation. */
#include "rays_tasks.h"

#include "task.h"

typedef struct Cast {
    SinoOperand x, units, to; /* `to`: none of cast_units */
    SinoSlices slices;
    int64_t rows;
    int exponent;
    bool first, last;
} Cast;

static SinoStatus units_cpu(const SinoTask *task)
{
    const Cast *of = task->arguments;
    sino_cast_units(of->slices, of->rows, of->x.at, of->exponent, of->first, of->last, of->units.at);
    return NULL;
}

static SinoStatus narrow_cpu(const SinoTask *task)
{
    const Cast *of = task->arguments;
    sino_cast_narrow(of->slices, of->rows, of->x.at, of->units.at, of->to.at);
    return NULL;
}

static SinoStatus widen_cpu(const SinoTask *task)
{
    const Cast *of = task->arguments;
    sino_cast_widen(of->slices, of->rows, of->x.at, of->units.at, of->to.at);
    return NULL;
}

static SinoStatus units_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Cast *of = task->arguments;
    return sino_cast_units_cuda(stream, of->slices, of->rows, of->x.at, of->exponent, of->first, of->last,
                                of->units.at);
}

static SinoStatus narrow_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Cast *of = task->arguments;
    return sino_cast_narrow_cuda(stream, of->slices, of->rows, of->x.at, of->units.at, of->to.at);
}

static SinoStatus widen_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Cast *of = task->arguments;
    return sino_cast_widen_cuda(stream, of->slices, of->rows, of->x.at, of->units.at, of->to.at);
}

static SinoStatus units_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Cast *of = task->arguments;
    return sino_cast_units_opencl(opencl, of->slices, of->rows, of->x.opencl, of->exponent, of->first, of->last,
                                  of->units.opencl);
}

static SinoStatus narrow_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Cast *of = task->arguments;
    return sino_cast_narrow_opencl(opencl, of->slices, of->rows, of->x.opencl, of->units.opencl, of->to.opencl);
}

static SinoStatus widen_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Cast *of = task->arguments;
    return sino_cast_widen_opencl(opencl, of->slices, of->rows, of->x.opencl, of->units.opencl, of->to.opencl);
}

static const SinoTaskKind units_kind = {.name = "cast_units",
                                        SINO_ARGUMENTS(Cast, SINO_READS(Cast, x), SINO_UPDATES(Cast, units)),
                                        SINO_CPU_CUDA_OPENCL(units)};

#define OPERANDS SINO_ARGUMENTS(Cast, SINO_READS(Cast, x), SINO_READS(Cast, units), SINO_WRITES(Cast, to))
static const SinoTaskKind narrow_kind = {.name = "cast_narrow", OPERANDS, SINO_CPU_CUDA_OPENCL(narrow)};
static const SinoTaskKind widen_kind = {.name = "cast_widen", OPERANDS, SINO_CPU_CUDA_OPENCL(widen)};

SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units)
{
    const Cast arguments = {.x.data = x,
                            .units = {.data = units, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                            .slices = slices,
                            .rows = rows,
                            .exponent = exponent,
                            .first = first,
                            .last = last};
    return SINO_SUBMIT(runtime, &units_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(rows * slices.stride));
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, SinoSlices slices,
                         int64_t rows, SinoData *x, SinoData *units, SinoData *to)
{
    const Cast arguments = {.x.data = x, .units.data = units, .to.data = to, .slices = slices, .rows = rows};
    return SINO_SUBMIT(runtime, kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(rows * slices.stride));
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
