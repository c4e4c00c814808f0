/* SPDX-License-Identifier: BSD-3-Clause */
/* Task assemble: writes one partition's voxels into a minibatch's images. */
#include "assemble_task.h"

#include "arithmetic.h"
#include "assemble_cuda.h"
#include "task.h"

typedef struct Arguments {
    SinoAssemble assemble;
} Arguments;

static SinoStatus assemble_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    sino_assemble(&arguments->assemble, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus assemble_cuda(const SinoTask *task, cudaStream_t stream)
{
    SinoAssemble assemble = ((const Arguments *)task->arguments)->assemble;
    assemble.tile = sino_task_buffer(task, 2); /* the tiles' places, on the device */
    return sino_assemble_cuda(stream, &assemble, sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static const SinoTaskKind assemble_kind = {.name = "assemble",
                                           .argument_bytes = sizeof(Arguments),
                                           .access_min = 2,
                                           .access_max = 3,
                                           .cpu = assemble_cpu,
                                           .cuda = SINO_ON_CUDA(assemble_cuda)};

/* Voxels of the tiles, and as many pixels. */
static int64_t moved_bytes(const SinoAssemble *part)
{
    const int64_t voxels = sino_times(part->tile_count * SINO_TILE_VOXELS, part->slices.stride);
    return sino_times(voxels, (int64_t)sino_precision_bytes(part->slices.precision) + (int64_t)sizeof(float));
}

SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *part, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image)
{
    const Arguments arguments = {.assemble = *part};
    const SinoAccess access[] = {{x, SINO_READ}, {image, first ? SINO_WRITE : SINO_READ_WRITE}, {tiles, SINO_READ}};
    return sino_task_submit(runtime, &assemble_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = tiles ? 3 : 2,
                                               SINO_OF_SLICES(part->slices),
                                               .work = (double)(part->tile_count * part->slices.stride),
                                               .part_bytes = moved_bytes(part),
                                               .host = tiles == NULL});
}
