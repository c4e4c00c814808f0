/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of vectors of voxels in the order of bricks: sums, masks, segments and images. */
#include "bricks_tasks.h"

#include "arithmetic.h"
#include "brick_opencl.h"
#include "task.h"

#include <string.h>

typedef struct Voxels {
    SinoOperand from, to, mask; /* mask: of voxels_mask, which may lack it */
    SinoSlices slices;
    int64_t rows;
} Voxels;

static SinoStatus add_cpu(const SinoTask *task)
{
    const Voxels *of = task->arguments;
    sino_voxels_add(sino_times(of->rows, of->slices.stride), of->from.at, of->to.at);
    return NULL;
}

static SinoStatus mask_cpu(const SinoTask *task)
{
    const Voxels *of = task->arguments;
    sino_voxels_mask(of->slices, of->rows, of->mask.at, of->from.at, of->to.at);
    return NULL;
}

static SinoStatus add_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Voxels *of = task->arguments;
    return sino_voxels_add_cuda(stream, sino_times(of->rows, of->slices.stride), of->from.at, of->to.at);
}

static SinoStatus mask_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Voxels *of = task->arguments;
    return sino_voxels_mask_cuda(stream, of->slices, of->rows, of->mask.at, of->from.at, of->to.at);
}

static SinoStatus add_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Voxels *of = task->arguments;
    return sino_voxels_add_opencl(opencl, of->slices, of->rows, of->from.opencl, of->to.opencl);
}

static SinoStatus mask_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Voxels *of = task->arguments;
    return sino_voxels_mask_opencl(opencl, of->slices, of->rows, of->mask.opencl, of->from.opencl, of->to.opencl);
}

static const SinoTaskKind add_kind = {.name = "voxels_add",
                                      SINO_ARGUMENTS(Voxels, SINO_READS(Voxels, from), SINO_UPDATES(Voxels, to)),
                                      SINO_CPU_CUDA_OPENCL(add)};

static const SinoTaskKind mask_kind = {
    .name = "voxels_mask",
    SINO_ARGUMENTS(Voxels, SINO_READS(Voxels, from), SINO_WRITES(Voxels, to), SINO_MAY_READ(Voxels, mask)),
    SINO_CPU_CUDA_OPENCL(mask)};

static SinoStatus insert_voxels(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, Voxels voxels)
{
    return SINO_SUBMIT(runtime, kind, position, &voxels, SINO_OF_SLICES(voxels.slices),
                       .work = (double)sino_times(voxels.rows, voxels.slices.stride));
}

SinoStatus sino_insert_voxels_add(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *from, SinoData *to)
{
    return insert_voxels(runtime, &add_kind, position,
                         (Voxels){.from.data = from, .to.data = to, .slices = slices, .rows = rows});
}

SinoStatus sino_insert_voxels_mask(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *mask, SinoData *from, SinoData *to)
{
    return insert_voxels(runtime, &mask_kind, position,
                         (Voxels){.from.data = from, .to.data = to, .mask.data = mask, .slices = slices, .rows = rows});
}

typedef struct Segment {
    SinoOperand from, to;
    SinoSegment segment;
} Segment;

static SinoStatus cut_cpu(const SinoTask *task)
{
    const Segment *of = task->arguments;
    memcpy(of->to.at, (const float *)of->from.at + of->segment.first, (size_t)of->segment.count * sizeof(float));
    return NULL;
}

static SinoStatus paste_cpu(const SinoTask *task)
{
    const Segment *of = task->arguments;
    memcpy((float *)of->to.at + of->segment.first, of->from.at, (size_t)of->segment.count * sizeof(float));
    return NULL;
}

static const SinoTaskKind cut_kind = {
    .name = "voxels_cut", SINO_ARGUMENTS(Segment, SINO_READS(Segment, from), SINO_WRITES(Segment, to)), .cpu = cut_cpu};
static const SinoTaskKind paste_kind = {.name = "voxels_paste",
                                        SINO_ARGUMENTS(Segment, SINO_READS(Segment, from), SINO_UPDATES(Segment, to)),
                                        .cpu = paste_cpu};

static SinoStatus insert_segment(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 SinoSegment segment, SinoData *from, SinoData *to)
{
    const Segment arguments = {.from.data = from, .to.data = to, .segment = segment};
    return SINO_SUBMIT(runtime, kind, position, &arguments, .work = (double)segment.count);
}

SinoStatus sino_insert_voxels_cut(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *vector,
                                  SinoData *part)
{
    return insert_segment(runtime, &cut_kind, position, segment, vector, part);
}

SinoStatus sino_insert_voxels_paste(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *part,
                                    SinoData *vector)
{
    return insert_segment(runtime, &paste_kind, position, segment, part, vector);
}

typedef struct Image {
    SinoOperand voxels, image;
    SinoVoxelsImage what;
} Image;

static SinoStatus image_cpu(const SinoTask *task)
{
    const Image *of = task->arguments;
    const SinoVoxelsImage *what = &of->what;
    sino_voxels_image(what->order, what->slices, what->set, what->first, what->count, what->scale, of->voxels.at,
                      of->image.at);
    return NULL;
}

static const SinoTaskKind image_kind = {.name = "voxels_image",
                                        SINO_ARGUMENTS(Image, SINO_READS(Image, voxels), SINO_WRITES(Image, image)),
                                        .cpu = image_cpu};

SinoStatus sino_insert_voxels_image(SinoRuntime *runtime, SinoPosition position, const SinoVoxelsImage *what,
                                    SinoData *voxels, SinoData *image)
{
    const Image arguments = {.voxels.data = voxels, .image.data = image, .what = *what};
    return SINO_SUBMIT(runtime, &image_kind, position, &arguments, .work = (double)what->count);
}
