/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: what the kinds of operator of a parallel beam without a matrix share. */
#include "tiles_kind.h"

#include "memory.h"
#include "panel.h"
#include "rays_tasks.h"
#include "status.h"

#include <stdlib.h>

enum {
    TASKS_PER_WORKER = 4, /* of a projection by a partition: none waits long for another's end */
    ANGLES_LEAST = 16     /* of such a task: the angles that a codelet takes together */
};

bool sino_tiles_take(const SinoOperatorKind *kind, const SinoProblem *problem)
{
    return !problem->cone && problem->geometry.angle_count > 0 && problem->projector == kind->projector &&
           problem->precision == SINO_SINGLE && (kind->project || problem->subset_count == 1);
}

SinoStatus sino_tiles_check(const char *folder)
{
    (void)folder;
    return NULL;
}

/* The decomposition for a matrix that stores every angle: its weights are what a tile costs here, too. A few angles of
 * the scan tell them. */
static SinoStatus decompose(const SinoProblem *problem, int64_t partition_count, bool sketch,
                            SinoDecomposition *decomposition)
{
    enum { FEW = 16 };
    double angle_rad[FEW];
    SinoLayout layout;
    SinoGeometry few = problem->geometry;
    const int64_t step = sino_ceil_divide(few.angle_count, FEW);
    few.angle_count = sino_ceil_divide(few.angle_count, step);
    few.angle_rad = angle_rad;
    for (int64_t k = 0; k < few.angle_count; k++) angle_rad[k] = problem->geometry.angle_rad[k * step];
    SINO_TRY(sino_layout_new(&few, problem->precision, false, &layout));
    SinoStatus status =
        (sketch ? sino_decomposition_sketch : sino_decomposition_new)(&layout, partition_count, NULL, decomposition);
    sino_layout_free(&layout);
    if (!status) decomposition->nonzero_count *= (double)problem->geometry.angle_count / (double)few.angle_count;
    return status;
}

SinoStatus sino_tiles_outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    const int64_t voxels = sino_tile_voxels(problem->geometry.grid_size);
    *outline = (SinoOperatorOutline){.unit_count = voxels / SINO_TILE_VOXELS, .voxel_count = voxels};
    return NULL;
}

/* The angles of a subset that a rank has: from *first on, in the order of the subset. */
static int64_t rank_angles(const SinoAngleSubsets *angles, int64_t subset, int64_t rank, int64_t rank_count,
                           int64_t *first)
{
    const int64_t count = sino_angle_subsets_size(angles, subset);
    *first = sino_ray_exchange_first_angle(count, rank, rank_count);
    return sino_ray_exchange_first_angle(count, rank + 1, rank_count) - *first;
}

/* Angles of the rank that has most: of all subsets, and of one. */
typedef struct Share {
    int64_t all, one;
} Share;

/* That is the last one. */
static Share largest_share(const SinoAngleSubsets *angles, int64_t rank_count)
{
    Share most = {0};
    for (int64_t s = 0; s < angles->count; s++) {
        const int64_t count = sino_ceil_divide(sino_angle_subsets_size(angles, s), rank_count);
        most.one = sino_larger(most.one, count);
        most.all += count;
    }
    return most;
}

static void fill_extents(const SinoProblem *problem, Share most, int64_t rank_count,
                         const SinoDecomposition *decomposition, SinoExtent *extent)
{
    const SinoGeometry *scan = &problem->geometry;
    const int64_t rays = sino_times(most.all, scan->column_count);
    extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    extent[SINO_ROWS_RAYS] = sino_extent_one(rays);
    extent[SINO_ROWS_COMPLETED] = sino_operator_completed(scan, most.all);
    extent[SINO_ROWS_BLOCK] = sino_operator_block(problem);
    extent[SINO_ROWS_WAITING] = sino_operator_waiting(problem, rays);
    extent[SINO_ROWS_SUBSET] = (SinoExtent){.members = problem->subset_count,
                                            .total = rays,
                                            .most = sino_times(most.one, scan->column_count),
                                            .filled = problem->subset_count};
    extent[SINO_ROWS_VOXELS] =
        (SinoExtent){.members = decomposition->partition_count,
                     .total = sino_decomposition_voxels(decomposition, 0, decomposition->partition_count)};
    for (int64_t p = 0; p < decomposition->partition_count; p++) {
        const int64_t voxels = sino_decomposition_voxels(decomposition, p, p + 1);
        extent[SINO_ROWS_VOXELS].most = sino_larger(extent[SINO_ROWS_VOXELS].most, voxels);
        extent[SINO_ROWS_VOXELS].filled += voxels > 0;
    }
    extent[SINO_ROWS_PIXELS] = sino_operator_pixels(scan);
    extent[SINO_ROWS_TALLY] = sino_extent_one(most.all + scan->column_count);
    if (rank_count == 1) return;
    extent[SINO_ROWS_RANKS] =
        (SinoExtent){.members = rank_count, .total = rank_count - 1, .most = 1, .filled = rank_count - 1};
    extent[SINO_ROWS_SHARED] = sino_extent_one(1);
}

/* Half of what the sum of a backprojection sends: each of two products counts as much (decomposition.h). A rank sends
 * its voxels to the ranks that add them up, and its part of the sum to all others. */
static SinoTraffic traffic_of(const SinoDecomposition *decomposition, int64_t rank_count)
{
    const int64_t others = rank_count - 1;
    const int64_t voxels = sino_decomposition_voxels(decomposition, 0, decomposition->partition_count);
    const int64_t sent = sino_ceil_divide(sino_times(voxels, others), rank_count);
    const int64_t messages = sino_times(others, decomposition->partition_count);
    return (SinoTraffic){.global = sino_times(sent, rank_count),
                         .most_sent = sent,
                         .most_received = sent,
                         .messages = sino_times(messages, rank_count),
                         .most_messages = messages};
}

SinoStatus sino_tiles_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                           int64_t scratch_bytes, SinoOperatorSize *size)
{
    SinoDecomposition decomposition;
    SinoAngleSubsets subsets;
    const SinoTopology *topology = &division->topology;
    const int64_t ranks = topology->rank_count;
    SINO_TRY(decompose(problem, sino_topology_rank_partitions(topology), true, &decomposition));
    *size =
        (SinoOperatorSize){.map_bytes = sino_times(worker_count, scratch_bytes),
                           .shape.precision = problem->precision,
                           .nonzero_count = decomposition.nonzero_count,
                           .slowest_nonzeros = decomposition.nonzero_count / (double)sino_times(worker_count, ranks),
                           .stored_angles = 0,
                           .orientations = 1};
    if (ranks > 1) size->traffic = size->direct = traffic_of(&decomposition, ranks);
    SinoStatus status = sino_angle_subsets_new(problem, &subsets);
    if (!status) {
        fill_extents(problem, largest_share(&subsets, ranks), ranks, &decomposition, size->shape.extent);
        sino_angle_subsets_free(&subsets);
    }
    sino_decomposition_free(&decomposition);
    return status;
}

/* ---- open ---- */

/* Of each subset the angles of data rank shape->data_rank. */
static SinoStatus list_angles(const SinoOperator *op, const SinoRayExchangeShape *shape, SinoTilesOwn *own)
{
    const SinoGeometry *scan = &op->problem.geometry;
    const int64_t subsets = op->problem.subset_count;
    const SinoAngleSubsets *angles = &own->angles;
    int64_t before = 0;
    SINO_TRY(sino_angle_subsets_new(&op->problem, &own->angles));
    SINO_TRY(sino_allocate(subsets, sizeof *own->subset, "subsets", &own->subset));
    SINO_TRY(sino_allocate(subsets, sizeof *own->subset_rays, "subsets", &own->subset_rays));
    SINO_TRY(sino_allocate(scan->angle_count, sizeof *own->angle_rad, "angles", &own->angle_rad));
    SINO_TRY(sino_allocate(scan->angle_count, sizeof *own->place, "angles", &own->place));
    for (int64_t i = 0; i < scan->angle_count; i++) {
        own->place[i] = -1;
        own->angle_rad[i] = scan->angle_rad[angles->number[i]];
    }
    for (int64_t s = 0; s < subsets; s++) {
        int64_t first;
        const int64_t count = rank_angles(angles, s, shape->data_rank, shape->data_count, &first);
        own->subset[s] = *scan;
        own->subset[s].angle_count = count;
        own->subset[s].angle_rad = own->angle_rad + angles->first[s] + first;
        own->subset_rays[s] = sino_geometry_ray_count(&own->subset[s]);
        for (int64_t i = 0; i < count; i++) own->place[angles->number[angles->first[s] + first + i]] = before++;
    }
    own->angle_count = before;
    return NULL;
}

static SinoStatus list_partitions(const SinoOperator *op, const SinoDivision *division, SinoTilesOwn *own)
{
    const int64_t count = sino_topology_rank_partitions(&division->topology);
    SINO_TRY(decompose(&op->problem, count, false, &own->decomposition));
    SINO_TRY(sino_allocate(count, sizeof *own->partition_voxels, "partitions", &own->partition_voxels));
    SINO_TRY(sino_allocate(count, sizeof *own->part, "partitions", &own->part));
    for (int64_t p = 0; p < count; p++) {
        own->partition_voxels[p] = sino_decomposition_voxels(&own->decomposition, p, p + 1);
        own->part[p].footprint.ray_count = sino_geometry_ray_count(&op->problem.geometry);
    }
    return NULL;
}

/* Angles of the subset of which this rank has most. */
static int64_t most_angles(const SinoTilesOwn *own)
{
    int64_t most = 0;
    for (int64_t s = 0; s < own->angles.count; s++) most = sino_larger(most, own->subset[s].angle_count);
    return most;
}

static SinoStatus describe(SinoOperator *op, const SinoOperatorRequest *request, SinoTilesOwn *own)
{
    SINO_TRY(list_angles(op, &request->shape, own));
    SINO_TRY(list_partitions(op, &request->division, own));
    const int64_t tasks = TASKS_PER_WORKER * sino_larger(sino_runtime_worker_count(op->runtime), 1);
    own->task_angles = sino_larger(sino_ceil_divide(most_angles(own), tasks), ANGLES_LEAST);
    return NULL;
}

static SinoStatus fill_shape(SinoOperator *op, SinoTilesOwn *own)
{
    const SinoGeometry *scan = &op->problem.geometry;
    op->shape.precision = op->problem.precision;
    SINO_TRY(sino_ray_exchange_extents(own->exchange, op->shape.extent));
    op->shape.extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    op->shape.extent[SINO_ROWS_RAYS] = sino_extent_one(sino_times(own->angle_count, scan->column_count));
    op->shape.extent[SINO_ROWS_COMPLETED] = sino_operator_completed(scan, own->angle_count);
    op->shape.extent[SINO_ROWS_BLOCK] = sino_operator_block(&op->problem);
    if (!sino_operator_adds(op->kind, scan))
        op->shape.extent[SINO_ROWS_WAITING] =
            sino_operator_waiting(&op->problem, sino_times(own->angle_count, scan->column_count));
    op->shape.extent[SINO_ROWS_SUBSET] = sino_extent_of(op->problem.subset_count, own->subset_rays);
    op->shape.extent[SINO_ROWS_PIXELS] = sino_operator_pixels(scan);
    op->shape.extent[SINO_ROWS_TALLY] = sino_extent_one(own->angle_count + scan->column_count);
    op->ranks = own->exchange;
    op->replicated = true;
    op->place = own->place;
    return NULL;
}

SinoStatus sino_tiles_open(SinoOperator *op, const SinoOperatorRequest *request, int64_t scratch_bytes)
{
    SinoTilesOwn *own = NULL;
    SinoProcesses *processes = sino_runtime_processes(op->runtime);
    SinoStatus status = sino_allocate(1, sizeof *own, "the operator", &own);
    op->own = own;
    if (!status && !op->idle) status = describe(op, request, own);
    SINO_TRY(sino_processes_agree(processes, status));
    const SinoExchangeParts parts = {.angle_count = op->problem.geometry.angle_count,
                                     .column_count = op->problem.geometry.column_count,
                                     .whole = true,
                                     .count = own->decomposition.partition_count,
                                     .part = own->part,
                                     .all_count = own->decomposition.partition_count,
                                     .all_voxels = own->partition_voxels};
    SinoRayExchangeShape shape = request->shape; /* nothing is summed by level */
    shape.nodes = shape.sockets = 1;
    shape.workers = parts.count;
    SINO_TRY(sino_ray_exchange_new(op->runtime, &shape, op->idle ? NULL : &parts, &own->exchange));
    op->ranks = own->exchange;
    if (op->idle) return NULL;
    SINO_TRY(fill_shape(op, own));
    return scratch_bytes > 0 ? sino_data_scratch(op->runtime, "scratch", scratch_bytes, &own->scratch) : NULL;
}

void sino_tiles_close(SinoOperator *op)
{
    SinoTilesOwn *own = op->own;
    if (!own) return;
    sino_data_free(own->scratch);
    sino_ray_exchange_free(own->exchange);
    sino_decomposition_free(&own->decomposition);
    free(own->part);
    free(own->partition_voxels);
    free(own->subset);
    free(own->subset_rays);
    free(own->angle_rad);
    free(own->place);
    sino_angle_subsets_free(&own->angles);
    free(own);
}

const SinoTilePlace *sino_tiles_of(const SinoTilesOwn *own, int64_t partition, int64_t *count)
{
    const int64_t *first = own->decomposition.first;
    *count = first[partition + 1] - first[partition];
    return own->decomposition.tile + first[partition];
}

/* ---- work ---- */

SinoStatus sino_tiles_work_open(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap)
{
    const SinoTilesOwn *own = work->op->own;
    return sino_angle_work_open(work, own->exchange, sino_ceil_divide(most_angles(own), own->task_angles),
                                own->decomposition.partition_count, own->partition_voxels, slices, number, overlap);
}

SinoStatus sino_tiles_project(SinoOperatorWork *work, const SinoProduct *product, SinoTilesProject *insert,
                              SinoData *const *x, SinoData *y)
{
    const SinoTilesOwn *own = work->op->own;
    const SinoAngleWork *made = work->own;
    SinoRuntime *runtime = work->op->runtime;
    SinoPosition position = product->position;
    const int64_t angles = own->subset[product->subset].angle_count, step = own->task_angles;
    SINO_TRY(sino_insert_rays_begin(runtime, position, false, y));
    for (int64_t p = 0; p < own->decomposition.partition_count; p++)
        for (int64_t k = 0; k < angles; k += step) {
            position.partition = p;
            if (own->partition_voxels[p] == 0 && p > 0) continue;
            SINO_TRY(
                insert(work, product, position, k, sino_smaller(step, angles - k), x[p], made->order[k / step], y));
        }
    return sino_insert_rays_end(runtime, product->position, y);
}

SinoStatus sino_tiles_insert_sums(SinoOperatorWork *work, SinoPosition position, SinoData *const *x)
{
    const SinoTilesOwn *own = work->op->own;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        position.partition = p;
        SINO_TRY(sino_angle_work_sum(work, position, x[p]));
    }
    return NULL;
}

SinoStatus sino_tiles_image(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                            SinoData *const *x, SinoData *image)
{
    const SinoTilesOwn *own = work->op->own;
    SinoPosition position = product->position;
    bool first = true;
    for (int64_t p = 0; p < own->decomposition.partition_count; p++) {
        SinoAssemble part = {.slices = product->slices,
                             .grid_size = work->op->problem.geometry.grid_size,
                             .margin = work->op->problem.geometry.margin,
                             .scale = imaging->scale,
                             .mask_ratio = imaging->mask_ratio};
        part.tile = sino_tiles_of(own, p, &part.tile_count);
        position.partition = p;
        if (part.tile_count == 0) continue;
        SINO_TRY(sino_insert_assemble(work->op->runtime, position, &part, first, NULL, x[p], image));
        first = false;
    }
    return NULL;
}

SinoTiling sino_tiles_tiling(const SinoOperator *op)
{
    const SinoDecomposition *all = &((const SinoTilesOwn *)op->own)->decomposition;
    return (SinoTiling){all->partition_count, all->first, all->tile};
}

SinoStatus sino_tiles_map(const SinoOperator *op, SinoTileNumber **tile)
{
    const SinoTilesOwn *tiles = op->own;
    const int64_t side = sino_tile_side(op->problem.geometry.grid_size);
    SINO_TRY(sino_allocate(sino_times(side, side), sizeof **tile, "tiles", tile));
    for (int64_t i = 0; i < side * side; i++) (*tile)[i] = (SinoTileNumber){-1, 0};
    for (int64_t p = 0; p < tiles->decomposition.partition_count; p++) {
        int64_t count;
        const SinoTilePlace *place = sino_tiles_of(tiles, p, &count);
        for (int64_t i = 0; i < count; i++)
            (*tile)[place[i].row * side + place[i].column] = (SinoTileNumber){(int32_t)p, (int32_t)i};
    }
    return NULL;
}
