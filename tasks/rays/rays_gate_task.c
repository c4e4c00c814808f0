/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rays_begin and rays_end: many tasks write different parts of one vector of rays at the same time. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "task.h"

#include <string.h>

static SinoStatus nothing_cpu(const SinoTask *task)
{
    (void)task;
    return NULL;
}

int64_t sino_useful_parts(SinoSlices slices, int64_t rows, int64_t most)
{
    const int64_t least_bytes = 128 << 10; /* some 20 µs of memory traffic, several times what a task costs */
    const int64_t bytes = sino_times(sino_times(rows, slices.stride), (int64_t)sino_precision_bytes(slices.precision));
    return sino_larger(sino_smaller(most, bytes / least_bytes), 1);
}

int64_t sino_part_first(int64_t rows, int64_t part_count, int64_t i)
{
    return sino_times(rows, i) / part_count;
}

typedef struct Gate {
    SinoOperand rays;
} Gate;

static const SinoTaskKind begin_kind = {
    .name = "rays_begin", SINO_ARGUMENTS(Gate, SINO_UPDATES(Gate, rays)), .cpu = nothing_cpu};
static const SinoTaskKind end_kind = {
    .name = "rays_end", SINO_ARGUMENTS(Gate, SINO_UPDATES(Gate, rays)), .cpu = nothing_cpu};

static SinoStatus insert_gate(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, SinoData *rays,
                              SinoAccessMode mode)
{
    const Gate gate = {{.data = rays, .mode = mode}};
    return SINO_SUBMIT(runtime, kind, position, &gate, .part_bytes = 1);
}

SinoStatus sino_insert_rays_begin(SinoRuntime *runtime, SinoPosition position, bool kept, SinoData *rays)
{
    return insert_gate(runtime, &begin_kind, position, rays, kept ? SINO_READ_WRITE : SINO_WRITE);
}

SinoStatus sino_insert_rays_end(SinoRuntime *runtime, SinoPosition position, SinoData *rays)
{
    return insert_gate(runtime, &end_kind, position, rays, SINO_READ_WRITE);
}

void sino_rays_clear(const SinoGeometry *geometry, SinoSlices slices, int64_t first_angle, int64_t angle_count,
                     float *rays)
{
    const int64_t rows = sino_geometry_ray_count(geometry), columns = geometry->column_count;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const int64_t row = columns * at.slices.stride;
        float *panel = sino_panel_to(at, rows, rays);
        memset(panel + first_angle * row, 0, (size_t)(angle_count * row) * sizeof *panel);
    }
}
