/* SPDX-License-Identifier: BSD-3-Clause */
/* Task assemble_cone: writes a part's voxels into slices of the volume. */
#include "assemble_cone_task.h"

#include "arithmetic.h"
#include "cone_assemble.h"
#include "task.h"

typedef struct AssembleCone {
    SinoOperand part, image;
    SinoConeAssembly assembly;
} AssembleCone;

static SinoStatus assemble_cone_cpu(const SinoTask *task)
{
    const AssembleCone *of = task->arguments;
    sino_cone_assemble(&of->assembly, of->part.at, of->image.at);
    return NULL;
}

static SinoStatus assemble_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    const AssembleCone *of = task->arguments;
    return sino_cone_assemble_cuda(stream, &of->assembly, of->part.at, of->image.at);
}

static const SinoTaskKind assemble_cone_kind = {
    .name = "assemble_cone",
    SINO_ARGUMENTS(AssembleCone, SINO_READS(AssembleCone, part), SINO_UPDATES(AssembleCone, image)),
    SINO_CPU_CUDA(assemble_cone)};

/* Voxels of the part in these slices, and as many pixels. */
static int64_t moved_bytes(const SinoConeAssembly *assembly)
{
    const SinoConeBox box = sino_cone_assembly_box(assembly);
    const int64_t lines =
        sino_smaller(sino_times(assembly->part.x_count, assembly->part.y_count), sino_times(box.x_count, box.y_count));
    return sino_times(sino_times(lines, assembly->slice_count), 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_assemble_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                     bool first, SinoData *part, SinoData *image)
{
    const AssembleCone arguments = {.part.data = part,
                                    .image = {.data = image, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                                    .assembly = *assembly};
    if (!first && !sino_cone_assembly_meets(assembly)) return NULL;
    return SINO_SUBMIT(runtime, &assemble_cone_kind, position, &arguments, .part_bytes = moved_bytes(assembly));
}
