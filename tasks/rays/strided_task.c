/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks take and give: between the arrays of a caller and vectors, on cores. */
#include "strided_task.h"

#include "memory.h"
#include "task.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Tiles {
    SinoTake take;
    SinoStridedTiles tiles;
} Tiles;

typedef struct Rays {
    SinoTake take;
    SinoStridedRays rays;
} Rays;

SinoStatus sino_take_check(bool finite, SinoTake take, SinoSlices slices)
{
    SINO_CHECK(finite, SINO_BAD_INPUT,
               "%s: among the slices %" PRId64 " to %" PRId64 " is a value that is NaN or infinite, or too large for "
               "the precision; allowed: finite values",
               take.what, take.first, take.first + slices.slice_count - 1);
    return NULL;
}

static SinoStatus take_tiles_cpu(const SinoTask *task)
{
    const Tiles *of = task->arguments;
    return sino_take_check(sino_strided_take_tiles(&of->tiles, sino_task_buffer(task, 0)), of->take, of->tiles.slices);
}

static SinoStatus give_tiles_cpu(const SinoTask *task)
{
    sino_strided_give_tiles(&((const Tiles *)task->arguments)->tiles, sino_task_buffer(task, 0));
    return NULL;
}

static SinoStatus take_rays_cpu(const SinoTask *task)
{
    const Rays *of = task->arguments;
    return sino_take_check(sino_strided_take_rays(&of->rays, sino_task_buffer(task, 0)), of->take, of->rays.slices);
}

static SinoStatus give_rays_cpu(const SinoTask *task)
{
    sino_strided_give_rays(&((const Rays *)task->arguments)->rays, sino_task_buffer(task, 0));
    return NULL;
}

/* Arguments of a task whose buffers are its scratch, then the partial vectors. */
typedef struct Sums {
    SinoStridedRays rays;
    int64_t count;
    const SinoRowMap *map;
} Sums;

static SinoStatus give_sums_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    const void **vector;
    SINO_TRY(sino_allocate(of->count, sizeof *vector, "a list of partial sums", &vector));
    for (int64_t i = 0; i < of->count; i++) vector[i] = sino_task_buffer(task, (int)i + 1);
    const SinoPartials partials = {.count = of->count, .map = of->map, .vector = vector};
    sino_strided_give_sums(&of->rays, &partials, sino_task_buffer(task, 0));
    free(vector);
    return NULL;
}

static const SinoTaskKind take_tiles_kind = {
    .name = "take_tiles", .argument_bytes = sizeof(Tiles), .access_min = 1, .access_max = 1, .cpu = take_tiles_cpu};
static const SinoTaskKind give_tiles_kind = {
    .name = "give_tiles", .argument_bytes = sizeof(Tiles), .access_min = 1, .access_max = 1, .cpu = give_tiles_cpu};
static const SinoTaskKind take_rays_kind = {
    .name = "take_rays", .argument_bytes = sizeof(Rays), .access_min = 1, .access_max = 1, .cpu = take_rays_cpu};
static const SinoTaskKind give_rays_kind = {
    .name = "give_rays", .argument_bytes = sizeof(Rays), .access_min = 1, .access_max = 1, .cpu = give_rays_cpu};
static const SinoTaskKind give_sums_kind = {.name = "give_sums",
                                            .argument_bytes = sizeof(Sums),
                                            .access_min = 2,
                                            .access_max = SINO_TASK_DATA_MANY,
                                            .cpu = give_sums_cpu};

static SinoStatus insert_tiles(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind, SinoTake take,
                               const SinoStridedTiles *tiles, SinoAccess access)
{
    const Tiles arguments = {.take = take, .tiles = *tiles};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = &access,
                                               .access_count = 1,
                                               SINO_OF_SLICES(tiles->slices),
                                               .work = (double)tiles->tile_count * (double)tiles->slices.stride});
}

static SinoStatus insert_rays(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind, SinoTake take,
                              const SinoStridedRays *rays, SinoAccess access)
{
    const Rays arguments = {.take = take, .rays = *rays};
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = &access,
                                               .access_count = 1,
                                               SINO_OF_SLICES(rays->slices),
                                               .work = (double)(rays->last_angle - rays->first_angle) *
                                                       (double)rays->column_count * (double)rays->slices.stride});
}

SinoStatus sino_insert_take_tiles(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                  const SinoStridedTiles *tiles, SinoData *x)
{
    return insert_tiles(runtime, position, &take_tiles_kind, take, tiles, (SinoAccess){x, SINO_WRITE});
}

SinoStatus sino_insert_take_rays(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                 const SinoStridedRays *rays, bool shared, SinoData *y)
{
    const SinoAccessMode mode = shared ? SINO_READ : rays->first_row > 0 ? SINO_READ_WRITE : SINO_WRITE;
    return insert_rays(runtime, position, &take_rays_kind, take, rays, (SinoAccess){y, mode});
}

SinoStatus sino_insert_give_tiles(SinoRuntime *runtime, SinoPosition position, const SinoStridedTiles *tiles,
                                  SinoData *x)
{
    return insert_tiles(runtime, position, &give_tiles_kind, (SinoTake){0}, tiles, (SinoAccess){x, SINO_READ});
}

SinoStatus sino_insert_give_rays(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays, SinoData *y)
{
    return insert_rays(runtime, position, &give_rays_kind, (SinoTake){0}, rays, (SinoAccess){y, SINO_READ});
}

int64_t sino_give_sums_bytes(SinoSlices slices, int64_t column_count)
{
    return sino_strided_sums_bytes(&(SinoStridedRays){.slices = slices, .column_count = column_count});
}

/* Elements of the rays that the task gives, and of all partials for them. */
static double values_of(const SinoStridedRays *rays, const SinoParts *parts)
{
    const double share = (double)(rays->last_angle - rays->first_angle) / (double)rays->angle_count;
    double rows = (double)rays->angle_count * (double)rays->column_count;
    for (int64_t i = 0; i < parts->count; i++) rows += (double)parts->map[i].count;
    return share * rows * (double)rays->slices.stride;
}

SinoStatus sino_insert_give_sums(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays,
                                 const SinoParts *parts, SinoData *scratch)
{
    const Sums arguments = {.rays = *rays, .count = parts->count, .map = parts->map};
    const double values = values_of(rays, parts);
    SinoAccess *access;
    SINO_TRY(sino_allocate(parts->count + 1, sizeof *access, "the data of a task", &access));
    access[0] = (SinoAccess){scratch, SINO_SCRATCH};
    for (int64_t i = 0; i < parts->count; i++) access[i + 1] = (SinoAccess){parts->vector[i], SINO_READ};
    SinoStatus status = sino_task_submit(
        runtime, &give_sums_kind,
        &(SinoTaskRequest){.position = position,
                           .arguments = &arguments,
                           .argument_bytes = sizeof arguments,
                           .access = access,
                           .access_count = (int)parts->count + 1,
                           SINO_OF_SLICES(rays->slices),
                           .work = values,
                           .part_bytes = (int64_t)(values * (double)sino_precision_bytes(rays->slices.precision))});
    free(access);
    return status;
}
