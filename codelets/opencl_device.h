/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL device: the kernels of the .cl files, built for one device, and launched on its queue.
 *
 * Kernels are plain: they serve devices without CUDA, and give machines without GPUs a second memory node to test with.
 * A launch returns at once; kernels of one queue run in the order of their launches, so a queue must be in order.
 * Buffers are cl_mem. Sums are in double, which the device must have. Needs no OpenCL header. */
#ifndef SINO_OPENCL_DEVICE_H
#define SINO_OPENCL_DEVICE_H

#include "panel.h"
#include "status.h"

#include <stddef.h>

typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;

typedef struct SinoOpencl SinoOpencl;

/* Builds every kernel, for single and for double. Context and queue are not owned and outlive it. SINO_BAD_INPUT: the
 * device has no double precision, or its queue runs out of order; SINO_FAILED: kernels do not compile, with the
 * compiler's words. */
SinoStatus sino_opencl_new(cl_context context, cl_device_id device, cl_command_queue queue, SinoOpencl **opencl);
void sino_opencl_free(SinoOpencl *opencl); /* takes NULL */

/* One argument of a kernel: SINO_CL(variable). */
typedef struct SinoOpenclArgument {
    size_t bytes;
    const void *value;
} SinoOpenclArgument;

#define SINO_CL(variable)                                                                                              \
    (SinoOpenclArgument)                                                                                               \
    {                                                                                                                  \
        .bytes = sizeof(variable), .value = &(variable)                                                                \
    }

#define SINO_CL_COUNT(arguments) ((int)(sizeof(arguments) / sizeof *(arguments)))

/* Runs kernel(slice, row) for every slice of the stride and 0 ≤ row < rows, and some beyond, which it must leave alone.
 * `real` chooses the type that the kernel calls REAL. */
SinoStatus sino_opencl_launch(SinoOpencl *opencl, SinoPrecision real, const char *kernel, int64_t stride, int64_t rows,
                              int argument_count, const SinoOpenclArgument *argument);

/* Slices as the kernels have them (panel.cl). */
typedef struct SinoOpenclSlices {
    int32_t stride, slice_count, panel;
} SinoOpenclSlices;
SinoOpenclSlices sino_opencl_slices(SinoSlices slices);

#endif
