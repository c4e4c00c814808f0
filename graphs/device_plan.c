/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plan: partitions and minibatches that fit the memory of a device. */
#include "device_plan.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Lists are this many times the block, at most: of both directions, and of one of them. tests/gather_density finds 1.1
 * to 1.2 for one direction of R = 4 and 1.6 to 1.8 for R = 16 at 375 angles and more; few angles make more of them. */
static const double lists_factor = 3.5, direction_factor = 2.2;

enum { PARTITIONS_MAX = 4096, TASKS_AT_ONCE = 2, LEAST_MINIBATCH = 16 };

/* Each length that a GPU reads from its memory then serves 64 slices. */
enum { CUDA_MINIBATCH = 64 };

/* A task's bytes on a device. */
typedef struct Need {
    int64_t lists, vectors;
} Need;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What StarPU holds for small data beside these. */
static int64_t held(const SinoDeviceRoom *room, Need need)
{
    return room->held_bytes[larger(need.lists, need.vectors) > SINO_SMALL_DATA_BYTES];
}

/* What two tasks take of a device. */
static int64_t at_a_time(const SinoDeviceRoom *room, Need need)
{
    return TASKS_AT_ONCE * (need.lists + need.vectors) + held(room, need);
}

SinoDeviceRoom sino_device_room(const SinoRuntime *runtime, const SinoOperator *op)
{
    const bool cuda = sino_runtime_devices(runtime) & SINO_DEVICE_CUDA;
    SinoDeviceRoom room = {.bytes = sino_runtime_device_bytes(runtime),
                           .count = sino_runtime_device_count(runtime),
                           .held_bytes = {sino_runtime_device_held(runtime, SINO_SMALL_DATA_BYTES),
                                          sino_runtime_device_held(runtime, SINO_SMALL_DATA_BYTES + 1)},
                           .slices = cuda ? CUDA_MINIBATCH : 0,
                           .partition_count = op ? op->partition_count : 0};
    for (int64_t p = 0; op && p < op->partition_count; p++)
        for (int direction = 0; direction < 2; direction++)
            room.block_bytes = larger(room.block_bytes, op->partition[p].lists[direction].bytes);
    if (op) room.lists_bytes = op->lists_bytes;
    return room;
}

bool sino_device_takes(const SinoRuntime *runtime, int64_t bytes)
{
    const SinoDeviceRoom room = sino_device_room(runtime, NULL);
    return room.count > 0 && (room.bytes == 0 || at_a_time(&room, (Need){.vectors = bytes}) <= room.bytes);
}

int64_t sino_device_estimate_lists(int64_t operator_bytes)
{
    return (int64_t)(lists_factor * (double)operator_bytes);
}

/* The largest task of each kind. A partition ends where a tile does, so that some have more than their share. */
static Need need_of(const SinoSettings *settings, const SinoGeometry *geometry, const SinoSolver *solver,
                    const SinoDeviceRoom *room, int64_t operator_bytes, int64_t partition_count, int64_t minibatch)
{
    const SinoPrecision solver_precision = sino_precision_solver(settings->precision);
    const int64_t element = (int64_t)sino_precision_bytes(solver_precision);
    const int64_t row = sino_panel_stride(settings->precision, minibatch) * element;
    const double share = partition_count == 1 ? 1 : 1.3 / (double)partition_count;
    const int64_t rays = sino_geometry_ray_count(geometry) * row;
    const int64_t voxels = (int64_t)((double)sino_tile_voxels(geometry->grid_size) * share) * row;
    const int64_t spmm = rays + voxels + sino_spmm_scratch_bytes();
    /* The vectors that one update, reduce or spread task names. */
    const int64_t updates = larger(solver->vectors.rays * rays + rays / row * element, solver->vectors.voxels * voxels);
    const int64_t reduce = 2 * rays + rays / row * (int64_t)sizeof(uint32_t);
    return (Need){.lists = room->block_bytes ? room->block_bytes
                                             : (int64_t)(direction_factor * (double)operator_bytes * share),
                  .vectors = larger(spmm, larger(updates, reduce))};
}

static SinoStatus too_small(const SinoDeviceRoom *room, Need need, int64_t partition_count, int64_t minibatch)
{
    char bytes[24], all[24], lists[24], vectors[24], more[24], others[64] = "";
    if (held(room, need) > 0)
        snprintf(others, sizeof others, ", and %s that StarPU holds", sino_bytes_text(held(room, need), more));
    return sino_error(SINO_BAD_INPUT,
                      "a device has %s of memory; two tasks of this reconstruction need %s there at a time (each lists "
                      "of A %s and vectors %s%s, with %" PRId64 " partitions and minibatches of %" PRId64
                      "); allowed: more --partitions, a smaller --minibatch, or --device cpu",
                      sino_bytes_text(room->bytes, bytes), sino_bytes_text(at_a_time(room, need), all),
                      sino_bytes_text(need.lists, lists), sino_bytes_text(need.vectors, vectors), others,
                      partition_count, minibatch);
}

SinoStatus sino_device_plan(const SinoSettings *settings, const SinoGeometry *geometry, const SinoSolver *solver,
                            const SinoDeviceRoom *room, int64_t operator_bytes, int64_t *partition_count,
                            int64_t *minibatch)
{
    const bool open_partitions = settings->partitions == 0 && room->partition_count == 0;
    const bool open_minibatch = settings->minibatch == 0;
    if (room->bytes == 0) return NULL;
    for (;;) {
        const Need need = need_of(settings, geometry, solver, room, operator_bytes, *partition_count, *minibatch);
        if (at_a_time(room, need) <= room->bytes) return NULL;
        const bool can_split = open_partitions && *partition_count < PARTITIONS_MAX;
        const bool can_shrink = open_minibatch && *minibatch > 1;
        /* Lists first, since a small minibatch is slow; then the larger of the two. */
        if (can_split && (need.lists >= need.vectors || !can_shrink || *minibatch <= LEAST_MINIBATCH))
            *partition_count *= 2;
        else if (can_shrink)
            *minibatch = (*minibatch + 1) / 2;
        else
            return too_small(room, need, *partition_count, *minibatch);
    }
}
