/* SPDX-License-Identifier: BSD-3-Clause */
/* Task regroup (regroup_measure, regroup_fill): makes some visits of the lists that devices gather from, from a
 * block. */
#include "regroup_task.h"

#include "arithmetic.h"
#include "task.h"
#include "trace_task.h"

typedef struct Arguments {
    const SinoRegroup *regroup;
    SinoRegroupShape shape;
    bool has_rays;
    int64_t first, count;
    SinoRegroupSize *size; /* in main memory: of visit `first` */
    void *lists;           /* in main memory: the lists as a whole */
} Arguments;

/* What a core takes to measure or to write the list of a stored nonzero, in flops of a product: three quarters of what
 * it takes to trace it, measured in one run of 256 columns, 400 angles. */
enum { REGROUP_FLOPS = SINO_TRACE_FLOPS * 3 / 4 };

/* Order of the data of a task for GPUs. */
enum { BLOCK, TABLE, WRITTEN, MEASURE_RAYS, HEAD = MEASURE_RAYS, FILL_RAYS, DATA_MAX };

static SinoStatus measure_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_regroup_measure(arguments->regroup, arguments->first, arguments->count, arguments->size);
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_regroup_fill(arguments->regroup, arguments->first, arguments->count, arguments->lists);
}

/* The input in the memory of the calling worker's GPU. */
static SinoRegroupCuda input_of(const SinoTask *task, const Arguments *arguments, int rays)
{
    return (SinoRegroupCuda){.shape = arguments->shape,
                             .block = sino_task_buffer(task, BLOCK),
                             .ray = arguments->has_rays ? sino_task_buffer(task, rays) : NULL,
                             .table = sino_task_buffer(task, TABLE)};
}

static SinoStatus measure_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoRegroupCuda input = input_of(task, arguments, MEASURE_RAYS);
    return sino_regroup_measure_cuda(stream, &input, arguments->first, arguments->count,
                                     sino_task_buffer(task, WRITTEN));
}

static SinoStatus fill_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Arguments *arguments = task->arguments;
    const SinoRegroupCuda input = input_of(task, arguments, FILL_RAYS);
    return sino_regroup_fill_cuda(stream, &input, sino_task_buffer(task, HEAD), arguments->first, arguments->count,
                                  sino_task_buffer(task, WRITTEN));
}

static const SinoTaskKind measure_kind = {.name = "regroup_measure",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_max = 4,
                                          .cpu = measure_cpu,
                                          .cuda = SINO_ON_CUDA(measure_cuda)};

static const SinoTaskKind fill_kind = {.name = "regroup_fill",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_max = 5,
                                       .cpu = fill_cpu,
                                       .cuda = SINO_ON_CUDA(fill_cuda)};

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
static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoRegroupPart *part,
                         Arguments *arguments)
{
    SinoPosition position = SINO_NOWHERE;
    SinoAccess access[DATA_MAX];
    int count = 0;
    position.partition = part->partition;
    arguments->regroup = part->regroup;
    arguments->first = part->first;
    arguments->count = part->count;
    if (part->data) {
        const SinoRegroupData *data = part->data;
        arguments->shape = data->shape;
        arguments->has_rays = data->rays != NULL;
        access[count++] = (SinoAccess){data->block, SINO_READ};
        access[count++] = (SinoAccess){data->table, SINO_READ};
        access[count++] = (SinoAccess){part->written, SINO_WRITE};
        if (arguments->lists) access[count++] = (SinoAccess){data->head, SINO_READ};
        if (data->rays) access[count++] = (SinoAccess){data->rays, SINO_READ};
    }
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = count,
                                               .work = (double)part->count,
                                               .effort = REGROUP_FLOPS * (double)part->nonzero_count,
                                               .host = part->data == NULL});
}

SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size)
{
    return insert(runtime, &measure_kind, part, &(Arguments){.size = size});
}

SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists)
{
    return insert(runtime, &fill_kind, part, &(Arguments){.lists = lists});
}
