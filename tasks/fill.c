/* SPDX-License-Identifier: BSD-3-Clause */
/* fill: the block of a partition into a window, from a file or traced again. */
#include "tasks.h"

#include "memory.h"

#include <string.h>

typedef struct Arguments {
    SinoTaskHead head;
    SinoFill fill;
} Arguments;

static SinoStatus fill(void *buffers[], const Arguments *arguments)
{
    void *block = sino_buffer(buffers, 0);
    const SinoBlockHeader *kept = arguments->fill.kept;
    if (kept) {
        memcpy(block, kept, (size_t)kept->bytes);
        sino_forget(kept, kept->bytes);
        return NULL;
    }
    SINO_TRY(sino_pack_block(&arguments->fill.pack, block));
    if (arguments->fill.header) *arguments->fill.header = *(const SinoBlockHeader *)block;
    return NULL;
}

SINO_CPU_FUNCTION(fill_cpu, Arguments, fill)
SINO_CODELET(codelet, "fill", fill_cpu)

SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *window)
{
    const double work = (double)(fill->pack.tile_count * sino_layout_stored_angles(fill->pack.layout));
    const Arguments arguments = {.head = {.work = work}, .fill = *fill};
    const SinoAccess access[] = {{window, STARPU_W}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 1, access);
}
