/* SPDX-License-Identifier: BSD-3-Clause */
/* Block interface: a task's view of block data (block_data.h), by SINO_MAY_READ_BLOCK. For the files of tasks/ only. */
#pragma once

#include "gather.h"

#include <stdint.h>

/* A block on one memory node. */
typedef struct SinoBlockInterface {
    int id;            /* StarPU's number of this data interface */
    const void *block; /* NULL on devices */
    int64_t block_bytes;
    uintptr_t lists; /* an address; on OpenCL devices a cl_mem */
    int64_t lists_bytes;
    int64_t room_bytes;      /* ≥ lists_bytes: what a device reserves */
    SinoGatherHeader header; /* of the lists, on every node */
} SinoBlockInterface;
