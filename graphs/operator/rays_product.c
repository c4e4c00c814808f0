/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, products: the tasks of y = A x and x = Aᵀ y for one minibatch and one subset of the angles. If the operator
 * stores halves, vectors are cast for spmm: first the units over all partitions, then each partition's halves. */
#include "memory.h"
#include "rays_private.h"
#include "rays_tasks.h"

#include <math.h>
#include <stdlib.h>

/* Buffers of one subset. */
enum { PARTIAL, NARROW_RAYS, SUBSET_BUFFERS };
static const SinoBuffer subset_buffers[SUBSET_BUFFERS] = {
    [PARTIAL] = {"partial", SINO_ROWS_PARTIAL, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [NARROW_RAYS] = {"narrow rays", SINO_ROWS_FOOTPRINT, SINO_ELEMENT_HALF, SINO_LANES_SLICES}};

/* Buffers that all subsets share. */
enum { NARROW_VOXELS, UNITS, COMMON_BUFFERS };
static const SinoBuffer common_buffers[COMMON_BUFFERS] = {
    [NARROW_VOXELS] = {"narrow voxels", SINO_ROWS_VOXELS, SINO_ELEMENT_HALF, SINO_LANES_SLICES},
    [UNITS] = {"units", SINO_ROWS_MINIBATCH, SINO_ELEMENT_UNITS, SINO_LANES_ONE_MEMBER}};

typedef struct SubsetWork {
    SinoPartialSums *sums;
    SinoData **buffer[SUBSET_BUFFERS];
} SubsetWork;

/* SinoOperatorWork.own. */
typedef struct Work {
    SubsetWork *subset; /* [subset_count] */
    SinoData **common[COMMON_BUFFERS];
    SinoData *passed; /* scratch memory for a partition's rays, instead of PARTIAL; NULL: products pass none on */
} Work;

int64_t sino_rays_work_bytes(const SinoShape *shape, SinoBatch batch)
{
    return sino_buffers_bytes(SUBSET_BUFFERS, subset_buffers, shape, batch) +
           sino_buffers_bytes(COMMON_BUFFERS, common_buffers, shape, batch) +
           sino_buffers_bytes(SINO_PARTIAL_BUFFERS, sino_partial_buffers, shape, batch);
}

bool sino_rays_pass_on(int64_t partitions, int64_t sockets, int64_t slots, int64_t devices)
{
    return sino_times(slots, sino_larger(1, sockets)) >= sino_smaller(partitions, devices);
}

/* Halves are made of whole vectors. */
static bool passes_rays(const SinoOperator *op, const SinoRaysSubset *subset)
{
    const SinoPrecision precision = subset->rays->layout.precision;
    return sino_runtime_devices_iterate(op->runtime) && subset->shape.extent[SINO_ROWS_PARTIAL].members > 0 &&
           (precision == SINO_SINGLE || precision == SINO_DOUBLE) && sino_partial_sums_are_found(subset->exchange) &&
           sino_rays_pass_on(subset->rays->partition_count, subset->exchange->socket_count, op->slots,
                             sino_runtime_device_count(op->runtime));
}

static SinoStatus open_passed(const SinoOperator *op, SinoBatch batch, SinoData **passed)
{
    const SinoRaysOwn *own = op->own;
    int64_t most = 0, lists = 0;
    for (int64_t s = 0; s < op->problem.subset_count; s++) {
        const SinoRaysSubset *subset = &own->subset[s];
        if (!passes_rays(op, subset)) return NULL;
        lists += subset->rays->lists_bytes;
        most = sino_larger(most, sino_buffer_most_bytes(&subset_buffers[PARTIAL], &subset->shape, batch));
    }
    if (!sino_rays_are_everywhere(op->runtime, lists)) return NULL;
    return sino_data_scratch(op->runtime, "passed rays", most, passed);
}

static SinoStatus open_subset(const SinoOperator *op, const SinoRaysSubset *subset, const SinoSlices *slices,
                              int64_t number, bool overlap, bool passes, SubsetWork *work)
{
    const SinoBatch batch = {.stride = slices->stride, .history_numbers = 1};
    for (int i = passes ? PARTIAL + 1 : 0; i < SUBSET_BUFFERS; i++)
        SINO_TRY(sino_buffer_new(op->runtime, &subset_buffers[i], &subset->shape, batch, &work->buffer[i]));
    return sino_partial_sums_new(op->runtime, subset->exchange, &subset->shape, slices, number, overlap, &work->sums);
}

SinoStatus sino_rays_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoOperator *op = work->op;
    const SinoRaysOwn *own = op->own;
    const SinoBatch batch = {.stride = slices->stride, .history_numbers = 1};
    const int64_t count = op->problem.subset_count;
    Work *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    work->own = made;
    SINO_TRY(sino_allocate(count, sizeof *made->subset, "a minibatch", &made->subset));
    SINO_TRY(open_passed(op, batch, &made->passed));
    for (int64_t s = 0; s < count; s++)
        SINO_TRY(open_subset(op, &own->subset[s], slices, sino_times(number, count) + s, overlap, made->passed,
                             &made->subset[s]));
    for (int i = 0; i < COMMON_BUFFERS; i++)
        SINO_TRY(sino_buffer_new(op->runtime, &common_buffers[i], &op->shape, batch, &made->common[i]));
    work->sums = made->subset[0].sums;
    return NULL;
}

void sino_rays_work_close(SinoOperatorWork *work)
{
    const SinoOperator *op = work->op;
    const SinoRaysOwn *own = op->own;
    Work *made = work->own;
    if (!made) return;
    for (int64_t s = 0; made->subset && s < op->problem.subset_count; s++) {
        const SinoShape *shape = &own->subset[s].shape;
        sino_partial_sums_free(made->subset[s].sums, shape);
        for (int i = 0; i < SUBSET_BUFFERS; i++)
            sino_data_free_each(made->subset[s].buffer[i], shape->extent[subset_buffers[i].rows].members);
    }
    free(made->subset);
    sino_data_free(made->passed);
    for (int i = 0; i < COMMON_BUFFERS; i++)
        sino_data_free_each(made->common[i], op->shape.extent[common_buffers[i].rows].members);
    free(made);
}

/* Arguments that the steps of one product share. */
typedef struct Product {
    SinoRuntime *runtime;
    const SinoRays *rays;
    SinoPartialSums *sums;
    SinoSlices slices;
    SinoPosition position;
    SinoData **partial, **narrow_rays, **narrow_voxels; /* NULL if the operator has no such buffers */
    SinoData *units;
    SinoData *passed;         /* NULL: products pass on no rays */
    const SinoImages *images; /* not owned; NULL: voxel vectors */
} Product;

static Product product_of(const SinoOperatorWork *work, const SinoProduct *product)
{
    const SinoRaysOwn *own = work->op->own;
    const Work *made = work->own;
    const SubsetWork *subset = &made->subset[product->subset];
    return (Product){.runtime = work->op->runtime,
                     .rays = own->subset[product->subset].rays,
                     .sums = subset->sums,
                     .slices = product->slices,
                     .position = product->position,
                     .partial = subset->buffer[PARTIAL],
                     .narrow_rays = subset->buffer[NARROW_RAYS],
                     .narrow_voxels = made->common[NARROW_VOXELS],
                     .units = made->common[UNITS] ? made->common[UNITS][0] : NULL,
                     .passed = made->passed,
                     .images = product->images};
}

/* Halves are made of whole vectors, and devices read them. */
int64_t sino_rays_image_bytes(const SinoOperator *op, SinoSlices slices)
{
    const SinoRays *rays = ((const SinoRaysOwn *)op->own)->subset[0].rays;
    const bool whole = rays->layout.precision == SINO_SINGLE || rays->layout.precision == SINO_DOUBLE;
    return whole && rays->lists_bytes == 0 ? sino_images_copies_bytes(slices) : 0;
}

static SinoPosition at_partition(const Product *product, int64_t partition)
{
    SinoPosition position = product->position;
    position.partition = partition;
    return position;
}

static SinoStatus prepare_spmm(const Product *product, SinoPosition position, bool back, SinoSpmm *spmm)
{
    const int64_t stride = product->slices.stride;
    const double nonzeros = (double)product->rays->partition[position.partition].nonzero_count;
    *spmm = (SinoSpmm){.stride = stride,
                       .work = 2 * nonzeros * (double)stride,
                       .flops = 2 * nonzeros * (double)product->slices.slice_count,
                       .slice_count = product->slices.slice_count,
                       .precision = product->rays->layout.precision,
                       .scratch = product->rays->scratch,
                       .units = product->units};
    return sino_rays_use(product->runtime, product->rays, position, back, spmm);
}

/* Where a partition's rays are passed on to, and come from. */
static SinoSpmmSum sum_of(const Product *product, int64_t p, SinoData *y)
{
    const SinoPartialRows rows = sino_partial_sums_find(product->sums, p, y);
    return (SinoSpmmSum){.total = rows.data,
                         .list = rows.list,
                         .map = sino_map_whole(&product->rays->partition[p].footprint, rows.row, 0, rows.row_count),
                         .slices = product->slices,
                         .first = rows.first};
}

/* The voxels of a partition in the caller's images. */
static SinoSpmmArray array_of(const Product *product, int64_t partition)
{
    const SinoPartition *of = &product->rays->partition[partition];
    return (SinoSpmmArray){.images = product->images,
                           .slices = product->slices,
                           .grid_size = product->rays->layout.geometry.grid_size,
                           .tile_count = of->tile_count,
                           .tile = of->tile};
}

/* Partition p of y = A x. */
static SinoStatus insert_project(const Product *product, const SinoSpmm *spmm, int64_t p, SinoData *const *x,
                                 SinoData *y)
{
    const SinoPosition position = at_partition(product, p);
    if (!product->images) return sino_insert_spmm_project(product->runtime, position, spmm, x[p], y);
    const SinoSpmmArray array = array_of(product, p);
    return sino_insert_spmm_project_array(product->runtime, position, spmm, &array, y);
}

/* Partition p of x = Aᵀ y. */
static SinoStatus insert_backproject(const Product *product, const SinoSpmm *spmm, int64_t p, SinoData *y,
                                     SinoData *const *x)
{
    const SinoPosition position = at_partition(product, p);
    if (!product->images) return sino_insert_spmm_backproject(product->runtime, position, spmm, y, x[p]);
    const SinoSpmmArray array = array_of(product, p);
    return sino_insert_spmm_backproject_array(product->runtime, position, spmm, y, &array);
}

/* Exponent e: halves are scaled to |value| < 2^e. Half precision also stores sums as halves: a sum over a ray is at
 * most √2·N times the largest value, a sum over a voxel √2·K times, and both must stay below 2^16. Mixed precision uses
 * the whole range of a half. `terms` is N or K. */
static int exponent_of(const SinoRays *rays, int64_t terms)
{
    int log = 0;
    if (rays->layout.precision == SINO_MIXED) return 14;
    while ((double)terms * 1.4143 > ldexp(1, log)) log++;
    return 15 - log;
}

static int64_t row_count(const SinoPartition *partition, bool voxels)
{
    return voxels ? partition->voxel_count : partition->footprint.ray_count;
}

/* Finds the units of a whole vector part by part, then casts each part to halves. */
static SinoStatus insert_narrow(const Product *product, bool voxels, SinoData *const *from)
{
    const SinoRays *rays = product->rays;
    const int64_t count = rays->partition_count;
    const SinoGeometry *geometry = &rays->layout.geometry;
    const int exponent = exponent_of(rays, voxels ? geometry->grid_size : geometry->angle_count);
    SinoData **to = voxels ? product->narrow_voxels : product->narrow_rays;
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_units(product->runtime, at_partition(product, p), product->slices,
                                        row_count(&rays->partition[p], voxels), exponent, p == 0, p == count - 1,
                                        from[p], product->units));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_narrow(product->runtime, at_partition(product, p), product->slices,
                                         row_count(&rays->partition[p], voxels), from[p], product->units, to[p]));
    return NULL;
}

/* Casts the halves that spmm has written to the solver's precision. */
static SinoStatus insert_widen(const Product *product, bool voxels, SinoData *const *to)
{
    SinoData **from = voxels ? product->narrow_voxels : product->narrow_rays;
    for (int64_t p = 0; p < product->rays->partition_count; p++)
        SINO_TRY(sino_insert_cast_widen(product->runtime, at_partition(product, p), product->slices,
                                        row_count(&product->rays->partition[p], voxels), from[p], product->units,
                                        to[p]));
    return NULL;
}

/* Data of partitions that no task reads any more. */
static void forget(const Product *product, SinoData *const *data)
{
    for (int64_t p = 0; p < product->rays->partition_count; p++) sino_data_forget(data[p]);
}

/* partial[p] = the rays of partition p, or y if it is the only one. Rays that are passed on are added to their sum. */
static SinoStatus project_partitions(const Product *product, SinoData *const *x, SinoData *y)
{
    SinoData *const *partial = product->partial ? product->partial : &y;
    const bool half = product->rays->layout.precision == SINO_HALF;
    SinoData *const *from = product->units ? product->narrow_voxels : x;
    SinoData *const *to = half ? product->narrow_rays : partial;
    if (product->units) SINO_TRY(insert_narrow(product, true, x));
    for (int64_t p = 0; p < product->rays->partition_count; p++) {
        SinoSpmm spmm;
        SINO_TRY(prepare_spmm(product, at_partition(product, p), false, &spmm));
        if (product->passed) spmm.sum = sum_of(product, p, y);
        SINO_TRY(insert_project(product, &spmm, p, from, product->passed ? product->passed : to[p]));
    }
    if (product->units) forget(product, product->narrow_voxels);
    return half ? insert_widen(product, false, partial) : NULL;
}

SinoStatus sino_rays_project(SinoOperatorWork *work, const SinoProduct *wanted, SinoData *const *x, SinoData *y)
{
    const Product product = product_of(work, wanted);
    SINO_TRY(project_partitions(&product, x, y));
    if (!product.partial && !product.passed) return NULL;
    return sino_insert_reduction(product.runtime, product.sums, product.position, product.partial, y);
}

SinoStatus sino_rays_project_parts(SinoOperatorWork *work, const SinoProduct *wanted, SinoData *const *x,
                                   SinoParts *parts)
{
    const Product product = product_of(work, wanted);
    *parts = (SinoParts){0};
    if (!product.partial || !sino_partial_sums_have_parts(product.runtime, product.sums)) return NULL;
    SINO_TRY(project_partitions(&product, x, NULL));
    return sino_insert_reduction_to_parts(product.runtime, product.sums, product.position, product.partial, parts);
}

/* Whether partitions find their rows in longer vectors: on cores without a copy of them, on devices if rays are passed
 * on. */
static bool finds_rows(const Product *product)
{
    const bool cores = sino_runtime_devices(product->runtime) == SINO_DEVICE_CPU;
    return product->passed ||
           (cores && product->partial && !product->units && sino_partial_sums_are_found(product->sums->exchange));
}

/* Tells a partition's product where its rows are; the result is the y of the product. */
static SinoData *find_rows(const Product *product, int64_t p, SinoData *y, SinoSpmm *spmm)
{
    if (product->passed) {
        spmm->sum = sum_of(product, p, y);
        return product->passed;
    }
    const SinoPartialRows at = sino_partial_sums_find(product->sums, p, y);
    spmm->rows = (SinoSpmmRows){.row = at.row, .count = at.row_count};
    return at.data;
}

SinoStatus sino_rays_backproject(SinoOperatorWork *work, const SinoProduct *wanted, SinoData *y, SinoData *const *x)
{
    const Product product = product_of(work, wanted);
    const bool found = finds_rows(&product);
    const bool half = product.rays->layout.precision == SINO_HALF;
    SinoData *const *partial = product.partial ? product.partial : &y;
    SinoData *const *from = product.units ? product.narrow_rays : partial;
    SinoData *const *to = half ? product.narrow_voxels : x;
    if (found)
        SINO_TRY(sino_insert_spreading_to_sockets(product.runtime, product.sums, product.position, y));
    else if (product.partial)
        SINO_TRY(sino_insert_spreading(product.runtime, product.sums, product.position, y, product.partial));
    if (product.units) SINO_TRY(insert_narrow(&product, false, partial));
    /* The last partition comes first: its block was loaded into a window most recently. */
    for (int64_t p = product.rays->partition_count - 1; p >= 0; p--) {
        SinoSpmm spmm;
        SINO_TRY(prepare_spmm(&product, at_partition(&product, p), true, &spmm));
        SinoData *rows = found ? find_rows(&product, p, y, &spmm) : from[p];
        SINO_TRY(insert_backproject(&product, &spmm, p, rows, to));
    }
    if (product.units) forget(&product, product.narrow_rays);
    if (found)
        sino_partial_sums_forget(product.sums);
    else if (product.partial)
        forget(&product, product.partial);
    return half ? insert_widen(&product, true, x) : NULL;
}

SinoStatus sino_rays_image(SinoOperatorWork *work, const SinoProduct *wanted, const SinoImaging *imaging,
                           SinoData *const *x, SinoData *image)
{
    const Product product = product_of(work, wanted);
    const SinoRays *rays = product.rays;
    const SinoDecomposition *all = &rays->decomposition;
    bool first = true;
    for (int64_t p = 0; p < all->partition_count; p++) {
        const int64_t own = p - rays->first_partition;
        const SinoAssemble part = {.slices = product.slices,
                                   .grid_size = rays->layout.geometry.grid_size,
                                   .margin = work->op->problem.geometry.margin,
                                   .tile_count = all->first[p + 1] - all->first[p],
                                   .tile = all->tile + all->first[p],
                                   .scale = imaging->scale,
                                   .mask_ratio = imaging->mask_ratio};
        const bool here = own >= 0 && own < rays->partition_count;
        SinoData *voxels = here ? x[own] : product.sums->buffer[SINO_PARTIAL_VOXELS][p];
        if (part.tile_count == 0) continue;
        SINO_TRY(sino_insert_assemble(product.runtime, at_partition(&product, p), &part, first,
                                      here ? rays->partition[own].tiles : NULL, voxels, image));
        first = false;
    }
    return NULL;
}
