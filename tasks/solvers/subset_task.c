/* SPDX-License-Identifier: BSD-3-Clause */
/* Task subset: copies the rays of one subset from the sinogram. */
#include "subset_task.h"

#include "precision.h"
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
