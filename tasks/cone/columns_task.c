/* SPDX-License-Identifier: BSD-3-Clause */
/* Task columns: line integrals of a few projections become rays of a cone beam's operator. */
#include "cone_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Columns {
    SinoOperand sinogram, rays;
    SinoColumns what;
} Columns;

static SinoStatus columns_cpu(const SinoTask *task)
{
    const Columns *of = task->arguments;
    const SinoColumns *what = &of->what;
    const int64_t columns = what->column_count, rows = what->rows.slice_count;
    const int64_t lines = sino_times(what->angle_count, columns);
    float *rays = of->rays.at;
    for (SinoPanel at = sino_panel_at(what->rows, 0); at.first < rows; at = sino_panel_next(what->rows, at)) {
        const float *panel = sino_panel_from(at, lines, of->sinogram.at);
        for (int64_t i = 0; i < lines; i++) {
            float *to = rays + (what->place[i / columns] * columns + i % columns) * rows + at.first;
            for (int64_t r = 0; r < at.slices.slice_count; r++) to[r] = panel[i * at.slices.stride + r];
        }
    }
    return NULL;
}

static const SinoTaskKind columns_kind = {
    .name = "columns",
    SINO_ARGUMENTS(Columns, SINO_READS(Columns, sinogram), SINO_UPDATES(Columns, rays)),
    .cpu = columns_cpu};

/* The rays of the angles are read and written once. */
static int64_t moved_bytes(const SinoColumns *columns)
{
    const int64_t rays = sino_times(sino_times(columns->angle_count, columns->column_count), columns->rows.slice_count);
    return sino_times(rays, 2 * (int64_t)sizeof(float));
}

SinoStatus sino_insert_columns(SinoRuntime *runtime, SinoPosition position, const SinoColumns *columns, bool first,
                               SinoData *sinogram, SinoData *rays)
{
    const Columns arguments = {.sinogram.data = sinogram,
                               .rays = {.data = rays, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                               .what = *columns};
    return SINO_SUBMIT(runtime, &columns_kind, position, &arguments, .part_bytes = moved_bytes(columns));
}
