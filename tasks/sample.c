/* SPDX-License-Identifier: BSD-3-Clause */
/* sample: the line integrals of one slice, for a picture. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    int64_t slice;
    const SinoLayout *layout;
    float *sample;
} Arguments;

static SinoStatus sample(void *buffers[], const Arguments *arguments)
{
    const SinoLayout *layout = arguments->layout;
    const int64_t columns = layout->geometry.column_count, rays = sino_geometry_ray_count(&layout->geometry);
    const void *sinogram = sino_buffer(buffers, 0);
    for (int64_t i = 0; i < rays; i++) {
        const int64_t row = layout->place[i / columns] * columns + i % columns;
        const int64_t at = sino_panel_element(arguments->slices, rays, row, arguments->slice);
        arguments->sample[i] = arguments->slices.precision == SINO_DOUBLE ? (float)((const double *)sinogram)[at]
                                                                          : ((const float *)sinogram)[at];
    }
    return NULL;
}

SINO_CPU_FUNCTION(sample_cpu, Arguments, sample)
SINO_CODELET(codelet, "sample", sample_cpu)

SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t slice,
                              const SinoLayout *layout, SinoData *sinogram, float *to)
{
    const Arguments arguments = {.slices = slices, .slice = slice, .layout = layout, .sample = to};
    const SinoAccess access[] = {{sinogram, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 1, access);
}
