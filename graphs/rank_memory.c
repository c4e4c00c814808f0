/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank memory: what one rank of a process grid holds, the largest of them all. */
#include "rank_memory.h"

/* What is larger than any machine stays so, and can be added. */
static int64_t times(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 59;
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > most ? most : product;
}

/* The largest shares of any rank. */
typedef struct Shares {
    double nonzeros; /* of all */
    int64_t tiles, rays;
    int64_t footprint[SINO_LEVELS];
} Shares;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static Shares find_shares(const SinoRankNeed *need)
{
    const SinoTopology *topology = &need->sizes->topology;
    const SinoDecomposition *decomposition = need->decomposition;
    const int64_t ranks = topology->rank_count, partitions = sino_topology_rank_partitions(topology);
    const int64_t angles = need->scan->angle_count;
    Shares most = {0};
    for (int64_t r = 0; r < ranks; r++) {
        const int64_t first = decomposition->first[r * partitions], end = decomposition->first[(r + 1) * partitions];
        double nonzeros = 0;
        for (int64_t t = first; t < end; t++) nonzeros += decomposition->weight[t];
        if (nonzeros / decomposition->nonzero_count > most.nonzeros)
            most.nonzeros = nonzeros / decomposition->nonzero_count;
        most.tiles = larger(most.tiles, end - first);
        most.rays = larger(most.rays,
                           (sino_owner_first_angle(angles, ranks, r + 1) - sino_owner_first_angle(angles, ranks, r)) *
                               need->scan->column_count);
        for (SinoLevel level = 0; level < SINO_LEVELS; level++) {
            const int64_t members = need->sizes->member_count[level] / ranks;
            int64_t rays = 0;
            for (int64_t m = r * members; m < (r + 1) * members; m++) rays += need->sizes->member[level][m].ray_count;
            most.footprint[level] = larger(most.footprint[level], rays);
        }
    }
    return most;
}

/* Levels whose sums have vectors of their own: with one partition the projection itself is written, and a level with
 * one member has the sums of the level below. */
static void keep_levels(const SinoRankNeed *need, Shares *shares)
{
    const SinoTopology *topology = &need->sizes->topology;
    const bool direct = need->communication == SINO_COMMUNICATION_DIRECT;
    if (sino_topology_partitions(topology) == 1) shares->footprint[SINO_LEVEL_WORKER] = 0;
    const bool alone = topology->node_count == 1; /* its sums are the projection */
    if (direct || topology->workers == 1 || (alone && topology->sockets == 1)) shares->footprint[SINO_LEVEL_SOCKET] = 0;
    if (direct || topology->sockets == 1 || alone) shares->footprint[SINO_LEVEL_NODE] = 0;
}

/* Vectors of all slots; `lanes` slices, padding included. */
static void add_vectors(const SinoRankNeed *need, const Shares *shares, const SinoTraffic *traffic, int64_t lanes,
                        SinoRankMemory *memory)
{
    const int64_t element = (int64_t)sino_precision_bytes(sino_precision_solver(need->precision));
    const int64_t stored = (int64_t)sino_precision_bytes(need->precision);
    const int64_t voxels = shares->tiles * SINO_TILE_VOXELS, partials = shares->footprint[SINO_LEVEL_WORKER];
    const bool narrow = stored < element;
    const int64_t voxel = need->vectors.voxels * element + (narrow ? stored : 0) + (int64_t)sizeof(float);
    const int64_t narrow_rays = narrow ? stored * (partials > 0 ? partials : shares->rays) : 0;
    memory->voxel_bytes = times(lanes, voxels * voxel);
    memory->ray_bytes = times(lanes, shares->rays * need->vectors.rays * element + narrow_rays +
                                         (need->history_columns + 16) * (int64_t)sizeof(double));
    for (SinoLevel level = 0; level < SINO_LEVELS; level++)
        memory->footprint_bytes[level] = times(lanes, shares->footprint[level] * element);
    memory->message_bytes = times(lanes, (traffic->most_sent + traffic->most_received) * stored);
}

/* Workers trace a super-tile each, of the whole grid's; marks of touched rays and their numbers, for each partition. */
static int64_t building_bytes(const SinoRankNeed *need, int64_t share_bytes)
{
    const SinoTopology *topology = &need->sizes->topology;
    const int64_t mark_bytes = 1 + (int64_t)sizeof(uint32_t);
    const int64_t tracing = sino_operator_building_bytes(need->scan, 1, need->worker_count, need->operator_bytes);
    const int64_t most = times(share_bytes, need->worker_count);
    const bool marked = sino_topology_partitions(topology) > 1;
    return (tracing < most ? tracing : most) +
           (marked ? times(sino_topology_rank_partitions(topology), sino_geometry_ray_count(need->scan) * mark_bytes)
                   : 0);
}

void sino_rank_memory(const SinoRankNeed *need, int64_t minibatch, int64_t slots, int64_t slice_count,
                      SinoRankMemory *result)
{
    const int64_t ranks = need->sizes->topology.rank_count;
    const SinoTraffic traffic = sino_traffic(need->sizes, need->communication);
    Shares shares = find_shares(need);
    keep_levels(need, &shares);
    SinoRankMemory memory = {.operator_bytes = (int64_t)((double)need->operator_bytes * shares.nonzeros)};
    add_vectors(need, &shares, &traffic, slots * sino_panel_stride(need->precision, minibatch), &memory);
    const int64_t slab = slots * minibatch < slice_count ? slots * minibatch : slice_count;
    const int64_t slab_slices = (slab < slice_count ? 2 : 1) * slab;
    memory.input_bytes = times(slab_slices, need->slice_input_bytes / ranks + need->slice_field_bytes);
    int64_t rays = ranks > 1 ? traffic.most_received : 0;
    int64_t running = memory.voxel_bytes + memory.ray_bytes + memory.message_bytes + memory.input_bytes;
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) {
        rays += shares.footprint[level];
        running += memory.footprint_bytes[level];
    }
    memory.map_bytes = rays * (int64_t)sizeof(uint32_t);
    memory.building_bytes = building_bytes(need, memory.operator_bytes);
    memory.total_bytes =
        sino_runtime_base_bytes() + memory.operator_bytes + memory.map_bytes + larger(memory.building_bytes, running);
    *result = memory;
}
