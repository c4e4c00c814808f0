/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of vectors of voxels in the order of bricks: sums, masks, segments and images. */
#include "voxels_task.h"

#include "arithmetic.h"
#include "brick_opencl.h"
#include "brick_voxels_cuda.h"
#include "task.h"

#include <string.h>

typedef struct VoxelArguments {
    SinoSlices slices;
    int64_t rows;
    bool masked;
} VoxelArguments;

static SinoStatus add_cpu(const SinoTask *task)
{
    const VoxelArguments *arguments = task->arguments;
    sino_voxels_add(sino_times(arguments->rows, arguments->slices.stride), sino_task_buffer(task, 0),
                    sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus mask_cpu(const SinoTask *task)
{
    const VoxelArguments *arguments = task->arguments;
    sino_voxels_mask(arguments->slices, arguments->rows, arguments->masked ? sino_task_buffer(task, 2) : NULL,
                     sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static SinoStatus add_cuda(const SinoTask *task, cudaStream_t stream)
{
    const VoxelArguments *arguments = task->arguments;
    return sino_voxels_add_cuda(stream, sino_times(arguments->rows, arguments->slices.stride),
                                sino_task_buffer(task, 0), sino_task_buffer(task, 1));
}

static SinoStatus mask_cuda(const SinoTask *task, cudaStream_t stream)
{
    const VoxelArguments *arguments = task->arguments;
    return sino_voxels_mask_cuda(stream, arguments->slices, arguments->rows,
                                 arguments->masked ? sino_task_buffer(task, 2) : NULL, sino_task_buffer(task, 0),
                                 sino_task_buffer(task, 1));
}

static SinoStatus add_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const VoxelArguments *arguments = task->arguments;
    return sino_voxels_add_opencl(opencl, arguments->slices, arguments->rows, sino_task_opencl_buffer(task, 0),
                                  sino_task_opencl_buffer(task, 1));
}

static SinoStatus mask_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const VoxelArguments *arguments = task->arguments;
    return sino_voxels_mask_opencl(opencl, arguments->slices, arguments->rows,
                                   arguments->masked ? sino_task_opencl_buffer(task, 2) : NULL,
                                   sino_task_opencl_buffer(task, 0), sino_task_opencl_buffer(task, 1));
}

static const SinoTaskKind add_kind = {.name = "voxels_add",
                                      .argument_bytes = sizeof(VoxelArguments),
                                      .access_min = 2,
                                      .access_max = 2,
                                      .cpu = add_cpu,
                                      .cuda = SINO_ON_CUDA(add_cuda),
                                      .opencl = SINO_ON_OPENCL(add_opencl)};

static const SinoTaskKind mask_kind = {.name = "voxels_mask",
                                       .argument_bytes = sizeof(VoxelArguments),
                                       .access_min = 2,
                                       .access_max = 3,
                                       .cpu = mask_cpu,
                                       .cuda = SINO_ON_CUDA(mask_cuda),
                                       .opencl = SINO_ON_OPENCL(mask_opencl)};

static SinoStatus insert_voxels(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                const VoxelArguments *arguments, int access_count, const SinoAccess *access)
{
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = arguments,
                                               .argument_bytes = sizeof *arguments,
                                               .access = access,
                                               .access_count = access_count,
                                               SINO_OF_SLICES(arguments->slices),
                                               .work = (double)sino_times(arguments->rows, arguments->slices.stride)});
}

SinoStatus sino_insert_voxels_add(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *from, SinoData *to)
{
    const VoxelArguments arguments = {.slices = slices, .rows = rows};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_READ_WRITE}};
    return insert_voxels(runtime, &add_kind, position, &arguments, 2, access);
}

SinoStatus sino_insert_voxels_mask(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *mask, SinoData *from, SinoData *to)
{
    const VoxelArguments arguments = {.slices = slices, .rows = rows, .masked = mask != NULL};
    const SinoAccess access[] = {{from, SINO_READ}, {to, SINO_WRITE}, {mask, SINO_READ}};
    return insert_voxels(runtime, &mask_kind, position, &arguments, mask ? 3 : 2, access);
}

static SinoStatus cut_cpu(const SinoTask *task)
{
    const SinoSegment *segment = task->arguments;
    const float *vector = sino_task_buffer(task, 0);
    memcpy(sino_task_buffer(task, 1), vector + segment->first, (size_t)segment->count * sizeof *vector);
    return NULL;
}

static SinoStatus paste_cpu(const SinoTask *task)
{
    const SinoSegment *segment = task->arguments;
    float *vector = sino_task_buffer(task, 1);
    memcpy(vector + segment->first, sino_task_buffer(task, 0), (size_t)segment->count * sizeof *vector);
    return NULL;
}

static const SinoTaskKind cut_kind = {
    .name = "voxels_cut", .argument_bytes = sizeof(SinoSegment), .access_min = 2, .access_max = 2, .cpu = cut_cpu};

static const SinoTaskKind paste_kind = {
    .name = "voxels_paste", .argument_bytes = sizeof(SinoSegment), .access_min = 2, .access_max = 2, .cpu = paste_cpu};

static SinoStatus insert_segment(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position,
                                 const SinoSegment *segment, const SinoAccess *access)
{
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = segment,
                                               .argument_bytes = sizeof *segment,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)segment->count});
}

SinoStatus sino_insert_voxels_cut(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *vector,
                                  SinoData *part)
{
    const SinoAccess access[] = {{vector, SINO_READ}, {part, SINO_WRITE}};
    return insert_segment(runtime, &cut_kind, position, &segment, access);
}

SinoStatus sino_insert_voxels_paste(SinoRuntime *runtime, SinoPosition position, SinoSegment segment, SinoData *part,
                                    SinoData *vector)
{
    const SinoAccess access[] = {{part, SINO_READ}, {vector, SINO_READ_WRITE}};
    return insert_segment(runtime, &paste_kind, position, &segment, access);
}

static SinoStatus image_cpu(const SinoTask *task)
{
    const SinoVoxelsImage *what = task->arguments;
    sino_voxels_image(what->order, what->slices, what->set, what->first, what->count, what->scale,
                      sino_task_buffer(task, 0), sino_task_buffer(task, 1));
    return NULL;
}

static const SinoTaskKind image_kind = {.name = "voxels_image",
                                        .argument_bytes = sizeof(SinoVoxelsImage),
                                        .access_min = 2,
                                        .access_max = 2,
                                        .cpu = image_cpu};

SinoStatus sino_insert_voxels_image(SinoRuntime *runtime, SinoPosition position, const SinoVoxelsImage *what,
                                    SinoData *voxels, SinoData *image)
{
    const SinoAccess access[] = {{voxels, SINO_READ}, {image, SINO_WRITE}};
    return sino_task_submit(runtime, &image_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = what,
                                               .argument_bytes = sizeof *what,
                                               .access = access,
                                               .access_count = 2,
                                               .work = (double)what->count});
}
