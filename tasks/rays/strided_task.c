/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks take and give: between the arrays of a caller and vectors, on cores. */
#include "rays_tasks.h"

#include "task.h"

#include <inttypes.h>

typedef struct Tiles {
    SinoOperand x;
    SinoTake take;
    SinoStridedTiles tiles;
} Tiles;

typedef struct Rays {
    SinoOperand y;
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
    return sino_take_check(sino_strided_take_tiles(&of->tiles, of->x.at), of->take, of->tiles.slices);
}

static SinoStatus give_tiles_cpu(const SinoTask *task)
{
    const Tiles *of = task->arguments;
    sino_strided_give_tiles(&of->tiles, of->x.at);
    return NULL;
}

static SinoStatus take_rays_cpu(const SinoTask *task)
{
    const Rays *of = task->arguments;
    return sino_take_check(sino_strided_take_rays(&of->rays, of->y.at), of->take, of->rays.slices);
}

static SinoStatus give_rays_cpu(const SinoTask *task)
{
    const Rays *of = task->arguments;
    sino_strided_give_rays(&of->rays, of->y.at);
    return NULL;
}

static const SinoTaskKind take_tiles_kind = {
    .name = "take_tiles", SINO_ARGUMENTS(Tiles, SINO_WRITES(Tiles, x)), .cpu = take_tiles_cpu};
static const SinoTaskKind give_tiles_kind = {
    .name = "give_tiles", SINO_ARGUMENTS(Tiles, SINO_READS(Tiles, x)), .cpu = give_tiles_cpu};
static const SinoTaskKind take_rays_kind = {
    .name = "take_rays", SINO_ARGUMENTS(Rays, SINO_WRITES(Rays, y)), .cpu = take_rays_cpu};
static const SinoTaskKind give_rays_kind = {
    .name = "give_rays", SINO_ARGUMENTS(Rays, SINO_READS(Rays, y)), .cpu = give_rays_cpu};

static SinoStatus insert_tiles(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind,
                               const Tiles *arguments)
{
    const SinoStridedTiles *tiles = &arguments->tiles;
    return SINO_SUBMIT(runtime, kind, position, arguments, SINO_OF_SLICES(tiles->slices),
                       .work = (double)tiles->tile_count * (double)tiles->slices.stride);
}

static SinoStatus insert_rays(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind,
                              const Rays *arguments)
{
    const SinoStridedRays *rays = &arguments->rays;
    return SINO_SUBMIT(runtime, kind, position, arguments, SINO_OF_SLICES(rays->slices),
                       .work = (double)(rays->last_angle - rays->first_angle) * (double)rays->column_count *
                               (double)rays->slices.stride);
}

SinoStatus sino_insert_take_tiles(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                  const SinoStridedTiles *tiles, SinoData *x)
{
    return insert_tiles(runtime, position, &take_tiles_kind, &(Tiles){.x.data = x, .take = take, .tiles = *tiles});
}

SinoStatus sino_insert_take_rays(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                 const SinoStridedRays *rays, bool shared, SinoData *y)
{
    const SinoAccessMode mode = shared ? SINO_READ : rays->first_row > 0 ? SINO_READ_WRITE : SINO_WRITE;
    const Rays arguments = {.y = {.data = y, .mode = mode}, .take = take, .rays = *rays};
    return insert_rays(runtime, position, &take_rays_kind, &arguments);
}

SinoStatus sino_insert_give_tiles(SinoRuntime *runtime, SinoPosition position, const SinoStridedTiles *tiles,
                                  SinoData *x)
{
    return insert_tiles(runtime, position, &give_tiles_kind, &(Tiles){.x.data = x, .tiles = *tiles});
}

SinoStatus sino_insert_give_rays(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays, SinoData *y)
{
    return insert_rays(runtime, position, &give_rays_kind, &(Rays){.y.data = y, .rays = *rays});
}

int64_t sino_give_sums_bytes(SinoSlices slices, int64_t column_count)
{
    return sino_strided_sums_bytes(&(SinoStridedRays){.slices = slices, .column_count = column_count});
}

typedef struct Sums {
    SinoOperand scratch;
    SinoOperandList partial;
    SinoStridedRays rays;
    const SinoRowMap *map; /* [partial.count] */
} Sums;

static SinoStatus give_sums_cpu(const SinoTask *task)
{
    const Sums *of = task->arguments;
    const SinoPartials partials = {.count = of->partial.count, .map = of->map, .vector = of->partial.read};
    sino_strided_give_sums(&of->rays, &partials, of->scratch.at);
    return NULL;
}

static const SinoTaskKind give_sums_kind = {
    .name = "give_sums",
    SINO_ARGUMENTS(Sums, SINO_USES(Sums, scratch), SINO_READS_EACH(Sums, partial)),
    .cpu = give_sums_cpu};

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
    const Sums arguments = {.scratch.data = scratch,
                            .partial = {.data = parts->vector, .count = parts->count},
                            .rays = *rays,
                            .map = parts->map};
    const double values = values_of(rays, parts);
    return SINO_SUBMIT(runtime, &give_sums_kind, position, &arguments, SINO_OF_SLICES(rays->slices), .work = values,
                       .part_bytes = (int64_t)(values * (double)sino_precision_bytes(rays->slices.precision)));
}
