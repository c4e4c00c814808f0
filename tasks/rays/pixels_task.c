/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pixels_back: backprojects the rays of a parallel beam to the pixels of a partition, without a matrix. */
#include "pixels_task.h"

#include "arithmetic.h"
#include "block.h"
#include "task.h"

#include <string.h>

enum { PIXELS, SCRATCH, RAYS };

int64_t sino_pixels_task_scratch_bytes(void)
{
    return sino_pixels_scratch_bytes();
}

const char *sino_pixels_task_isa_name(void)
{
    return sino_pixels_isa_name();
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const SinoPixels *what = task->arguments;
    const int64_t rows = sino_times(what->tile_count, SINO_TILE_VOXELS);
    float *pixels = sino_task_buffer(task, PIXELS);
    memset(pixels, 0, (size_t)sino_times(rows, what->slices.stride) * sizeof *pixels);
    sino_pixels_back(what, sino_task_buffer(task, RAYS), sino_task_buffer(task, SCRATCH), pixels);
    return NULL;
}

static const SinoTaskKind back_kind = {
    .name = "pixels_back", .argument_bytes = sizeof(SinoPixels), .access_min = 3, .access_max = 3, .cpu = back_cpu};

SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, SinoData *rays,
                                   SinoData *scratch, SinoData *pixels)
{
    const SinoAccess access[] = {
        [PIXELS] = {pixels, SINO_WRITE}, [SCRATCH] = {scratch, SINO_SCRATCH}, [RAYS] = {rays, SINO_READ}};
    const double updates = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->geometry.angle_count;
    const double work = updates * (double)what->slices.slice_count;
    return sino_task_submit(runtime, &back_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = what,
                                               .argument_bytes = sizeof *what,
                                               .access = access,
                                               .access_count = 3,
                                               SINO_OF_SLICES(what->slices),
                                               .work = work,
                                               .effort = SINO_PIXEL_FLOPS * work});
}
