/* SPDX-License-Identifier: BSD-3-Clause */
/* Task sample: copies the line integrals of one slice, for a picture. */
#include "sample_task.h"

#include "task.h"

typedef struct Arguments {
    SinoSlices slices;
    SinoSample sample;
} Arguments;

static float value_at(const void *sinogram, SinoPrecision precision, int64_t at)
{
    return precision == SINO_DOUBLE ? (float)((const double *)sinogram)[at] : ((const float *)sinogram)[at];
}

static SinoStatus sample_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoSample *wanted = &arguments->sample;
    const int64_t columns = wanted->column_count;
    int64_t j = 0, angles = 0;
    for (int64_t i = 0; i < wanted->run_count; i++) angles += wanted->run[i].count;
    for (int64_t i = 0; i < wanted->run_count; i++)
        for (int64_t k = wanted->run[i].first; k < wanted->run[i].first + wanted->run[i].count; k++, j++)
            for (int64_t c = 0; c < columns; c++) {
                const int64_t row = (wanted->place ? wanted->place[j] : j) * columns + c;
                wanted->to[k * columns + c] =
                    value_at(sino_task_buffer(task, 0), arguments->slices.precision,
                             sino_panel_element(arguments->slices, angles * columns, row, wanted->slice));
            }
    return NULL;
}

static const SinoTaskKind sample_kind = {.name = "sample",
                                         .waits = true,
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = 1,
                                         .access_max = 1,
                                         .cpu = sample_cpu};

SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *wanted,
                              SinoData *sinogram)
{
    const Arguments arguments = {.slices = slices, .sample = *wanted};
    const SinoAccess access[] = {{sinogram, SINO_READ}};
    return sino_task_submit(runtime, &sample_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 1});
}
