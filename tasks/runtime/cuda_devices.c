/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA devices: their properties, and the workspace of their kernels. */
#include "runtime_private.h"

#include "update_cuda.h"

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
