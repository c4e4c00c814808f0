/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator, devices: the lists that devices gather from, made from the blocks by parallel tasks, and footprints as
 * data.
 *
 * Lists are as large as the block, or larger, and never kept on disk: they are made anew from a block that was. */
#include "operator_private.h"

#include "block_data.h"
#include "memory.h"

#include <stdlib.h>

enum { DIRECTIONS = 2, VISITS_PER_TASK = 64 };

static bool devices_compute(const SinoRuntime *runtime)
{
    return sino_runtime_devices(runtime) != SINO_DEVICE_CPU;
}

SinoStatus sino_operator_check_devices(const SinoRuntime *runtime, const SinoOperator *op)
{
    SINO_CHECK(
        op->window_count == 0 || !devices_compute(runtime), SINO_BAD_INPUT,
        "the memory that is given does not hold the operator, which devices need whole; allowed: more --memory, or "
        "--device cpu");
    return NULL;
}

/* R of the lists: matrix units take groups of 16; OpenCL kernels know groups of 4 only. */
static int outputs_of(const SinoRuntime *runtime, SinoPrecision precision)
{
    const bool narrow = precision == SINO_HALF || precision == SINO_MIXED;
    const bool cuda_only = !(sino_runtime_devices(runtime) & SINO_DEVICE_OPENCL);
    return narrow && cuda_only ? SINO_BUNDLE_OUTPUTS : SINO_BUNDLE_GROUPS;
}

typedef struct Making {
    SinoRuntime *runtime;
    SinoOperator *op;
    SinoRegroup **regroup; /* of each partition and direction */
} Making;

static SinoStatus begin(Making *making)
{
    const SinoOperator *op = making->op;
    for (int64_t i = 0; i < op->partition_count * DIRECTIONS; i++) {
        const SinoPartition *partition = &op->partition[i / DIRECTIONS];
        const SinoRegroupInput input = {.block = sino_data_memory(partition->block),
                                        .layout = &op->layout,
                                        .footprint = &partition->footprint,
                                        .tile = partition->tile,
                                        .back = i % DIRECTIONS == 1,
                                        .outputs = outputs_of(making->runtime, op->layout.precision)};
        SINO_TRY(sino_regroup_new(&input, &making->regroup[i]));
    }
    return NULL;
}

static SinoStatus insert_measuring(Making *making)
{
    for (int64_t i = 0; i < making->op->partition_count * DIRECTIONS; i++) {
        const int64_t visits = sino_regroup_visit_count(making->regroup[i]);
        for (int64_t v = 0; v < visits; v += VISITS_PER_TASK)
            SINO_TRY(sino_insert_regroup_measure(making->runtime, i / DIRECTIONS, making->regroup[i], v,
                                                 visits - v < VISITS_PER_TASK ? visits - v : VISITS_PER_TASK));
    }
    return NULL;
}

static SinoStatus insert_filling(Making *making)
{
    SinoOperator *op = making->op;
    for (int64_t i = 0; i < op->partition_count * DIRECTIONS; i++) {
        const SinoRegroup *regroup = making->regroup[i];
        SinoPartitionLists *lists = &op->partition[i / DIRECTIONS].lists[i % DIRECTIONS];
        const int64_t visits = sino_regroup_visit_count(regroup);
        lists->bytes = sino_regroup_bytes(regroup);
        lists->memory = sino_allocate_large(lists->bytes);
        char text[24];
        SINO_CHECK(lists->memory, SINO_FAILED, "no memory for the operator's lists for devices: %s asked for",
                   sino_bytes_text(lists->bytes, text));
        op->lists_bytes += lists->bytes;
        /* CUDA copies from pinned memory at full speed, and meanwhile; without a GPU this does nothing. */
        starpu_memory_pin(lists->memory, (size_t)lists->bytes);
        sino_regroup_head(regroup, lists->memory);
        for (int64_t v = 0; v < visits; v += VISITS_PER_TASK)
            SINO_TRY(sino_insert_regroup_fill(making->runtime, i / DIRECTIONS, regroup, v,
                                              visits - v < VISITS_PER_TASK ? visits - v : VISITS_PER_TASK,
                                              lists->memory));
    }
    return NULL;
}

/* Lists of one direction take the same room on a device, whichever partition's they are. */
static SinoStatus register_lists(SinoRuntime *runtime, SinoOperator *op, int direction)
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

/* A copy, since a partition's tiles begin anywhere among all of them. */
static SinoStatus register_tiles(SinoRuntime *runtime, SinoPartition *partition)
{
    const int64_t bytes = partition->tile_count * (int64_t)sizeof *partition->tile;
    return bytes == 0 ? NULL : sino_data_copy(runtime, "tiles", partition->tile, bytes, &partition->tiles);
}

static SinoStatus register_tables(SinoRuntime *runtime, SinoOperator *op)
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

SinoStatus sino_operator_open_devices(SinoRuntime *runtime, SinoOperator *op)
{
    SinoStatus status = NULL;
    Making making = {.runtime = runtime, .op = op};
    const int64_t count = op->partition_count * DIRECTIONS;
    if (!devices_compute(runtime)) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *making.regroup, "lists for devices", &making.regroup));
    SINO_TRY_OR(status, cleanup, begin(&making));
    SINO_TRY_OR(status, cleanup, sino_runtime_wait_after(runtime, insert_measuring(&making)));
    SINO_TRY_OR(status, cleanup, sino_runtime_wait_after(runtime, insert_filling(&making)));
    for (int direction = 0; direction < DIRECTIONS; direction++)
        SINO_TRY_OR(status, cleanup, register_lists(runtime, op, direction));
    status = register_tables(runtime, op);
cleanup:
    for (int64_t i = 0; i < count; i++) sino_regroup_free(making.regroup[i]);
    free(making.regroup);
    return status;
}

void sino_operator_close_devices(SinoOperator *op)
{
    for (int64_t p = 0; op->partition && p < op->partition_count; p++) {
        SinoPartition *partition = &op->partition[p];
        sino_data_free(partition->rays);
        sino_data_free(partition->tiles);
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            SinoPartitionLists *lists = &partition->lists[direction];
            sino_data_free(lists->data);
            if (lists->memory) starpu_memory_unpin(lists->memory, (size_t)lists->bytes);
            free(lists->memory);
        }
    }
}

SinoStatus sino_operator_use(SinoRuntime *runtime, const SinoOperator *op, SinoPosition position, bool back,
                             SinoSpmm *spmm)
{
    SinoData *listed = op->partition[position.partition].lists[back].data;
    spmm->has_lists = listed != NULL;
    spmm->block = listed;
    return listed ? NULL : sino_operator_block(runtime, op, position, &spmm->block);
}
