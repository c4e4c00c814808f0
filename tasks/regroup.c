/* SPDX-License-Identifier: BSD-3-Clause */
/* regroup_measure, regroup_fill: some visits of the lists that devices gather from, made from a block. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    const SinoRegroup *regroup;
    SinoRegroupShape shape;
    bool has_rays;
    int64_t first, count;
    SinoRegroupSize *size; /* in main memory, of visit `first` */
    void *lists;           /* in main memory, all of them */
} Arguments;

/* A task's data, where there are any. */
enum { BLOCK, TABLE, WRITTEN, MEASURE_RAYS, HEAD = MEASURE_RAYS, FILL_RAYS, DATA_MAX };

static SinoStatus measure(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_regroup_measure(arguments->regroup, arguments->first, arguments->count, arguments->size);
}

static SinoStatus fill(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_regroup_fill(arguments->regroup, arguments->first, arguments->count, arguments->lists);
}

SINO_CPU_FUNCTION(measure_cpu, Arguments, measure)
SINO_CPU_FUNCTION(fill_cpu, Arguments, fill)

/* What the GPU of the worker that calls has of the block. */
__attribute__((unused)) static SinoRegroupCuda input_of(void *buffers[], const Arguments *arguments, int rays)
{
    return (SinoRegroupCuda){.shape = arguments->shape,
                             .block = sino_buffer(buffers, BLOCK),
                             .ray = arguments->has_rays ? sino_buffer(buffers, rays) : NULL,
                             .table = sino_buffer(buffers, TABLE)};
}

SINO_CUDA_FUNCTION(measure_cuda, Arguments,
                   sino_regroup_measure_cuda(stream, ((SinoRegroupCuda[]){input_of(buffers, arguments, MEASURE_RAYS)}),
                                             arguments->first, arguments->count, sino_buffer(buffers, WRITTEN)))
SINO_CUDA_FUNCTION(fill_cuda, Arguments,
                   sino_regroup_fill_cuda(stream, ((SinoRegroupCuda[]){input_of(buffers, arguments, FILL_RAYS)}),
                                          sino_buffer(buffers, HEAD), arguments->first, arguments->count,
                                          sino_buffer(buffers, WRITTEN)))

SINO_CODELET(measure_codelet, "regroup_measure", measure_cpu, SINO_ON_CUDA(measure_cuda))
SINO_CODELET(fill_codelet, "regroup_fill", fill_cpu, SINO_ON_CUDA(fill_cuda))

#if defined SINO_CUDA && defined STARPU_USE_CUDA

/* Of what a task's input leaves, what it may write: the next one's is there meanwhile, and the last one's on its way
 * back; a rest is for what else StarPU has there. So few that they would not keep a GPU busy are for cores. */
int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes)
{
    const int64_t least = 2 << 20, most = 64 << 20, share = 5;
    if (sino_regroup_cuda_shared_bytes(shape) > sino_runtime_shared_bytes(runtime)) return 0;
    const int64_t bytes =
        (sino_runtime_device_bytes(runtime) - sino_runtime_device_held(runtime, most) - input_bytes) / share;
    return bytes < least ? 0 : bytes < most ? bytes : most;
}

#else

int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes)
{
    (void)runtime, (void)shape, (void)input_bytes;
    return 0;
}

#endif

/* With data the task may run on a GPU. */
static SinoStatus insert(SinoRuntime *runtime, struct starpu_codelet *codelet, const SinoRegroupPart *part,
                         Arguments *arguments)
{
    SinoPosition position = SINO_NOWHERE;
    SinoAccess access[DATA_MAX];
    int count = 0;
    position.partition = part->partition;
    arguments->regroup = part->regroup;
    arguments->first = part->first;
    arguments->count = part->count;
    arguments->head.host = part->data == NULL;
    arguments->head.work = (double)part->count;
    if (part->data) {
        const SinoRegroupData *data = part->data;
        arguments->shape = data->shape;
        arguments->has_rays = data->rays != NULL;
        access[count++] = (SinoAccess){data->block, STARPU_R};
        access[count++] = (SinoAccess){data->table, STARPU_R};
        access[count++] = (SinoAccess){part->written, STARPU_W};
        if (arguments->lists) access[count++] = (SinoAccess){data->head, STARPU_R};
        if (data->rays) access[count++] = (SinoAccess){data->rays, STARPU_R};
    }
    return sino_task_submit(runtime, codelet, position, false, arguments, sizeof *arguments, count, access);
}

SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size)
{
    return insert(runtime, &measure_codelet, part, &(Arguments){.size = size});
}

SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists)
{
    return insert(runtime, &fill_codelet, part, &(Arguments){.lists = lists});
}
