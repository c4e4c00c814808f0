/* SPDX-License-Identifier: BSD-3-Clause */
/* Task trace: traces a run of tiles into the partition's block. trace_measure, trace_fill: the same in two passes, also
 * on GPUs. trace_mark: marks the rays that the run meets. */
#include "trace_task.h"

#include "task.h"
#include "trace_cuda.h"

typedef struct Arguments {
    SinoPackRun *run;
} Arguments;

static SinoStatus trace_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_pack_run(arguments->run);
}

static const SinoTaskKind trace_kind = {.name = "trace", .argument_bytes = sizeof(Arguments), .cpu = trace_cpu};

static SinoPosition at_partition(int64_t partition)
{
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return position;
}

SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run)
{
    const double work = (double)(run->tile_count * sino_layout_stored_angles(run->layout));
    const Arguments arguments = {.run = run};
    return sino_task_submit(runtime, &trace_kind,
                            &(SinoTaskRequest){.position = at_partition(partition),
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .work = work,
                                               .effort = SINO_TRACE_FLOPS * (double)run->stored_nonzero_count});
}

/* Order of the buffers of both passes. */
enum { ANGLES, SECTIONS, SIZES, BYTES };

typedef struct PassArguments {
    const SinoLayout *layout;
    int64_t section_count;
} PassArguments;

static SinoStatus measure_cpu(const SinoTask *task)
{
    const PassArguments *arguments = task->arguments;
    return sino_trace_measure(arguments->layout, arguments->section_count, sino_task_buffer(task, SECTIONS),
                              sino_task_buffer(task, SIZES));
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const PassArguments *arguments = task->arguments;
    return sino_trace_fill(arguments->layout, arguments->section_count, sino_task_buffer(task, SECTIONS),
                           sino_task_buffer(task, SIZES), sino_task_buffer(task, BYTES));
}

static SinoStatus measure_cuda(const SinoTask *task, cudaStream_t stream)
{
    const PassArguments *arguments = task->arguments;
    return sino_trace_measure_cuda(stream, arguments->layout, sino_task_buffer(task, ANGLES), arguments->section_count,
                                   sino_task_buffer(task, SECTIONS), sino_task_buffer(task, SIZES));
}

static SinoStatus fill_cuda(const SinoTask *task, cudaStream_t stream)
{
    const PassArguments *arguments = task->arguments;
    return sino_trace_fill_cuda(stream, arguments->layout, sino_task_buffer(task, ANGLES), arguments->section_count,
                                sino_task_buffer(task, SECTIONS), sino_task_buffer(task, SIZES),
                                sino_task_buffer(task, BYTES));
}

static const SinoTaskKind measure_kind = {.name = "trace_measure",
                                          .argument_bytes = sizeof(PassArguments),
                                          .access_min = 3,
                                          .access_max = 3,
                                          .cpu = measure_cpu,
                                          .cuda = SINO_ON_CUDA(measure_cuda)};

static const SinoTaskKind fill_kind = {.name = "trace_fill",
                                       .argument_bytes = sizeof(PassArguments),
                                       .access_min = 4,
                                       .access_max = 4,
                                       .cpu = fill_cpu,
                                       .cuda = SINO_ON_CUDA(fill_cuda)};

static double work_of(const SinoTraceTables *tables)
{
    return (double)(tables->section_count * tables->layout->group_angles);
}

static PassArguments pass_of(const SinoTraceTables *tables)
{
    return (PassArguments){.layout = tables->layout, .section_count = tables->section_count};
}

SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables)
{
    const PassArguments arguments = pass_of(tables);
    const SinoAccess access[] = {[ANGLES] = {tables->angles, SINO_READ},
                                 [SECTIONS] = {tables->sections, SINO_READ},
                                 [SIZES] = {tables->sizes, SINO_WRITE}};
    return sino_task_submit(runtime, &measure_kind,
                            &(SinoTaskRequest){.position = at_partition(partition),
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 3,
                                               .work = work_of(tables)});
}

SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes)
{
    const PassArguments arguments = pass_of(tables);
    const SinoAccess access[] = {[ANGLES] = {tables->angles, SINO_READ},
                                 [SECTIONS] = {tables->sections, SINO_READ},
                                 [SIZES] = {tables->sizes, SINO_READ},
                                 [BYTES] = {bytes, SINO_WRITE}};
    return sino_task_submit(runtime, &fill_kind,
                            &(SinoTaskRequest){.position = at_partition(partition),
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 4,
                                               .work = work_of(tables)});
}

typedef struct MarkArguments {
    SinoPrecision precision;
    int64_t size;
    uint8_t *touched;
} MarkArguments;

static SinoStatus mark_cpu(const SinoTask *task)
{
    const MarkArguments *arguments = task->arguments;
    sino_pack_mark(arguments->precision, arguments->size, sino_task_buffer(task, 0), arguments->touched);
    return NULL;
}

static const SinoTaskKind mark_kind = {
    .name = "trace_mark", .argument_bytes = sizeof(MarkArguments), .access_min = 1, .access_max = 1, .cpu = mark_cpu};

SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched)
{
    const MarkArguments arguments = {.precision = precision, .size = size, .touched = touched};
    const SinoAccess access[] = {{bytes, SINO_READ}};
    return sino_task_submit(runtime, &mark_kind,
                            &(SinoTaskRequest){.position = at_partition(partition),
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1,
                                               .work = (double)size});
}
