/* SPDX-License-Identifier: BSD-3-Clause */
/* Task sample: copies the line integrals of one slice, for a picture. */
#include "files_tasks.h"

#include "task.h"

typedef struct Sample {
    SinoOperand sinogram, order;
    SinoSlices slices;
    SinoSample sample;
} Sample;

static float value_at(const void *sinogram, SinoPrecision precision, int64_t at)
{
    return precision == SINO_DOUBLE ? (float)((const double *)sinogram)[at] : ((const float *)sinogram)[at];
}

static SinoStatus sample_cpu(const SinoTask *task)
{
    const Sample *of = task->arguments;
    const SinoSample *wanted = &of->sample;
    const int64_t columns = wanted->column_count;
    int64_t j = 0, angles = 0;
    for (int64_t i = 0; i < wanted->run_count; i++) angles += wanted->run[i].count;
    for (int64_t i = 0; i < wanted->run_count; i++)
        for (int64_t k = wanted->run[i].first; k < wanted->run[i].first + wanted->run[i].count; k++, j++)
            for (int64_t c = 0; c < columns; c++) {
                const int64_t row = (wanted->place ? wanted->place[j] : j) * columns + c;
                wanted->to[k * columns + c] =
                    value_at(of->sinogram.at, of->slices.precision,
                             sino_panel_element(of->slices, angles * columns, row, wanted->slice));
            }
    return NULL;
}

static const SinoTaskKind sample_kind = {
    .name = "sample",
    .waits = true,
    SINO_ARGUMENTS(Sample, SINO_READS(Sample, sinogram), SINO_MAY_UPDATE(Sample, order)),
    .cpu = sample_cpu};

SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *wanted,
                              SinoData *sinogram, SinoData *order)
{
    const Sample arguments = {.sinogram.data = sinogram, .order.data = order, .slices = slices, .sample = *wanted};
    return SINO_SUBMIT(runtime, &sample_kind, position, &arguments);
}
