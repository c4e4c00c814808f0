/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, devices: the lists that devices gather from (rays_lists.c), and footprints as data.
 *
 * Lists are as large as the block, or larger. They are never saved on disk, but made again from a block that was. */
#include "rays_private.h"

#include "block_data.h"
#include "simulation.h"

enum { DIRECTIONS = 2 };

static bool devices_compute(const SinoRuntime *runtime)
{
    return sino_runtime_devices(runtime) != SINO_DEVICE_CPU;
}

SinoStatus sino_rays_check_devices(const SinoRuntime *runtime, const SinoRays *op)
{
    SINO_CHECK(
        op->window_count == 0 || !devices_compute(runtime), SINO_BAD_INPUT,
        "the memory that is given does not hold the operator, which devices need whole; allowed: more --memory, or "
        "--device cpu");
    return NULL;
}

/* Registers the lists of one direction. Every partition's lists reserve the same room on a device. */
static SinoStatus register_lists(SinoRuntime *runtime, SinoRays *op, int direction)
{
    int64_t room = 0;
    for (int64_t p = 0; p < op->partition_count; p++)
        if (op->partition[p].lists[direction].bytes > room) room = op->partition[p].lists[direction].bytes;
    for (int64_t p = 0; p < op->partition_count; p++) {
        SinoPartition *partition = &op->partition[p];
        SinoPartitionLists *lists = &partition->lists[direction];
        SINO_TRY(sino_block_data_new(runtime, direction == 0 ? "A" : "Aᵀ", sino_data_memory(partition->block),
                                     lists->memory, room, &lists->data));
    }
    return NULL;
}

/* Registers a copy of the partition's tiles: data must be aligned, but the tiles begin anywhere in the decomposition's
 * array. */
static SinoStatus register_tiles(SinoRuntime *runtime, SinoPartition *partition)
{
    const int64_t bytes = partition->tile_count * (int64_t)sizeof *partition->tile;
    return bytes == 0 ? NULL : sino_data_copy(runtime, "tiles", partition->tile, bytes, &partition->tiles);
}

static SinoStatus register_tables(SinoRuntime *runtime, SinoRays *op)
{
    for (int64_t p = 0; p < op->partition_count; p++) {
        SinoPartition *partition = &op->partition[p];
        const SinoFootprint *footprint = &partition->footprint;
        SINO_TRY(register_tiles(runtime, partition));
        if (footprint->ray && footprint->ray_count > 0)
            SINO_TRY(sino_data_borrow(runtime, "footprint", footprint->ray,
                                      footprint->ray_count * (int64_t)sizeof *footprint->ray, &partition->rays));
    }
    return NULL;
}

/* Bytes of lists that are copied to a device ahead: half of its memory. */
static int64_t most_ahead(const SinoRuntime *runtime)
{
    const int64_t room = sino_runtime_device_bytes(runtime);
    return room > 0 ? room / 2 : INT64_MAX;
}

bool sino_rays_are_everywhere(const SinoRuntime *runtime, int64_t lists_bytes)
{
    return lists_bytes <= most_ahead(runtime);
}

/* Copies lists to the devices ahead: all of them to every device if there is room, else as many partitions of its
 * own. */
static void prefetch(const SinoRuntime *runtime, const SinoRays *op)
{
    const int64_t devices = sino_runtime_device_count(runtime), most = most_ahead(runtime);
    const bool all = sino_rays_are_everywhere(runtime, op->lists_bytes);
    for (int64_t device = 0; device < devices; device++) {
        int64_t bytes = 0;
        for (int64_t p = all ? 0 : device; p < op->partition_count; p += all ? 1 : devices)
            for (int direction = 0; direction < DIRECTIONS; direction++) {
                const SinoPartitionLists *lists = &op->partition[p].lists[direction];
                if (lists->bytes > most - bytes) break;
                bytes += lists->bytes;
                sino_data_prefetch(lists->data, device);
            }
    }
}

SinoStatus sino_rays_open_devices(SinoRuntime *runtime, SinoRays *op, SinoStatus status)
{
    if (!devices_compute(runtime)) return status;
    SINO_TRY(SINO_SIMULATES ? sino_rays_sketch_lists(runtime, op, status) : sino_rays_make_lists(runtime, op, status));
    for (int direction = 0; direction < DIRECTIONS; direction++) SINO_TRY(register_lists(runtime, op, direction));
    prefetch(runtime, op);
    return register_tables(runtime, op);
}

void sino_rays_close_devices(SinoRays *op)
{
    for (int64_t p = 0; op->partition && p < op->partition_count; p++) {
        SinoPartition *partition = &op->partition[p];
        sino_data_free(partition->rays);
        sino_data_free(partition->tiles);
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            SinoPartitionLists *lists = &partition->lists[direction];
            sino_data_free(lists->data);
            if (lists->memory) sino_data_unpin(lists->memory, lists->bytes);
            sino_data_addresses_free(lists->memory, lists->bytes);
        }
    }
}

SinoStatus sino_rays_use(SinoRuntime *runtime, const SinoRays *op, SinoPosition position, bool back, SinoSpmm *spmm)
{
    SinoData *listed = op->partition[position.partition].lists[back].data;
    spmm->has_lists = listed != NULL;
    spmm->block = listed;
    return listed ? NULL : sino_rays_block(runtime, op, position, &spmm->block);
}
