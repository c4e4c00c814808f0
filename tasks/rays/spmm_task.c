/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm (spmm_project, spmm_backproject): one partition's block of A times one minibatch. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "block_data.h"
#include "cast.h"
#include "reduce.h"
#include "reduce_opencl.h"
#include "spmm_cuda.h"
#include "spmm_opencl.h"
#include "task.h"

typedef struct Spmm {
    SinoOperand block, lists; /* one of them: a block for cores, or one with gather lists */
    SinoOperand from, to, scratch, units;
    SinoOperand total, list; /* none: the product passes on no rays */
    int64_t stride;
    SinoSpmmRows rows;
    SinoRowMap map;
    SinoSlices slices;
    bool first;
} Spmm;

/* The block in main memory. */
static const void *block_of(const Spmm *of)
{
    return of->lists.block ? of->lists.block->block : of->block.at;
}

static const float *unit_of(const Spmm *of)
{
    return of->units.at ? ((const SinoCastUnits *)of->units.at)->unit : NULL;
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Spmm *of = task->arguments;
    sino_spmm_project(block_of(of), of->stride, of->from.at, unit_of(of), of->to.at, of->scratch.at);
    if (of->total.at) sino_reduce_add(of->slices, &of->map, of->to.at, of->first, of->total.at);
    return NULL;
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const Spmm *of = task->arguments;
    if (of->total.at) sino_spread_take(of->slices, &of->map, of->total.at, of->from.at);
    if (of->rows.row)
        sino_spmm_backproject_rows(block_of(of), of->stride, of->rows, of->from.at, of->to.at, of->scratch.at);
    else
        sino_spmm_backproject(block_of(of), of->stride, of->from.at, unit_of(of), of->to.at, of->scratch.at);
    return NULL;
}

/* The product on the calling worker's GPU. */
static SinoSpmmProductCuda product_of(const SinoTask *task, const Spmm *of)
{
    const SinoBlockInterface *block = of->lists.block;
    return (SinoSpmmProductCuda){.device = *sino_runtime_spmm_device(task->runtime),
                                 .header = block->header,
                                 .lists = (const void *)block->lists,
                                 .panel_width = sino_panel_width((SinoPrecision)block->header.precision),
                                 .stride = of->stride,
                                 .unit = unit_of(of)};
}

/* The row map, whose list of rows is in the device's memory. */
static SinoRowMap map_on_device(const Spmm *of)
{
    SinoRowMap map = of->map;
    map.row = of->list.at;
    return map;
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Spmm *of = task->arguments;
    const SinoSpmmProductCuda product = product_of(task, of);
    const SinoRowMap map = map_on_device(of);
    SINO_TRY(sino_spmm_project_cuda(stream, &product, of->from.at, of->to.at));
    return of->total.at ? sino_reduce_add_cuda(stream, of->slices, &map, of->to.at, of->first, of->total.at) : NULL;
}

static SinoStatus backproject_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Spmm *of = task->arguments;
    const SinoSpmmProductCuda product = product_of(task, of);
    const SinoRowMap map = map_on_device(of);
    if (of->total.at) SINO_TRY(sino_spread_take_cuda(stream, of->slices, &map, of->total.at, of->from.at));
    return sino_spmm_backproject_cuda(stream, &product, of->from.at, of->to.at);
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Spmm *of = task->arguments;
    SINO_TRY(sino_spmm_project_opencl(opencl, &of->lists.block->header, (cl_mem)of->lists.block->lists, of->stride,
                                      of->from.opencl, of->units.opencl, of->to.opencl));
    if (!of->total.opencl) return NULL;
    return sino_reduce_add_opencl(opencl, of->slices, &of->map, of->list.opencl, of->to.opencl, of->first,
                                  of->total.opencl);
}

static SinoStatus backproject_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Spmm *of = task->arguments;
    if (of->total.opencl)
        SINO_TRY(
            sino_spread_take_opencl(opencl, of->slices, &of->map, of->list.opencl, of->total.opencl, of->from.opencl));
    return sino_spmm_backproject_opencl(opencl, &of->lists.block->header, (cl_mem)of->lists.block->lists, of->stride,
                                        of->from.opencl, of->units.opencl, of->to.opencl);
}

#define OPERANDS                                                                                                       \
    SINO_ARGUMENTS(Spmm, SINO_MAY_READ(Spmm, block), SINO_MAY_READ_BLOCK(Spmm, lists), SINO_READS(Spmm, from),         \
                   SINO_WRITES(Spmm, to), SINO_USES(Spmm, scratch), SINO_MAY_READ(Spmm, units),                        \
                   SINO_MAY_READ(Spmm, total), SINO_MAY_READ(Spmm, list))

static const SinoTaskKind project_kind = {.name = "spmm_project", OPERANDS, SINO_CPU_CUDA_OPENCL(project)};
static const SinoTaskKind backproject_kind = {.name = "spmm_backproject", OPERANDS, SINO_CPU_CUDA_OPENCL(backproject)};

/* Cost model of a product of F slices, measured at F = 1 … 64 (docs/lab/kernels.md): reading A costs as much as twenty
 * slices. */
double sino_spmm_efficiency(int64_t slices)
{
    enum { PANEL = 16 };
    const double read = 20, count = (double)(slices < PANEL ? slices : PANEL);
    return count * (read + PANEL) / (PANEL * (read + count));
}

/* Rows of the scratch memory and of the total, each read or written once. */
static int64_t passed_bytes(const SinoSpmmSum *sum)
{
    const int64_t values = sino_times(sum->map.count, sum->slices.stride);
    return sum->total ? 2 * sino_times(values, (int64_t)sino_precision_bytes(sum->slices.precision)) : 0;
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const SinoSpmm *spmm,
                         SinoOperand from, SinoOperand to, SinoAccessMode of_total)
{
    const SinoSpmmSum *sum = &spmm->sum;
    const Spmm arguments = {.block.data = spmm->has_lists ? NULL : spmm->block,
                            .lists.data = spmm->has_lists ? spmm->block : NULL,
                            .from = from,
                            .to = to,
                            .scratch.data = spmm->scratch,
                            .units.data = spmm->units,
                            .total = {.data = sum->total, .mode = of_total},
                            .list.data = sum->list,
                            .stride = spmm->stride,
                            .rows = spmm->rows,
                            .map = sum->map,
                            .slices = sum->slices,
                            .first = sum->first};
    return SINO_SUBMIT(runtime, kind, position, &arguments, .work = spmm->work, .flops = spmm->flops,
                       .effort = spmm->flops / sino_spmm_efficiency(spmm->slice_count),
                       .passed_bytes = passed_bytes(sum), .precision = 1 + (int)spmm->precision, .width = spmm->stride,
                       .host = !spmm->has_lists || spmm->rows.row);
}

/* The rays of a product. */
static SinoOperand rays_of(const SinoSpmm *spmm, SinoData *y)
{
    return (SinoOperand){.data = y, .mode = spmm->sum.total ? SINO_SCRATCH : 0};
}

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y)
{
    return insert(runtime, &project_kind, position, spmm, (SinoOperand){.data = x}, rays_of(spmm, y),
                  spmm->sum.first ? SINO_WRITE : SINO_READ_WRITE);
}

SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x)
{
    return insert(runtime, &backproject_kind, position, spmm, rays_of(spmm, y), (SinoOperand){.data = x}, SINO_READ);
}
