/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_window: copies a partition's block from a file into a window, or traces it there. */
#include "stages_tasks.h"

#include "memory.h"
#include "rays_tasks.h"
#include "task.h"

#include <string.h>

typedef struct LoadWindow {
    SinoOperand window;
    SinoLoadWindow load;
} LoadWindow;

static SinoStatus load_window_cpu(const SinoTask *task)
{
    const LoadWindow *of = task->arguments;
    void *block = of->window.at;
    const SinoBlockHeader *kept = of->load.kept;
    if (kept) {
        memcpy(block, kept, (size_t)kept->bytes);
        sino_forget(kept, kept->bytes);
        return NULL;
    }
    SINO_TRY(sino_pack_block(&of->load.pack, block));
    if (of->load.header) *of->load.header = *(const SinoBlockHeader *)block;
    return NULL;
}

static const SinoTaskKind load_window_kind = {.name = "load_window",
                                              .waits = true,
                                              SINO_ARGUMENTS(LoadWindow, SINO_WRITES(LoadWindow, window)),
                                              .cpu = load_window_cpu};

SinoStatus sino_insert_load_window(SinoRuntime *runtime, SinoPosition position, const SinoLoadWindow *load,
                                   SinoData *window)
{
    const double work = (double)(load->pack.tile_count * sino_layout_stored_angles(load->pack.layout));
    const LoadWindow arguments = {.window.data = window, .load = *load};
    return SINO_SUBMIT(runtime, &load_window_kind, position, &arguments, .work = work,
                       .effort = SINO_TRACE_FLOPS * (double)load->nonzero_count);
}
