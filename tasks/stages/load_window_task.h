/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_window: copies or traces a partition's block into a window. */
#pragma once

#include "pack.h"
#include "runtime.h"

/* The block that a task load_window puts into a window. */
typedef struct SinoLoadWindow {
    SinoPackBlock pack;
    SinoBlockHeader *header; /* receives a copy of the block's header; NULL: not wanted */
    const void *kept;        /* the block in a mapped file; NULL: the block is traced */
    int64_t nonzero_count;   /* stored ones of the block, if they are known; for simulations */
} SinoLoadWindow;
SinoStatus sino_insert_load_window(SinoRuntime *runtime, SinoPosition position, const SinoLoadWindow *load,
                                   SinoData *window);
