/* SPDX-License-Identifier: BSD-3-Clause */
/* Task subset: copies the rays of one subset from the sinogram. */
#include "subset_task.h"

#include "precision.h"
#include "task.h"

#include <string.h>

typedef struct Arguments {
    SinoSlices slices;
    SinoSubset subset;
} Arguments;

static SinoStatus subset_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoSubset *subset = &arguments->subset;
    const SinoSlices slices = arguments->slices;
    const size_t element = sino_precision_bytes(slices.precision);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const size_t row = (size_t)at.slices.stride * element;
        const char *from = sino_panel_from(at, subset->total_rows, sino_task_buffer(task, 0));
        char *to = sino_panel_to(at, subset->row_count, sino_task_buffer(task, 1));
        memcpy(to, from + (size_t)subset->first_row * row, (size_t)subset->row_count * row);
    }
    return NULL;
}

static const SinoTaskKind subset_kind = {
    .name = "subset", .argument_bytes = sizeof(Arguments), .access_min = 2, .access_max = 2, .cpu = subset_cpu};

SinoStatus sino_insert_subset(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSubset *subset,
                              SinoData *sinogram, SinoData *part)
{
    const Arguments arguments = {.slices = slices, .subset = *subset};
    const SinoAccess access[] = {{sinogram, SINO_READ}, {part, SINO_WRITE}};
    return sino_task_submit(runtime, &subset_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               SINO_OF_SLICES(slices),
                                               .work = (double)(subset->row_count * slices.stride),
                                               .access_count = 2,
                                               .access = access});
}
