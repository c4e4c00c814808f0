/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate, the kind of operator: projections of a turned image and their transpose (rotate.h), without a matrix. */
#include "rays_tasks.h"
#include "tiles_kind.h"

#include "memory.h"
#include "settings.h"

#include <stdlib.h>

/* SinoTilesOwn.kind: the tables of devices; owned. */
typedef struct Tables {
    int64_t subset_count, partition_count;
    SinoData **turn;           /* [subset] */
    SinoData **number, **tile; /* [partition] */
} Tables;

static SinoStatus size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size)
{
    const int64_t scratch = sino_rotate_scratch_bytes();
    SINO_TRY(sino_tiles_size(problem, division, worker_count, scratch, size));
    const SinoExtent *voxels = &size->shape.extent[SINO_ROWS_VOXELS];
    const SinoRotateDataBytes most = sino_rotate_data_bytes(&problem->geometry, voxels->most / SINO_TILE_VOXELS);
    const SinoRotateDataBytes all = sino_rotate_data_bytes(&problem->geometry, voxels->total / SINO_TILE_VOXELS);
    size->table_bytes = all.turn + all.tile + sino_times(voxels->members, all.number);
    size->product_bytes = scratch + most.turn + sino_larger(most.number, most.tile);
    return NULL;
}

/* The product of a partition and all angles of a subset. */
static SinoRotate product_of(const SinoOperator *op, SinoSlices slices, int64_t subset, int64_t partition)
{
    const SinoTilesOwn *own = op->own;
    SinoRotate what = {.geometry = own->subset[subset],
                       .interpolation = op->problem.interpolation,
                       .slices = slices,
                       .angle_count = own->subset[subset].angle_count};
    what.tile = sino_tiles_of(own, partition, &what.tile_count);
    return what;
}

static SinoStatus make_tables(const SinoOperator *op, Tables *tables)
{
    const SinoTilesOwn *own = op->own;
    tables->subset_count = op->problem.subset_count;
    tables->partition_count = own->decomposition.partition_count;
    SINO_TRY(sino_allocate(tables->subset_count, sizeof(void *), "the operator", &tables->turn));
    SINO_TRY(sino_allocate(tables->partition_count, sizeof(void *), "the operator", &tables->number));
    SINO_TRY(sino_allocate(tables->partition_count, sizeof(void *), "the operator", &tables->tile));
    for (int64_t s = 0; s < tables->subset_count; s++)
        SINO_TRY(sino_rotate_data_angles(op->runtime, &own->subset[s], &tables->turn[s]));
    for (int64_t p = 0; p < tables->partition_count; p++) {
        const SinoRotate what = product_of(op, (SinoSlices){0}, 0, p);
        SINO_TRY(sino_rotate_data_tiles(op->runtime, &what, &tables->number[p], &tables->tile[p]));
    }
    return NULL;
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    Tables *tables = NULL;
    SINO_TRY(sino_tiles_open(op, request, sino_rotate_scratch_bytes()));
    if (op->idle || sino_runtime_device_count(op->runtime) == 0) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *tables, "the operator", &tables));
    ((SinoTilesOwn *)op->own)->kind = tables;
    return make_tables(op, tables);
}

static void close_all(SinoOperator *op)
{
    Tables *tables = op->own ? ((SinoTilesOwn *)op->own)->kind : NULL;
    if (tables) {
        sino_data_free_each(tables->turn, tables->subset_count);
        sino_data_free_each(tables->number, tables->partition_count);
        sino_data_free_each(tables->tile, tables->partition_count);
        free(tables);
    }
    sino_tiles_close(op);
}

/* The tables of a product; of NULL: none. */
static SinoRotateData tables_of(const Tables *tables, int64_t subset, int64_t partition)
{
    if (!tables) return (SinoRotateData){0};
    return (SinoRotateData){tables->turn[subset], tables->number[partition], tables->tile[partition]};
}

static SinoPosition at_partition(const SinoProduct *product, int64_t partition)
{
    SinoPosition position = product->position;
    position.partition = partition;
    return position;
}

static SinoStatus insert_project(SinoOperatorWork *work, const SinoProduct *product, SinoPosition position,
                                 int64_t first_angle, int64_t angle_count, SinoData *x, SinoData *order, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    SinoRotate what = product_of(work->op, product->slices, product->subset, position.partition);
    what.first_angle = first_angle;
    what.angle_count = angle_count;
    return sino_insert_rotate_project(work->op->runtime, position, &what, position.partition == 0, x, own->scratch,
                                      order, y);
}

/* A task of each partition, on cores and devices. They add to the rays one after the other, in the order of the
 * partitions: other minibatches keep other workers busy. */
static SinoStatus project_whole(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        const SinoRotate what = product_of(work->op, product->slices, product->subset, p);
        const SinoRotateData tables = tables_of(own->kind, product->subset, p);
        if (what.tile_count == 0 && p > 0) continue;
        SINO_TRY(sino_insert_rotate_project_all(work->op->runtime, at_partition(product, p), &what, p == 0, &tables,
                                                x[p], own->scratch, y));
    }
    return NULL;
}

static SinoStatus project(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    return own->kind ? project_whole(work, product, x, y) : sino_tiles_project(work, product, insert_project, x, y);
}

static SinoStatus backproject(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x)
{
    const SinoTilesOwn *own = work->op->own;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        const SinoRotate what = product_of(work->op, product->slices, product->subset, p);
        const SinoRotateData tables = tables_of(own->kind, product->subset, p);
        if (what.tile_count == 0) continue;
        SINO_TRY(sino_insert_rotate_back(work->op->runtime, at_partition(product, p), &what, &tables, y, own->scratch,
                                         x[p]));
    }
    return sino_tiles_insert_sums(work, product->position, x);
}

static double product_flops(const SinoProblem *problem, int64_t slices)
{
    return sino_rotate_effort(problem->interpolation, sino_operator_samples(problem), slices) / (double)slices;
}

static void report(const SinoOperator *op)
{
    const SinoTilesOwn *own = op->own;
    if (op->idle) return;
    sino_angle_subsets_report(&own->angles, sino_runtime_log(op->runtime));
    sino_log_info(sino_runtime_log(op->runtime), "operator",
                  "operator: slices are turned in every product, with %s interpolation; nothing is stored (%s)",
                  sino_interpolation_name(op->problem.interpolation), sino_rotate_isa_name());
}

const SinoOperatorKind sino_rotate_kind = {
    SINO_TILES_KIND,
    .name = "rotate",
    .projector = SINO_PROJECTOR_ROTATE,
    .kernels = SINO_KERNELS_OF_ALL,
    .product_flops = product_flops,
    .outline = sino_tiles_outline,
    .size = size,
    .open = open_all,
    .close = close_all,
    .project = project,
    .backproject = backproject,
    .report = report,
};
