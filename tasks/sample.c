/* SPDX-License-Identifier: BSD-3-Clause */
/* sample: the line integrals of one slice, for a picture. */
#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    SinoSlices slices;
    SinoSample sample;
} Arguments;

static float value_at(const void *sinogram, SinoPrecision precision, int64_t at)
{
    return precision == SINO_DOUBLE ? (float)((const double *)sinogram)[at] : ((const float *)sinogram)[at];
}

static SinoStatus sample(void *buffers[], const Arguments *arguments)
{
    const SinoSample *wanted = &arguments->sample;
    const int64_t columns = wanted->column_count;
    int64_t j = 0, angles = 0;
    for (int64_t i = 0; i < wanted->run_count; i++) angles += wanted->run[i].count;
    for (int64_t i = 0; i < wanted->run_count; i++)
        for (int64_t k = wanted->run[i].first; k < wanted->run[i].first + wanted->run[i].count; k++, j++)
            for (int64_t c = 0; c < columns; c++) {
                const int64_t row = wanted->place[j] * columns + c;
                wanted->to[k * columns + c] =
                    value_at(sino_buffer(buffers, 0), arguments->slices.precision,
                             sino_panel_element(arguments->slices, angles * columns, row, wanted->slice));
            }
    return NULL;
}

SINO_CPU_FUNCTION(sample_cpu, Arguments, sample)
SINO_CODELET(codelet, "sample", sample_cpu)

SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *wanted,
                              SinoData *sinogram)
{
    const Arguments arguments = {.slices = slices, .sample = *wanted};
    const SinoAccess access[] = {{sinogram, STARPU_R}};
    return sino_task_submit(runtime, &codelet, position, false, &arguments, sizeof arguments, 1, access);
}
