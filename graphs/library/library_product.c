/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, products: a minibatch is taken from the caller's array, multiplied, and given to the other array.
 * Minibatches are independent; a slot of buffers serves one after another. */
#include "library_operator.h"

#include "buffers.h"
#include "device_room.h"
#include "matrix_kind.h"
#include "memory.h"
#include "platform.h"
#include "solvers_tasks.h"

#include <stdlib.h>

/* The vectors of a slot, beside those of the operator's work. */
enum { PROJECTIONS, IMAGES, ADDEND, VECTORS };
static const SinoBuffer vectors[VECTORS] = {
    [PROJECTIONS] = {"projections", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    /* Of products whose kind does not read the caller's images, or of several subsets: */
    [IMAGES] = {"images", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    /* The backprojection of one subset, where several are added: */
    [ADDEND] = {"addend", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

typedef struct Slot {
    SinoSlices slices;
    SinoOperatorWork *work;
    SinoData **vector[VECTORS];
} Slot;

struct SinoProducts {
    const SinoOperator *op; /* not owned */
    const SinoLines *lines; /* not owned */
    int64_t partition_count, minibatch, room_bytes;
    int64_t slot_count, stride; /* of the slots, which are made when the first product needs them */
    Slot *slot;
    SinoData *scratch; /* of sums of partial vectors; NULL: the operator has none */
    SinoData *copies;  /* of the caller's images, a few tiles at a time; NULL: whole vectors */
};

/* Scratch memory for copies of the caller's images; 0: the operator has vectors of them. */
static int64_t copies_bytes(const SinoOperator *op, SinoSlices slices)
{
    return op->kind->image_bytes ? op->kind->image_bytes(op, slices) : 0;
}

static SinoSlices slices_of(const SinoOperator *op, int64_t stride)
{
    return (SinoSlices){.precision = sino_precision_solver(op->problem.precision), .stride = stride};
}

static int64_t vector_count(const SinoOperator *op)
{
    if (op->problem.subset_count > 1) return VECTORS;
    return copies_bytes(op, slices_of(op, 1)) > 0 ? IMAGES : ADDEND;
}

SinoStatus sino_products_new(const SinoProductsRequest *request, SinoProducts **result)
{
    SinoProducts *products;
    SINO_TRY(sino_allocate(1, sizeof *products, "products", &products));
    *products = (SinoProducts){.op = request->op,
                               .lines = request->lines,
                               .partition_count = request->partition_count,
                               .minibatch = request->minibatch,
                               .room_bytes = request->room_bytes};
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
    sino_data_free(products->scratch);
    sino_data_free(products->copies);
    products->scratch = products->copies = NULL;
    products->slot = NULL;
    products->slot_count = 0;
}

void sino_products_free(SinoProducts *products)
{
    if (!products) return;
    free_slots(products);
    free(products);
}

/* Slices that a product takes. */
static int64_t slices_most(const SinoOperator *op)
{
    if (op->problem.cone) return 1; /* a volume */
    return op->problem.matrix ? sino_matrix_sets_most(op->problem.matrix) : SINO_SLICES_MAX;
}

int64_t sino_products_minibatch(const SinoProducts *products, int64_t slice_count)
{
    enum { LEAST = 16 };
    const SinoOperator *op = products->op;
    const int64_t of_devices = sino_device_room(op->runtime).slices;
    const int64_t panel = sino_larger(sino_panel_width(sino_precision_solver(op->problem.precision)), LEAST);
    const int64_t groups = sino_ceil_divide(sino_runtime_worker_count(op->runtime), products->partition_count);
    const int64_t usual = sino_smaller(panel, sino_larger(sino_ceil_divide(slice_count, groups), LEAST));
    const int64_t wanted = products->minibatch ? products->minibatch : of_devices ? of_devices : usual;
    const int64_t most = sino_smaller(slices_most(op), slice_count);
    return sino_ceil_divide(slice_count, sino_ceil_divide(slice_count, sino_smaller(wanted, most)));
}

static int64_t slot_bytes(const SinoProducts *products, int64_t stride)
{
    const SinoOperator *op = products->op;
    const SinoBatch batch = {.stride = stride, .history_numbers = 1};
    return sino_buffers_bytes(vector_count(op), vectors, &op->shape, batch) + op->kind->work_bytes(&op->shape, batch);
}

/* Slots that keep the workers busy. */
static int64_t slots_wanted(const SinoProducts *products)
{
    return 2 * sino_ceil_divide(sino_runtime_worker_count(products->op->runtime), products->partition_count);
}

int64_t sino_products_room(const SinoProducts *products)
{
    return sino_smaller(products->room_bytes, sino_platform_available_bytes());
}

int64_t sino_products_slots(const SinoProducts *products, int64_t minibatches, int64_t bytes)
{
    const int64_t room = sino_products_room(products) / sino_larger(1, bytes);
    return sino_larger(1, sino_smaller(room, sino_smaller(minibatches, slots_wanted(products))));
}

static SinoStatus open_slot(const SinoProducts *products, int64_t number, Slot *slot)
{
    const SinoOperator *op = products->op;
    const SinoBatch batch = {.stride = products->stride, .history_numbers = 1};
    slot->slices = slices_of(op, products->stride);
    for (int v = 0; v < vector_count(op); v++)
        SINO_TRY(sino_buffer_new(op->runtime, &vectors[v], &op->shape, batch, &slot->vector[v]));
    return sino_operator_work_new(op, &slot->slices, number, false, &slot->work);
}

static SinoStatus make_scratch(SinoProducts *products)
{
    const SinoOperator *op = products->op;
    const SinoSlices slices = slices_of(op, products->stride);
    const int64_t copies = copies_bytes(op, slices);
    if (copies > 0) SINO_TRY(sino_data_scratch(op->runtime, "copies", copies, &products->copies));
    if (!op->kind->project_parts) return NULL;
    return sino_data_scratch(op->runtime, "line", sino_lines_scratch_bytes(products->lines, slices),
                             &products->scratch);
}

/* Keeps the slots of the product before if they suit this one. */
static SinoStatus make_slots(SinoProducts *products, int64_t slice_count, int64_t minibatch)
{
    const int64_t stride = sino_panel_stride(sino_precision_solver(products->op->problem.precision), minibatch);
    const int64_t minibatches = sino_ceil_divide(slice_count, minibatch);
    if (products->stride == stride && products->slot_count > 0 &&
        (products->slot_count >= minibatches || products->slot_count >= slots_wanted(products)))
        return NULL;
    free_slots(products);
    const int64_t count = sino_products_slots(products, minibatches, slot_bytes(products, stride));
    SINO_TRY(sino_allocate(count, sizeof *products->slot, "products", &products->slot));
    products->slot_count = count;
    products->stride = stride;
    for (int64_t i = 0; i < count; i++) SINO_TRY(open_slot(products, i, &products->slot[i]));
    return make_scratch(products);
}

/* One minibatch in its slot. */
typedef struct Minibatch {
    const SinoProducts *products;
    const SinoArrays *arrays;
    const Slot *slot;
    SinoTake take;
    SinoProduct product; /* of one subset after another */
    SinoImages images;   /* of one subset alone, if its kind reads them */
} Minibatch;

static SinoStatus move_images(const Minibatch *of)
{
    if (of->product.images) return NULL;
    return sino_lines_move_images(of->products->lines, of->arrays, of->take, of->arrays->back, &of->product,
                                  of->slot->vector[IMAGES]);
}

/* The tasks between the projections of the product's subset and its vector. */
static SinoStatus move_projections(const Minibatch *of)
{
    return sino_lines_move_projections(of->products->lines, of->arrays, of->take, !of->arrays->back, &of->product,
                                       of->slot->vector[PROJECTIONS][of->product.subset]);
}

/* Inserts the tasks of images = Σ addends; `first`: this is the first one. */
static SinoStatus add(const Minibatch *of, bool first)
{
    const SinoOperator *op = of->products->op;
    const SinoExtent *voxels = &op->shape.extent[SINO_ROWS_VOXELS];
    for (int64_t p = 0; p < voxels->members; p++) {
        SinoPosition position = of->product.position;
        const SinoUpdateTask task = {.update = {.formula = SINO_UPDATE_ACCUMULATE,
                                                .slices = of->product.slices,
                                                .rows = voxels->rows[p],
                                                .first = first},
                                     .vector = {of->slot->vector[ADDEND][p], of->slot->vector[IMAGES][p]}};
        position.partition = p;
        if (voxels->rows[p] > 0) SINO_TRY(sino_insert_update(op->runtime, position, &task));
    }
    return NULL;
}

/* The subset that comes first, and the one that comes no more. */
static int64_t first_subset(const SinoArrays *arrays)
{
    return arrays->subset == SINO_ALL_SUBSETS ? 0 : arrays->subset;
}

static int64_t end_of_subsets(const SinoOperator *op, const SinoArrays *arrays)
{
    return arrays->subset == SINO_ALL_SUBSETS ? op->problem.subset_count : arrays->subset + 1;
}

/* The caller's array gets sums of partial vectors at once, where the operator has such. */
static SinoStatus project_subset(const Minibatch *of)
{
    const SinoOperatorKind *kind = of->products->op->kind;
    SinoData *const *x = of->slot->vector[IMAGES];
    SinoParts parts = {0};
    if (kind->project_parts) SINO_TRY(kind->project_parts(of->slot->work, &of->product, x, &parts));
    if (parts.count > 0)
        return sino_lines_give_parts(of->products->lines, of->arrays, of->take, &of->product, &parts,
                                     of->products->scratch);
    SINO_TRY(kind->project(of->slot->work, &of->product, x, of->slot->vector[PROJECTIONS][of->product.subset]));
    return move_projections(of);
}

static SinoStatus project(Minibatch *of)
{
    const int64_t end = end_of_subsets(of->products->op, of->arrays);
    SINO_TRY(move_images(of));
    for (of->product.subset = first_subset(of->arrays); of->product.subset < end; of->product.subset++)
        SINO_TRY(project_subset(of));
    return NULL;
}

static SinoStatus backproject(Minibatch *of)
{
    const SinoOperator *op = of->products->op;
    const int64_t first = first_subset(of->arrays), end = end_of_subsets(op, of->arrays);
    const bool several = end - first > 1;
    for (int64_t s = first; s < end; s++) {
        of->product.subset = s;
        SINO_TRY(move_projections(of));
        SINO_TRY(op->kind->backproject(of->slot->work, &of->product, of->slot->vector[PROJECTIONS][s],
                                       of->slot->vector[several ? ADDEND : IMAGES]));
        if (several) SINO_TRY(add(of, s == first));
    }
    return move_images(of);
}

static SinoStatus multiply(SinoProducts *products, const SinoArrays *arrays, int64_t first, int64_t count,
                           int64_t number)
{
    Slot *slot = &products->slot[number % products->slot_count];
    slot->slices.slice_count = count;
    Minibatch of = {.products = products,
                    .arrays = arrays,
                    .slot = slot,
                    .take = {.what = arrays->back ? "the projections" : "the images", .first = first},
                    .product = {.position = {.slab = 0, .minibatch = number, .partition = -1, .iteration = 0},
                                .slices = slot->slices},
                    .images = {.array = sino_lines_images(arrays, first), .copies = products->copies}};
    const bool alone = end_of_subsets(products->op, arrays) - first_subset(arrays) == 1;
    of.images.take = of.take;
    if (products->copies && alone) of.product.images = &of.images;
    return arrays->back ? backproject(&of) : project(&of);
}

SinoStatus sino_products_compute(SinoProducts *products, const SinoArrays *arrays)
{
    const int64_t slice_count = arrays->slice_count, minibatch = sino_products_minibatch(products, slice_count);
    int64_t number = 0;
    SinoStatus status = make_slots(products, slice_count, minibatch);
    if (status) {
        free_slots(products);
        return status;
    }
    for (int64_t first = 0; first < slice_count && !status; first += minibatch, number++)
        status = multiply(products, arrays, first, sino_smaller(minibatch, slice_count - first), number);
    return sino_runtime_wait_after(products->op->runtime, status);
}
