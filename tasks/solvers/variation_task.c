/* SPDX-License-Identifier: BSD-3-Clause */
/* Task variation: steps that lower the total variation of the slices of a minibatch. */
#include "variation_task.h"

#include "arithmetic.h"
#include "memory.h"
#include "task.h"
#include "variation_cuda.h"
#include "variation_opencl.h"

#include <stdlib.h>

/* Buffers: the state; one that is read or written for the partition itself, or two; then one or two of each partition
 * that has voxels, in the order of the partitions; for devices the tables of tiles and of neighbours. */
typedef struct Arguments {
    SinoVariation variation;
} Arguments;

enum { STATE, OWN, TABLES = 2 };

/* The buffers of a vector of all partitions, from buffer `first` on; returns the number of the buffer after them. */
static int buffers_of(const SinoTask *task, const SinoVariation *variation, int first, const void **vector)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        vector[i] = sino_variation_is_empty(variation, i) ? NULL : sino_task_buffer(task, first++);
    return first;
}

static SinoStatus primal_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoVariation *variation = &arguments->variation;
    const void **vector = NULL;
    SINO_TRY(sino_allocate(2 * variation->part_count, sizeof *vector, "partitions", &vector));
    const int next = buffers_of(task, variation, OWN + 2, vector);
    (void)buffers_of(task, variation, next, vector + variation->part_count);
    sino_variation_primal(variation, sino_task_buffer(task, OWN), vector, vector + variation->part_count,
                          sino_task_buffer(task, STATE), sino_task_buffer(task, OWN + 1));
    free(vector);
    return NULL;
}

static SinoStatus dual_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    const SinoVariation *variation = &arguments->variation;
    const void **vector = NULL;
    SINO_TRY(sino_allocate(variation->part_count, sizeof *vector, "partitions", &vector));
    (void)buffers_of(task, variation, OWN + 2, vector);
    sino_variation_dual(variation, vector, sino_task_buffer(task, STATE), sino_task_buffer(task, OWN),
                        sino_task_buffer(task, OWN + 1));
    free(vector);
    return NULL;
}

/* The variation with its tables on the device, in the two buffers from `first` on. */
static SinoVariation with_tables(const SinoTask *task, int first)
{
    SinoVariation variation = ((const Arguments *)task->arguments)->variation;
    variation.tile = sino_task_buffer(task, first);
    variation.neighbour = sino_task_buffer(task, first + 1);
    return variation;
}

static SinoStatus primal_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoVariation *all = &((const Arguments *)task->arguments)->variation;
    const void *p[SINO_VARIATION_CUDA_PARTS] = {0}, *q[SINO_VARIATION_CUDA_PARTS] = {0};
    const int next = buffers_of(task, all, OWN + 2, p);
    const SinoVariation variation = with_tables(task, buffers_of(task, all, next, q));
    return sino_variation_primal_cuda(stream, &variation, sino_task_buffer(task, OWN), p, q,
                                      sino_task_buffer(task, STATE), sino_task_buffer(task, OWN + 1));
}

static SinoStatus dual_cuda(const SinoTask *task, cudaStream_t stream)
{
    const SinoVariation *all = &((const Arguments *)task->arguments)->variation;
    const void *u[SINO_VARIATION_CUDA_PARTS] = {0};
    const SinoVariation variation = with_tables(task, buffers_of(task, all, OWN + 2, u));
    return sino_variation_dual_cuda(stream, &variation, u, sino_task_buffer(task, STATE), sino_task_buffer(task, OWN),
                                    sino_task_buffer(task, OWN + 1));
}

/* On OpenCL devices one partition has all tiles (suits_devices). */
static SinoStatus primal_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    enum { P = OWN + 2, Q, TILES, NEIGHBOURS };
    const Arguments *arguments = task->arguments;
    return sino_variation_primal_opencl(opencl, &arguments->variation, sino_task_opencl_buffer(task, TILES),
                                        sino_task_opencl_buffer(task, NEIGHBOURS), sino_task_opencl_buffer(task, OWN),
                                        sino_task_opencl_buffer(task, P), sino_task_opencl_buffer(task, Q),
                                        sino_task_opencl_buffer(task, STATE), sino_task_opencl_buffer(task, OWN + 1));
}

static SinoStatus dual_opencl(const SinoTask *task, SinoOpencl *opencl)
{
    enum { U = OWN + 2, TILES, NEIGHBOURS };
    const Arguments *arguments = task->arguments;
    return sino_variation_dual_opencl(opencl, &arguments->variation, sino_task_opencl_buffer(task, TILES),
                                      sino_task_opencl_buffer(task, NEIGHBOURS), sino_task_opencl_buffer(task, U),
                                      sino_task_opencl_buffer(task, STATE), sino_task_opencl_buffer(task, OWN),
                                      sino_task_opencl_buffer(task, OWN + 1));
}

static const SinoTaskKind primal_kind = {.name = "variation_primal",
                                         .argument_bytes = sizeof(Arguments),
                                         .access_min = OWN + 4,
                                         .access_max = SINO_TASK_DATA_MANY,
                                         .cpu = primal_cpu,
                                         .cuda = SINO_ON_CUDA(primal_cuda),
                                         .opencl = SINO_ON_OPENCL(primal_opencl)};
static const SinoTaskKind dual_kind = {.name = "variation_dual",
                                       .argument_bytes = sizeof(Arguments),
                                       .access_min = OWN + 3,
                                       .access_max = SINO_TASK_DATA_MANY,
                                       .cpu = dual_cpu,
                                       .cuda = SINO_ON_CUDA(dual_cuda),
                                       .opencl = SINO_ON_OPENCL(dual_opencl)};

/* Bytes of z, u, p and q of all partitions. */
static int64_t step_bytes(const SinoVariation *variation)
{
    enum { STEP_VECTORS = 4 };
    const int64_t tiles = variation->first_tile[variation->part_count];
    const int64_t elements = sino_times(tiles * SINO_TILE_VOXELS, variation->slices.stride);
    return sino_times(STEP_VECTORS * elements, (int64_t)sino_precision_bytes(variation->slices.precision));
}

/* Whether devices may run both halves. The plan of a device's memory counts the vectors of one partition
 * (device_plan.h). Those of several partitions must fit twice, for this task and the next one. Devices that share the
 * partitions would copy vectors to each other after every half; then cores run them, and only z and u are copied. */
static bool suits_devices(const SinoRuntime *runtime, const SinoVariationTask *task)
{
    const SinoVariation *variation = &task->variation;
    const int64_t bytes = step_bytes(variation), room = sino_runtime_device_bytes(runtime);
    int64_t filled = 0;
    for (int64_t i = 0; i < variation->part_count; i++) filled += !sino_variation_is_empty(variation, i);
    if (!task->tiles || !task->neighbours || variation->part_count > SINO_VARIATION_CUDA_PARTS) return false;
    if (filled == 1) return true;
    return sino_runtime_device_count(runtime) == 1 && !(sino_runtime_devices(runtime) & SINO_DEVICE_OPENCL) &&
           (room == 0 || 2 * bytes + sino_runtime_device_held(runtime, bytes) <= room);
}

/* Appends the partitions' vectors to the accesses, and returns the number of accesses. */
static int append(const SinoVariation *variation, SinoData *const *vector, int count, SinoAccess *access)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        if (!sino_variation_is_empty(variation, i)) access[count++] = (SinoAccess){vector[i], SINO_READ};
    return count;
}

/* Submits a task with `count` accesses; `access` has room for TABLES more. */
static SinoStatus submit(SinoRuntime *runtime, SinoPosition position, const SinoTaskKind *kind,
                         const SinoVariationTask *task, SinoAccess *access, int count)
{
    const SinoVariation *variation = &task->variation;
    const int64_t tiles = variation->first_tile[variation->part + 1] - variation->first_tile[variation->part];
    const Arguments arguments = {*variation};
    const bool for_devices = suits_devices(runtime, task);
    if (for_devices) {
        access[count++] = (SinoAccess){task->tiles, SINO_READ};
        access[count++] = (SinoAccess){task->neighbours, SINO_READ};
    }
    return sino_task_submit(runtime, kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = &arguments,
                                               .argument_bytes = sizeof arguments,
                                               .access = access,
                                               .access_count = count,
                                               SINO_OF_SLICES(variation->slices),
                                               .work = (double)(tiles * SINO_TILE_VOXELS * variation->slices.stride),
                                               .host = !for_devices});
}

SinoStatus sino_insert_variation_primal(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task,
                                        SinoData *z)
{
    const SinoVariation *variation = &task->variation;
    SinoAccess *access;
    SINO_TRY(
        sino_allocate(OWN + 2 + 2 * variation->part_count + TABLES, sizeof *access, "the data of a task", &access));
    access[STATE] = (SinoAccess){task->state, SINO_READ};
    access[OWN] = (SinoAccess){z, SINO_READ};
    access[OWN + 1] = (SinoAccess){task->u[variation->part], SINO_READ_WRITE}; /* beyond the grid it stays as it is */
    int count = append(variation, task->p, OWN + 2, access);
    count = append(variation, task->q, count, access);
    SinoStatus status = submit(runtime, position, &primal_kind, task, access, count);
    free(access);
    return status;
}

SinoStatus sino_insert_variation_dual(SinoRuntime *runtime, SinoPosition position, const SinoVariationTask *task)
{
    const SinoVariation *variation = &task->variation;
    SinoAccess *access;
    SINO_TRY(sino_allocate(OWN + 2 + variation->part_count + TABLES, sizeof *access, "the data of a task", &access));
    access[STATE] = (SinoAccess){task->state, SINO_READ};
    access[OWN] = (SinoAccess){task->p[variation->part], SINO_READ_WRITE};
    access[OWN + 1] = (SinoAccess){task->q[variation->part], SINO_READ_WRITE};
    const int count = append(variation, task->u, OWN + 2, access);
    SinoStatus status = submit(runtime, position, &dual_kind, task, access, count);
    free(access);
    return status;
}
