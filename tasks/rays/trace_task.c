/* SPDX-License-Identifier: BSD-3-Clause */
/* Task trace: traces a run of tiles into the partition's block. trace_measure, trace_fill: the same in two passes, also
 * on GPUs. trace_mark: marks the rays that the run meets. */
#include "rays_tasks.h"

#include "task.h"
#include "trace_sections.h"

typedef struct Trace {
    SinoPackRun *run;
} Trace;

static SinoStatus trace_cpu(const SinoTask *task)
{
    const Trace *of = task->arguments;
    return sino_pack_run(of->run);
}

static const SinoTaskKind trace_kind = {.name = "trace", .argument_bytes = sizeof(Trace), .cpu = trace_cpu};

SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run)
{
    const Trace arguments = {.run = run};
    return SINO_SUBMIT(runtime, &trace_kind, SINO_AT_PARTITION(partition), &arguments,
                       .work = (double)(run->tile_count * sino_layout_stored_angles(run->layout)),
                       .effort = SINO_TRACE_FLOPS * (double)run->stored_nonzero_count);
}

/* Arguments of both passes. */
typedef struct Pass {
    SinoOperand angles, sections, sizes, bytes; /* `bytes`: of the second pass */
    const SinoLayout *layout;
    int64_t section_count;
} Pass;

static SinoStatus measure_cpu(const SinoTask *task)
{
    const Pass *of = task->arguments;
    return sino_trace_measure(of->layout, of->section_count, of->sections.at, of->sizes.at);
}

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Pass *of = task->arguments;
    return sino_trace_fill(of->layout, of->section_count, of->sections.at, of->sizes.at, of->bytes.at);
}

static SinoStatus measure_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Pass *of = task->arguments;
    return sino_trace_measure_cuda(stream, of->layout, of->angles.at, of->section_count, of->sections.at, of->sizes.at);
}

static SinoStatus fill_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Pass *of = task->arguments;
    return sino_trace_fill_cuda(stream, of->layout, of->angles.at, of->section_count, of->sections.at, of->sizes.at,
                                of->bytes.at);
}

static const SinoTaskKind measure_kind = {
    .name = "trace_measure",
    SINO_ARGUMENTS(Pass, SINO_READS(Pass, angles), SINO_READS(Pass, sections), SINO_WRITES(Pass, sizes)),
    SINO_CPU_CUDA(measure)};

static const SinoTaskKind fill_kind = {.name = "trace_fill",
                                       SINO_ARGUMENTS(Pass, SINO_READS(Pass, angles), SINO_READS(Pass, sections),
                                                      SINO_READS(Pass, sizes), SINO_WRITES(Pass, bytes)),
                                       SINO_CPU_CUDA(fill)};

static SinoStatus insert_pass(SinoRuntime *runtime, const SinoTaskKind *kind, int64_t partition,
                              const SinoTraceTables *tables, SinoData *bytes)
{
    const Pass arguments = {.angles.data = tables->angles,
                            .sections.data = tables->sections,
                            .sizes.data = tables->sizes,
                            .bytes.data = bytes,
                            .layout = tables->layout,
                            .section_count = tables->section_count};
    return SINO_SUBMIT(runtime, kind, SINO_AT_PARTITION(partition), &arguments,
                       .work = (double)(tables->section_count * tables->layout->group_angles));
}

SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables)
{
    return insert_pass(runtime, &measure_kind, partition, tables, NULL);
}

SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes)
{
    return insert_pass(runtime, &fill_kind, partition, tables, bytes);
}

typedef struct Mark {
    SinoOperand bytes;
    SinoPrecision precision;
    int64_t size;
    uint8_t *touched;
} Mark;

static SinoStatus mark_cpu(const SinoTask *task)
{
    const Mark *of = task->arguments;
    sino_pack_mark(of->precision, of->size, of->bytes.at, of->touched);
    return NULL;
}

static const SinoTaskKind mark_kind = {
    .name = "trace_mark", SINO_ARGUMENTS(Mark, SINO_READS(Mark, bytes)), .cpu = mark_cpu};

SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched)
{
    const Mark arguments = {.bytes.data = bytes, .precision = precision, .size = size, .touched = touched};
    return SINO_SUBMIT(runtime, &mark_kind, SINO_AT_PARTITION(partition), &arguments, .work = (double)size);
}
