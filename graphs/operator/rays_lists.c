/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, lists: the lists that devices gather from, made from the blocks by parallel tasks on cores or GPUs.
 *
 * Tasks first measure all visits, which gives the size of the lists, and then write each visit to its place. A task
 * makes some visits of one partition and direction. If a GPU computes, the task's input and output are StarPU data in
 * pieces that fit the GPU. A partition whose block leaves no room for the pieces is done by cores. Ranks that have
 * built the blocks together make some visits each (rays_share.c). */
#include "memory.h"
#include "rays_private.h"
#include "rays_tasks.h"
#include "simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 2, VISITS_OF_CORE = 64, VISITS_OF_GPU = 512, TOUCHED_BYTES = 64 << 20 /* by a task */ };

/* The lists of one partition and direction in the making. */
typedef struct Making {
    SinoRuntime *runtime;
    int64_t number; /* the partition's */
    SinoPartition *partition;
    SinoPartitionLists *lists;
    SinoRegroup *regroup;
    int64_t visit_count;
    int64_t first_visit, end_visit; /* that this rank makes */
    SinoRegroupSize *size;
    int64_t task_bytes; /* most bytes of lists that one task on a GPU may make; 0: cores make them */
    SinoRegroupData data;
    bool owns_input;    /* this direction registered block and rays; false: it uses those of the first direction */
    SinoData **written; /* data over the memory that each task writes */
    int64_t written_count;
} Making;

/* R of the lists: groups of 16 for matrix units, groups of 4 for OpenCL kernels. */
static int outputs_of(const SinoRuntime *runtime, SinoPrecision precision)
{
    const bool narrow = sino_precision_is_narrow(precision);
    const bool cuda_only = !(sino_runtime_devices(runtime) & SINO_DEVICE_OPENCL);
    return narrow && cuda_only ? SINO_BUNDLE_OUTPUTS : SINO_BUNDLE_GROUPS;
}

/* Number of listed rays of the footprint; 0 if they are not listed. */
static int64_t listed_rays(const SinoPartition *partition)
{
    return partition->footprint.ray ? partition->footprint.ray_count : 0;
}

/* Registers block and rays for both directions. They are registered anew, so that no small piece of them stays on a GPU
 * after the lists are made and keeps StarPU from large allocations. */
static SinoStatus open_input(Making *making, const Making *first)
{
    const SinoPartition *partition = making->partition;
    const int64_t rays = listed_rays(partition);
    SinoRegroupData *data = &making->data;
    if (first->owns_input) {
        data->block = first->data.block;
        data->rays = first->data.rays;
        return NULL;
    }
    making->owns_input = true;
    SINO_TRY(sino_data_borrow(making->runtime, "A", sino_data_memory(partition->block), partition->block_bytes,
                              &data->block));
    if (rays == 0) return NULL;
    return sino_data_borrow(making->runtime, "footprint", partition->footprint.ray,
                            rays * (int64_t)sizeof *partition->footprint.ray, &data->rays);
}

/* Registers the tables, and decides whether a GPU has room for a task's input. */
static SinoStatus open_data(Making *making, const Making *first)
{
    SinoRegroupData *data = &making->data;
    void *table;
    data->shape = sino_regroup_shape(making->regroup);
    const int64_t table_bytes = sino_regroup_table_bytes(&data->shape);
    const int64_t input_bytes = making->partition->block_bytes + table_bytes +
                                listed_rays(making->partition) * (int64_t)sizeof(uint32_t) +
                                sino_regroup_head_bytes(making->regroup);
    making->task_bytes = sino_regroup_gpu_bytes(making->runtime, &data->shape, input_bytes);
    if (making->task_bytes == 0) return NULL;
    SINO_TRY(open_input(making, first));
    SINO_TRY(sino_data_new(making->runtime, "visits", table_bytes, &data->table));
    SINO_TRY(sino_data_acquire(data->table, SINO_WRITE, &table));
    sino_regroup_table(making->regroup, table);
    sino_data_release(data->table);
    return NULL;
}

/* Starts the lists of one direction. `first`: the first direction of the same partition. */
static SinoStatus begin(Making *making, const Making *first, const SinoRays *op)
{
    const SinoPartition *partition = making->partition;
    const SinoRegroupInput input = {.block = sino_data_memory(partition->block),
                                    .layout = &op->layout,
                                    .footprint = &partition->footprint,
                                    .tile = partition->tile,
                                    .back = making != first,
                                    .outputs = outputs_of(making->runtime, op->layout.precision)};
    SINO_TRY(sino_regroup_new(&input, &making->regroup));
    making->visit_count = sino_regroup_visit_count(making->regroup);
    making->first_visit = sino_rays_share_visit(op, making->visit_count, op->ring.own);
    making->end_visit = sino_rays_share_visit(op, making->visit_count, op->ring.own + 1);
    /* The array is padded to whole cache lines, because pieces of it become data. */
    SINO_TRY(sino_allocate(sino_block_align(making->visit_count, SINO_ALIGNMENT_BYTES), sizeof *making->size,
                           "sizes of visits", &making->size));
    SINO_TRY(sino_allocate(making->visit_count, sizeof(SinoData *), "pieces of lists", &making->written));
    return making->visit_count > 0 ? open_data(making, first) : NULL;
}

/* Registers the memory that the task writes, if the task may run on a GPU. */
static SinoStatus write_data(Making *making, const char *name, const void *memory, int64_t bytes, SinoRegroupPart *part)
{
    if (making->task_bytes == 0) return NULL;
    SINO_TRY(sino_data_borrow(making->runtime, name, memory, bytes, &making->written[making->written_count]));
    part->written = making->written[making->written_count++];
    part->data = &making->data;
    return NULL;
}

/* Waits for the tasks and frees the data that they have written. */
static void close_written(Making *making)
{
    while (making->written_count > 0) sino_data_free(making->written[--making->written_count]);
}

static SinoRegroupPart part_of(const Making *making, int64_t first)
{
    const int64_t most = making->task_bytes > 0 ? VISITS_OF_GPU : VISITS_OF_CORE, left = making->end_visit - first;
    return (SinoRegroupPart){
        .partition = making->number, .regroup = making->regroup, .first = first, .count = left < most ? left : most};
}

static SinoStatus insert_measuring(Making *making)
{
    for (int64_t first = making->first_visit; first < making->end_visit;) {
        SinoRegroupPart part = part_of(making, first);
        SinoRegroupSize *size = making->size + first;
        SINO_TRY(write_data(making, "sizes", size, part.count * (int64_t)sizeof *size, &part));
        SINO_TRY(sino_insert_regroup_measure(making->runtime, &part, size));
        first += part.count;
    }
    return NULL;
}

/* Allocates the lists. Pinning memory would touch its pages one by one, so all cores touch them first. */
static SinoStatus allocate_lists(Making *making)
{
    SinoPartitionLists *lists = making->lists;
    const bool pinned = sino_runtime_devices(making->runtime) & SINO_DEVICE_CUDA;
    char text[24];
    sino_regroup_take(making->regroup, 0, making->visit_count, making->size);
    lists->bytes = sino_regroup_bytes(making->regroup);
    lists->memory = sino_data_addresses(lists->bytes);
    SINO_CHECK(lists->memory, SINO_FAILED, "no memory for the operator's lists for devices: %s asked for",
               sino_bytes_text(lists->bytes, text));
    for (int64_t at = 0; pinned && at < lists->bytes; at += TOUCHED_BYTES)
        SINO_TRY(sino_insert_touch(making->runtime, making->number, (char *)lists->memory + at,
                                   lists->bytes - at < TOUCHED_BYTES ? lists->bytes - at : TOUCHED_BYTES));
    return NULL;
}

/* Allocates the lists and writes their tables. */
static SinoStatus open_lists(Making *making)
{
    const SinoPartitionLists *lists = making->lists;
    /* CUDA copies from page-locked memory asynchronously and at full bandwidth. Without a GPU this does nothing. */
    sino_data_pin(making->runtime, lists->memory, lists->bytes);
    sino_regroup_head(making->regroup, lists->memory);
    if (making->task_bytes == 0) return NULL;
    return sino_data_borrow(making->runtime, "head of lists", lists->memory, sino_regroup_head_bytes(making->regroup),
                            &making->data.head);
}

static SinoStatus insert_filling(Making *making)
{
    const SinoGatherHeader *head = making->lists->memory;
    for (int64_t first = making->first_visit; first < making->end_visit;) {
        SinoRegroupPart part = part_of(making, first);
        const int64_t begin = sino_regroup_offset(head, first);
        while (making->task_bytes > 0 && part.count > 1 &&
               sino_regroup_offset(head, first + part.count) - begin > making->task_bytes)
            part.count = (part.count + 1) / 2;
        const int64_t bytes = sino_regroup_offset(head, first + part.count) - begin;
        first += part.count;
        if (bytes == 0) continue; /* all lengths are zero as halves */
        SINO_TRY(write_data(making, "lists", (const char *)head + begin, bytes, &part));
        SINO_TRY(sino_insert_regroup_fill(making->runtime, &part, making->lists->memory));
        if (part.data) sino_data_return(part.written);
    }
    return NULL;
}

static SinoStatus measure_all(Making *making, int64_t count)
{
    for (int64_t i = 0; i < count; i++) SINO_TRY(insert_measuring(&making[i]));
    return NULL;
}

static int64_t size_offset(const void *context, int64_t visit)
{
    (void)context;
    return visit * (int64_t)sizeof(SinoRegroupSize);
}

static int64_t list_offset(const void *lists, int64_t visit)
{
    return sino_regroup_offset(lists, visit);
}

/* Completes the sizes, or the lists, by what other ranks have made. Consumes the status of this rank's tasks. */
static SinoStatus share_all(Making *making, int64_t count, SinoRuntime *runtime, const SinoRays *op, bool sizes,
                            SinoStatus status)
{
    for (int64_t i = 0; i < count; i++) close_written(&making[i]);
    if (op->ring.count < 2) return status;
    SINO_TRY(sino_ring_agree(sino_runtime_processes(runtime), &op->ring, status));
    for (int64_t i = 0; i < count; i++) {
        void *memory = sizes ? (void *)making[i].size : making[i].lists->memory;
        const SinoRaysOffset offset = {sizes ? size_offset : list_offset, memory};
        SINO_TRY(sino_rays_share_lists(runtime, op, making[i].visit_count, &offset, memory, false));
    }
    return NULL;
}

static SinoStatus allocate_all(Making *making, int64_t count)
{
    for (int64_t i = 0; i < count; i++) SINO_TRY(allocate_lists(&making[i]));
    return NULL;
}

static SinoStatus fill_all(Making *making, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        SINO_TRY(open_lists(&making[i]));
        SINO_TRY(insert_filling(&making[i]));
    }
    return NULL;
}

/* Logs how many lists only cores can make although a GPU computes. */
static void tell(SinoRuntime *runtime, const Making *making, int64_t count)
{
    int64_t host = 0, all = 0;
    if (!(sino_runtime_devices(runtime) & SINO_DEVICE_CUDA)) return;
    for (int64_t i = 0; i < count; i++) {
        all += making[i].visit_count > 0;
        host += making[i].visit_count > 0 && making[i].task_bytes == 0;
    }
    if (host == 0) return;
    sino_log_info(sino_runtime_log(runtime), "devices",
                  "cores make %" PRId64 " of %" PRId64
                  " sets of lists: a GPU has too little room for their blocks and some of the lists",
                  host, all);
}

static void end(Making *making)
{
    close_written(making);
    if (making->owns_input) {
        sino_data_free(making->data.block);
        sino_data_free(making->data.rays);
    }
    sino_data_free(making->data.head);
    sino_data_free(making->data.table);
    sino_regroup_free(making->regroup);
    free(making->size);
    free(making->written);
}

static SinoStatus begin_all(SinoRuntime *runtime, SinoRays *op, Making *making, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        SinoPartition *partition = &op->partition[i / DIRECTIONS];
        making[i] = (Making){.runtime = runtime,
                             .number = i / DIRECTIONS,
                             .partition = partition,
                             .lists = &partition->lists[i % DIRECTIONS]};
        SINO_TRY(begin(&making[i], &making[i - i % DIRECTIONS], op));
    }
    tell(runtime, making, count);
    return NULL;
}

SinoStatus sino_rays_make_lists(SinoRuntime *runtime, SinoRays *op, SinoStatus status)
{
    Making *making = NULL;
    const int64_t count = op->partition_count * DIRECTIONS;
    if (!status) status = sino_allocate(count, sizeof *making, "lists for devices", &making);
    if (!status) status = begin_all(runtime, op, making, count);
    if (!status) status = sino_runtime_wait_after(runtime, measure_all(making, count));
    SINO_TRY_OR(status, cleanup, share_all(making, making ? count : 0, runtime, op, true, status));
    assert(making);
    status = sino_runtime_wait_after(runtime, allocate_all(making, count));
    if (!status) status = sino_runtime_wait_after(runtime, fill_all(making, count));
    SINO_TRY_OR(status, cleanup, share_all(making, count, runtime, op, false, status));
    for (int64_t i = 0; i < count; i++) op->lists_bytes += making[i].lists->bytes;
cleanup:
    for (int64_t i = 0; making && i < count; i++) end(&making[i]);
    free(making);
    return status;
}
