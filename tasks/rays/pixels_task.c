/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks pixels_project and pixels_back: products of a parallel beam and the pixels of a partition, without a matrix. */
#include "rays_tasks.h"

#include "arithmetic.h"
#include "block.h"
#include "task.h"

#include <string.h>

typedef struct Pixels {
    SinoOperand pixels, scratch, rays, order;
    SinoPixels what;
    bool first; /* what the task adds to is 0 */
} Pixels;

static SinoStatus project_cpu(const SinoTask *task)
{
    const Pixels *of = task->arguments;
    const SinoPixels *what = &of->what;
    if (of->first) sino_rays_clear(&what->geometry, what->slices, what->first_angle, what->angle_count, of->rays.at);
    sino_pixels_project(what, of->pixels.at, of->scratch.at, of->rays.at);
    return NULL;
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const Pixels *of = task->arguments;
    const int64_t rows = sino_times(of->what.tile_count, SINO_TILE_VOXELS);
    if (of->first) memset(of->pixels.at, 0, (size_t)sino_times(rows, of->what.slices.stride) * sizeof(float));
    sino_pixels_back(&of->what, of->rays.at, of->scratch.at, of->pixels.at);
    return NULL;
}

static const SinoTaskKind project_kind = {.name = "pixels_project",
                                          SINO_ARGUMENTS(Pixels, SINO_READS(Pixels, pixels), SINO_USES(Pixels, scratch),
                                                         SINO_READS(Pixels, rays), SINO_UPDATES(Pixels, order)),
                                          .cpu = project_cpu};

static const SinoTaskKind back_kind = {
    .name = "pixels_back",
    SINO_ARGUMENTS(Pixels, SINO_WRITES(Pixels, pixels), SINO_USES(Pixels, scratch), SINO_READS(Pixels, rays)),
    .cpu = back_cpu};

double sino_pixels_flops(SinoPixelWeights weights, int64_t slices)
{
    static const struct {
        double flops, shared; /* of one slice; and the part that slices share */
    } of[] = {[SINO_PIXELS_LINEAR] = {10, 0.43}, [SINO_PIXELS_LENGTHS] = {12, 0.58}, [SINO_PIXELS_STRIPS] = {32, 0.83}};
    const double sharing = (double)sino_larger(1, sino_smaller(slices, SINO_PIXELS_SHARING));
    return of[weights].flops * (1 - of[weights].shared + of[weights].shared / sharing);
}

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const Pixels *pixels)
{
    const SinoPixels *what = &pixels->what;
    const double updates = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->angle_count;
    const double work = updates * (double)what->slices.slice_count;
    return SINO_SUBMIT(runtime, kind, position, pixels, SINO_OF_SLICES(what->slices), .work = work,
                       .effort = sino_pixels_flops(what->weights, what->slices.slice_count) * work);
}

SinoStatus sino_insert_pixels_project(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                      SinoData *pixels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    const Pixels arguments = {.pixels.data = pixels,
                              .scratch.data = scratch,
                              .rays.data = rays,
                              .order.data = order,
                              .what = *what,
                              .first = first};
    return insert(runtime, &project_kind, position, &arguments);
}

SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                   SinoData *rays, SinoData *scratch, SinoData *pixels)
{
    const Pixels arguments = {.pixels = {.data = pixels, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                              .scratch.data = scratch,
                              .rays.data = rays,
                              .what = *what,
                              .first = first};
    return insert(runtime, &back_kind, position, &arguments);
}
