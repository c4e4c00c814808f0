/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks subset and put: copy some rays from the sinogram, or into it. */
#include "solvers_tasks.h"

#include "arithmetic.h"
#include "panel.h"
#include "task.h"

#include <string.h>

typedef struct Subset {
    SinoOperand sinogram, part;
    SinoSlices slices;
    SinoSubset subset;
} Subset;

static SinoStatus subset_cpu(const SinoTask *task)
{
    const Subset *of = task->arguments;
    const SinoSubset *subset = &of->subset;
    const SinoSlices slices = of->slices;
    const size_t element = sino_precision_bytes(slices.precision);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const size_t row = (size_t)at.slices.stride * element;
        const char *from = sino_panel_from(at, subset->total_rows, of->sinogram.at);
        char *to = sino_panel_to(at, subset->row_count, of->part.at);
        memcpy(to, from + (size_t)subset->first_row * row, (size_t)subset->row_count * row);
    }
    return NULL;
}

static const SinoTaskKind subset_kind = {
    .name = "subset",
    SINO_ARGUMENTS(Subset, SINO_READS(Subset, sinogram), SINO_WRITES(Subset, part)),
    .cpu = subset_cpu};

SinoStatus sino_insert_subset(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSubset *subset,
                              SinoData *sinogram, SinoData *part)
{
    const Subset arguments = {.sinogram.data = sinogram, .part.data = part, .slices = slices, .subset = *subset};
    return SINO_SUBMIT(runtime, &subset_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(subset->row_count * slices.stride));
}

typedef struct Put {
    SinoOperand part, sinogram;
    SinoSlices slices;
    SinoPut put;
} Put;

static SinoStatus put_cpu(const SinoTask *task)
{
    const Put *of = task->arguments;
    const SinoPut *put = &of->put;
    const SinoSlices slices = of->slices;
    const int64_t element = (int64_t)sino_precision_bytes(slices.precision);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const int64_t angle = sino_times(put->columns, at.slices.stride * element);
        const char *from = sino_panel_from(at, sino_times(put->angle_count, put->columns), of->part.at);
        char *to = sino_panel_to(at, sino_times(put->angle_total, put->columns), of->sinogram.at);
        for (int64_t k = 0; k < put->angle_count; k++)
            memcpy(to + put->place[put->first_angle + k] * angle, from + k * angle, (size_t)angle);
    }
    return NULL;
}

static const SinoTaskKind put_kind = {
    .name = "put", SINO_ARGUMENTS(Put, SINO_READS(Put, part), SINO_UPDATES(Put, sinogram)), .cpu = put_cpu};

SinoStatus sino_insert_put(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoPut *put,
                           SinoData *part, SinoData *sinogram)
{
    const Put arguments = {.part.data = part,
                           .sinogram = {.data = sinogram, .mode = put->first_angle == 0 ? SINO_WRITE : SINO_READ_WRITE},
                           .slices = slices,
                           .put = *put};
    return SINO_SUBMIT(runtime, &put_kind, position, &arguments, SINO_OF_SLICES(slices),
                       .work = (double)(put->angle_count * put->columns * slices.stride));
}
