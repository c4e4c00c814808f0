/* SPDX-License-Identifier: BSD-3-Clause */
/* Task spmm_array (spmm_project_array, spmm_backproject_array): one partition's block of A times one minibatch of a
 * caller's images. */
#include "rays_tasks.h"

#include "task.h"

typedef struct SpmmArray {
    SinoOperand block, rays, copies, scratch;
    SinoTake take;
    SinoStridedTiles tiles;
    SinoSpmmRows rows;
} SpmmArray;

int64_t sino_images_copies_bytes(SinoSlices slices)
{
    return sino_spmm_array_bytes(slices);
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const SpmmArray *of = task->arguments;
    const bool finite = sino_spmm_project_array(of->block.at, &of->tiles, of->copies.at, of->rays.at, of->scratch.at);
    return sino_take_check(finite, of->take, of->tiles.slices);
}

static SinoStatus backproject_cpu(const SinoTask *task)
{
    const SpmmArray *of = task->arguments;
    sino_spmm_backproject_array(of->block.at, of->rows, of->rays.at, &of->tiles, of->copies.at, of->scratch.at);
    return NULL;
}

static const SinoTaskKind project_kind = {.name = "spmm_project_array",
                                          SINO_ARGUMENTS(SpmmArray, SINO_READS(SpmmArray, block),
                                                         SINO_WRITES(SpmmArray, rays), SINO_USES(SpmmArray, copies),
                                                         SINO_USES(SpmmArray, scratch)),
                                          .cpu = project_cpu};
static const SinoTaskKind backproject_kind = {.name = "spmm_backproject_array",
                                              SINO_ARGUMENTS(SpmmArray, SINO_READS(SpmmArray, block),
                                                             SINO_READS(SpmmArray, rays), SINO_USES(SpmmArray, copies),
                                                             SINO_USES(SpmmArray, scratch)),
                                              .cpu = backproject_cpu};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const SinoSpmm *spmm,
                         const SinoSpmmArray *array, SinoData *rays)
{
    const SpmmArray arguments = {.block.data = spmm->block,
                                 .rays.data = rays,
                                 .copies.data = array->images->copies,
                                 .scratch.data = spmm->scratch,
                                 .take = array->images->take,
                                 .tiles = {.slices = array->slices,
                                           .image = array->images->array,
                                           .grid_size = array->grid_size,
                                           .tile_count = array->tile_count,
                                           .tile = array->tile},
                                 .rows = spmm->rows};
    return SINO_SUBMIT(runtime, kind, position, &arguments, .work = spmm->work, .flops = spmm->flops,
                       SINO_OF_SLICES(array->slices));
}

SinoStatus sino_insert_spmm_project_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                          const SinoSpmmArray *array, SinoData *y)
{
    return insert(runtime, &project_kind, position, spmm, array, y);
}

SinoStatus sino_insert_spmm_backproject_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                              SinoData *y, const SinoSpmmArray *array)
{
    return insert(runtime, &backproject_kind, position, spmm, array, y);
}
