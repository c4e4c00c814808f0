/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL device: builds the kernels of the .cl files for one device, and launches them on its queue.
 *
 * The kernels are simple. They serve devices without CUDA, and give machines without GPUs a second memory node for
 * tests. A launch returns at once; kernels run in the order of their launches, so the queue must be in order. Buffers
 * are cl_mem. Sums are double, which the device must support. No OpenCL header is needed. */
#pragma once

#include "panel.h"
#include "status.h"

#include <stddef.h>

typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;

typedef struct SinoOpencl SinoOpencl;

/* Builds every kernel for single and double; the caller frees *opencl. Context and queue are not owned, and must
 * outlive it. SINO_BAD_INPUT: the device has no double precision, or its queue is out of order. SINO_FAILED: a kernel
 * does not compile; the error contains the compiler's message. */
SinoStatus sino_opencl_new(cl_context context, cl_device_id device, cl_command_queue queue, SinoOpencl **opencl);
void sino_opencl_free(SinoOpencl *opencl); /* takes NULL */

/* One argument of a kernel; SINO_CL(variable) makes it. */
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

/* Launches kernel(slice, row) for every slice of the stride and 0 ≤ row < rows, and for some indices beyond, which the
 * kernel must skip. `real` selects the kernel's type REAL. */
SinoStatus sino_opencl_launch(SinoOpencl *opencl, SinoPrecision real, const char *kernel, int64_t stride, int64_t rows,
                              int argument_count, const SinoOpenclArgument *argument);

/* SinoSlices as the kernels declare them (panel.cl). */
typedef struct SinoOpenclSlices {
    int32_t stride, slice_count, panel;
} SinoOpenclSlices;
SinoOpenclSlices sino_opencl_slices(SinoSlices slices);
