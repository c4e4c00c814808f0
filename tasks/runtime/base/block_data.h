/* SPDX-License-Identifier: BSD-3-Clause */
/* Block data: one partition's block of A for one direction, in a form that depends on the memory node.
 *
 * In main memory it is the block (block.h) and the lists that devices gather from (gather.h); on a device it is the
 * lists only. Block data are read-only: StarPU copies lists to a device when a task there reads them, and evicts them
 * without a copy back. On devices every handle takes the same room, so that StarPU can reuse one block's memory for
 * another. */
#pragma once

#include "data.h"

/* Registers a block and its lists, both in main memory; they are not owned and must outlive the data. `name` is
 * constant. `room_bytes` ≥ the lists' bytes: device memory that every device reserves. The data may only be accessed
 * with SINO_READ. */
SinoStatus sino_block_data_new(SinoRuntime *runtime, const char *name, const void *block, const void *lists,
                               int64_t room_bytes, SinoData **data);
