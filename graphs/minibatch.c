/* SPDX-License-Identifier: BSD-3-Clause */
/* Minibatch: the data of F slices that are solved together, and the projections that every solver's graph is made of.
 */
#include "minibatch.h"

#include "memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A vector for each partition, of its voxels or of its footprint's rays. */
static SinoStatus new_parts(SinoRuntime *runtime, const char *name, const SinoOperator *op, bool voxels, int64_t stride,
                            size_t element, SinoData ***parts)
{
    SINO_TRY(sino_allocate(op->partition_count, sizeof **parts, name, parts));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPartition *partition = &op->partition[p];
        SINO_TRY(sino_data_vector(runtime, name, voxels ? partition->voxel_count : partition->footprint.ray_count,
                                  stride, element, &(*parts)[p]));
    }
    return NULL;
}

static bool is_narrow(SinoPrecision precision)
{
    return precision == SINO_HALF || precision == SINO_MIXED;
}

static SinoStatus new_vectors(SinoRuntime *runtime, const SinoMinibatchRequest *request, SinoMinibatch *made)
{
    const SinoOperator *op = request->op;
    static const char *const ray_name[SINO_RAY_VECTORS_MAX] = {"sinogram", "projection"};
    static const char *const voxel_name[SINO_VOXEL_VECTORS_MAX] = {"tomogram", "gradient", "direction",
                                                                   "first gradient"};
    const SinoVectorCount vectors = made->vectors;
    const int64_t stride = made->slices.stride;
    const size_t element = sino_precision_bytes(made->slices.precision);
    assert(vectors.rays <= SINO_RAY_VECTORS_MAX && vectors.voxels <= SINO_VOXEL_VECTORS_MAX);
    for (int64_t i = 0; i < vectors.rays; i++)
        SINO_TRY(sino_data_vector(runtime, ray_name[i], sino_exchange_ray_count(request->exchange), stride, element,
                                  &made->rays[i]));
    for (int64_t i = 0; i < vectors.voxels; i++)
        SINO_TRY(new_parts(runtime, voxel_name[i], op, true, stride, element, &made->voxels[i]));
    if (!op->whole) SINO_TRY(new_parts(runtime, "partial", op, false, stride, element, &made->partial));
    if (!is_narrow(op->layout.precision)) return NULL;
    SINO_TRY(new_parts(runtime, "narrow rays", op, false, stride, sizeof(SinoHalf), &made->narrow_rays));
    SINO_TRY(new_parts(runtime, "narrow voxels", op, true, stride, sizeof(SinoHalf), &made->narrow_voxels));
    return sino_data_new(runtime, "units", (int64_t)sizeof(SinoUnits), &made->units);
}

static int64_t image_bytes(const SinoGeometry *geometry, int64_t stride)
{
    return geometry->grid_size * geometry->grid_size * stride * (int64_t)sizeof(float);
}

static SinoStatus new_scalars(SinoRuntime *runtime, const SinoOperator *op, int64_t history_columns,
                              SinoMinibatch *made)
{
    const int64_t stride = made->slices.stride;
    SINO_TRY(sino_data_new(runtime, "sums", stride * (int64_t)sizeof(SinoSliceSums), &made->sums));
    SINO_TRY(sino_data_new(runtime, "state", stride * (int64_t)sizeof(SinoSliceState), &made->state));
    SINO_TRY(sino_data_new(runtime, "history", stride * history_columns * (int64_t)sizeof(double), &made->history));
    SINO_TRY(sino_data_new(runtime, "repaired", stride * (int64_t)sizeof(int64_t), &made->repaired));
    SINO_TRY(sino_data_new(runtime, "image", image_bytes(&op->layout.geometry, stride), &made->image));
    for (int i = 0; i < SINO_LOOKAHEAD; i++)
        SINO_TRY(sino_data_new(runtime, "active", (int64_t)sizeof(int64_t), &made->active[i]));
    return NULL;
}

SinoStatus sino_minibatch_new(SinoRuntime *runtime, const SinoMinibatchRequest *request, SinoMinibatch **result)
{
    SinoMinibatch *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    made->position = SINO_NOWHERE;
    made->slices = request->slices;
    made->vectors = request->vectors;
    SinoStatus status = new_vectors(runtime, request, made);
    if (!status) status = new_scalars(runtime, request->op, request->history_columns, made);
    if (!status)
        status = sino_partial_sums_new(runtime, request->exchange, request->op, request->slices, request->number,
                                       request->overlap, &made->partial_sums);
    if (status)
        sino_minibatch_free(made, request->op->partition_count);
    else
        *result = made;
    return status;
}

static void free_each(SinoData **data, int64_t count)
{
    for (int64_t i = 0; data && i < count; i++) sino_data_free(data[i]);
    free(data);
}

void sino_minibatch_free(SinoMinibatch *minibatch, int64_t partition_count)
{
    if (!minibatch) return;
    for (int i = 0; i < SINO_RAY_VECTORS_MAX; i++) sino_data_free(minibatch->rays[i]);
    for (int i = 0; i < SINO_VOXEL_VECTORS_MAX; i++) free_each(minibatch->voxels[i], partition_count);
    sino_partial_sums_free(minibatch->partial_sums);
    free_each(minibatch->partial, partition_count);
    free_each(minibatch->narrow_rays, partition_count);
    free_each(minibatch->narrow_voxels, partition_count);
    sino_data_free(minibatch->units);
    sino_data_free(minibatch->sums);
    sino_data_free(minibatch->state);
    sino_data_free(minibatch->history);
    sino_data_free(minibatch->repaired);
    sino_data_free(minibatch->image);
    for (int i = 0; i < SINO_LOOKAHEAD; i++) sino_data_free(minibatch->active[i]);
    free(minibatch);
}

/* Rays of this process's footprints together, an upper bound: a compact share 1/P of a square casts a shadow of at most
 * √2/√P of its side on the detector, and Hilbert runs are a little less compact than squares. */
static int64_t footprint_rays(int64_t rays, const SinoExchangeShape *shape)
{
    const int64_t own = sino_exchange_partitions(shape), all = own * shape->data_count;
    if (all == 1) return 0;
    const double share = fmin(1, 2 / sqrt((double)all));
    return (int64_t)((double)rays * (double)own * share);
}

static int64_t share_of(int64_t rows, int64_t data_count)
{
    return (rows + data_count - 1) / data_count;
}

int64_t sino_minibatch_bytes(const SinoGeometry *geometry, SinoPrecision precision, const SinoExchangeShape *shape,
                             int64_t stride, SinoVectorCount vectors, int64_t history_columns)
{
    const int64_t all_rays = sino_geometry_ray_count(geometry), all_voxels = sino_tile_voxels(geometry->grid_size);
    const int64_t rays = share_of(all_rays, shape->data_count), voxels = share_of(all_voxels, shape->data_count);
    const int64_t footprints = footprint_rays(all_rays, shape);
    const int64_t elements = vectors.rays * rays + vectors.voxels * voxels + footprints;
    const int64_t narrow = is_narrow(precision) ? voxels + (footprints > 0 ? footprints : rays) : 0;
    const int64_t element = (int64_t)sino_precision_bytes(sino_precision_solver(precision));
    return stride * (elements * element + narrow * (int64_t)sizeof(SinoHalf) + (history_columns + 16) * 8) +
           sino_partial_sums_bytes(shape, precision, stride, footprints, all_voxels) + image_bytes(geometry, stride);
}

SinoPosition sino_minibatch_at(const SinoMinibatch *minibatch, int64_t iteration, int64_t partition)
{
    SinoPosition position = minibatch->position;
    position.iteration = iteration;
    position.partition = partition;
    return position;
}

static SinoStatus prepare_spmm(SinoRuntime *runtime, const SinoOperator *op, const SinoMinibatch *minibatch,
                               SinoPosition position, bool back, SinoSpmm *spmm)
{
    const int64_t stride = minibatch->slices.stride;
    *spmm = (SinoSpmm){.stride = stride,
                       .work = 2 * (double)op->partition[position.partition].nonzero_count * (double)stride,
                       .scratch = op->scratch,
                       .units = minibatch->units};
    return sino_operator_use(runtime, op, position, back, spmm);
}

/* Shares are below 2 to this. Half precision stores sums too: those over a ray are at most √2·N, those over a voxel
 * √2·K times the largest share, and must stay below 2^16. Mixed precision uses what halves have. */
static int exponent_of(const SinoOperator *op, int64_t terms)
{
    int log = 0;
    if (op->layout.precision == SINO_MIXED) return 14;
    while ((double)terms * 1.4143 > ldexp(1, log)) log++;
    return 15 - log;
}

/* Units of a whole vector in parts, and its halves. */
static SinoStatus insert_narrow_voxels(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                                       int64_t iteration, SinoData **from)
{
    const int64_t count = op->partition_count;
    const int exponent = exponent_of(op, op->layout.geometry.grid_size);
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_units(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                        op->partition[p].voxel_count, exponent, p == 0, p == count - 1, from[p],
                                        minibatch->units));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_narrow(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                         op->partition[p].voxel_count, from[p], minibatch->units,
                                         minibatch->narrow_voxels[p]));
    return NULL;
}

static SinoStatus insert_narrow_rays(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                                     int64_t iteration, SinoData **parts)
{
    const int64_t count = op->partition_count;
    const int exponent = exponent_of(op, op->layout.geometry.angle_count);
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_units(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                        op->partition[p].footprint.ray_count, exponent, p == 0, p == count - 1,
                                        parts[p], minibatch->units));
    for (int64_t p = 0; p < count; p++)
        SINO_TRY(sino_insert_cast_narrow(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                         op->partition[p].footprint.ray_count, parts[p], minibatch->units,
                                         minibatch->narrow_rays[p]));
    return NULL;
}

/* Parts that half precision has written, to single. */
static SinoStatus insert_widen(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                               int64_t iteration, bool voxels, SinoData **to)
{
    SinoData **from = voxels ? minibatch->narrow_voxels : minibatch->narrow_rays;
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPartition *partition = &op->partition[p];
        SINO_TRY(sino_insert_cast_widen(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                        voxels ? partition->voxel_count : partition->footprint.ray_count, from[p],
                                        minibatch->units, to[p]));
    }
    return NULL;
}

SinoStatus sino_insert_project(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                               int64_t iteration, int64_t from, int64_t to)
{
    const bool half = op->layout.precision == SINO_HALF;
    SinoData **partial = minibatch->partial ? minibatch->partial : &minibatch->rays[to];
    SinoData **x = minibatch->units ? minibatch->narrow_voxels : minibatch->voxels[from];
    SinoData **y = half ? minibatch->narrow_rays : partial;
    if (minibatch->units) SINO_TRY(insert_narrow_voxels(runtime, op, minibatch, iteration, minibatch->voxels[from]));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPosition position = sino_minibatch_at(minibatch, iteration, p);
        SinoSpmm spmm;
        SINO_TRY(prepare_spmm(runtime, op, minibatch, position, false, &spmm));
        SINO_TRY(sino_insert_spmm_project(runtime, position, &spmm, x[p], y[p]));
    }
    if (half) SINO_TRY(insert_widen(runtime, op, minibatch, iteration, false, partial));
    if (!minibatch->partial) return NULL;
    return sino_insert_reduction(runtime, minibatch->partial_sums, op, sino_minibatch_at(minibatch, iteration, -1),
                                 minibatch->partial, minibatch->rays[to]);
}

SinoStatus sino_insert_backproject(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                                   int64_t iteration, int64_t from, int64_t to)
{
    const bool half = op->layout.precision == SINO_HALF;
    SinoData **partial = minibatch->partial ? minibatch->partial : &minibatch->rays[from];
    SinoData **y = minibatch->units ? minibatch->narrow_rays : partial;
    SinoData **x = half ? minibatch->narrow_voxels : minibatch->voxels[to];
    if (minibatch->partial)
        SINO_TRY(sino_insert_spreading(runtime, minibatch->partial_sums, op,
                                       sino_minibatch_at(minibatch, iteration, -1), minibatch->rays[from],
                                       minibatch->partial));
    if (minibatch->units) SINO_TRY(insert_narrow_rays(runtime, op, minibatch, iteration, partial));
    /* From the last partition on: its block is the one that a window holds longest. */
    for (int64_t p = op->partition_count - 1; p >= 0; p--) {
        const SinoPosition position = sino_minibatch_at(minibatch, iteration, p);
        SinoSpmm spmm;
        SINO_TRY(prepare_spmm(runtime, op, minibatch, position, true, &spmm));
        SINO_TRY(sino_insert_spmm_backproject(runtime, position, &spmm, y[p], x[p]));
    }
    if (half) SINO_TRY(insert_widen(runtime, op, minibatch, iteration, true, minibatch->voxels[to]));
    return NULL;
}

SinoStatus sino_insert_collect(SinoRuntime *runtime, SinoMinibatch *minibatch, int64_t iteration, SinoData **all)
{
    return sino_insert_collection(runtime, minibatch->partial_sums, sino_minibatch_at(minibatch, iteration, -1),
                                  minibatch->sums, all);
}
