/* SPDX-License-Identifier: BSD-3-Clause */
/* Minibatch: the data of F slices that are solved together, and the projections that every solver's graph is made of.
 */
#include "minibatch.h"

#include "memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static SinoStatus new_vector(SinoRuntime *runtime, const char *name, int64_t rows, SinoSlices slices, SinoData **data)
{
    int64_t elements = 0, bytes = 0;
    SINO_TRY(sino_multiply(rows, slices.stride, name, &elements));
    SINO_TRY(sino_multiply(elements, (int64_t)sino_precision_bytes(slices.precision), name, &bytes));
    /* An empty partition still needs data that its tasks can name. */
    return sino_data_new(runtime, name, bytes > 0 ? bytes : 1, data);
}

static SinoStatus new_vectors(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *made)
{
    static const char *const ray_name[SINO_RAY_VECTORS_MAX] = {"sinogram", "projection"};
    static const char *const voxel_name[SINO_VOXEL_VECTORS_MAX] = {"tomogram", "gradient", "direction",
                                                                   "first gradient"};
    const SinoVectorCount vectors = made->vectors;
    assert(vectors.rays <= SINO_RAY_VECTORS_MAX && vectors.voxels <= SINO_VOXEL_VECTORS_MAX);
    for (int64_t i = 0; i < vectors.rays; i++)
        SINO_TRY(new_vector(runtime, ray_name[i], op->ray_count, made->slices, &made->rays[i]));
    for (int64_t i = 0; i < vectors.voxels; i++) {
        SINO_TRY(sino_allocate(op->partition_count, sizeof *made->voxels[i], voxel_name[i], &made->voxels[i]));
        for (int64_t p = 0; p < op->partition_count; p++)
            SINO_TRY(
                new_vector(runtime, voxel_name[i], op->partition[p].voxel_count, made->slices, &made->voxels[i][p]));
    }
    if (op->partition_count == 1) return NULL;
    SINO_TRY(sino_allocate(op->partition_count, sizeof *made->partial, "partial", &made->partial));
    for (int64_t p = 0; p < op->partition_count; p++)
        SINO_TRY(new_vector(runtime, "partial", op->partition[p].footprint.ray_count, made->slices, &made->partial[p]));
    return NULL;
}

static int64_t image_bytes(const SinoGeometry *geometry, int64_t stride)
{
    return geometry->grid_size * geometry->grid_size * stride * (int64_t)sizeof(float);
}

static SinoStatus new_scalars(SinoRuntime *runtime, const SinoOperator *op, int64_t history_columns,
                              SinoMinibatch *made)
{
    const int64_t stride = made->slices.stride;
    SINO_TRY(sino_data_new(runtime, "state", stride * (int64_t)sizeof(SinoSliceState), &made->state));
    SINO_TRY(sino_data_new(runtime, "history", stride * history_columns * (int64_t)sizeof(double), &made->history));
    SINO_TRY(sino_data_new(runtime, "repaired", stride * (int64_t)sizeof(int64_t), &made->repaired));
    SINO_TRY(sino_data_new(runtime, "image", image_bytes(&op->geometry, stride), &made->image));
    for (int i = 0; i < SINO_LOOKAHEAD; i++)
        SINO_TRY(sino_data_new(runtime, "active", (int64_t)sizeof(int64_t), &made->active[i]));
    return NULL;
}

SinoStatus sino_minibatch_new(SinoRuntime *runtime, const SinoOperator *op, SinoSlices slices, SinoVectorCount vectors,
                              int64_t history_columns, SinoMinibatch **result)
{
    SinoMinibatch *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a minibatch", &made));
    made->position = SINO_NOWHERE;
    made->slices = slices;
    made->vectors = vectors;
    SinoStatus status = new_vectors(runtime, op, made);
    if (!status) status = new_scalars(runtime, op, history_columns, made);
    if (status)
        sino_minibatch_free(made, op->partition_count);
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
    free_each(minibatch->partial, partition_count);
    sino_data_free(minibatch->state);
    sino_data_free(minibatch->history);
    sino_data_free(minibatch->repaired);
    sino_data_free(minibatch->image);
    for (int i = 0; i < SINO_LOOKAHEAD; i++) sino_data_free(minibatch->active[i]);
    free(minibatch);
}

/* Rays of all footprints together, an upper bound: a compact share 1/P of a square casts a shadow of at most √2/√P of
 * its side on the detector, and Hilbert runs are a little less compact than squares. */
static int64_t footprint_rays(int64_t rays, int64_t partition_count)
{
    if (partition_count == 1) return 0;
    const double share = fmin(1, 2 / sqrt((double)partition_count));
    return (int64_t)((double)rays * (double)partition_count * share);
}

int64_t sino_minibatch_bytes(const SinoGeometry *geometry, SinoPrecision precision, int64_t partition_count,
                             int64_t stride, SinoVectorCount vectors, int64_t history_columns)
{
    const int64_t rays = sino_geometry_ray_count(geometry);
    const int64_t tiles = (geometry->grid_size + SINO_TILE - 1) / SINO_TILE;
    const int64_t voxels = tiles * tiles * SINO_TILE_VOXELS;
    const int64_t elements = vectors.rays * rays + vectors.voxels * voxels + footprint_rays(rays, partition_count);
    return stride * (elements * (int64_t)sino_precision_bytes(precision) + (history_columns + 16) * 8) +
           image_bytes(geometry, stride);
}

SinoPosition sino_minibatch_at(const SinoMinibatch *minibatch, int64_t iteration, int64_t partition)
{
    SinoPosition position = minibatch->position;
    position.iteration = iteration;
    position.partition = partition;
    return position;
}

static double work_of(const SinoPartition *partition, const SinoMinibatch *minibatch)
{
    return 2 * (double)partition->nonzero_count * (double)minibatch->slices.stride;
}

SinoStatus sino_insert_project(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                               int64_t iteration, int64_t from, int64_t to)
{
    SinoData **partial = minibatch->partial ? minibatch->partial : &minibatch->rays[to];
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPartition *partition = &op->partition[p];
        SINO_TRY(sino_insert_spmm_project(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices.stride,
                                          work_of(partition, minibatch), partition->block, minibatch->voxels[from][p],
                                          partial[p]));
    }
    for (int64_t p = 0; minibatch->partial && p < op->partition_count; p++)
        SINO_TRY(sino_insert_reduce_node(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                         &op->partition[p].footprint, p == 0, op->ray_count, partial[p],
                                         minibatch->rays[to]));
    return NULL;
}

SinoStatus sino_insert_backproject(SinoRuntime *runtime, const SinoOperator *op, SinoMinibatch *minibatch,
                                   int64_t iteration, int64_t from, int64_t to)
{
    SinoData **partial = minibatch->partial ? minibatch->partial : &minibatch->rays[from];
    for (int64_t p = 0; minibatch->partial && p < op->partition_count; p++)
        SINO_TRY(sino_insert_spread_node(runtime, sino_minibatch_at(minibatch, iteration, p), minibatch->slices,
                                         &op->partition[p].footprint, op->ray_count, minibatch->rays[from],
                                         partial[p]));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const SinoPartition *partition = &op->partition[p];
        SINO_TRY(sino_insert_spmm_backproject(runtime, sino_minibatch_at(minibatch, iteration, p),
                                              minibatch->slices.stride, work_of(partition, minibatch), partition->block,
                                              partial[p], minibatch->voxels[to][p]));
    }
    return NULL;
}
