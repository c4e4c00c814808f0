/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks assemble and fill: one partition's voxels are written into a minibatch's images, or from them. A run fills on
 * a CPU core, once per slice. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Assemble {
    SinoOperand x, image, tiles;
    SinoAssemble assemble;
} Assemble;

static SinoStatus assemble_cpu(const SinoTask *task)
{
    const Assemble *of = task->arguments;
    sino_assemble(&of->assemble, of->x.at, of->image.at);
    return NULL;
}

static SinoStatus assemble_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Assemble *of = task->arguments;
    SinoAssemble assemble = of->assemble;
    assemble.tile = of->tiles.at;
    return sino_assemble_cuda(stream, &assemble, of->x.at, of->image.at);
}

static const SinoTaskKind assemble_kind = {
    .name = "assemble",
    SINO_ARGUMENTS(Assemble, SINO_READS(Assemble, x), SINO_UPDATES(Assemble, image), SINO_MAY_READ(Assemble, tiles)),
    SINO_CPU_CUDA(assemble)};

/* Voxels of the tiles, and as many pixels. */
static int64_t moved_bytes(SinoSlices slices, int64_t tile_count)
{
    const int64_t voxels = sino_times(tile_count * SINO_TILE_VOXELS, slices.stride);
    return sino_times(voxels, (int64_t)sino_precision_bytes(slices.precision) + (int64_t)sizeof(float));
}

SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *part, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image)
{
    const Assemble arguments = {.x.data = x,
                                .image = {.data = image, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                                .tiles.data = tiles,
                                .assemble = *part};
    return SINO_SUBMIT(runtime, &assemble_kind, position, &arguments, SINO_OF_SLICES(part->slices),
                       .work = (double)(part->tile_count * part->slices.stride),
                       .part_bytes = moved_bytes(part->slices, part->tile_count), .host = tiles == NULL);
}

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

SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x)
{
    const Fill arguments = {.image.data = image, .x.data = x, .fill = *fill};
    return SINO_SUBMIT(runtime, &fill_kind, position, &arguments, SINO_OF_SLICES(fill->slices),
                       .work = (double)(fill->tile_count * fill->slices.stride),
                       .part_bytes = moved_bytes(fill->slices, fill->tile_count));
}
