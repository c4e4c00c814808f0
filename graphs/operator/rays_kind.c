/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, the kind of operator: opening one memoised matrix and one exchange for each subset of the angles. */
#include "rays_private.h"

#include "memory.h"

#include <stdlib.h>

/* Describes the partitions to the exchange. */
static SinoStatus describe_parts(SinoRaysSubset *subset, SinoExchangeParts *parts)
{
    const SinoRays *rays = subset->rays;
    const SinoDecomposition *all = &rays->decomposition;
    SINO_TRY(sino_allocate(rays->partition_count, sizeof *subset->part, "partitions", &subset->part));
    SINO_TRY(sino_allocate(all->partition_count, sizeof *subset->all_voxels, "partitions", &subset->all_voxels));
    for (int64_t p = 0; p < rays->partition_count; p++)
        subset->part[p] = (SinoExchangePart){rays->partition[p].footprint, rays->partition[p].rays};
    for (int64_t p = 0; p < all->partition_count; p++)
        subset->all_voxels[p] = (all->first[p + 1] - all->first[p]) * SINO_TILE_VOXELS;
    *parts = (SinoExchangeParts){.angle_count = rays->layout.geometry.angle_count,
                                 .column_count = rays->layout.geometry.column_count,
                                 .whole = rays->whole,
                                 .count = rays->partition_count,
                                 .part = subset->part,
                                 .first = rays->first_partition,
                                 .all_count = all->partition_count,
                                 .all_voxels = subset->all_voxels};
    return NULL;
}

static SinoStatus build(SinoOperator *op, const SinoOperatorRequest *request, int64_t number, SinoRaysSubset *subset)
{
    const SinoRaysOwn *own = op->own;
    const SinoTopology *topology = &request->division.topology;
    const int64_t partitions = sino_topology_rank_partitions(topology);
    double *share = NULL;
    if (request->shape.idle) return NULL;
    if (request->division.rank_weight && topology->rank_count > 1) {
        SinoStatus failure = sino_allocate(sino_topology_partitions(topology), sizeof *share, "partitions", &share);
        if (failure) return sino_ring_agree(sino_runtime_processes(op->runtime), &request->ring, failure);
        sino_topology_shares(topology, request->division.rank_weight, share);
    }
    const SinoRaysRequest wanted = {.geometry = op->problem.geometry,
                                    .scan = op->problem.subset_count > 1 ? &own->scan : NULL,
                                    .part_count = sino_angle_subsets_size(&own->angles, number),
                                    .part = own->angles.number + own->angles.first[number],
                                    .precision = op->problem.precision,
                                    .symmetry = op->problem.symmetry,
                                    .partition_count = partitions,
                                    .first_partition = request->shape.data_rank * partitions,
                                    .all_partitions = sino_topology_partitions(topology),
                                    .share = share,
                                    .window_count = request->window_count,
                                    .cache = request->cache,
                                    .ring = request->ring};
    SinoStatus status = sino_rays_new(op->runtime, &wanted, &subset->rays);
    free(share);
    return status;
}

/* Collective. Opens the matrix and exchange of one subset. Only the first subset's exchange sends scalars and
 * voxels. */
static SinoStatus open_subset(SinoOperator *op, const SinoOperatorRequest *request, int64_t number,
                              SinoRaysSubset *subset)
{
    SinoProcesses *processes = sino_runtime_processes(op->runtime);
    SinoExchangeParts parts = {0};
    SinoStatus status = build(op, request, number, subset);
    if (!status && !request->shape.idle) status = describe_parts(subset, &parts);
    SINO_TRY(sino_processes_agree(processes, status));
    SINO_TRY(
        sino_ray_exchange_new(op->runtime, &request->shape, request->shape.idle ? NULL : &parts, &subset->exchange));
    if (request->shape.idle) return NULL;
    subset->shape.precision = op->problem.precision;
    SINO_TRY(sino_ray_exchange_extents(subset->exchange, subset->shape.extent));
    subset->shape.extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    if (number > 0)
        subset->shape.extent[SINO_ROWS_ELSEWHERE] = subset->shape.extent[SINO_ROWS_RANKS] =
            subset->shape.extent[SINO_ROWS_SHARED] = (SinoExtent){0};
    return NULL;
}

/* Fills own->place: for each angle of the scan, its number in this rank's ray vectors, which are ordered subset after
 * subset. */
static SinoStatus place_angles(SinoOperator *op, SinoRaysOwn *own)
{
    const int64_t subsets = op->problem.subset_count, columns = op->problem.geometry.column_count;
    int64_t first = 0;
    SINO_TRY(sino_allocate(op->problem.geometry.angle_count, sizeof *own->place, "angles", &own->place));
    SINO_TRY(sino_allocate(subsets, sizeof *own->subset_rays, "subsets", &own->subset_rays));
    for (int64_t s = 0; s < subsets; s++) {
        const SinoRayExchange *exchange = own->subset[s].exchange;
        const SinoLayout *layout = &own->subset[s].rays->layout;
        const int64_t count = sino_ray_exchange_ray_count(exchange) / columns;
        const int64_t begin = exchange->first_ray[exchange->shape.data_rank] / columns;
        for (int64_t i = 0; i < layout->geometry.angle_count; i++) {
            const int64_t at = layout->place[i] - begin;
            own->place[own->angles.number[own->angles.first[s] + i]] = at >= 0 && at < count ? first + at : -1;
        }
        own->subset_rays[s] = count * columns;
        first += count;
    }
    op->place = own->place;
    op->shape = own->subset[0].shape;
    op->shape.extent[SINO_ROWS_RAYS] = sino_extent_one(sino_times(first, columns));
    op->shape.extent[SINO_ROWS_COMPLETED] = sino_operator_completed(&op->problem.geometry, first);
    op->shape.extent[SINO_ROWS_BLOCK] = sino_operator_block(&op->problem);
    op->shape.extent[SINO_ROWS_WAITING] = sino_operator_waiting(&op->problem, sino_times(first, columns));
    op->shape.extent[SINO_ROWS_SUBSET] = sino_extent_of(subsets, own->subset_rays);
    op->shape.extent[SINO_ROWS_PIXELS] = sino_operator_pixels(&op->problem.geometry);
    op->shape.extent[SINO_ROWS_TALLY] = sino_extent_one(first + columns);
    return NULL;
}

static SinoStatus open_all(SinoOperator *op, const SinoOperatorRequest *request)
{
    SinoRaysOwn *own = NULL;
    const int64_t count = op->problem.subset_count;
    SinoStatus status = sino_allocate(1, sizeof *own, "the operator", &own);
    op->own = own;
    if (!status) status = sino_allocate(count, sizeof *own->subset, "subsets", &own->subset);
    if (!status) status = sino_angle_subsets_new(&op->problem, &own->angles);
    if (!status && count > 1)
        status = sino_layout_new(&op->problem.geometry, op->problem.precision, op->problem.symmetry, &own->scan);
    SINO_TRY(sino_processes_agree(sino_runtime_processes(op->runtime), status));
    for (int64_t s = 0; s < count; s++) SINO_TRY(open_subset(op, request, s, &own->subset[s]));
    op->ranks = own->subset[0].exchange;
    if (op->idle) return NULL;
    for (int64_t s = 0; s < count; s++) op->nonzero_count += own->subset[s].rays->nonzero_count;
    return place_angles(op, own);
}

static void close_subset(SinoRaysSubset *subset)
{
    sino_ray_exchange_free(subset->exchange);
    sino_rays_free(subset->rays);
    free(subset->part);
    free(subset->all_voxels);
}

static void close_all(SinoOperator *op)
{
    SinoRaysOwn *own = op->own;
    if (!own) return;
    for (int64_t s = 0; own->subset && s < op->problem.subset_count; s++) close_subset(&own->subset[s]);
    free(own->subset);
    free(own->place);
    free(own->subset_rays);
    sino_angle_subsets_free(&own->angles);
    sino_layout_free(&own->scan);
    free(own);
}

static bool takes(const SinoOperatorKind *kind, const SinoProblem *problem)
{
    (void)kind;
    const bool wanted = problem->projector == SINO_PROJECTOR_RAYS || problem->projector == SINO_PROJECTOR_AUTO;
    return !problem->cone && problem->geometry.angle_count > 0 && wanted;
}

static SinoTiling tiling(const SinoOperator *op)
{
    const SinoRays *rays = ((const SinoRaysOwn *)op->own)->subset[0].rays;
    const SinoDecomposition *all = &rays->decomposition;
    return (SinoTiling){rays->partition_count, all->first + rays->first_partition, all->tile};
}

static void keep(SinoOperator *op, const char *folder)
{
    const SinoRaysOwn *own = op->own;
    for (int64_t s = 0; s < op->problem.subset_count && !op->idle; s++)
        sino_rays_cache_save(op->runtime, folder, own->subset[s].rays);
}

const SinoOperatorKind sino_rays_kind = {.name = "rays",
                                         .projector = SINO_PROJECTOR_RAYS,
                                         .kernels = SINO_KERNELS_OF_ALL,
                                         .stores = true,
                                         .lengths = true,
                                         .takes = takes,
                                         .check = sino_rays_cache_check,
                                         .outline = sino_rays_outline,
                                         .size = sino_rays_size,
                                         .open = open_all,
                                         .close = close_all,
                                         .work_bytes = sino_rays_work_bytes,
                                         .work_open = sino_rays_work_open,
                                         .work_close = sino_rays_work_close,
                                         .project = sino_rays_project,
                                         .project_parts = sino_rays_project_parts,
                                         .backproject = sino_rays_backproject,
                                         .image_bytes = sino_rays_image_bytes,
                                         .image = sino_rays_image,
                                         .tiling = tiling,
                                         .report = sino_rays_report,
                                         .keep = keep};
