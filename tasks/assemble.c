/* SPDX-License-Identifier: BSD-3-Clause */
/* assemble: one partition's voxels into a minibatch's images. */
#include "tasks.h"

#include "assemble_cuda.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoAssemble assemble;
} Arguments;

static SinoStatus assemble(void *buffers[], const Arguments *arguments)
{
    sino_assemble(&arguments->assemble, sino_buffer(buffers, 0), sino_buffer(buffers, 1));
    return NULL;
}

SINO_CPU_FUNCTION(assemble_cpu, Arguments, assemble)

/* The tiles' places being on the device. */
__attribute__((unused)) static SinoAssemble with_tiles(const Arguments *arguments, const SinoTilePlace *tile)
{
    SinoAssemble assemble = arguments->assemble;
    assemble.tile = tile;
    return assemble;
}

SINO_CUDA_FUNCTION(assemble_cuda, Arguments,
                   sino_assemble_cuda(stream, ((SinoAssemble[]){with_tiles(arguments, sino_buffer(buffers, 2))}),
                                      sino_buffer(buffers, 0), sino_buffer(buffers, 1)))
SINO_CODELET(codelet, "assemble", assemble_cpu, SINO_ON_CUDA(assemble_cuda))

SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *part, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image)
{
    const Arguments arguments = {
        .head = {.work = (double)(part->tile_count * part->slices.stride), .host = tiles == NULL}, .assemble = *part};
    const SinoAccess access[] = {{x, STARPU_R}, {image, first ? STARPU_W : STARPU_RW}, {tiles, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, tiles ? 3 : 2, access);
}
