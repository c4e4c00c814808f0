/* SPDX-License-Identifier: BSD-3-Clause */
/* Task bsrem. */
#include "bsrem_task.h"

#include "arithmetic.h"
#include "bsrem_cuda.h"
#include "rays_gate_task.h"
#include "task.h"

enum { COLUMN, PLACE, KAPPA, WEIGHT, STATE, X, G, BUFFERS };

static SinoStatus voxels_cpu(const SinoTask *task)
{
    sino_bsrem_voxels(task->arguments, sino_task_buffer(task, COLUMN), sino_task_buffer(task, PLACE),
                      sino_task_buffer(task, KAPPA), sino_task_buffer(task, WEIGHT), sino_task_buffer(task, STATE),
                      sino_task_buffer(task, X), sino_task_buffer(task, G));
    return NULL;
}

static SinoStatus voxels_cuda(const SinoTask *task, cudaStream_t stream)
{
    return sino_bsrem_voxels_cuda(stream, task->arguments, sino_task_buffer(task, COLUMN),
                                  sino_task_buffer(task, PLACE), sino_task_buffer(task, KAPPA),
                                  sino_task_buffer(task, WEIGHT), sino_task_buffer(task, STATE),
                                  sino_task_buffer(task, X), sino_task_buffer(task, G));
}

static const SinoTaskKind kind = {.name = "bsrem",
                                  .argument_bytes = sizeof(SinoBsrem),
                                  .access_min = BUFFERS,
                                  .access_max = BUFFERS,
                                  .cpu = voxels_cpu,
                                  .cuda = SINO_ON_CUDA(voxels_cuda)};

static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoBsrem *bsrem,
                         const SinoAccess access[BUFFERS], bool host)
{
    return sino_task_submit(runtime, &kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = bsrem,
                                               .argument_bytes = sizeof *bsrem,
                                               .access = access,
                                               .access_count = BUFFERS,
                                               SINO_OF_SLICES(bsrem->slices),
                                               .work = (double)sino_times(bsrem->row_count, bsrem->slices.stride),
                                               .host = host});
}

SinoStatus sino_insert_bsrem(SinoRuntime *runtime, SinoPosition position, const SinoBsrem *bsrem, SinoData *column,
                             SinoData *place, SinoData *kappa, SinoData *weight, SinoData *state, SinoData *x,
                             SinoData *g)
{
    SinoBsrem part = *bsrem;
    SinoAccess access[BUFFERS] = {{column, SINO_READ}, {place, SINO_READ}, {kappa, SINO_READ},  {weight, SINO_READ},
                                  {state, SINO_READ},  {x, SINO_READ},     {g, SINO_READ_WRITE}};
    const bool shared = sino_runtime_devices(runtime) == SINO_DEVICE_CPU;
    const int64_t parts =
        shared ? sino_useful_parts(bsrem->slices, bsrem->rows, sino_runtime_worker_count(runtime)) : 1;
    if (parts > 1) {
        SINO_TRY(sino_insert_rays_begin(runtime, position, true, g));
        access[G].mode = SINO_READ;
    }
    for (int64_t i = 0; i < parts; i++) {
        part.first_row = sino_part_first(bsrem->rows, parts, i);
        part.row_count = sino_part_first(bsrem->rows, parts, i + 1) - part.first_row;
        SINO_TRY(submit(runtime, position, &part, access, parts > 1));
    }
    return parts > 1 ? sino_insert_rays_end(runtime, position, g) : NULL;
}
