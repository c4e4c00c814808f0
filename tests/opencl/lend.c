/* SPDX-License-Identifier: BSD-3-Clause */
/* Lend: arrays of a test on the first OpenCL device of the machine. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "lend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

/* Of this program, until its end. */
static struct {
    cl_context context;
    cl_command_queue queue;
    SinoOpencl *opencl;
} device;

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "OpenCL: %s: error %d\n", what, code);
    abort();
}

void lend_check(SinoStatus status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", sino_status_text(status));
    abort();
}

SinoOpencl *lend_device(void)
{
    cl_platform_id platform;
    cl_device_id id;
    cl_int code;
    if (device.opencl) return device.opencl;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL) != CL_SUCCESS) {
        puts("skipped: no OpenCL device (pocl-opencl-icd makes some of cores)");
        exit(SKIPPED);
    }
    device.context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    check(code, "a context");
    device.queue = clCreateCommandQueue(device.context, id, 0, &code);
    check(code, "a queue");
    lend_check(sino_opencl_new(device.context, id, device.queue, &device.opencl));
    return device.opencl;
}

cl_mem lend(const void *from, size_t bytes)
{
    cl_int code;
    if (!from) return NULL;
    lend_device();
    cl_mem memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes > 0 ? bytes : 1, NULL, &code);
    check(code, "a buffer");
    if (bytes > 0) check(clEnqueueWriteBuffer(device.queue, memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "write");
    return memory;
}

void lend_return(void *to, cl_mem memory, size_t bytes)
{
    if (!memory) return;
    if (bytes > 0) check(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "read");
    clReleaseMemObject(memory);
}

void lend_end(const void *from, cl_mem memory, size_t bytes)
{
    if (!memory) return;
    void *now = malloc(bytes > 0 ? bytes : 1);
    if (!now) abort();
    lend_return(now, memory, bytes);
    if (memcmp(from, now, bytes) != 0) {
        fprintf(stderr, "a kernel has written to what it should only read\n");
        abort();
    }
    free(now);
}
