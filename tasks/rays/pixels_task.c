/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks pixels_project and pixels_back: products of a parallel beam and the pixels of a partition, without a matrix. */
#include "pixels_task.h"

#include "arithmetic.h"
#include "block.h"
#include "task.h"

#include <string.h>

enum { PIXELS, SCRATCH, RAYS, ORDER };

typedef struct Arguments {
    SinoPixels what;
    bool first;
} Arguments;

int64_t sino_pixels_task_scratch_bytes(void)
{
    return sino_pixels_scratch_bytes();
}

const char *sino_pixels_task_isa_name(void)
{
    return sino_pixels_isa_name();
}

/* Sets the rays of the task's angles to 0, panel by panel. */
static void clear_rays(const SinoPixels *what, float *rays)
{
    const int64_t rows = sino_geometry_ray_count(&what->geometry), columns = what->geometry.column_count;
    for (SinoPanel at = sino_panel_at(what->slices, 0); at.first < what->slices.stride;
         at = sino_panel_next(what->slices, at)) {
        const int64_t row = columns * at.slices.stride;
        float *panel = sino_panel_to(at, rows, rays);
        memset(panel + what->first_angle * row, 0, (size_t)(what->angle_count * row) * sizeof *panel);
    }
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    float *rays = sino_task_buffer(task, RAYS);
    if (arguments->first) clear_rays(&arguments->what, rays);
    sino_pixels_project(&arguments->what, sino_task_buffer(task, PIXELS), sino_task_buffer(task, SCRATCH), rays);
    return NULL;
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const SinoPixels *what = &((const Arguments *)task->arguments)->what;
    const int64_t rows = sino_times(what->tile_count, SINO_TILE_VOXELS);
    float *pixels = sino_task_buffer(task, PIXELS);
    memset(pixels, 0, (size_t)sino_times(rows, what->slices.stride) * sizeof *pixels);
    sino_pixels_back(what, sino_task_buffer(task, RAYS), sino_task_buffer(task, SCRATCH), pixels);
    return NULL;
}

static const SinoTaskKind project_kind = {.name = "pixels_project",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 4,
                                          .access_max = 4,
                                          .cpu = project_cpu};

static const SinoTaskKind back_kind = {
    .name = "pixels_back", .argument_bytes = sizeof(Arguments), .access_min = 3, .access_max = 3, .cpu = back_cpu};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                         const Arguments *arguments, const SinoAccess *access)
{
    const SinoPixels *what = &arguments->what;
    const double updates = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->angle_count;
    const double work = updates * (double)what->slices.slice_count;
    const double flops = what->weights == SINO_PIXELS_LENGTHS ? SINO_LINE_FLOPS : SINO_PIXEL_FLOPS;
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = kind->access_max,
                                               SINO_OF_SLICES(what->slices),
                                               .work = work,
                                               .effort = flops * work});
}

SinoStatus sino_insert_pixels_project(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                      SinoData *pixels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    const Arguments arguments = {.what = *what, .first = first};
    const SinoAccess access[] = {[PIXELS] = {pixels, SINO_READ},
                                 [SCRATCH] = {scratch, SINO_SCRATCH},
                                 [RAYS] = {rays, SINO_READ},
                                 [ORDER] = {order, SINO_READ_WRITE}};
    return insert(runtime, &project_kind, position, &arguments, access);
}

SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, SinoData *rays,
                                   SinoData *scratch, SinoData *pixels)
{
    const Arguments arguments = {.what = *what};
    const SinoAccess access[] = {
        [PIXELS] = {pixels, SINO_WRITE}, [SCRATCH] = {scratch, SINO_SCRATCH}, [RAYS] = {rays, SINO_READ}};
    return insert(runtime, &back_kind, position, &arguments, access);
}
