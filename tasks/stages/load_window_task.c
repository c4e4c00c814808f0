/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_window: copies a partition's block from a file into a window, or traces it there. */
#include "load_window_task.h"

#include "memory.h"
#include "task.h"
#include "trace_task.h"

#include <string.h>

typedef struct Arguments {
    SinoLoadWindow load;
} Arguments;

static SinoStatus load_window_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    void *block = sino_task_buffer(task, 0);
    const SinoBlockHeader *kept = arguments->load.kept;
    if (kept) {
        memcpy(block, kept, (size_t)kept->bytes);
        sino_forget(kept, kept->bytes);
        return NULL;
    }
    SINO_TRY(sino_pack_block(&arguments->load.pack, block));
    if (arguments->load.header) *arguments->load.header = *(const SinoBlockHeader *)block;
    return NULL;
}

static const SinoTaskKind load_window_kind = {.name = "load_window",
                                              .waits = true,
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 1,
                                              .access_max = 1,
                                              .cpu = load_window_cpu};

SinoStatus sino_insert_load_window(SinoRuntime *runtime, SinoPosition position, const SinoLoadWindow *load,
                                   SinoData *window)
{
    const double work = (double)(load->pack.tile_count * sino_layout_stored_angles(load->pack.layout));
    const Arguments arguments = {.load = *load};
    const SinoAccess access[] = {{window, SINO_WRITE}};
    return sino_task_submit(runtime, &load_window_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1,
                                               .work = work,
                                               .effort = SINO_TRACE_FLOPS * (double)load->nonzero_count});
}
