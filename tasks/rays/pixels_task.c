/* SPDX-License-Identifier: BSD-3-Clause */
/* Task pixels_back: backprojects the rays of a parallel beam to the pixels of a partition, without a matrix. */
#include "pixels_task.h"

#include "arithmetic.h"
#include "block.h"
#include "task.h"

#include <string.h>

typedef struct Pixels {
    SinoOperand pixels, scratch, rays;
    SinoPixels what;
} Pixels;

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
    const Pixels *of = task->arguments;
    const int64_t rows = sino_times(of->what.tile_count, SINO_TILE_VOXELS);
    memset(of->pixels.at, 0, (size_t)sino_times(rows, of->what.slices.stride) * sizeof(float));
    sino_pixels_back(&of->what, of->rays.at, of->scratch.at, of->pixels.at);
    return NULL;
}

static const SinoTaskKind back_kind = {
    .name = "pixels_back",
    SINO_ARGUMENTS(Pixels, SINO_WRITES(Pixels, pixels), SINO_USES(Pixels, scratch), SINO_READS(Pixels, rays)),
    .cpu = back_cpu};

SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, SinoData *rays,
                                   SinoData *scratch, SinoData *pixels)
{
    const Pixels arguments = {.pixels.data = pixels, .scratch.data = scratch, .rays.data = rays, .what = *what};
    const double updates = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->geometry.angle_count;
    const double work = updates * (double)what->slices.slice_count;
    return SINO_SUBMIT(runtime, &back_kind, position, &arguments, SINO_OF_SLICES(what->slices), .work = work,
                       .effort = SINO_PIXEL_FLOPS * work);
}
