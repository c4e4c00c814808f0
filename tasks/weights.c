/* SPDX-License-Identifier: BSD-3-Clause */
/* weights_ones, weights_reciprocal: SIRT's weights, one over the sums of A's rows and columns. */
#include "tasks.h"

#include "update_cuda.h"
#include "update_opencl.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoPrecision precision;
    int64_t count;
} Arguments;

static SinoStatus ones(void *buffers[], const Arguments *arguments)
{
    sino_update_fill_one(arguments->precision, arguments->count, sino_buffer(buffers, 0));
    return NULL;
}

static SinoStatus reciprocal(void *buffers[], const Arguments *arguments)
{
    sino_update_reciprocal(arguments->precision, arguments->count, sino_buffer(buffers, 0));
    return NULL;
}

SINO_CPU_FUNCTION(ones_cpu, Arguments, ones)
SINO_CPU_FUNCTION(reciprocal_cpu, Arguments, reciprocal)

SINO_CUDA_FUNCTION(ones_cuda, Arguments,
                   sino_update_fill_one_cuda(stream, arguments->precision, arguments->count, sino_buffer(buffers, 0)))
SINO_CUDA_FUNCTION(reciprocal_cuda, Arguments,
                   sino_update_reciprocal_cuda(stream, arguments->precision, arguments->count, sino_buffer(buffers, 0)))

SINO_OPENCL_FUNCTION(ones_opencl, Arguments,
                     sino_update_fill_one_opencl(opencl, arguments->precision, arguments->count,
                                                 sino_opencl_buffer(buffers, 0)))
SINO_OPENCL_FUNCTION(reciprocal_opencl, Arguments,
                     sino_update_reciprocal_opencl(opencl, arguments->precision, arguments->count,
                                                   sino_opencl_buffer(buffers, 0)))

SINO_CODELET(ones_codelet, "weights_ones", ones_cpu, SINO_ON_CUDA(ones_cuda) SINO_ON_OPENCL(ones_opencl))
SINO_CODELET(reciprocal_codelet, "weights_reciprocal", reciprocal_cpu,
             SINO_ON_CUDA(reciprocal_cuda) SINO_ON_OPENCL(reciprocal_opencl))

SinoStatus sino_insert_weights_ones(SinoRuntime *runtime, SinoPrecision precision, int64_t count, SinoData *vector)
{
    const Arguments arguments = {.head = {.work = (double)count}, .precision = precision, .count = count};
    const SinoAccess access[] = {{vector, STARPU_W}};
    return sino_task_submit(runtime, &ones_codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 1, access);
}

SinoStatus sino_insert_weights_reciprocal(SinoRuntime *runtime, SinoPrecision precision, int64_t count,
                                          SinoData *vector)
{
    const Arguments arguments = {.head = {.work = (double)count}, .precision = precision, .count = count};
    const SinoAccess access[] = {{vector, STARPU_RW}};
    return sino_task_submit(runtime, &reciprocal_codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 1, access);
}
