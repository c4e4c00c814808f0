/* SPDX-License-Identifier: BSD-3-Clause */
/* assemble: one partition's voxels into a minibatch's images. */
#include "tasks.h"

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
SINO_CODELET(codelet, "assemble", assemble_cpu)

SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *part, bool first,
                                SinoData *x, SinoData *image)
{
    const Arguments arguments = {.head = {.work = (double)(part->tile_count * part->slices.stride)}, .assemble = *part};
    const SinoAccess access[] = {{x, STARPU_R}, {image, first ? STARPU_W : STARPU_RW}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 2, access);
}
