/* SPDX-License-Identifier: BSD-3-Clause */
/* Task fill: writes one partition's voxels from a minibatch's images, on a CPU core: a run does so once per slice. */
#include "fill_task.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Arguments {
    SinoFill fill;
} Arguments;

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_fill(&arguments->fill, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind fill_kind = {
    .name = "fill", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = fill_cpu};

/* Voxels of the tiles, and as many pixels. */
static int64_t moved_bytes(const SinoFill *part)
{
    const int64_t voxels = sino_times(part->tile_count * SINO_TILE_VOXELS, part->slices.stride);
    return sino_times(voxels, (int64_t)sino_precision_bytes(part->slices.precision) + (int64_t)sizeof(float));
}

SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x)
{
    const Arguments arguments = {.fill = *fill};
    const SinoAccess access[] = {{image, SINO_READ}, {x, SINO_WRITE}};
    return sino_task_submit(runtime, &fill_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 2,
                                               SINO_OF_SLICES(fill->slices),
                                               .work = (double)(fill->tile_count * fill->slices.stride),
                                               .part_bytes = moved_bytes(fill)});
}
