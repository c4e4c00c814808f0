/* SPDX-License-Identifier: BSD-3-Clause */
/* Task fill: writes one partition's voxels from a minibatch's images, on a CPU core: a run does so once per slice. */
#include "fill_task.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Fill {
    SinoOperand image, x;
    SinoFill fill;
} Fill;

static SinoStatus fill_cpu(const SinoTask *task)
{
    const Fill *of = task->arguments;
    sino_fill(&of->fill, of->image.at, of->x.at);
    return NULL;
}

static const SinoTaskKind fill_kind = {
    .name = "fill", SINO_ARGUMENTS(Fill, SINO_READS(Fill, image), SINO_WRITES(Fill, x)), .cpu = fill_cpu};

/* Voxels of the tiles, and as many pixels. */
static int64_t moved_bytes(const SinoFill *part)
{
    const int64_t voxels = sino_times(part->tile_count * SINO_TILE_VOXELS, part->slices.stride);
    return sino_times(voxels, (int64_t)sino_precision_bytes(part->slices.precision) + (int64_t)sizeof(float));
}

SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x)
{
    const Fill arguments = {.image.data = image, .x.data = x, .fill = *fill};
    return SINO_SUBMIT(runtime, &fill_kind, position, &arguments, SINO_OF_SLICES(fill->slices),
                       .work = (double)(fill->tile_count * fill->slices.stride), .part_bytes = moved_bytes(fill));
}
