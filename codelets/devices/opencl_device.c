/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL device: the kernels of the .cl files, built for one device, and launched on its queue. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "opencl_device.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the .cl files and of the headers that they share with C; the script `embed` makes these arrays. */
extern const char sino_panel_cl[], sino_update_slice_cl[], sino_update_formulas_cl[], sino_update_cl[], sino_cast_cl[],
    sino_reduce_cl[], sino_spmm_cl[], sino_cone_cl[], sino_brick_cl[], sino_variation_cl[], sino_rotate_cl[];

enum { SINGLE, DOUBLE, REALS };
enum { GROUP_SLICES = 8, GROUP_ROWS = 8 };

struct SinoOpencl {
    cl_context context; /* not owned */
    cl_device_id device;
    cl_command_queue queue; /* not owned */
    char name[128];
    cl_program program[REALS];
};

static SinoStatus check_device(const SinoOpencl *opencl)
{
    cl_device_fp_config config = 0;
    cl_command_queue_properties properties = 0;
    size_t items = 0;
    SINO_CHECK(clGetDeviceInfo(opencl->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) == CL_SUCCESS,
               SINO_FAILED, "OpenCL does not describe its device '%s'", opencl->name);
    SINO_CHECK(config != 0, SINO_BAD_INPUT,
               "the OpenCL device '%s' has no double precision, in which sums are made; allowed: one that has, or "
               "--device cpu",
               opencl->name);
    SINO_CHECK(clGetDeviceInfo(opencl->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, NULL) ==
                       CL_SUCCESS &&
                   items >= (size_t)GROUP_SLICES * GROUP_ROWS,
               SINO_BAD_INPUT, "the OpenCL device '%s' has groups of %zu work items; needed: %d", opencl->name, items,
               GROUP_SLICES * GROUP_ROWS);
    SINO_CHECK(clGetCommandQueueInfo(opencl->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) ==
                       CL_SUCCESS &&
                   !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
               SINO_BAD_INPUT, "the queue of the OpenCL device '%s' runs kernels out of order", opencl->name);
    return NULL;
}

static SinoStatus build_failed(const SinoOpencl *opencl, cl_program program, cl_int code)
{
    size_t bytes = 0;
    char *text = NULL;
    clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    SINO_TRY(sino_allocate((int64_t)bytes + 1, 1, "a compiler's log", &text));
    clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, bytes, text, NULL);
    SinoStatus status = sino_error(SINO_FAILED, "the OpenCL device '%s' does not take its kernels (error %d): %s",
                                   opencl->name, code, text);
    free(text);
    return status;
}

static SinoStatus build(const SinoOpencl *opencl, const char *real, cl_program *result)
{
    const char *source[] = {
        sino_panel_cl, sino_update_slice_cl, sino_update_formulas_cl, sino_update_cl,    sino_cast_cl,  sino_reduce_cl,
        sino_spmm_cl,  sino_cone_cl,         sino_brick_cl,           sino_variation_cl, sino_rotate_cl};
    char options[64];
    cl_int code;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DREAL=%s", real);
    cl_program program =
        clCreateProgramWithSource(opencl->context, sizeof source / sizeof *source, source, NULL, &code);
    SINO_CHECK(code == CL_SUCCESS, SINO_FAILED, "the OpenCL device '%s' takes no program: error %d", opencl->name,
               code);
    code = clBuildProgram(program, 1, &opencl->device, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        *result = program;
        return NULL;
    }
    SinoStatus status = build_failed(opencl, program, code);
    clReleaseProgram(program);
    return status;
}

SinoStatus sino_opencl_new(cl_context context, cl_device_id device, cl_command_queue queue, SinoOpencl **result)
{
    SinoStatus status = NULL;
    SinoOpencl *opencl = NULL;
    SINO_TRY(sino_allocate(1, sizeof *opencl, "an OpenCL device", &opencl));
    *opencl = (SinoOpencl){.context = context, .device = device, .queue = queue, .name = "unnamed"};
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof opencl->name - 1, opencl->name, NULL);
    SINO_TRY_OR(status, fail, check_device(opencl));
    SINO_TRY_OR(status, fail, build(opencl, "float", &opencl->program[SINGLE]));
    SINO_TRY_OR(status, fail, build(opencl, "double", &opencl->program[DOUBLE]));
    *result = opencl;
    return NULL;
fail:
    sino_opencl_free(opencl);
    return status;
}

void sino_opencl_free(SinoOpencl *opencl)
{
    if (!opencl) return;
    for (int i = 0; i < REALS; i++)
        if (opencl->program[i]) clReleaseProgram(opencl->program[i]);
    free(opencl);
}

static SinoStatus enqueue(SinoOpencl *opencl, const char *name, cl_kernel kernel, int64_t stride, int64_t rows,
                          int argument_count, const SinoOpenclArgument *argument)
{
    /* Work groups have one shape for all sizes, because some compilers compile a kernel anew for each shape. */
    const size_t group[] = {GROUP_SLICES, GROUP_ROWS};
    const size_t items[] = {((size_t)stride + group[0] - 1) / group[0] * group[0],
                            ((size_t)rows + group[1] - 1) / group[1] * group[1]};
    for (int i = 0; i < argument_count; i++) {
        const cl_int code = clSetKernelArg(kernel, (cl_uint)i, argument[i].bytes, argument[i].value);
        SINO_CHECK(code == CL_SUCCESS, SINO_FAILED, "OpenCL kernel %s refuses argument %d: error %d", name, i, code);
    }
    const cl_int code = clEnqueueNDRangeKernel(opencl->queue, kernel, 2, NULL, items, group, 0, NULL, NULL);
    SINO_CHECK(code == CL_SUCCESS, SINO_FAILED,
               "OpenCL kernel %s is not launched on '%s' for %" PRId64 " slices × %" PRId64 " rows: error %d", name,
               opencl->name, stride, rows, code);
    return NULL;
}

SinoStatus sino_opencl_launch(SinoOpencl *opencl, SinoPrecision real, const char *name, int64_t stride, int64_t rows,
                              int argument_count, const SinoOpenclArgument *argument)
{
    cl_int code;
    if (stride == 0 || rows == 0) return NULL;
    cl_kernel kernel = clCreateKernel(opencl->program[real == SINO_DOUBLE ? DOUBLE : SINGLE], name, &code);
    SINO_CHECK(code == CL_SUCCESS, SINO_FAILED, "there is no OpenCL kernel %s on '%s': error %d", name, opencl->name,
               code);
    SinoStatus status = enqueue(opencl, name, kernel, stride, rows, argument_count, argument);
    clReleaseKernel(kernel);
    return status;
}

SinoOpenclSlices sino_opencl_slices(SinoSlices slices)
{
    return (SinoOpenclSlices){.stride = (int32_t)slices.stride,
                              .slice_count = (int32_t)slices.slice_count,
                              .panel = (int32_t)sino_panel_width(slices.precision)};
}
