/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, size: the size of a scan's memoised operator and of its partial sums, before it is built. Nonzeros follow from
 * the angles, footprints from the shadows of the partitions' tiles (decomposition.h). */
#include "rays_private.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mean of √step over the steps between neighbouring stored angles, in degrees. */
static double mean_root_step(const SinoLayout *layout)
{
    double sum = 0;
    int64_t count = 0;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        for (int64_t k = class->first + 1; k < class->first + class->count; k++, count++)
            sum += sqrt(fabs(layout->angle_rad[k] - layout->angle_rad[k - 1]) * 180 / SINO_PI);
        /* The last angle of a class has no neighbour to share voxels with. */
        if (class->count > 0) sum += sqrt(90.0), count++;
    }
    return sum / (double)count;
}

/* The coarser the angles, the fewer voxels the rays of a group share. The voxels of a group are 1 + 0.42·√(step/1°)
 * times the voxels of a ray, measured to 5 % at steps from 0.12° to 3°, and about 3.5 times if the group has parallel
 * rays only. */
static double bytes_per_stored_nonzero(const SinoLayout *layout)
{
    const double length = (double)sino_precision_bytes(layout->precision), margin = 1.08;
    const double voxels = fmin(1 + 0.42 * mean_root_step(layout), 3.6);
    const double headers = (double)(SINO_GROUP_RAYS * sizeof(uint32_t) + 1) / (14.0 * SINO_GROUP_RAYS);
    return margin * (voxels * (1 + SINO_GROUP_RAYS * length) / SINO_GROUP_RAYS + headers);
}

int64_t sino_rays_estimate_bytes(const SinoLayout *layout)
{
    const SinoGeometry *geometry = &layout->geometry;
    const int64_t headers = 64 << 10, side = sino_tile_side(geometry->grid_size);
    double nonzeros = 0;
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        for (int64_t k = class->first; k < class->first + class->count; k++)
            nonzeros += fabs(cos(geometry->angle_rad[k])) + fabs(sin(geometry->angle_rad[k]));
    }
    const double size = (double)geometry->grid_size;
    const double covered = fmin(size, (double)geometry->column_count);
    return (int64_t)(nonzeros * size * covered * bytes_per_stored_nonzero(layout)) +
           side * side * (int64_t)(SINO_ORIENTATIONS * sizeof(int32_t)) + headers;
}

int64_t sino_rays_building_bytes(const SinoGeometry *geometry, int64_t partition_count, int64_t worker_count,
                                 int64_t operator_bytes)
{
    const int64_t mark_bytes = 1 + (int64_t)sizeof(uint32_t); /* touched, local */
    const int64_t marks = partition_count > 1 ? partition_count * sino_geometry_ray_count(geometry) * mark_bytes : 0;
    const int64_t super_tiles =
        sino_tile_voxels(geometry->grid_size) / ((int64_t)SINO_TILE_VOXELS * SINO_SUPER_TILE * SINO_SUPER_TILE);
    /* Each worker traces a super-tile in memory of its own; super-tiles in the middle have more nonzeros than most. */
    const double tracing = 2 * (double)worker_count / (double)(super_tiles > 0 ? super_tiles : 1);
    return (int64_t)((double)operator_bytes * fmin((double)worker_count, tracing)) + marks;
}

/* One subset of the angles, while its share of the size is computed. */
typedef struct Subset {
    const SinoDivision *division;
    const SinoDecomposition *decomposition; /* of all subsets, with the nonzeros of all angles */
    double part;                            /* of the angles: those of the subset */
    SinoGeometry data;                      /* angles in the order of the subset's rays */
    int64_t bytes;                          /* blocks of all ranks */
    int64_t worker_count;
    SinoFootprintSizes sizes; /* owned */
} Subset;

/* Expected nonzeros of the subset in partitions first … end − 1. */
static double weight_of(const Subset *subset, int64_t first, int64_t end)
{
    const SinoDecomposition *decomposition = subset->decomposition;
    double nonzeros = 0;
    for (int64_t t = decomposition->first[first]; t < decomposition->first[end]; t++)
        nonzeros += decomposition->weight[t] * subset->part;
    return nonzeros;
}

/* Adds members, rows (`total`) and largest member (`most`) to an extent. */
static void add_rows(SinoExtent *extent, int64_t members, int64_t total, int64_t most)
{
    extent->members += members;
    extent->total += total;
    extent->filled += most > 0 ? members : 0;
    extent->most = sino_larger(extent->most, most);
}

static void add_extent(SinoExtent *extent, const SinoExtent *more)
{
    extent->members += more->members;
    extent->filled += more->filled;
    extent->total += more->total;
    extent->most = sino_larger(extent->most, more->most);
}

/* The extent of the footprints of members first … first + count − 1 of a level. */
static SinoExtent level_extent(const SinoFootprintSizes *sizes, SinoLevel level, int64_t first, int64_t count)
{
    SinoExtent extent = {0};
    for (int64_t m = first; m < first + count; m++)
        add_rows(&extent, 1, sizes->member[level][m].ray_count, sizes->member[level][m].ray_count);
    return extent;
}

/* The extents of nodes' sums, in pieces, and of sums that arrive from other ranks. */
static void node_extents(const Subset *subset, int64_t rank, SinoExtent *extent)
{
    const SinoTopology *topology = &subset->division->topology;
    const SinoLevel level = subset->division->direct ? SINO_LEVEL_WORKER : SINO_LEVEL_NODE;
    const int64_t members = subset->sizes.member_count[level] / topology->rank_count;
    for (int64_t m = rank * members; m < (rank + 1) * members; m++) {
        const SinoFootprintSize *size = &subset->sizes.member[level][m];
        const int64_t sent = size->ray_count - size->own_count;
        add_rows(&extent[SINO_ROWS_PIECE], 1, size->own_count, size->own_count);
        add_rows(&extent[SINO_ROWS_SENT], size->owner_count, sent, sent);
    }
    const int64_t arriving = subset->sizes.taken[level][rank];
    add_rows(&extent[SINO_ROWS_ARRIVAL], subset->sizes.sender_count[level][rank], arriving, arriving);
}

/* The extents of one rank, equal to those of its exchange (ray_exchange.c: new_regions). */
static void rank_extents(const Subset *subset, int64_t rank, SinoExtent extent[SINO_ROWS_KINDS])
{
    const SinoTopology *topology = &subset->division->topology;
    const int64_t ranks = topology->rank_count, partitions = sino_topology_rank_partitions(topology);
    const SinoDecomposition *decomposition = subset->decomposition;
    const int64_t all = sino_decomposition_voxels(decomposition, 0, ranks * partitions);
    const bool direct = subset->division->direct, whole = sino_topology_partitions(topology) == 1;
    const int64_t angles = subset->data.angle_count;
    const int64_t rays =
        sino_times(sino_owner_first_angle(angles, ranks, rank + 1) - sino_owner_first_angle(angles, ranks, rank),
                   subset->data.column_count);
    memset(extent, 0, SINO_ROWS_KINDS * sizeof *extent);
    extent[SINO_ROWS_RAYS] = extent[SINO_ROWS_SUBSET] = sino_extent_one(rays);
    for (int64_t p = rank * partitions; p < (rank + 1) * partitions; p++) {
        const int64_t voxels = sino_decomposition_voxels(decomposition, p, p + 1);
        add_rows(&extent[SINO_ROWS_VOXELS], 1, voxels, voxels);
    }
    extent[SINO_ROWS_FOOTPRINT] =
        whole ? extent[SINO_ROWS_RAYS] : level_extent(&subset->sizes, SINO_LEVEL_WORKER, rank * partitions, partitions);
    if (!whole) extent[SINO_ROWS_PARTIAL] = extent[SINO_ROWS_FOOTPRINT];
    if (!direct && topology->sockets > 1 && topology->workers > 1) {
        const int64_t sockets = sino_topology_sockets(topology) / ranks;
        extent[SINO_ROWS_SOCKET] = level_extent(&subset->sizes, SINO_LEVEL_SOCKET, rank * sockets, sockets);
    }
    if (!whole && (topology->node_count > 1 || direct)) node_extents(subset, rank, extent);
    if (ranks == 1) return;
    const int64_t elsewhere = all - extent[SINO_ROWS_VOXELS].total;
    add_rows(&extent[SINO_ROWS_ELSEWHERE], sino_times(ranks - 1, partitions), elsewhere, elsewhere);
    add_rows(&extent[SINO_ROWS_RANKS], ranks - 1, ranks - 1, 1);
    extent[SINO_ROWS_SHARED] = sino_extent_one(1);
}

/* Takes the larger of each count, so that *largest has the rank with most of each kind. */
static void take_largest(const SinoExtent *of_rank, SinoExtent *largest)
{
    for (int kind = 0; kind < SINO_ROWS_KINDS; kind++) {
        largest[kind].members = sino_larger(largest[kind].members, of_rank[kind].members);
        largest[kind].total = sino_larger(largest[kind].total, of_rank[kind].total);
        largest[kind].most = sino_larger(largest[kind].most, of_rank[kind].most);
        largest[kind].filled = sino_larger(largest[kind].filled, of_rank[kind].filled);
    }
}

/* Number of 32-bit ray numbers in the maps: footprints, and for each level the maps of its children's rows and its own
 * rows. */
static int64_t map_rows(const SinoExtent *extent)
{
    const int64_t partials = extent[SINO_ROWS_PARTIAL].total, sockets = extent[SINO_ROWS_SOCKET].total;
    const int64_t nodes = extent[SINO_ROWS_PIECE].total + extent[SINO_ROWS_SENT].total;
    const int64_t of_sockets = sockets > 0 ? partials + sockets : 0;
    const int64_t of_nodes = nodes > 0 ? (sockets > 0 ? sockets : partials) + nodes : 0;
    return partials + of_sockets + of_nodes + extent[SINO_ROWS_ARRIVAL].total;
}

/* The nonzeros of the worker that takes longest, times the rank's slowness. Workers run their rank's partitions side by
 * side, or several workers share one partition. */
static double slowest_nonzeros(const Subset *subset)
{
    const SinoTopology *topology = &subset->division->topology;
    const double *weight = subset->division->rank_weight;
    const int64_t partitions = sino_topology_partitions(topology), per_rank = sino_topology_rank_partitions(topology);
    const int64_t run = per_rank >= subset->worker_count ? 1 : per_rank;
    double most = 0;
    for (int64_t p = 0; p < partitions; p += run) {
        const double speed =
            weight ? weight[sino_topology_rank_of_partition(topology, p)] / subset->division->mean_weight : 1;
        most = fmax(most, weight_of(subset, p, p + run) / speed);
    }
    const int64_t runs = per_rank / run;
    return most * (double)runs / (double)subset->worker_count;
}

static SinoTraffic add_traffic(SinoTraffic a, SinoTraffic b)
{
    for (int level = 0; level < SINO_LEVELS; level++) a.footprints[level] += b.footprints[level];
    a.socket += b.socket;
    a.node += b.node;
    a.most_socket += b.most_socket;
    a.most_node += b.most_node;
    a.global += b.global;
    a.most_sent += b.most_sent;
    a.most_received += b.most_received;
    a.messages += b.messages;
    a.most_messages += b.most_messages;
    return a;
}

/* Adds the size of a subset. Voxels, and the data that ranks send each other once per minibatch, exist once for all
 * subsets. */
static void add_subset(const Subset *subset, SinoOperatorSize *size)
{
    const SinoTopology *topology = &subset->division->topology;
    const int64_t partitions = sino_topology_rank_partitions(topology);
    const double margin = topology->rank_count * partitions > 1 ? 1.1 : 1; /* lengths per nonzero vary */
    SinoExtent largest[SINO_ROWS_KINDS] = {{0}}, of_rank[SINO_ROWS_KINDS];
    double rank_share = 0, partition_share = 0;
    for (int64_t r = 0; r < topology->rank_count; r++) {
        rank_extents(subset, r, of_rank);
        take_largest(of_rank, largest);
        rank_share = fmax(rank_share, weight_of(subset, r * partitions, (r + 1) * partitions));
    }
    for (int64_t p = 0; p < subset->decomposition->partition_count; p++)
        partition_share = fmax(partition_share, weight_of(subset, p, p + 1));
    const double nonzeros = subset->decomposition->nonzero_count * subset->part;
    const double bytes = margin * (double)subset->bytes / nonzeros;
    const int64_t of_a_rank = (int64_t)fmin(bytes * rank_share, (double)subset->bytes);
    size->bytes += of_a_rank;
    size->partition_bytes =
        sino_larger(size->partition_bytes, (int64_t)fmin(bytes * partition_share, (double)of_a_rank));
    size->all_bytes += subset->bytes;
    size->map_bytes += map_rows(largest) * (int64_t)sizeof(uint32_t);
    size->building_bytes = sino_larger(
        size->building_bytes, sino_rays_building_bytes(&subset->data, partitions, subset->worker_count, of_a_rank));
    size->nonzero_count += nonzeros;
    size->slowest_nonzeros += slowest_nonzeros(subset);
    const SinoTraffic direct = sino_traffic(&subset->sizes, SINO_COMMUNICATION_DIRECT);
    size->direct = add_traffic(size->direct, direct);
    size->traffic =
        add_traffic(size->traffic,
                    subset->division->direct ? direct : sino_traffic(&subset->sizes, SINO_COMMUNICATION_HIERARCHICAL));
    const SinoRows once[] = {SINO_ROWS_VOXELS, SINO_ROWS_ELSEWHERE, SINO_ROWS_RANKS, SINO_ROWS_SHARED};
    for (int kind = 0; kind < SINO_ROWS_KINDS; kind++) add_extent(&size->shape.extent[kind], &largest[kind]);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) size->shape.extent[once[i]] = largest[once[i]];
}

/* Adds one of several subsets, or the only one, whose layout is that of the scan. */
static SinoStatus size_subset(const SinoAngleSubsets *subsets, const SinoLayout *scan, int64_t number, Subset *subset,
                              SinoOperatorSize *size)
{
    SinoStatus status = NULL;
    SinoLayout part_layout = {0};
    const SinoLayout *layout = subsets->count == 1 ? scan : &part_layout;
    if (layout != scan) SINO_TRY(sino_angle_subsets_layout(subsets, number, scan, &part_layout));
    SINO_TRY_OR(status, cleanup,
                sino_footprint_sizes_new(&layout->geometry, subset->decomposition, &subset->division->topology,
                                         &subset->sizes));
    subset->part = (double)layout->geometry.angle_count / (double)scan->geometry.angle_count;
    subset->data = layout->geometry;
    subset->data.angle_rad = NULL;
    subset->bytes = sino_rays_estimate_bytes(layout);
    size->stored_angles += sino_layout_stored_angles(layout);
    size->orientations = sino_larger(size->orientations, __builtin_popcount(layout->orientations));
    add_subset(subset, size);
    sino_footprint_sizes_free(&subset->sizes);
cleanup:
    sino_layout_free(&part_layout);
    return status;
}

/* The decomposition that all subsets share. */
static SinoStatus sketch(const SinoLayout *scan, const SinoDivision *division, SinoDecomposition *decomposition)
{
    const int64_t partitions = sino_topology_partitions(&division->topology);
    double *share = NULL;
    if (division->rank_weight) {
        SINO_TRY(sino_allocate(partitions, sizeof *share, "partitions", &share));
        sino_topology_shares(&division->topology, division->rank_weight, share);
    }
    SinoStatus status = sino_decomposition_sketch(scan, partitions, share, decomposition);
    free(share);
    return status;
}

/* The layout of the scan, and its subsets. */
static SinoStatus new_subsets(const SinoProblem *problem, SinoLayout *scan, SinoAngleSubsets *subsets)
{
    SINO_TRY(sino_angle_subsets_new(problem, subsets));
    SinoStatus status = sino_layout_new(&problem->geometry, problem->precision, problem->symmetry, scan);
    if (status) sino_angle_subsets_free(subsets);
    return status;
}

SinoStatus sino_rays_size(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                          SinoOperatorSize *result)
{
    SinoLayout scan;
    SinoAngleSubsets subsets;
    SinoDecomposition decomposition = {0};
    SinoOperatorSize size = {.shape.precision = problem->precision};
    const int64_t columns = problem->geometry.column_count;
    SINO_TRY(new_subsets(problem, &scan, &subsets));
    SinoStatus status = sketch(&scan, division, &decomposition);
    for (int64_t s = 0; s < subsets.count && !status; s++) {
        Subset subset = {.division = division, .decomposition = &decomposition, .worker_count = worker_count};
        status = size_subset(&subsets, &scan, s, &subset, &size);
    }
    sino_decomposition_free(&decomposition);
    sino_layout_free(&scan);
    sino_angle_subsets_free(&subsets);
    size.shape.extent[SINO_ROWS_MINIBATCH] = sino_extent_one(1);
    size.shape.extent[SINO_ROWS_PIXELS] = sino_operator_pixels(&problem->geometry);
    const int64_t angles = size.shape.extent[SINO_ROWS_RAYS].total / columns;
    size.shape.extent[SINO_ROWS_TALLY] = sino_extent_one(angles + columns);
    size.shape.extent[SINO_ROWS_BLOCK] = sino_operator_block(problem);
    size.shape.extent[SINO_ROWS_WAITING] = sino_operator_waiting(problem, sino_times(angles, columns));
    size.shape.extent[SINO_ROWS_COMPLETED] = sino_operator_completed(&problem->geometry, angles);
    if (!status) *result = size;
    return status;
}

SinoStatus sino_rays_outline(const SinoProblem *problem, SinoOperatorOutline *outline)
{
    SinoOperatorOutline made = {.voxel_count = sino_tile_voxels(problem->geometry.grid_size)};
    SinoLayout scan;
    SinoAngleSubsets subsets;
    SinoStatus status = NULL;
    SINO_TRY(new_subsets(problem, &scan, &subsets));
    made.unit_count = sino_decomposition_units(&scan);
    for (int64_t s = 0; s < subsets.count && !status; s++) {
        SinoLayout layout = {0};
        if (subsets.count > 1) status = sino_angle_subsets_layout(&subsets, s, &scan, &layout);
        if (!status) made.bytes += sino_rays_estimate_bytes(subsets.count > 1 ? &layout : &scan);
        sino_layout_free(&layout);
    }
    sino_layout_free(&scan);
    sino_angle_subsets_free(&subsets);
    if (!status) *outline = made;
    return status;
}
