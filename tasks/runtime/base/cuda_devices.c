/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA devices: their properties, and the workspace of their kernels. */
#include "runtime_private.h"

#include "device_memory.h"
#include "update.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#if defined SINO_CUDA && defined STARPU_USE_CUDA

/* Called on a CUDA worker's thread, with the worker's device as the current one. */
static void look_at_device(void *argument)
{
    SinoRuntime *runtime = argument;
    const int number = starpu_worker_get_devid(starpu_worker_get_id());
    sino_runtime_fail(runtime, sino_spmm_cuda_device(&runtime->gpu[number]));
}

SinoStatus sino_cuda_devices_open(SinoRuntime *runtime)
{
    const SinoSlices most = {.precision = SINO_DOUBLE, .stride = SINO_SLICES_MAX, .slice_count = SINO_SLICES_MAX};
    if (!(runtime->devices & SINO_DEVICE_CUDA)) return NULL;
    sino_runtime_on_each_gpu(runtime, look_at_device, runtime);
    SINO_TRY(sino_runtime_wait(runtime));
    return sino_data_scratch(runtime, "workspace", sino_update_cuda_workspace_bytes(most), &runtime->workspace);
}

#else

SinoStatus sino_cuda_devices_open(SinoRuntime *runtime)
{
    (void)runtime;
    return NULL;
}

#endif

/* StarPU's variable of the MiB that it may use of a device. */
static const char *limit_name(int device, char text[40])
{
    snprintf(text, 40, "STARPU_LIMIT_CUDA_%d_MEM", device);
    return text;
}

uint64_t sino_cuda_limit_memory(void)
{
    char name[40], text[24];
    uint64_t set = 0;
    int64_t left;
    if (getenv("STARPU_LIMIT_CUDA_MEM")) return 0;
    for (int device = 0; device < 64 && sino_device_memory_left(device, &left); device++) {
        if (getenv(limit_name(device, name))) continue;
        snprintf(text, sizeof text, "%" PRId64, (int64_t)(0.9 * (double)left) >> 20);
        if (setenv(name, text, 0) == 0) set |= (uint64_t)1 << device;
    }
    return set;
}

void sino_cuda_unlimit_memory(uint64_t set)
{
    char name[40];
    for (int device = 0; device < 64; device++)
        if (set >> device & 1) (void)unsetenv(limit_name(device, name));
}

void sino_cuda_devices_close(SinoRuntime *runtime)
{
    sino_data_free(runtime->workspace);
    runtime->workspace = NULL;
}

void sino_runtime_on_each_gpu(SinoRuntime *runtime, void (*function)(void *argument), void *argument)
{
    if (runtime->devices & SINO_DEVICE_CUDA) starpu_execute_on_each_worker(function, argument, STARPU_CUDA);
}

SinoData *sino_runtime_workspace(const SinoRuntime *runtime)
{
    return runtime->workspace;
}

const SinoSpmmDevice *sino_runtime_spmm_device(const SinoRuntime *runtime)
{
    return &runtime->gpu[starpu_worker_get_devid(starpu_worker_get_id())];
}

int64_t sino_runtime_shared_bytes(const SinoRuntime *runtime)
{
    int64_t least = 0;
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) {
        const int64_t bytes = runtime->gpu[i].shared_bytes;
        if (bytes > 0 && (least == 0 || bytes < least)) least = bytes;
    }
    return least;
}
