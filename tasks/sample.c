/* SPDX-License-Identifier: BSD-3-Clause */
/* sample: the line integrals of one slice, for a picture. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    int64_t slice, ray_count;
    float *sample;
} Arguments;

static SinoStatus sample(void *buffers[], const Arguments *arguments)
{
    const void *sinogram = sino_buffer(buffers, 0);
    for (int64_t i = 0; i < arguments->ray_count; i++) {
        const int64_t at = sino_panel_element(arguments->slices, arguments->ray_count, i, arguments->slice);
        arguments->sample[i] = arguments->slices.precision == SINO_DOUBLE ? (float)((const double *)sinogram)[at]
                                                                          : ((const float *)sinogram)[at];
    }
    return NULL;
}

SINO_CPU_FUNCTION(sample_cpu, Arguments, sample)
SINO_CODELET(codelet, "sample", sample_cpu)

SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t slice,
                              int64_t ray_count, SinoData *sinogram, float *to)
{
    const Arguments arguments = {.slices = slices, .slice = slice, .ray_count = ray_count, .sample = to};
    const SinoAccess access[] = {{sinogram, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 1, access);
}
