/* SPDX-License-Identifier: BSD-3-Clause */
/* Minibatch: the buffers of a slot, and the products that solvers' graphs are made of. */
#include "minibatch.h"

#include "memory.h"

#include <stdlib.h>

const SinoBuffer sino_slot_buffers[SINO_SLOT_BUFFERS] = {
    [SINO_SLOT_PARTS] = {"sums of a part", SINO_ROWS_VOXELS, SINO_ELEMENT_SUMS, SINO_LANES_SLICES_MEMBER},
    [SINO_SLOT_SUMS] = {"sums", SINO_ROWS_MINIBATCH, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_SLOT_STATE] = {"state", SINO_ROWS_MINIBATCH, SINO_ELEMENT_STATE, SINO_LANES_SLICES},
    [SINO_SLOT_HISTORY] = {"history", SINO_ROWS_MINIBATCH, SINO_ELEMENT_DOUBLE, SINO_LANES_HISTORY},
    [SINO_SLOT_REPAIRED] = {"repaired", SINO_ROWS_MINIBATCH, SINO_ELEMENT_INTEGER, SINO_LANES_SLICES},
    [SINO_SLOT_TALLY] = {"undefined", SINO_ROWS_TALLY, SINO_ELEMENT_INTEGER, SINO_LANES_ONE},
    [SINO_SLOT_IMAGE] = {"image", SINO_ROWS_PIXELS, SINO_ELEMENT_FLOAT, SINO_LANES_SLICES},
    [SINO_SLOT_ACTIVE] = {"active", SINO_ROWS_MINIBATCH, SINO_ELEMENT_INTEGER, SINO_LANES_ONE},
    [SINO_SLOT_ACTIVE + 1] = {"active", SINO_ROWS_MINIBATCH, SINO_ELEMENT_INTEGER, SINO_LANES_ONE},
    [SINO_SLOT_ACTIVE + 2] = {"active", SINO_ROWS_MINIBATCH, SINO_ELEMENT_INTEGER, SINO_LANES_ONE}};

/* Partitions without voxels have no sums. */
static SinoStatus list_parts(SinoMinibatch *made)
{
    const int64_t members = made->op->shape.extent[SINO_ROWS_VOXELS].members;
    SINO_TRY(sino_allocate(members, sizeof *made->part_sums, "a minibatch", &made->part_sums));
    for (int64_t p = 0; p < members; p++)
        if (made->slot[SINO_SLOT_PARTS][p]) made->part_sums[made->part_count++] = made->slot[SINO_SLOT_PARTS][p];
    return NULL;
}

static SinoStatus new_buffers(SinoRuntime *runtime, SinoBatch batch, SinoMinibatch *made)
{
    const SinoVectors *vectors = made->vectors;
    const SinoShape *shape = &made->op->shape;
    SINO_TRY(sino_allocate(vectors->count, sizeof *made->vector, "a minibatch", &made->vector));
    for (int64_t i = 0; i < vectors->count; i++)
        SINO_TRY(sino_buffer_new(runtime, &vectors->buffer[i], shape, batch, &made->vector[i]));
    for (int i = 0; i < SINO_SLOT_BUFFERS; i++)
        SINO_TRY(sino_buffer_new(runtime, &sino_slot_buffers[i], shape, batch, &made->slot[i]));
    made->sums = made->slot[SINO_SLOT_SUMS][0];
    made->state = made->slot[SINO_SLOT_STATE][0];
    made->history = made->slot[SINO_SLOT_HISTORY][0];
    made->repaired = made->slot[SINO_SLOT_REPAIRED][0];
    made->tally = made->slot[SINO_SLOT_TALLY][0];
    made->image = made->slot[SINO_SLOT_IMAGE][0];
    return list_parts(made);
}

SinoStatus sino_minibatch_new(SinoRuntime *runtime, const SinoMinibatchRequest *request, SinoMinibatch **result)
{
    SinoMinibatch *made = NULL;
    const SinoBatch batch = {.stride = request->slices.stride, .history_numbers = request->history_numbers};
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    *made = (SinoMinibatch){
        .position = SINO_NOWHERE, .slices = request->slices, .op = request->op, .vectors = request->vectors};
    SinoStatus status = new_buffers(runtime, batch, made);
    if (!status)
        status = sino_operator_work_new(request->op, &made->slices, request->number, request->overlap, &made->work);
    if (status)
        sino_minibatch_free(made);
    else
        *result = made;
    return status;
}

void sino_minibatch_free(SinoMinibatch *minibatch)
{
    if (!minibatch) return;
    const SinoExtent *extent = minibatch->op->shape.extent;
    for (int64_t i = 0; minibatch->vector && i < minibatch->vectors->count; i++)
        sino_data_free_each(minibatch->vector[i], extent[minibatch->vectors->buffer[i].rows].members);
    free(minibatch->vector);
    free(minibatch->part_sums);
    for (int i = 0; i < SINO_SLOT_BUFFERS; i++)
        sino_data_free_each(minibatch->slot[i], extent[sino_slot_buffers[i].rows].members);
    sino_operator_work_free(minibatch->work);
    free(minibatch);
}

int64_t sino_minibatch_bytes(const SinoOperatorKind *kind, const SinoVectors *vectors, const SinoShape *shape,
                             SinoBatch batch)
{
    return sino_buffers_bytes(vectors->count, vectors->buffer, shape, batch) +
           sino_buffers_bytes(SINO_SLOT_BUFFERS, sino_slot_buffers, shape, batch) + kind->work_bytes(shape, batch);
}

SinoPosition sino_minibatch_at(const SinoMinibatch *minibatch, int64_t iteration, int64_t partition)
{
    SinoPosition position = minibatch->position;
    position.iteration = iteration;
    position.partition = partition;
    return position;
}

static SinoProduct product_of(const SinoMinibatch *minibatch, int64_t iteration, int64_t subset)
{
    return (SinoProduct){
        .position = sino_minibatch_at(minibatch, iteration, -1), .slices = minibatch->slices, .subset = subset};
}

SinoStatus sino_insert_project_subset(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t from,
                                      int64_t to)
{
    const SinoProduct product = product_of(minibatch, iteration, subset);
    return minibatch->op->kind->project(minibatch->work, &product, minibatch->vector[from],
                                        minibatch->vector[to][subset]);
}

SinoStatus sino_insert_backproject_subset(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t from,
                                          int64_t to)
{
    const SinoProduct product = product_of(minibatch, iteration, subset);
    return minibatch->op->kind->backproject(minibatch->work, &product, minibatch->vector[from][subset],
                                            minibatch->vector[to]);
}

SinoStatus sino_insert_backproject_block(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t sums,
                                         int64_t to)
{
    SinoProduct product = product_of(minibatch, iteration, 0);
    product.block = minibatch->block;
    if (minibatch->op->shape.extent[SINO_ROWS_GRID].members > 0) product.sums = minibatch->vector[sums][0];
    return minibatch->op->kind->backproject(minibatch->work, &product, minibatch->vector[from][0],
                                            minibatch->vector[to]);
}

SinoStatus sino_insert_sweep(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, const SinoSweep *sweep,
                             int64_t from, int64_t to)
{
    const SinoProduct product = product_of(minibatch, iteration, subset);
    return minibatch->op->kind->sweep(minibatch->work, &product, sweep, minibatch->vector[from], minibatch->vector[to],
                                      minibatch->sums);
}

SinoStatus sino_insert_project(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to)
{
    return sino_insert_project_subset(minibatch, iteration, 0, from, to);
}

SinoStatus sino_insert_backproject(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to)
{
    return sino_insert_backproject_subset(minibatch, iteration, 0, from, to);
}

SinoStatus sino_insert_normal(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to)
{
    const SinoProduct product = product_of(minibatch, iteration, 0);
    return minibatch->op->kind->normal(minibatch->work, &product, minibatch->vector[from], minibatch->vector[to]);
}

SinoStatus sino_insert_collect(SinoMinibatch *minibatch, int64_t iteration, SinoData **all)
{
    return sino_insert_collection(minibatch->op->runtime, minibatch->work->sums,
                                  sino_minibatch_at(minibatch, iteration, -1), minibatch->sums, all);
}

bool sino_minibatch_is_kept(const SinoMinibatch *minibatch)
{
    const int64_t keeper = sino_partial_sums_keeper(minibatch->work->sums, minibatch->position.minibatch);
    return keeper == minibatch->op->ranks->shape.data_rank;
}

SinoStatus sino_insert_image(SinoMinibatch *minibatch, const SinoImaging *imaging, SinoData *image)
{
    const SinoProduct product = product_of(minibatch, -1, 0);
    SinoData *const *tomogram = minibatch->vector[minibatch->vectors->tomogram];
    SINO_TRY(sino_insert_voxel_messages(minibatch->op->runtime, minibatch->work->sums, minibatch->position, tomogram));
    if (!sino_minibatch_is_kept(minibatch)) return NULL;
    return minibatch->op->kind->image(minibatch->work, &product, imaging, tomogram, image);
}
