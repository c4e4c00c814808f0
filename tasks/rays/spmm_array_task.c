/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm_array (spmm_project_array, spmm_backproject_array): one partition's block of A times one minibatch of a
 * caller's images. */
#include "spmm_array_task.h"

#include "task.h"

typedef struct Arguments {
    SinoTake take;
    SinoStridedTiles tiles;
    SinoSpmmRows rows;
} Arguments;

int64_t sino_images_copies_bytes(SinoSlices slices)
{
    return sino_spmm_array_bytes(slices);
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Arguments *of = task->arguments;
    const bool finite = sino_spmm_project_array(sino_task_buffer(task, 0), &of->tiles, sino_task_buffer(task, 2),
                                                sino_task_buffer(task, 1), sino_task_buffer(task, 3));
    return sino_take_check(finite, of->take, of->tiles.slices);
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const Arguments *of = task->arguments;
    sino_spmm_backproject_array(sino_task_buffer(task, 0), of->rows, sino_task_buffer(task, 1), &of->tiles,
                                sino_task_buffer(task, 2), sino_task_buffer(task, 3));
    return NULL;
}

static const SinoTaskKind project_kind = {.name = "spmm_project_array",
                                          .argument_bytes = sizeof(Arguments),
                                          .access_min = 4,
                                          .access_max = 4,
                                          .cpu = project_cpu};
static const SinoTaskKind backproject_kind = {.name = "spmm_backproject_array",
                                              .argument_bytes = sizeof(Arguments),
                                              .access_min = 4,
                                              .access_max = 4,
                                              .cpu = backproject_cpu};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const SinoSpmm *spmm,
                         const SinoSpmmArray *array, SinoAccess rays)
{
    const Arguments arguments = {.take = array->images->take,
                                 .tiles = {.slices = array->slices,
                                           .image = array->images->array,
                                           .grid_size = array->grid_size,
                                           .tile_count = array->tile_count,
                                           .tile = array->tile},
                                 .rows = spmm->rows};
    const SinoAccess access[] = {
        {spmm->block, SINO_READ}, rays, {array->images->copies, SINO_SCRATCH}, {spmm->scratch, SINO_SCRATCH}};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = 4,
                                               .work = spmm->work,
                                               .flops = spmm->flops,
                                               SINO_OF_SLICES(array->slices)});
}

SinoStatus sino_insert_spmm_project_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                          const SinoSpmmArray *array, SinoData *y)
{
    return insert(runtime, &project_kind, position, spmm, array, (SinoAccess){y, SINO_WRITE});
}

SinoStatus sino_insert_spmm_backproject_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                              SinoData *y, const SinoSpmmArray *array)
{
    return insert(runtime, &backproject_kind, position, spmm, array, (SinoAccess){y, SINO_READ});
}
