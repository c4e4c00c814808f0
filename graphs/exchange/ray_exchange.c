/* SPDX-License-Identifier: BSD-3-Clause */
/* Ray exchange: the levels of partial sums, the owners of rays, and the index maps between levels. */
#include "ray_exchange.h"

#include "memory.h"
#include "pack.h"
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

/* Working memory while regions are made. */
typedef struct Maker {
    SinoRayExchange *made;
    int64_t ray_count;
    uint8_t *touched; /* [ray]: a child's footprint contains the ray */
    uint32_t *local;  /* [ray]: the ray's row in the region */
} Maker;

int64_t sino_ray_exchange_first_angle(int64_t angle_count, int64_t data_rank, int64_t data_count)
{
    return sino_times(angle_count, data_rank) / data_count;
}

static SinoStatus share_rays(SinoRayExchange *made)
{
    const int64_t count = made->shape.data_count;
    SINO_TRY(sino_allocate(count + 1, sizeof *made->first_ray, "shares of the rays", &made->first_ray));
    for (int64_t r = 0; r <= count; r++)
        made->first_ray[r] =
            sino_ray_exchange_first_angle(made->parts.angle_count, r, count) * made->parts.column_count;
    return NULL;
}

/* The union of the children's footprints, all of which must have lists of rays. */
static SinoStatus unite(Maker *maker, const SinoFootprint *const *child, SinoRegion *region)
{
    uint32_t *ray;
    int64_t count = 0;
    memset(maker->touched, 0, (size_t)maker->ray_count);
    for (int64_t c = 0; c < region->child_count; c++)
        for (int64_t i = 0; i < child[c]->ray_count; i++) maker->touched[child[c]->ray[i]] = 1;
    for (int64_t i = 0; i < maker->ray_count; i++) count += maker->touched[i];
    SINO_TRY(sino_allocate(count, sizeof *ray, "a footprint", &ray));
    region->footprint = (SinoFootprint){.ray_count = count, .ray = ray};
    for (int64_t i = 0; i < maker->ray_count; i++)
        if (maker->touched[i]) *ray++ = (uint32_t)i;
    region->footprint.ray = sino_shared_list(ray - count, count * (int64_t)sizeof *ray);
    sino_pack_local(&region->footprint, maker->local);
    return NULL;
}

static SinoStatus map_children(Maker *maker, const SinoFootprint *const *child, SinoRegion *region)
{
    SINO_TRY(sino_allocate(region->child_count, sizeof *region->row, "index maps", &region->row));
    for (int64_t c = 0; c < region->child_count; c++) {
        uint32_t *row;
        const int64_t count = child[c]->ray_count;
        SINO_TRY(sino_allocate(count, sizeof *row, "an index map", &row));
        for (int64_t i = 0; i < count; i++) row[i] = maker->local[child[c]->ray[i]];
        region->row[c] = sino_shared_list(row, count * (int64_t)sizeof *row);
    }
    return NULL;
}

/* The first row of the footprint whose ray is `ray` or a later one. */
static int64_t find_row(const SinoFootprint *footprint, int64_t ray)
{
    int64_t low = 0, high = footprint->ray_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (footprint->ray[middle] < ray)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static SinoStatus cut_footprint(const SinoRayExchange *made, const SinoFootprint *footprint, int64_t **cut)
{
    const int64_t count = made->shape.data_count;
    SINO_TRY(sino_allocate(count + 1, sizeof **cut, "shares of a footprint", cut));
    for (int64_t r = 0; r <= count; r++) (*cut)[r] = find_row(footprint, made->first_ray[r]);
    return NULL;
}

static SinoStatus cut_region(const SinoRayExchange *made, const SinoFootprint *const *child, SinoRegion *region)
{
    SINO_TRY(sino_allocate(region->child_count, sizeof *region->child_cut, "shares of footprints", &region->child_cut));
    for (int64_t c = 0; c < region->child_count; c++) SINO_TRY(cut_footprint(made, child[c], &region->child_cut[c]));
    return cut_footprint(made, &region->footprint, &region->cut);
}

/* The footprint of a child: a socket, or a partition. */
static const SinoFootprint *footprint_of(const Maker *maker, bool of_socket, int64_t child)
{
    return of_socket ? &maker->made->socket[child].footprint : &maker->made->parts.part[child].footprint;
}

static SinoStatus new_region(Maker *maker, bool of_sockets, int64_t first_child, int64_t child_count,
                             SinoRegion *region)
{
    SinoStatus status = NULL;
    const SinoFootprint **child = NULL;
    region->first_child = first_child;
    region->child_count = child_count;
    SINO_TRY(sino_allocate(child_count, sizeof *child, "footprints", &child));
    for (int64_t c = 0; c < child_count; c++) child[c] = footprint_of(maker, of_sockets, first_child + c);
    SINO_TRY_OR(status, cleanup, unite(maker, child, region));
    SINO_TRY_OR(status, cleanup, map_children(maker, child, region));
    status = cut_region(maker->made, child, region);
cleanup:
    free(child);
    return status;
}

static SinoStatus new_regions(Maker *maker)
{
    SinoRayExchange *made = maker->made;
    const SinoRayExchangeShape *shape = &made->shape;
    const int64_t per_node = sino_times(shape->sockets, shape->workers);
    const bool sockets = !shape->direct && shape->sockets > 1 && shape->workers > 1;
    const bool nodes = shape->data_count > 1 || shape->nodes > 1 || shape->direct;
    if (made->parts.whole) return NULL;
    if (sockets) {
        const int64_t count = sino_times(shape->nodes, shape->sockets);
        SINO_TRY(sino_allocate(count, sizeof *made->socket, "sockets", &made->socket));
        made->socket_count = count;
        for (int64_t s = 0; s < count; s++)
            SINO_TRY(new_region(maker, false, s * shape->workers, shape->workers, &made->socket[s]));
    }
    if (nodes) {
        const int64_t count = shape->direct ? sino_times(shape->nodes, per_node) : shape->nodes;
        const int64_t children = shape->direct ? 1 : sockets ? shape->sockets : per_node;
        SINO_TRY(sino_allocate(count, sizeof *made->node, "nodes", &made->node));
        made->node_count = count;
        for (int64_t n = 0; n < count; n++)
            SINO_TRY(new_region(maker, sockets, n * children, children, &made->node[n]));
    }
    return NULL;
}

static SinoStatus make_regions(SinoRayExchange *made)
{
    SinoStatus status = NULL;
    Maker maker = {.made = made, .ray_count = sino_times(made->parts.angle_count, made->parts.column_count)};
    SINO_TRY_OR(status, cleanup, sino_allocate(maker.ray_count, 1, "a footprint's marks", &maker.touched));
    SINO_TRY_OR(status, cleanup, sino_allocate(maker.ray_count, sizeof *maker.local, "numbering", &maker.local));
    status = new_regions(&maker);
cleanup:
    free(maker.touched);
    free(maker.local);
    return status;
}

/* Data that processes exchange about the footprints of their nodes. */
typedef struct Lists {
    int64_t node_count;                  /* per process */
    int64_t *own_rows, *all_rows;        /* own: [node][data rank]; all: the same of every process */
    int64_t *send_count, *receive_count; /* per process */
    uint32_t **send, **receive;          /* per process; owned */
} Lists;

static int64_t first_process(const SinoRayExchange *made)
{
    return made->shape.first_process;
}

static SinoStatus new_lists(SinoProcesses *processes, const SinoRayExchange *made, Lists *lists)
{
    const int64_t count = sino_processes_count(processes);
    int64_t width = made->shape.data_count;
    lists->node_count = made->node_count;
    SINO_TRY(sino_processes_largest(processes, &lists->node_count));
    SINO_TRY(sino_processes_largest(processes, &width));
    const int64_t entries = sino_times(lists->node_count, width);
    SINO_TRY(sino_allocate(entries, sizeof *lists->own_rows, "lists of rays", &lists->own_rows));
    SINO_TRY(sino_allocate(sino_times(entries, count), sizeof *lists->all_rows, "lists of rays", &lists->all_rows));
    SINO_TRY(sino_allocate(count, sizeof *lists->send_count, "lists of rays", &lists->send_count));
    SINO_TRY(sino_allocate(count, sizeof *lists->receive_count, "lists of rays", &lists->receive_count));
    SINO_TRY(sino_allocate(count, sizeof *lists->send, "lists of rays", &lists->send));
    SINO_TRY(sino_allocate(count, sizeof *lists->receive, "lists of rays", &lists->receive));
    for (int64_t n = 0; n < made->node_count; n++)
        for (int64_t r = 0; r < made->shape.data_count; r++)
            lists->own_rows[n * width + r] = made->node[n].cut[r + 1] - made->node[n].cut[r];
    return sino_processes_gather(processes, entries * (int64_t)sizeof *lists->own_rows, lists->own_rows,
                                 lists->all_rows);
}

static void free_lists(Lists *lists, int64_t process_count)
{
    for (int64_t i = 0; i < process_count; i++) {
        if (lists->send) free(lists->send[i]);
        if (lists->receive) free(lists->receive[i]);
    }
    free(lists->own_rows);
    free(lists->all_rows);
    free(lists->send_count);
    free(lists->receive_count);
    free(lists->send);
    free(lists->receive);
}

/* Number of rows of node n of data rank `from` that data rank `to` owns. */
static int64_t rows_between(const Lists *lists, const SinoRayExchange *made, int64_t from, int64_t n, int64_t to,
                            int64_t width)
{
    return lists->all_rows[((first_process(made) + from) * lists->node_count + n) * width + to];
}

/* Lists, for each other process, the rays that this process's nodes have for it, node after node. */
static SinoStatus fill_lists(const SinoRayExchange *made, int64_t width, Lists *lists)
{
    const int64_t own = made->shape.data_rank;
    for (int64_t r = 0; r < made->shape.data_count; r++) {
        const int64_t process = first_process(made) + r;
        if (r == own) continue;
        for (int64_t n = 0; n < lists->node_count; n++) {
            lists->send_count[process] += rows_between(lists, made, own, n, r, width);
            lists->receive_count[process] += rows_between(lists, made, r, n, own, width);
        }
        SINO_TRY(sino_allocate(lists->send_count[process], sizeof **lists->send, "rays", &lists->send[process]));
        SINO_TRY(
            sino_allocate(lists->receive_count[process], sizeof **lists->receive, "rays", &lists->receive[process]));
        uint32_t *to = lists->send[process];
        for (int64_t n = 0; n < made->node_count; n++) {
            const SinoRegion *node = &made->node[n];
            const int64_t count = node->cut[r + 1] - node->cut[r];
            memcpy(to, node->footprint.ray + node->cut[r], (size_t)count * sizeof *to);
            to += count;
        }
    }
    return NULL;
}

static SinoStatus take_peers(SinoRayExchange *made, int64_t width, const Lists *lists)
{
    const int64_t own = made->shape.data_rank, count = made->shape.data_count;
    SINO_TRY(sino_allocate(sino_times(count, lists->node_count), sizeof *made->peer, "peers", &made->peer));
    for (int64_t r = 0; r < count; r++) {
        const uint32_t *from = lists->receive[first_process(made) + r];
        for (int64_t n = 0; n < lists->node_count && r != own; n++) {
            const int64_t rows = rows_between(lists, made, r, n, own, width);
            uint32_t *ray;
            if (rows == 0) continue;
            SINO_TRY(sino_allocate(rows, sizeof *ray, "rays", &ray));
            memcpy(ray, from, (size_t)rows * sizeof *ray);
            from += rows;
            made->peer[made->peer_count++] = (SinoPeer){
                .node = r * made->node_count + n, .data_rank = r, .footprint = {.ray_count = rows, .ray = ray}};
        }
    }
    return NULL;
}

/* Collective. Processes tell each other which rays their nodes will send, which gives each process its peers. */
static SinoStatus meet(SinoProcesses *processes, SinoRayExchange *made)
{
    SinoStatus status = NULL;
    Lists lists = {0};
    int64_t width = made->shape.data_count;
    SINO_TRY(sino_processes_largest(processes, &width));
    SINO_TRY_OR(status, cleanup, new_lists(processes, made, &lists));
    if (!made->shape.idle) status = fill_lists(made, width, &lists);
    SINO_TRY_OR(status, cleanup, sino_processes_agree(processes, status));
    SINO_TRY_OR(status, cleanup,
                sino_processes_exchange(processes, lists.send_count, (const uint32_t *const *)lists.send,
                                        lists.receive_count, lists.receive));
    if (!made->shape.idle) status = take_peers(made, width, &lists);
cleanup:
    free_lists(&lists, sino_processes_count(processes));
    return status;
}

/* Copies a list of rows to data that devices read. */
static SinoStatus new_list(SinoRuntime *runtime, int64_t count, const uint32_t *row, SinoData **list)
{
    void *memory;
    const int64_t bytes = count * (int64_t)sizeof *row;
    SINO_TRY(sino_data_new(runtime, "rows", bytes > 0 ? bytes : 1, list));
    SINO_TRY(sino_data_acquire(*list, SINO_WRITE, &memory));
    memcpy(memory, row, (size_t)bytes);
    sino_data_release(*list);
    return NULL;
}

static SinoStatus new_region_lists(SinoRuntime *runtime, const Maker *maker, bool of_sockets, SinoRegion *region)
{
    const int64_t own = maker->made->shape.data_rank, *cut = region->cut + own;
    SINO_TRY(sino_allocate(region->child_count, sizeof *region->row_list, "lists of rows", &region->row_list));
    for (int64_t c = 0; c < region->child_count; c++)
        SINO_TRY(new_list(runtime, footprint_of(maker, of_sockets, region->first_child + c)->ray_count, region->row[c],
                          &region->row_list[c]));
    return new_list(runtime, cut[1] - cut[0], region->footprint.ray + cut[0], &region->ray_list);
}

/* The lists of rows for devices; none if no device computes. */
static SinoStatus new_lists_of_rows(SinoRuntime *runtime, SinoRayExchange *made)
{
    const Maker maker = {.made = made};
    if (sino_runtime_devices(runtime) == SINO_DEVICE_CPU) return NULL;
    for (int64_t s = 0; s < made->socket_count; s++)
        SINO_TRY(new_region_lists(runtime, &maker, false, &made->socket[s]));
    for (int64_t n = 0; n < made->node_count; n++)
        SINO_TRY(new_region_lists(runtime, &maker, made->socket_count > 0, &made->node[n]));
    for (int64_t i = 0; i < made->peer_count; i++)
        SINO_TRY(
            new_list(runtime, made->peer[i].footprint.ray_count, made->peer[i].footprint.ray, &made->peer[i].ray_list));
    return NULL;
}

SinoStatus sino_ray_exchange_new(SinoRuntime *runtime, const SinoRayExchangeShape *shape,
                                 const SinoExchangeParts *parts, SinoRayExchange **result)
{
    SinoProcesses *processes = sino_runtime_processes(runtime);
    SinoRayExchange *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "the exchange", &made));
    made->shape = *shape;
    SinoStatus status = NULL;
    if (!shape->idle) {
        made->parts = *parts;
        status = share_rays(made);
        if (!status) status = make_regions(made);
    }
    status = sino_processes_agree(processes, status);
    if (!status && sino_processes_count(processes) > 1) status = meet(processes, made);
    if (!status && !shape->idle) status = new_lists_of_rows(runtime, made);
    if (status)
        sino_ray_exchange_free(made);
    else
        *result = made;
    return status;
}

static void free_regions(SinoRegion *region, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < region[i].child_count; c++) {
            if (region[i].row) sino_shared_list_free(region[i].row[c]);
            if (region[i].child_cut) free(region[i].child_cut[c]);
            if (region[i].row_list) sino_data_free(region[i].row_list[c]);
        }
        free(region[i].row);
        free(region[i].child_cut);
        free(region[i].row_list);
        sino_data_free(region[i].ray_list);
        free(region[i].cut);
        sino_shared_list_free(region[i].footprint.ray);
    }
    free(region);
}

void sino_ray_exchange_free(SinoRayExchange *exchange)
{
    if (!exchange) return;
    free_regions(exchange->socket, exchange->socket_count);
    free_regions(exchange->node, exchange->node_count);
    for (int64_t i = 0; i < exchange->peer_count; i++) {
        free((uint32_t *)exchange->peer[i].footprint.ray);
        sino_data_free(exchange->peer[i].ray_list);
    }
    free(exchange->peer);
    for (int kind = 0; kind < SINO_ROWS_KINDS; kind++) free(exchange->extent_rows[kind]);
    free(exchange->first_ray);
    free(exchange);
}

int64_t sino_ray_exchange_ray_count(const SinoRayExchange *exchange)
{
    const int64_t own = exchange->shape.data_rank;
    return exchange->first_ray[own + 1] - exchange->first_ray[own];
}

/* Allocates the `rows` array of one kind. */
static SinoStatus new_rows(SinoRayExchange *exchange, SinoRows kind, int64_t members, int64_t **rows)
{
    free(exchange->extent_rows[kind]);
    SINO_TRY(sino_allocate(members, sizeof **rows, "extents", &exchange->extent_rows[kind]));
    *rows = exchange->extent_rows[kind];
    return NULL;
}

static SinoStatus partition_extents(SinoRayExchange *exchange, SinoExtent *extent)
{
    const SinoExchangeParts *parts = &exchange->parts;
    int64_t *rays;
    SINO_TRY(new_rows(exchange, SINO_ROWS_FOOTPRINT, parts->count, &rays));
    for (int64_t p = 0; p < parts->count; p++) rays[p] = parts->part[p].footprint.ray_count;
    extent[SINO_ROWS_RAYS] = sino_extent_one(sino_ray_exchange_ray_count(exchange));
    extent[SINO_ROWS_FOOTPRINT] = sino_extent_of(parts->count, rays);
    extent[SINO_ROWS_PARTIAL] = extent[SINO_ROWS_FOOTPRINT];
    if (parts->whole) extent[SINO_ROWS_PARTIAL] = (SinoExtent){0};
    extent[SINO_ROWS_VOXELS] = sino_extent_of(parts->count, parts->all_voxels + parts->first);
    return NULL;
}

/* Extents of the sums of sockets, and of nodes, whose sums have a piece for each owner of rays. */
static SinoStatus level_extents(SinoRayExchange *exchange, SinoExtent *extent)
{
    const int64_t ranks = exchange->shape.data_count, own = exchange->shape.data_rank;
    int64_t *socket, *piece, *sent, *arrival;
    SINO_TRY(new_rows(exchange, SINO_ROWS_SOCKET, exchange->socket_count, &socket));
    SINO_TRY(new_rows(exchange, SINO_ROWS_PIECE, exchange->node_count, &piece));
    SINO_TRY(new_rows(exchange, SINO_ROWS_SENT, sino_times(exchange->node_count, ranks), &sent));
    SINO_TRY(new_rows(exchange, SINO_ROWS_ARRIVAL, exchange->peer_count, &arrival));
    for (int64_t s = 0; s < exchange->socket_count; s++) socket[s] = exchange->socket[s].footprint.ray_count;
    for (int64_t n = 0; n < exchange->node_count; n++) {
        const int64_t *cut = exchange->node[n].cut;
        piece[n] = cut[own + 1] - cut[own];
        for (int64_t r = 0; r < ranks; r++)
            sent[n * ranks + r] = r == own || cut[r + 1] == cut[r] ? -1 : cut[r + 1] - cut[r];
    }
    for (int64_t i = 0; i < exchange->peer_count; i++) arrival[i] = exchange->peer[i].footprint.ray_count;
    extent[SINO_ROWS_SOCKET] = sino_extent_of(exchange->socket_count, socket);
    extent[SINO_ROWS_PIECE] = sino_extent_of(exchange->node_count, piece);
    extent[SINO_ROWS_SENT] = sino_extent_of(sino_times(exchange->node_count, ranks), sent);
    extent[SINO_ROWS_ARRIVAL] = sino_extent_of(exchange->peer_count, arrival);
    return NULL;
}

/* Extents of the data that ranks which share a slice send each other. */
static SinoStatus rank_extents(SinoRayExchange *exchange, SinoExtent *extent)
{
    const SinoExchangeParts *parts = &exchange->parts;
    const int64_t ranks = exchange->shape.data_count;
    int64_t *voxels, *sums;
    if (ranks == 1) return NULL;
    SINO_TRY(new_rows(exchange, SINO_ROWS_ELSEWHERE, parts->all_count, &voxels));
    SINO_TRY(new_rows(exchange, SINO_ROWS_RANKS, ranks, &sums));
    for (int64_t p = 0; p < parts->all_count; p++) {
        const bool own = p >= parts->first && p < parts->first + parts->count;
        voxels[p] = own ? -1 : parts->all_voxels[p];
    }
    for (int64_t r = 0; r < ranks; r++) sums[r] = r == exchange->shape.data_rank ? -1 : 1;
    extent[SINO_ROWS_ELSEWHERE] = sino_extent_of(parts->all_count, voxels);
    extent[SINO_ROWS_RANKS] = sino_extent_of(ranks, sums);
    extent[SINO_ROWS_SHARED] = sino_extent_one(1);
    return NULL;
}

SinoStatus sino_ray_exchange_extents(SinoRayExchange *exchange, SinoExtent extent[SINO_ROWS_KINDS])
{
    SINO_TRY(partition_extents(exchange, extent));
    SINO_TRY(level_extents(exchange, extent));
    return rank_extents(exchange, extent);
}

void sino_ray_exchange_rows(const SinoRayExchange *exchange, int64_t rows[SINO_REDUCTIONS])
{
    const int64_t own = exchange->shape.data_rank;
    memset(rows, 0, SINO_REDUCTIONS * sizeof *rows);
    for (int64_t p = 0; p < exchange->parts.count && !exchange->parts.whole; p++)
        rows[SINO_REDUCE_SOCKET] += exchange->parts.part[p].footprint.ray_count;
    for (int64_t s = 0; s < exchange->socket_count; s++)
        rows[SINO_REDUCE_NODE] += exchange->socket[s].footprint.ray_count;
    if (exchange->socket_count == 0) rows[SINO_REDUCE_NODE] = rows[SINO_REDUCE_SOCKET];
    for (int64_t n = 0; n < exchange->node_count; n++) {
        const SinoRegion *node = &exchange->node[n];
        rows[SINO_REDUCE_GLOBAL] += node->footprint.ray_count - (node->cut[own + 1] - node->cut[own]);
    }
}
