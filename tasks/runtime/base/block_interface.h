/* SPDX-License-Identifier: BSD-3-Clause */
/* Block interface: a task's view of block data (block_data.h). For the files of tasks/ only. */
#ifndef SINO_BLOCK_INTERFACE_H
#define SINO_BLOCK_INTERFACE_H

#include "gather.h"
#include "task.h"

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

/* The block data in buffer i of a task. */
static inline const SinoBlockInterface *sino_task_block(const SinoTask *task, int i)
{
    return task->interface[i];
}

/* The lists of buffer i on an OpenCL device. */
static inline cl_mem sino_task_block_opencl(const SinoTask *task, int i)
{
    return (cl_mem)sino_task_block(task, i)->lists;
}

#endif
