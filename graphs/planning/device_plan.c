/* SPDX-License-Identifier: BSD-3-Clause */
/* Device plan: whether the largest task of each kind fits a device's memory. */
#include "resources.h"

#include "amounts.h"
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Upper bounds of lists relative to the block: for both directions together, and for one direction. One of R = 4
 * has 1.1 to 1.2 times the block, one of R = 16 has 1.6 to 1.8 times, at 375 angles and more; few angles give more. */
static const double lists_factor = 3.5, direction_factor = 2.2;

/* Most bytes of the solver's vectors with rows of one kind that one task accesses. */
static int64_t vectors_of(const SinoVectors *vectors, SinoRows rows, const SinoShape *shape, SinoBatch batch)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < vectors->count; i++)
        if (vectors->buffer[i].rows == rows) bytes += sino_buffer_most_bytes(&vectors->buffer[i], shape, batch);
    return bytes;
}

SinoDeviceNeed sino_device_need(const SinoVectors *vectors, const SinoOperatorSize *size, SinoBatch batch)
{
    static const SinoBuffer ray = {"rays", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
    static const SinoBuffer footprint = {"footprint", SINO_ROWS_FOOTPRINT, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
    static const SinoBuffer voxel = {"voxels", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
    static const SinoBuffer weight = {"weights", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_ONE};
    static const SinoBuffer passed = {"passed rays", SINO_ROWS_PARTIAL, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
    const SinoShape *shape = &size->shape;
    const int64_t rays = sino_buffer_most_bytes(&ray, shape, batch);
    const int64_t rows = shape->extent[SINO_ROWS_RAYS].most * (int64_t)sizeof(uint32_t);
    const int64_t voxels = size->whole_vectors > 0
                               ? sino_times(size->whole_vectors, sino_buffers_bytes(1, &voxel, shape, batch))
                               : sino_buffer_most_bytes(&voxel, shape, batch);
    const int64_t spmm = sino_larger(rays + sino_buffer_most_bytes(&passed, shape, batch),
                                     sino_buffer_most_bytes(&footprint, shape, batch)) +
                         voxels + sino_spmm_scratch_bytes() + size->product_bytes;
    const int64_t updates = sino_larger(sino_larger(vectors_of(vectors, SINO_ROWS_RAYS, shape, batch),
                                                    vectors_of(vectors, SINO_ROWS_SUBSET, shape, batch)) +
                                            sino_buffer_most_bytes(&weight, shape, batch),
                                        vectors_of(vectors, SINO_ROWS_VOXELS, shape, batch));
    const int64_t completed = vectors_of(vectors, SINO_ROWS_COMPLETED, shape, batch);
    return (SinoDeviceNeed){.lists = (int64_t)(direction_factor * (double)size->partition_bytes),
                            .vectors =
                                sino_larger(sino_larger(spmm, completed), sino_larger(updates, 2 * rays + rows))};
}

int64_t sino_device_estimate_lists(int64_t operator_bytes)
{
    return (int64_t)(lists_factor * (double)operator_bytes);
}

SinoStatus sino_device_too_small(const SinoDeviceRoom *room, SinoDeviceNeed need, int64_t partition_count,
                                 int64_t minibatch)
{
    char parts[160], lists[24], vectors[24];
    snprintf(parts, sizeof parts,
             "each lists of A %s and vectors %s, with %" PRId64 " partitions and minibatches of %" PRId64,
             sino_bytes_text(need.lists, lists), sino_bytes_text(need.vectors, vectors), partition_count, minibatch);
    return sino_plan_too_small(room, need.lists, need.vectors, parts,
                               "more --partitions, a smaller --minibatch, or --device cpu");
}
