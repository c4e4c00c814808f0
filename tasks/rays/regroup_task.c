/* SPDX-License-Identifier: BSD-3-Clause */
/* Task regroup (regroup_measure, regroup_fill): makes some visits of the lists that devices gather from, from a
 * block. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Regroup {
    SinoOperand block, table, written, head, rays; /* for GPUs; `head`: of regroup_fill */
    const SinoRegroup *regroup;
    SinoRegroupShape shape;
    int64_t first, count;
    SinoRegroupSize *size; /* in main memory: of visit `first` */
    void *lists;           /* in main memory: the lists as a whole */
} Regroup;

/* What a core takes to measure or to write the list of a stored nonzero, in flops of a product: three quarters of what
 * it takes to trace it, measured in one run of 256 columns, 400 angles. */
enum { REGROUP_FLOPS = SINO_TRACE_FLOPS * 3 / 4 };

static SinoStatus measure_cpu(const SinoTask *task)
{
    const Regroup *of = task->arguments;
    return sino_regroup_measure(of->regroup, of->first, of->count, of->size);
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Regroup *of = task->arguments;
    return sino_regroup_fill(of->regroup, of->first, of->count, of->lists);
}

/* The input in the memory of the calling worker's GPU. */
static SinoRegroupCuda input_of(const Regroup *of)
{
    return (SinoRegroupCuda){.shape = of->shape, .block = of->block.at, .ray = of->rays.at, .table = of->table.at};
}

static SinoStatus measure_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Regroup *of = task->arguments;
    const SinoRegroupCuda input = input_of(of);
    return sino_regroup_measure_cuda(stream, &input, of->first, of->count, of->written.at);
}

static SinoStatus fill_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Regroup *of = task->arguments;
    const SinoRegroupCuda input = input_of(of);
    return sino_regroup_fill_cuda(stream, &input, of->head.at, of->first, of->count, of->written.at);
}

#define OPERANDS                                                                                                       \
    SINO_ARGUMENTS(Regroup, SINO_MAY_READ(Regroup, block), SINO_MAY_READ(Regroup, table),                              \
                   SINO_MAY_WRITE(Regroup, written), SINO_MAY_READ(Regroup, head), SINO_MAY_READ(Regroup, rays))
static const SinoTaskKind measure_kind = {.name = "regroup_measure", OPERANDS, SINO_CPU_CUDA(measure)};
static const SinoTaskKind fill_kind = {.name = "regroup_fill", OPERANDS, SINO_CPU_CUDA(fill)};

/* Output budget of one task: a fifth of the GPU memory that remains beside its input, because the next task's input and
 * the previous task's output are resident at the same time. Below 2 MiB the GPU would idle, so a core does the task (0
 * is returned). */
int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes)
{
    const int64_t least = 2 << 20, most = 64 << 20, share = 5;
    if (!SINO_CUDA_BUILT || sino_regroup_cuda_shared_bytes(shape) > sino_runtime_shared_bytes(runtime)) return 0;
    const int64_t bytes =
        (sino_runtime_device_bytes(runtime) - sino_runtime_device_held(runtime, most) - input_bytes) / share;
    return bytes < least ? 0 : sino_smaller(bytes, most);
}

/* Inserts a task. It may run on a GPU if part->data is given. */
static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoRegroupPart *part, Regroup regroup)
{
    regroup.regroup = part->regroup;
    regroup.first = part->first;
    regroup.count = part->count;
    if (part->data) {
        const SinoRegroupData *data = part->data;
        regroup.shape = data->shape;
        regroup.block.data = data->block;
        regroup.table.data = data->table;
        regroup.written.data = part->written;
        if (regroup.lists) regroup.head.data = data->head;
        regroup.rays.data = data->rays;
    }
    return SINO_SUBMIT(runtime, kind, SINO_AT_PARTITION(part->partition), &regroup, .work = (double)part->count,
                       .effort = REGROUP_FLOPS * (double)part->nonzero_count, .host = part->data == NULL);
}

SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size)
{
    return insert(runtime, &measure_kind, part, (Regroup){.size = size});
}

SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists)
{
    return insert(runtime, &fill_kind, part, (Regroup){.lists = lists});
}
