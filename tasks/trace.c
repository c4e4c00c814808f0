/* SPDX-License-Identifier: BSD-3-Clause */
/* trace: the rays' lengths in a run of tiles, into the partition's block. trace_measure, trace_fill: the same in two
 * passes, on GPUs, too; trace_mark: the rays that the run meets. */
#include "tasks.h"

#include "trace_cuda.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoPackRun *run;
} Arguments;

static SinoStatus trace(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_pack_run(arguments->run);
}

SINO_CPU_FUNCTION(trace_cpu, Arguments, trace)
SINO_CODELET(codelet, "trace", trace_cpu)

static SinoPosition at_partition(int64_t partition)
{
    SinoPosition position = SINO_NOWHERE;
    position.partition = partition;
    return position;
}

SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run)
{
    const double work = (double)(run->tile_count * sino_layout_stored_angles(run->layout));
    const Arguments arguments = {.head = {.work = work}, .run = run};
    return sino_task_submit(runtime, &codelet, at_partition(partition), false, &arguments, sizeof arguments, 0, NULL);
}

/* The data of both passes, in the order of their tasks' buffers. */
enum { ANGLES, SECTIONS, SIZES, BYTES };

typedef struct PassArguments {
    SinoTaskHead head;
    const SinoLayout *layout;
    int64_t section_count;
} PassArguments;

static SinoStatus measure(void *buffers[], const PassArguments *arguments)
{
    return sino_trace_measure(arguments->layout, arguments->section_count, sino_buffer(buffers, SECTIONS),
                              sino_buffer(buffers, SIZES));
}

static SinoStatus fill(void *buffers[], const PassArguments *arguments)
{
    return sino_trace_fill(arguments->layout, arguments->section_count, sino_buffer(buffers, SECTIONS),
                           sino_buffer(buffers, SIZES), sino_buffer(buffers, BYTES));
}

SINO_CPU_FUNCTION(measure_cpu, PassArguments, measure)
SINO_CPU_FUNCTION(fill_cpu, PassArguments, fill)
SINO_CUDA_FUNCTION(measure_cuda, PassArguments,
                   sino_trace_measure_cuda(stream, arguments->layout, sino_buffer(buffers, ANGLES),
                                           arguments->section_count, sino_buffer(buffers, SECTIONS),
                                           sino_buffer(buffers, SIZES)))
SINO_CUDA_FUNCTION(fill_cuda, PassArguments,
                   sino_trace_fill_cuda(stream, arguments->layout, sino_buffer(buffers, ANGLES),
                                        arguments->section_count, sino_buffer(buffers, SECTIONS),
                                        sino_buffer(buffers, SIZES), sino_buffer(buffers, BYTES)))
SINO_CODELET(measure_codelet, "trace_measure", measure_cpu, SINO_ON_CUDA(measure_cuda))
SINO_CODELET(fill_codelet, "trace_fill", fill_cpu, SINO_ON_CUDA(fill_cuda))

static PassArguments pass_of(const SinoTraceTables *tables)
{
    const double work = (double)(tables->section_count * tables->layout->group_angles);
    return (PassArguments){.head = {.work = work}, .layout = tables->layout, .section_count = tables->section_count};
}

SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables)
{
    const PassArguments arguments = pass_of(tables);
    const SinoAccess access[] = {[ANGLES] = {tables->angles, STARPU_R},
                                 [SECTIONS] = {tables->sections, STARPU_R},
                                 [SIZES] = {tables->sizes, STARPU_W}};
    return sino_task_submit(runtime, &measure_codelet, at_partition(partition), false, &arguments, sizeof arguments, 3,
                            access);
}

SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes)
{
    const PassArguments arguments = pass_of(tables);
    const SinoAccess access[] = {[ANGLES] = {tables->angles, STARPU_R},
                                 [SECTIONS] = {tables->sections, STARPU_R},
                                 [SIZES] = {tables->sizes, STARPU_R},
                                 [BYTES] = {bytes, STARPU_W}};
    return sino_task_submit(runtime, &fill_codelet, at_partition(partition), false, &arguments, sizeof arguments, 4,
                            access);
}

typedef struct MarkArguments {
    SinoTaskHead head;
    SinoPrecision precision;
    int64_t size;
    uint8_t *touched;
} MarkArguments;

static SinoStatus mark(void *buffers[], const MarkArguments *arguments)
{
    sino_pack_mark(arguments->precision, arguments->size, sino_buffer(buffers, 0), arguments->touched);
    return NULL;
}

SINO_CPU_FUNCTION(mark_cpu, MarkArguments, mark)
SINO_CODELET(mark_codelet, "trace_mark", mark_cpu)

SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched)
{
    const MarkArguments arguments = {
        .head = {.work = (double)size}, .precision = precision, .size = size, .touched = touched};
    const SinoAccess access[] = {{bytes, STARPU_R}};
    return sino_task_submit(runtime, &mark_codelet, at_partition(partition), false, &arguments, sizeof arguments, 1,
                            access);
}
