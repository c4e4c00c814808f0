/* SPDX-License-Identifier: BSD-3-Clause */
/* Task assemble_cone: writes a part's voxels into slices of the volume. */
#include "assemble_cone_task.h"

#include "cone_assemble_cuda.h"
#include "task.h"

static SinoStatus assemble_cone_cpu(const SinoTask *task)
{
    sino_cone_assemble(task->arguments, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus assemble_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    return sino_cone_assemble_cuda(stream, task->arguments, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static const SinoTaskKind assemble_cone_kind = {.name = "assemble_cone",
                                                .argument_bytes = sizeof(SinoConeAssembly),
                                                .access_min = 2,
                                                .access_max = 2,
                                                .cpu = assemble_cone_cpu,
                                                .cuda = SINO_ON_CUDA(assemble_cone_cuda)};

/* Voxels of the part in these slices, and as many pixels. */
static int64_t moved_bytes(const SinoConeAssembly *assembly)
{
    const int64_t lines = sino_times(assembly->part.x_count, assembly->part.y_count);
    return sino_times(sino_times(lines, assembly->slice_count), 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_assemble_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                     bool first, SinoData *part, SinoData *image)
{
    const SinoAccess access[] = {{part, SINO_READ}, {image, first ? SINO_WRITE : SINO_READ_WRITE}};
    return sino_task_submit(runtime, &assemble_cone_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = assembly,
                                               .argument_bytes = sizeof *assembly,
                                               .access = access,
                                               .access_count = 2,
                                               .part_bytes = moved_bytes(assembly)});
}
