/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, products: a minibatch is taken from the caller's array, multiplied, and given to the other array.
 * Minibatches are independent; a slot of buffers serves one after another. */
#include "library_product.h"

#include "arithmetic.h"
#include "buffers.h"
#include "device_room.h"
#include "memory.h"
#include "platform.h"
#include "strided_task.h"

#include <stdlib.h>

/* The vectors of a slot, beside those of the operator's work. */
enum { IMAGES, PROJECTIONS, VECTORS };
static const SinoBuffer vectors[VECTORS] = {
    [IMAGES] = {"images", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [PROJECTIONS] = {"projections", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

typedef struct Slot {
    SinoSlices slices;
    SinoOperatorWork *work;
    SinoData **vector[VECTORS];
} Slot;

struct SinoProducts {
    const SinoOperator *op; /* not owned */
    int64_t partition_count, minibatch;
    int64_t slot_count, stride; /* of the slots, which are made when the first product needs them */
    Slot *slot;
};

SinoStatus sino_products_new(const SinoOperator *op, int64_t partition_count, int64_t minibatch, SinoProducts **result)
{
    SinoProducts *products;
    SINO_TRY(sino_allocate(1, sizeof *products, "products", &products));
    *products = (SinoProducts){.op = op, .partition_count = partition_count, .minibatch = minibatch};
    *result = products;
    return NULL;
}

static void free_slots(SinoProducts *products)
{
    const SinoExtent *extent = products->op->shape.extent;
    for (int64_t i = 0; products->slot && i < products->slot_count; i++) {
        Slot *slot = &products->slot[i];
        sino_operator_work_free(slot->work);
        for (int v = 0; v < VECTORS; v++) sino_data_free_each(slot->vector[v], extent[vectors[v].rows].members);
    }
    free(products->slot);
    products->slot = NULL;
    products->slot_count = 0;
}

void sino_products_free(SinoProducts *products)
{
    if (!products) return;
    free_slots(products);
    free(products);
}

/* Slices of a minibatch: what suits devices or a panel, but fewer where workers would have none. */
static int64_t minibatch_of(const SinoProducts *products, int64_t slice_count)
{
    enum { LEAST = 16 };
    const SinoOperator *op = products->op;
    const int64_t of_devices = sino_device_room(op->runtime).slices;
    const int64_t panel = sino_larger(sino_panel_width(sino_precision_solver(op->problem.precision)), LEAST);
    const int64_t groups = sino_ceil_divide(sino_runtime_worker_count(op->runtime), products->partition_count);
    const int64_t usual = sino_smaller(panel, sino_larger(sino_ceil_divide(slice_count, groups), LEAST));
    const int64_t wanted = products->minibatch ? products->minibatch : of_devices ? of_devices : usual;
    return sino_ceil_divide(slice_count, sino_ceil_divide(slice_count, sino_smaller(wanted, slice_count)));
}

static int64_t slot_bytes(const SinoProducts *products, int64_t stride)
{
    const SinoOperator *op = products->op;
    const SinoBatch batch = {.stride = stride, .history_numbers = 1};
    return sino_buffers_bytes(VECTORS, vectors, &op->shape, batch) + op->kind->work_bytes(&op->shape, batch);
}

/* Two slots for each worker, while there is memory for them. */
static int64_t slots_of(const SinoProducts *products, int64_t slice_count, int64_t minibatch, int64_t stride)
{
    const int64_t minibatches = sino_ceil_divide(slice_count, minibatch);
    const int64_t most =
        2 * sino_ceil_divide(sino_runtime_worker_count(products->op->runtime), products->partition_count);
    const int64_t room = sino_platform_available_bytes() / sino_larger(1, slot_bytes(products, stride));
    return sino_larger(1, sino_smaller(room, sino_smaller(minibatches, most)));
}

static SinoStatus open_slot(const SinoProducts *products, int64_t number, Slot *slot)
{
    const SinoOperator *op = products->op;
    const SinoBatch batch = {.stride = products->stride, .history_numbers = 1};
    slot->slices = (SinoSlices){.precision = sino_precision_solver(op->problem.precision), .stride = products->stride};
    for (int v = 0; v < VECTORS; v++)
        SINO_TRY(sino_buffer_new(op->runtime, &vectors[v], &op->shape, batch, &slot->vector[v]));
    return sino_operator_work_new(op, &slot->slices, number, false, &slot->work);
}

/* Keeps the slots of the product before if they suit this one. */
static SinoStatus make_slots(SinoProducts *products, int64_t slice_count, int64_t minibatch)
{
    const int64_t stride = sino_panel_stride(sino_precision_solver(products->op->problem.precision), minibatch);
    const int64_t minibatches = sino_ceil_divide(slice_count, minibatch);
    if (products->stride == stride && products->slot_count > 0 &&
        (products->slot_count >= minibatches ||
         products->slot_count >=
             2 * sino_ceil_divide(sino_runtime_worker_count(products->op->runtime), products->partition_count)))
        return NULL;
    free_slots(products);
    const int64_t count = slots_of(products, slice_count, minibatch, stride);
    SINO_TRY(sino_allocate(count, sizeof *products->slot, "products", &products->slot));
    products->slot_count = count;
    products->stride = stride;
    for (int64_t i = 0; i < count; i++) SINO_TRY(open_slot(products, i, &products->slot[i]));
    return NULL;
}

/* The slices of an array from number `first` on. */
static SinoStrided slices_from(SinoStrided array, int64_t first)
{
    const int64_t bytes = array.type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    array.first = (char *)array.first + first * array.step[0] * bytes;
    return array;
}

/* Inserts the tasks between the images and the partitions' vectors. */
static SinoStatus move_images(const SinoOperator *op, const SinoProduct *product, const Slot *slot, bool back,
                              SinoTake take, const SinoStrided *images)
{
    const SinoTiling tiling = op->kind->tiling(op);
    SinoStridedTiles tiles = {.slices = product->slices,
                              .image = slices_from(*images, take.first),
                              .grid_size = op->problem.geometry.grid_size};
    for (int64_t p = 0; p < tiling.partition_count; p++) {
        SinoPosition position = product->position;
        position.partition = p;
        tiles.tile = tiling.tile + tiling.first[p];
        tiles.tile_count = tiling.first[p + 1] - tiling.first[p];
        SinoData *x = slot->vector[IMAGES][p];
        SINO_TRY(back ? sino_insert_give_tiles(op->runtime, position, &tiles, x)
                      : sino_insert_take_tiles(op->runtime, position, take, &tiles, x));
    }
    return NULL;
}

/* Tasks that give the projections of a minibatch: one for each worker, for the vector is read by all at once, where
 * they have enough to do. Only one can fill a vector. */
static int64_t givers_of(const SinoOperator *op, const SinoSlices *slices)
{
    enum { LEAST_BYTES = 1 << 20 };
    const SinoGeometry *geometry = &op->problem.geometry;
    const int64_t rays = sino_times(geometry->angle_count, geometry->column_count);
    const int64_t bytes =
        sino_times(sino_times(rays, slices->stride), (int64_t)sino_precision_bytes(slices->precision));
    const int64_t most = sino_smaller(sino_runtime_worker_count(op->runtime), geometry->angle_count);
    return sino_larger(1, sino_smaller(most, bytes / LEAST_BYTES));
}

static SinoStatus move_projections(const SinoOperator *op, const SinoProduct *product, const Slot *slot, bool back,
                                   SinoTake take, const SinoStrided *projections)
{
    SinoStridedRays rays = {.slices = product->slices,
                            .projections = slices_from(*projections, take.first),
                            .angle_count = op->problem.geometry.angle_count,
                            .column_count = op->problem.geometry.column_count,
                            .last_angle = op->problem.geometry.angle_count,
                            .place = op->place};
    SinoData *y = slot->vector[PROJECTIONS][0];
    if (back) return sino_insert_take_rays(op->runtime, product->position, take, &rays, y);
    const int64_t givers = givers_of(op, &product->slices);
    for (int64_t i = 0; i < givers; i++) {
        rays.first_angle = rays.angle_count * i / givers;
        rays.last_angle = rays.angle_count * (i + 1) / givers;
        SINO_TRY(sino_insert_give_rays(op->runtime, product->position, &rays, y));
    }
    return NULL;
}

static SinoStatus multiply(SinoProducts *products, bool back, int64_t first, int64_t count, int64_t number,
                           const SinoStrided *images, const SinoStrided *projections)
{
    const SinoOperator *op = products->op;
    Slot *slot = &products->slot[number % products->slot_count];
    const SinoTake take = {.what = back ? "the projections" : "the images", .first = first};
    slot->slices.slice_count = count;
    const SinoProduct product = {.position = {.slab = 0, .minibatch = number, .partition = -1, .iteration = 0},
                                 .slices = slot->slices};
    if (!back) {
        SINO_TRY(move_images(op, &product, slot, false, take, images));
        SINO_TRY(op->kind->project(slot->work, &product, slot->vector[IMAGES], slot->vector[PROJECTIONS][0]));
        return move_projections(op, &product, slot, false, take, projections);
    }
    SINO_TRY(move_projections(op, &product, slot, true, take, projections));
    SINO_TRY(op->kind->backproject(slot->work, &product, slot->vector[PROJECTIONS][0], slot->vector[IMAGES]));
    return move_images(op, &product, slot, true, take, images);
}

SinoStatus sino_products_compute(SinoProducts *products, bool back, int64_t slice_count, const SinoStrided *images,
                                 const SinoStrided *projections)
{
    const int64_t minibatch = minibatch_of(products, slice_count);
    int64_t number = 0;
    SinoStatus status = make_slots(products, slice_count, minibatch);
    if (status) {
        free_slots(products);
        return status;
    }
    for (int64_t first = 0; first < slice_count && !status; first += minibatch, number++)
        status =
            multiply(products, back, first, sino_smaller(minibatch, slice_count - first), number, images, projections);
    return sino_runtime_wait_after(products->op->runtime, status);
}
