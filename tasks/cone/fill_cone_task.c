/* SPDX-License-Identifier: BSD-3-Clause */
/* Task fill_cone: writes a part's voxels from slices of a volume, on a CPU core: a run does so once per slice. */
#include "fill_cone_task.h"

#include "arithmetic.h"
#include "task.h"

typedef struct FillCone {
    SinoOperand image, part;
    SinoConeAssembly assembly;
} FillCone;

static SinoStatus fill_cone_cpu(const SinoTask *task)
{
    const FillCone *of = task->arguments;
    sino_cone_fill(&of->assembly, of->image.at, of->part.at);
    return NULL;
}

static const SinoTaskKind fill_cone_kind = {
    .name = "fill_cone",
    SINO_ARGUMENTS(FillCone, SINO_READS(FillCone, image), SINO_UPDATES(FillCone, part)),
    .cpu = fill_cone_cpu};

/* Voxels of the part in these slices, and as many pixels. */
static int64_t moved_bytes(const SinoConeAssembly *assembly)
{
    const int64_t lines = sino_times(assembly->part.x_count, assembly->part.y_count);
    return sino_times(sino_times(lines, assembly->slice_count), 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_fill_cone(SinoRuntime *runtime, SinoPosition position, const SinoConeAssembly *assembly,
                                 SinoData *image, SinoData *part)
{
    const FillCone arguments = {
        .image.data = image,
        .part = {.data = part, .mode = assembly->first_slice == 0 ? SINO_WRITE : SINO_READ_WRITE},
        .assembly = *assembly};
    return SINO_SUBMIT(runtime, &fill_cone_kind, position, &arguments, .part_bytes = moved_bytes(assembly));
}
