/* SPDX-License-Identifier: BSD-3-Clause */
/* Block data: one partition's block of A for one direction, in a form that depends on the memory node.
 *
 * In main memory it is the block (block.h) and the lists that devices gather from (gather.h); on a device it is the
 * lists only. Block data are read-only: StarPU copies lists to a device when a task there reads them, and evicts them
 * without a copy back. On devices every handle takes the same room, so that StarPU can reuse one block's memory for
 * another. */
#pragma once

#include "data.h"
#include "gather.h"

#include <stdint.h>

/* Registers a block and its lists, both in main memory; they are not owned and must outlive the data. `name` is
 * constant. `room_bytes` ≥ the lists' bytes: device memory that every device reserves. The data may only be accessed
 * with SINO_READ. */
SinoStatus sino_block_data_new(SinoRuntime *runtime, const char *name, const void *block, const void *lists,
                               int64_t room_bytes, SinoData **data);

/* Block interface: a task's view of block data, by SINO_MAY_READ_BLOCK. For the files of tasks/ only. A block on one
 * memory node. */
typedef struct SinoBlockInterface {
    int id;            /* StarPU's number of this data interface */
    const void *block; /* NULL on devices */
    int64_t block_bytes;
    uintptr_t lists; /* an address; on OpenCL devices a cl_mem */
    int64_t lists_bytes;
    int64_t room_bytes;      /* ≥ lists_bytes: what a device reserves */
    SinoGatherHeader header; /* of the lists, on every node */
} SinoBlockInterface;
