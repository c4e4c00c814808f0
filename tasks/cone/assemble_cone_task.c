/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks assemble_cone and fill_cone: write a part's voxels into slices of the volume, and the slices into the part. */
#include "cone_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Images {
    SinoOperand part, image;
    SinoConeAssembly assembly;
} Images;

static SinoStatus assemble_cone_cpu(const SinoTask *task)
{
    const Images *of = task->arguments;
    sino_cone_assemble(&of->assembly, of->part.at, of->image.at);
    return NULL;
}

static SinoStatus assemble_cone_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Images *of = task->arguments;
    return sino_cone_assemble_cuda(stream, &of->assembly, of->part.at, of->image.at);
}

/* On a CPU core: a run does so once per slice. */
static SinoStatus fill_cone_cpu(const SinoTask *task)
{
    const Images *of = task->arguments;
    sino_cone_fill(&of->assembly, of->image.at, of->part.at);
    return NULL;
}

static const SinoTaskKind assemble_cone_kind = {
    .name = "assemble_cone",
    SINO_ARGUMENTS(Images, SINO_READS(Images, part), SINO_UPDATES(Images, image)),
    SINO_CPU_CUDA(assemble_cone)};
static const SinoTaskKind fill_cone_kind = {
    .name = "fill_cone",
    SINO_ARGUMENTS(Images, SINO_READS(Images, image), SINO_UPDATES(Images, part)),
    .cpu = fill_cone_cpu};

static int64_t lines_of(const SinoConeAssembly *assembly)
{
    return sino_times(assembly->part.x_count, assembly->part.y_count);
}

/* Voxels of the part in these slices, and as many pixels; lines: of the part along z. */
static int64_t moved_bytes(const SinoConeAssembly *assembly, int64_t lines)
{
    return sino_times(sino_times(lines, assembly->slice_count), 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_assemble_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                     bool first, SinoData *part, SinoData *image)
{
    const Images arguments = {.part.data = part,
                              .image = {.data = image, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                              .assembly = *assembly};
    const SinoConeBox box = sino_cone_assembly_box(assembly);
    const int64_t lines = sino_smaller(lines_of(assembly), sino_times(box.x_count, box.y_count));
    if (!first && !sino_cone_assembly_meets(assembly)) return NULL;
    return SINO_SUBMIT(runtime, &assemble_cone_kind, position, &arguments, .part_bytes = moved_bytes(assembly, lines));
}

SinoStatus sino_insert_fill_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                 SinoData *image, SinoData *part)
{
    const Images arguments = {.image.data = image,
                              .part = {.data = part, .mode = assembly->first_slice == 0 ? SINO_WRITE : SINO_READ_WRITE},
                              .assembly = *assembly};
    return SINO_SUBMIT(runtime, &fill_cone_kind, position, &arguments,
                       .part_bytes = moved_bytes(assembly, lines_of(assembly)));
}
