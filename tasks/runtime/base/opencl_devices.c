/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCL devices: the kernels of every OpenCL device that StarPU has started. */
#include "runtime_private.h"

#if defined SINO_OPENCL && defined STARPU_USE_OPENCL

static SinoStatus open_device(int number, SinoOpencl **opencl)
{
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    starpu_opencl_get_context(number, &context);
    starpu_opencl_get_device(number, &device);
    starpu_opencl_get_queue(number, &queue);
    return sino_opencl_new(context, device, queue, opencl);
}

SinoStatus sino_opencl_devices_open(SinoRuntime *runtime)
{
    int worker[STARPU_NMAXWORKERS];
    const int count = (int)starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, worker, STARPU_NMAXWORKERS);
    for (int i = 0; i < count; i++) {
        const int number = starpu_worker_get_devid(worker[i]);
        if (!runtime->opencl[number]) SINO_TRY(open_device(number, &runtime->opencl[number]));
    }
    return NULL;
}

void sino_opencl_devices_close(SinoRuntime *runtime)
{
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) {
        sino_opencl_free(runtime->opencl[i]);
        runtime->opencl[i] = NULL;
    }
}

SinoOpencl *sino_runtime_opencl(const SinoRuntime *runtime)
{
    return runtime->opencl[starpu_worker_get_devid(starpu_worker_get_id())];
}

#else

SinoStatus sino_opencl_devices_open(SinoRuntime *runtime)
{
    (void)runtime;
    return NULL;
}

void sino_opencl_devices_close(SinoRuntime *runtime)
{
    (void)runtime;
}

SinoOpencl *sino_runtime_opencl(const SinoRuntime *runtime)
{
    (void)runtime;
    return NULL;
}

#endif
