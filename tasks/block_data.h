/* SPDX-License-Identifier: BSD-3-Clause */
/* Block data: one partition's block of A for one direction, as each memory node wants it.
 *
 * In main memory it is the block (block.h) and, beside it, the lists that devices gather from (gather.h); on a device
 * it is the lists only. It is read-only: StarPU copies lists to a device when a task there reads them, and evicts them
 * at no cost. On devices every handle takes the same room, so that the memory of one block serves another. */
#ifndef SINO_BLOCK_DATA_H
#define SINO_BLOCK_DATA_H

#include "gather.h"
#include "runtime.h"

/* What a node has of it: a task's buffer. */
typedef struct SinoBlockInterface {
    enum starpu_data_interface_id id;
    const void *block; /* NULL on devices */
    int64_t block_bytes;
    uintptr_t lists; /* an address; on OpenCL devices a cl_mem */
    int64_t lists_bytes;
    int64_t room_bytes;      /* ≥ lists_bytes: what a device gives to it */
    SinoGatherHeader header; /* of the lists, on every node */
} SinoBlockInterface;

/* Block and lists are not owned, are in main memory and outlive the data. For STARPU_R. */
SinoStatus sino_block_data_new(SinoRuntime *runtime, const char *name, const void *block, const void *lists,
                               int64_t room_bytes, SinoData **data);

/* A task's buffer. */
static inline const SinoBlockInterface *sino_block_buffer(void *buffers[], int i)
{
    return buffers[i];
}

/* Its lists on an OpenCL device. */
static inline cl_mem sino_block_opencl(void *buffers[], int i)
{
    return (cl_mem)sino_block_buffer(buffers, i)->lists;
}

#endif
