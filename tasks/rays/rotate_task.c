/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks rotate_project and rotate_back: products of a parallel beam's A and Aᵀ with a partition, without a matrix. */
#include "rays_tasks.h"

#include "block.h"
#include "memory.h"
#include "rotate_tables.h"
#include "task.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* `order`: of a projection of some angles. turn, tiles: the tables for devices, of the angles, and of the numbers of
 * tiles for a projection, of the tiles for a backprojection. */
typedef struct Rotate {
    SinoOperand voxels, scratch, rays, order, turn, tiles;
    SinoRotate what;
    bool first;
} Rotate;

/* Of a sample: once for all slices of a minibatch, and for each slice. */
double sino_rotate_effort(SinoInterpolation interpolation, double samples, int64_t slices)
{
    static const struct Sample {
        double place, slice;
    } flops[SINO_INTERPOLATIONS] = {[SINO_INTERPOLATION_NEAREST] = {125, 4.5},
                                    [SINO_INTERPOLATION_LINEAR] = {150, 14},
                                    [SINO_INTERPOLATION_CUBIC] = {325, 60}};
    const struct Sample *of = &flops[interpolation];
    return samples * (of->place + of->slice * (double)slices);
}

static SinoStatus project_cpu(const SinoTask *task)
{
    const Rotate *of = task->arguments;
    const SinoRotate *what = &of->what;
    if (of->first) sino_rays_clear(&what->geometry, what->slices, what->first_angle, what->angle_count, of->rays.at);
    sino_rotate_project(what, of->voxels.at, of->scratch.at, of->rays.at);
    return NULL;
}

static SinoStatus back_cpu(const SinoTask *task)
{
    const Rotate *of = task->arguments;
    const int64_t rows = sino_times(of->what.tile_count, SINO_TILE_VOXELS);
    memset(of->voxels.at, 0, (size_t)sino_times(rows, of->what.slices.stride) * sizeof(float));
    sino_rotate_back(&of->what, of->rays.at, of->scratch.at, of->voxels.at);
    return NULL;
}

static SinoStatus project_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Rotate *of = task->arguments;
    const SinoRotateTables tables = {.turn = of->turn.at, .number = of->tiles.at};
    return sino_rotate_project_cuda(stream, &of->what, &tables, of->first, of->voxels.at, of->rays.at);
}

static SinoStatus back_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Rotate *of = task->arguments;
    const SinoRotateTables tables = {.turn = of->turn.at, .tile = of->tiles.at};
    return sino_rotate_back_cuda(stream, &of->what, &tables, true, of->rays.at, of->voxels.at);
}

static SinoStatus project_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Rotate *of = task->arguments;
    const SinoRotateOpenclTables tables = {.turn = of->turn.opencl, .number = of->tiles.opencl};
    return sino_rotate_project_opencl(opencl, &of->what, &tables, of->first, of->voxels.opencl, of->rays.opencl);
}

static SinoStatus back_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    const Rotate *of = task->arguments;
    const SinoRotateOpenclTables tables = {.turn = of->turn.opencl, .tile = of->tiles.opencl};
    return sino_rotate_back_opencl(opencl, &of->what, &tables, true, of->rays.opencl, of->voxels.opencl);
}

static const SinoTaskKind project_kind = {.name = "rotate_project",
                                          SINO_ARGUMENTS(Rotate, SINO_READS(Rotate, voxels), SINO_USES(Rotate, scratch),
                                                         SINO_READS(Rotate, rays), SINO_UPDATES(Rotate, order)),
                                          .cpu = project_cpu};

static const SinoTaskKind project_all_kind = {.name = "rotate_project",
                                              SINO_ARGUMENTS(Rotate, SINO_READS(Rotate, voxels),
                                                             SINO_USES(Rotate, scratch), SINO_UPDATES(Rotate, rays),
                                                             SINO_READS(Rotate, turn), SINO_READS(Rotate, tiles)),
                                              SINO_CPU_CUDA_OPENCL(project)};

static const SinoTaskKind back_kind = {.name = "rotate_back",
                                       SINO_ARGUMENTS(Rotate, SINO_WRITES(Rotate, voxels), SINO_USES(Rotate, scratch),
                                                      SINO_READS(Rotate, rays), SINO_MAY_READ(Rotate, turn),
                                                      SINO_MAY_READ(Rotate, tiles)),
                                       SINO_CPU_CUDA_OPENCL(back)};

static SinoStatus insert(SinoRuntime *runtime, const SinoTaskKind *kind, SinoPosition position, const Rotate *rotate)
{
    const SinoRotate *what = &rotate->what;
    const double samples = (double)what->tile_count * SINO_TILE_VOXELS * (double)what->angle_count;
    return SINO_SUBMIT(runtime, kind, position, rotate, SINO_OF_SLICES(what->slices),
                       .work = samples * (double)what->slices.stride,
                       .effort = sino_rotate_effort(what->interpolation, samples, what->slices.slice_count),
                       .host = !rotate->tiles.data);
}

SinoStatus sino_insert_rotate_project(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, bool first,
                                      SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays)
{
    const Rotate arguments = {.voxels.data = voxels,
                              .scratch.data = scratch,
                              .rays.data = rays,
                              .order.data = order,
                              .what = *what,
                              .first = first};
    return insert(runtime, &project_kind, position, &arguments);
}

SinoStatus sino_insert_rotate_project_all(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                          bool first, const SinoRotateData *tables, SinoData *voxels, SinoData *scratch,
                                          SinoData *rays)
{
    const Rotate arguments = {.voxels.data = voxels,
                              .scratch.data = scratch,
                              .rays = {.data = rays, .mode = first ? SINO_WRITE : SINO_READ_WRITE},
                              .turn.data = tables->turn,
                              .tiles.data = tables->number,
                              .what = *what,
                              .first = first};
    assert(what->first_angle == 0 && what->angle_count == what->geometry.angle_count);
    return insert(runtime, &project_all_kind, position, &arguments);
}

SinoStatus sino_insert_rotate_back(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                   const SinoRotateData *tables, SinoData *rays, SinoData *scratch, SinoData *voxels)
{
    const Rotate arguments = {.voxels.data = voxels,
                              .scratch.data = scratch,
                              .rays.data = rays,
                              .turn.data = tables->tile ? tables->turn : NULL,
                              .tiles.data = tables->tile,
                              .what = *what};
    return insert(runtime, &back_kind, position, &arguments);
}

SinoRotateDataBytes sino_rotate_data_bytes(const SinoGeometry *geometry, int64_t tile_count)
{
    return (SinoRotateDataBytes){
        .turn = sino_times(sino_rotate_turn_count(geometry), (int64_t)sizeof(double)),
        .number = sino_times(sino_rotate_number_count(geometry->grid_size), (int64_t)sizeof(int32_t)),
        .tile = sino_times(tile_count, (int64_t)sizeof(SinoTilePlace))};
}

SinoStatus sino_rotate_data_angles(SinoRuntime *runtime, const SinoGeometry *geometry, SinoData **turn)
{
    double *table = NULL;
    SINO_TRY(sino_allocate(sino_rotate_turn_count(geometry), sizeof *table, "angles", &table));
    sino_rotate_turns(geometry, table);
    SinoStatus status = sino_data_copy(runtime, "turns", table, sino_rotate_data_bytes(geometry, 0).turn, turn);
    free(table);
    return status;
}

SinoStatus sino_rotate_data_tiles(SinoRuntime *runtime, const SinoRotate *what, SinoData **number, SinoData **tile)
{
    const SinoRotateDataBytes bytes = sino_rotate_data_bytes(&what->geometry, what->tile_count);
    int32_t *table = NULL;
    *tile = NULL;
    SINO_TRY(sino_allocate(sino_rotate_number_count(what->geometry.grid_size), sizeof *table, "tiles", &table));
    sino_rotate_numbers(what, table);
    SinoStatus status = sino_data_copy(runtime, "tile numbers", table, bytes.number, number);
    free(table);
    if (!status && bytes.tile > 0) status = sino_data_copy(runtime, "tiles", what->tile, bytes.tile, tile);
    return status;
}
