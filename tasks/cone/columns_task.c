/* SPDX-License-Identifier: BSD-3-Clause */
/* Task columns: line integrals of a few projections become rays of a cone beam's operator. */
#include "columns_task.h"

#include "arithmetic.h"
#include "task.h"

static SinoStatus columns_cpu(const SinoTask *task)
{
    const SinoColumns *what = task->arguments;
    const int64_t columns = what->column_count, rows = what->rows.slice_count;
    const int64_t lines = sino_times(what->angle_count, columns);
    const float *sinogram = sino_task_buffer(task, 0);
    float *rays = sino_task_buffer(task, 1);
    for (SinoPanel at = sino_panel_at(what->rows, 0); at.first < rows; at = sino_panel_next(what->rows, at)) {
        const float *panel = sino_panel_from(at, lines, sinogram);
        for (int64_t i = 0; i < lines; i++) {
            float *to = rays + (what->place[i / columns] * columns + i % columns) * rows + at.first;
            for (int64_t r = 0; r < at.slices.slice_count; r++) to[r] = panel[i * at.slices.stride + r];
        }
    }
    return NULL;
}

static const SinoTaskKind columns_kind = {
    .name = "columns", .argument_bytes = sizeof(SinoColumns), .access_min = 2, .access_max = 2, .cpu = columns_cpu};

/* The rays of the angles are read and written once. */
static int64_t moved_bytes(const SinoColumns *columns)
{
    const int64_t rays = sino_times(sino_times(columns->angle_count, columns->column_count), columns->rows.slice_count);
    return sino_times(rays, 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_columns(SinoRuntime *runtime, SinoPosition position, const SinoColumns *columns, bool first,
                               SinoData *sinogram, SinoData *rays)
{
    const SinoAccess access[] = {{sinogram, SINO_READ}, {rays, first ? SINO_WRITE : SINO_READ_WRITE}};
    return sino_task_submit(runtime, &columns_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = columns,
                                               .argument_bytes = sizeof *columns,
                                               .access = access,
                                               .access_count = 2,
                                               .part_bytes = moved_bytes(columns)});
}
