/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial sums: those of one minibatch on their way between the members of an exchange, as tasks and messages. */
#include "partial_sums.h"

#include "memory.h"

#include <stdlib.h>

/* What a message carries, for tags. */
typedef enum Cargo { PARTIALS, PARTIAL_UNITS, RAYS, RAY_UNITS, SUMS, ACTIVE, VOXELS, CARGOES } Cargo;

/* Halves of sums are below 2 to this: the range that a half has, with room for rounding. */
enum { EXPONENT = 14 };

static int64_t own_rank(const SinoPartialSums *sums)
{
    return sums->exchange->shape.data_rank;
}

static int64_t rank_count(const SinoPartialSums *sums)
{
    return sums->exchange->shape.data_count;
}

static SinoMessage message_of(const SinoPartialSums *sums, const char *name, SinoPosition position, int64_t data_rank,
                              Cargo cargo, int64_t index)
{
    const int64_t indices = (int64_t)1 << 32; /* more than nodes or partitions */
    return (SinoMessage){.name = name,
                         .position = position,
                         .process = sums->exchange->shape.first_process + data_rank,
                         .tag = (sums->number * CARGOES + (int64_t)cargo) * indices + index};
}

static bool is_narrow(const SinoPartialSums *sums)
{
    return sums->stored == SINO_HALF || sums->stored == SINO_MIXED;
}

static SinoStatus new_parcel(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, int64_t rows,
                             bool sent, SinoParcel *parcel)
{
    const int64_t stride = sums->slices.stride;
    SINO_TRY(
        sino_data_vector(runtime, name, rows, stride, sino_precision_bytes(sums->slices.precision), &parcel->rows));
    if (!sent || !is_narrow(sums)) return NULL;
    SINO_TRY(sino_data_vector(runtime, "halves of a message", rows, stride, sizeof(SinoHalf), &parcel->halves));
    return sino_data_new(runtime, "units of a message", (int64_t)sizeof(SinoUnits), &parcel->units);
}

static SinoStatus new_levels(SinoRuntime *runtime, SinoPartialSums *made)
{
    const SinoExchange *exchange = made->exchange;
    const size_t element = sino_precision_bytes(made->slices.precision);
    SINO_TRY(sino_allocate(exchange->socket_count, sizeof *made->socket, "sums of sockets", &made->socket));
    for (int64_t s = 0; s < exchange->socket_count; s++)
        SINO_TRY(sino_data_vector(runtime, "sum of a socket", exchange->socket[s].footprint.ray_count,
                                  made->slices.stride, element, &made->socket[s]));
    SINO_TRY(
        sino_allocate(exchange->node_count * rank_count(made), sizeof *made->piece, "sums of nodes", &made->piece));
    for (int64_t n = 0; n < exchange->node_count; n++)
        for (int64_t r = 0; r < rank_count(made); r++) {
            const int64_t rows = exchange->node[n].cut[r + 1] - exchange->node[n].cut[r];
            const bool own = r == own_rank(made);
            if (rows > 0 || own)
                SINO_TRY(
                    new_parcel(runtime, made, "sum of a node", rows, !own, &made->piece[n * rank_count(made) + r]));
        }
    SINO_TRY(sino_allocate(exchange->peer_count, sizeof *made->arrival, "sums of other nodes", &made->arrival));
    for (int64_t i = 0; i < exchange->peer_count; i++)
        SINO_TRY(new_parcel(runtime, made, "sum of another node", exchange->peer[i].footprint.ray_count, true,
                            &made->arrival[i]));
    return NULL;
}

static SinoStatus new_scalars(SinoRuntime *runtime, SinoPartialSums *made)
{
    const int64_t bytes = made->slices.stride * (int64_t)sizeof(SinoSliceSums);
    SINO_TRY(sino_allocate(rank_count(made), sizeof *made->slice_sums, "sums of other processes", &made->slice_sums));
    for (int64_t r = 0; r < rank_count(made); r++)
        if (r != own_rank(made))
            SINO_TRY(sino_data_new(runtime, "sums of another process", bytes, &made->slice_sums[r]));
    return sino_data_new(runtime, "sums of all", bytes, &made->slice_total);
}

/* Whoever stores a minibatch gets the voxels that lie elsewhere. */
static SinoStatus new_voxels(SinoRuntime *runtime, const SinoOperator *op, SinoPartialSums *made)
{
    const SinoDecomposition *decomposition = &op->decomposition;
    const size_t element = sino_precision_bytes(made->slices.precision);
    SINO_TRY(sino_allocate(decomposition->partition_count, sizeof *made->voxels, "voxels", &made->voxels));
    for (int64_t p = 0; p < decomposition->partition_count; p++) {
        const int64_t voxels = (decomposition->first[p + 1] - decomposition->first[p]) * SINO_TILE_VOXELS;
        if (p >= op->first_partition && p < op->first_partition + op->partition_count) continue;
        SINO_TRY(
            sino_data_vector(runtime, "tomogram elsewhere", voxels, made->slices.stride, element, &made->voxels[p]));
    }
    return NULL;
}

SinoStatus sino_partial_sums_new(SinoRuntime *runtime, const SinoExchange *exchange, const SinoOperator *op,
                                 SinoSlices slices, int64_t number, bool overlap, SinoPartialSums **result)
{
    SinoStatus status = NULL;
    SinoPartialSums *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "partial sums", &made));
    *made = (SinoPartialSums){
        .exchange = exchange, .stored = op->layout.precision, .slices = slices, .number = number, .overlap = overlap};
    SINO_TRY_OR(status, fail, new_levels(runtime, made));
    if (exchange->shape.data_count > 1) {
        SINO_TRY_OR(status, fail, new_scalars(runtime, made));
        SINO_TRY_OR(status, fail, new_voxels(runtime, op, made));
    }
    *result = made;
    return NULL;
fail:
    sino_partial_sums_free(made);
    return status;
}

static void free_data(SinoData **data, int64_t count)
{
    for (int64_t i = 0; data && i < count; i++) sino_data_free(data[i]);
    free(data);
}

static void free_parcels(SinoParcel *parcel, int64_t count)
{
    for (int64_t i = 0; parcel && i < count; i++) {
        sino_data_free(parcel[i].rows);
        sino_data_free(parcel[i].halves);
        sino_data_free(parcel[i].units);
    }
    free(parcel);
}

void sino_partial_sums_free(SinoPartialSums *sums)
{
    if (!sums) return;
    const SinoExchangeShape *shape = &sums->exchange->shape;
    free_data(sums->socket, sums->exchange->socket_count);
    free_parcels(sums->piece, sums->exchange->node_count * rank_count(sums));
    free_parcels(sums->arrival, sums->exchange->peer_count);
    free_data(sums->slice_sums, rank_count(sums));
    sino_data_free(sums->slice_total);
    free_data(sums->voxels, shape->data_count * shape->nodes * shape->sockets * shape->workers);
    free(sums);
}

int64_t sino_partial_sums_bytes(const SinoExchangeShape *shape, SinoPrecision precision, int64_t stride,
                                int64_t footprint_rows, int64_t voxels)
{
    if (shape->data_count * shape->nodes * shape->sockets == 1) return 0;
    /* Sockets, nodes and peers each have at most what the partitions have. */
    const int64_t levels = shape->data_count > 1 ? 3 : 2;
    const bool narrow = precision == SINO_HALF || precision == SINO_MIXED;
    const int64_t element = (int64_t)sino_precision_bytes(sino_precision_solver(precision));
    const int64_t wire = narrow && shape->data_count > 1 ? 2 * (int64_t)sizeof(SinoHalf) : 0;
    const int64_t elsewhere = shape->data_count > 1 ? voxels : 0;
    return stride * (footprint_rows * (levels * element + wire) + elsewhere * element);
}

/* Rows, or their halves and units, to another process. */
static SinoStatus send(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, SinoPosition position,
                       int64_t data_rank, Cargo cargo, int64_t node, int64_t rows, const SinoParcel *parcel)
{
    const SinoMessage message = message_of(sums, name, position, data_rank, cargo, node);
    if (!parcel->halves) return sino_send(runtime, &message, parcel->rows);
    SINO_TRY(sino_insert_cast_units(runtime, position, sums->slices, rows, EXPONENT, true, true, parcel->rows,
                                    parcel->units));
    SINO_TRY(
        sino_insert_cast_narrow(runtime, position, sums->slices, rows, parcel->rows, parcel->units, parcel->halves));
    const SinoMessage units = message_of(sums, "units", position, data_rank, cargo + 1, node);
    SINO_TRY(sino_send(runtime, &units, parcel->units));
    return sino_send(runtime, &message, parcel->halves);
}

static SinoStatus receive(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, SinoPosition position,
                          int64_t data_rank, Cargo cargo, int64_t node, int64_t rows, const SinoParcel *parcel)
{
    const SinoMessage message = message_of(sums, name, position, data_rank, cargo, node);
    if (!parcel->halves) return sino_receive(runtime, &message, parcel->rows);
    const SinoMessage units = message_of(sums, "units", position, data_rank, cargo + 1, node);
    SINO_TRY(sino_receive(runtime, &units, parcel->units));
    SINO_TRY(sino_receive(runtime, &message, parcel->halves));
    return sino_insert_cast_widen(runtime, position, sums->slices, rows, parcel->halves, parcel->units, parcel->rows);
}

/* Partial and footprint of a child of a socket, or of a node. */
typedef struct Child {
    SinoData *data;
    const SinoFootprint *footprint;
    SinoData *rays; /* the footprint's list for devices */
} Child;

static Child child_of(const SinoPartialSums *sums, const SinoOperator *op, bool socket, int64_t number,
                      SinoData *const *partial)
{
    if (socket) {
        const SinoRegion *region = &sums->exchange->socket[number];
        return (Child){sums->socket[number], &region->footprint, region->ray_list};
    }
    return (Child){partial[number], &op->partition[number].footprint, op->partition[number].rays};
}

static SinoRowMap map_whole(const SinoFootprint *footprint, const uint32_t *row, int64_t base, int64_t total_rows)
{
    return (SinoRowMap){.partial_rows = footprint->ray_count,
                        .total_rows = total_rows,
                        .count = footprint->ray_count,
                        .row = row,
                        .base = base};
}

/* The rows of a child that are rows of one piece of its node. */
static SinoRowMap map_piece(const SinoRegion *node, const SinoFootprint *child, int64_t c, int64_t data_rank)
{
    const int64_t *cut = node->cut + data_rank, *child_cut = node->child_cut[c] + data_rank;
    return (SinoRowMap){.partial_rows = child->ray_count,
                        .total_rows = cut[1] - cut[0],
                        .first = child_cut[0],
                        .count = child_cut[1] - child_cut[0],
                        .row = node->row[c],
                        .base = cut[0]};
}

/* One step of the way up, a partial added to a total, or of the way down, a partial taken from it. */
static SinoStatus pass(SinoRuntime *runtime, const SinoPartialSums *sums, SinoReduction level, SinoPosition position,
                       bool up, const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total)
{
    if (up) return sino_insert_reduce(runtime, level, position, sums->slices, map, list, first, partial, total);
    return sino_insert_spread(runtime, level, position, sums->slices, map, list, total, partial);
}

static SinoData *row_list(const SinoRegion *region, int64_t child)
{
    return region->row_list ? region->row_list[child] : NULL;
}

/* Between partitions and sockets. */
static SinoStatus pass_sockets(SinoRuntime *runtime, const SinoPartialSums *sums, const SinoOperator *op,
                               SinoPosition position, bool up, SinoData *const *partial)
{
    for (int64_t s = 0; s < sums->exchange->socket_count; s++) {
        const SinoRegion *socket = &sums->exchange->socket[s];
        for (int64_t c = 0; c < socket->child_count; c++) {
            const Child child = child_of(sums, op, false, socket->first_child + c, partial);
            const SinoRowMap map = map_whole(child.footprint, socket->row[c], 0, socket->footprint.ray_count);
            position.partition = socket->first_child + c;
            SINO_TRY(pass(runtime, sums, SINO_REDUCE_SOCKET, position, up, &map, row_list(socket, c), c == 0,
                          child.data, sums->socket[s]));
        }
    }
    return NULL;
}

/* Between a node's children and one piece of it. */
static SinoStatus pass_piece(SinoRuntime *runtime, const SinoPartialSums *sums, const SinoOperator *op,
                             SinoPosition position, bool up, int64_t n, int64_t data_rank, SinoData *const *partial)
{
    const SinoExchange *exchange = sums->exchange;
    const SinoRegion *node = &exchange->node[n];
    const SinoParcel *piece = &sums->piece[n * rank_count(sums) + data_rank];
    for (int64_t c = 0; c < node->child_count && piece->rows; c++) {
        const Child child = child_of(sums, op, exchange->socket_count > 0, node->first_child + c, partial);
        const SinoRowMap map = map_piece(node, child.footprint, c, data_rank);
        position.partition = node->first_child + c;
        SINO_TRY(pass(runtime, sums, SINO_REDUCE_NODE, position, up, &map, row_list(node, c), c == 0, child.data,
                      piece->rows));
    }
    return NULL;
}

/* The first ray of this process. */
static int64_t first_ray(const SinoPartialSums *sums)
{
    return sums->exchange->first_ray[own_rank(sums)];
}

/* Between all children and the rays themselves, when there is one node. */
static SinoStatus pass_only_node(SinoRuntime *runtime, const SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, bool up, SinoData *const *partial, SinoData *total)
{
    const SinoExchange *exchange = sums->exchange;
    const bool sockets = exchange->socket_count > 0;
    const int64_t count = sockets ? exchange->socket_count : op->partition_count;
    for (int64_t c = 0; c < count; c++) {
        const Child child = child_of(sums, op, sockets, c, partial);
        const SinoRowMap map =
            map_whole(child.footprint, child.footprint->ray, first_ray(sums), sino_exchange_ray_count(exchange));
        position.partition = c;
        SINO_TRY(pass(runtime, sums, SINO_REDUCE_NODE, position, up, &map, child.rays, c == 0, child.data, total));
    }
    return NULL;
}

/* Between the rays of this process and a node's piece of them. */
static SinoStatus pass_global(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                              const SinoFootprint *footprint, SinoData *list, bool first, SinoData *piece,
                              SinoData *total)
{
    const SinoRowMap map =
        map_whole(footprint, footprint->ray, first_ray(sums), sino_exchange_ray_count(sums->exchange));
    return pass(runtime, sums, SINO_REDUCE_GLOBAL, position, up, &map, list, first, piece, total);
}

static SinoStatus pass_own_pieces(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                                  SinoData *total)
{
    const int64_t own = own_rank(sums);
    for (int64_t n = 0; n < sums->exchange->node_count; n++) {
        const SinoRegion *node = &sums->exchange->node[n];
        const SinoFootprint own_rays = {.ray_count = node->cut[own + 1] - node->cut[own],
                                        .ray = node->footprint.ray + node->cut[own]};
        position.partition = n;
        SINO_TRY(pass_global(runtime, sums, position, up, &own_rays, node->ray_list, n == 0,
                             sums->piece[n * rank_count(sums) + own].rows, total));
    }
    return NULL;
}

/* Without overlap nothing else is submitted before the exchange is done. */
static SinoStatus settle(const SinoPartialSums *sums)
{
    if (!sums->overlap && rank_count(sums) > 1) starpu_task_wait_for_all();
    return NULL;
}

/* A node's number among all of the batch group. */
static int64_t node_number(const SinoPartialSums *sums, int64_t n)
{
    return own_rank(sums) * sums->exchange->node_count + n;
}

static int64_t piece_rows(const SinoPartialSums *sums, int64_t n, int64_t data_rank)
{
    const int64_t *cut = sums->exchange->node[n].cut;
    return cut[data_rank + 1] - cut[data_rank];
}

/* What is for others goes first, so that it is under way while the rest is added up. */
static SinoStatus insert_pieces(SinoRuntime *runtime, const SinoPartialSums *sums, const SinoOperator *op,
                                SinoPosition position, SinoData *const *partial)
{
    const int64_t count = rank_count(sums), own = own_rank(sums);
    for (int64_t k = 1; k <= count; k++) {
        const int64_t r = (own + k) % count;
        for (int64_t n = 0; n < sums->exchange->node_count; n++) {
            const SinoParcel *piece = &sums->piece[n * count + r];
            SINO_TRY(pass_piece(runtime, sums, op, position, true, n, r, partial));
            if (r != own && piece->rows)
                SINO_TRY(send(runtime, sums, "partial", position, r, PARTIALS, node_number(sums, n),
                              piece_rows(sums, n, r), piece));
        }
    }
    return NULL;
}

SinoStatus sino_insert_reduction(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *const *partial, SinoData *total)
{
    const SinoExchange *exchange = sums->exchange;
    SINO_TRY(pass_sockets(runtime, sums, op, position, true, partial));
    if (exchange->node_count == 0) return pass_only_node(runtime, sums, op, position, true, partial, total);
    SINO_TRY(insert_pieces(runtime, sums, op, position, partial));
    for (int64_t i = 0; i < exchange->peer_count; i++)
        SINO_TRY(receive(runtime, sums, "partial", position, exchange->peer[i].data_rank, PARTIALS,
                         exchange->peer[i].node, exchange->peer[i].footprint.ray_count, &sums->arrival[i]));
    SINO_TRY(pass_own_pieces(runtime, sums, position, true, total));
    for (int64_t i = 0; i < exchange->peer_count; i++)
        SINO_TRY(pass_global(runtime, sums, position, true, &exchange->peer[i].footprint, exchange->peer[i].ray_list,
                             false, sums->arrival[i].rows, total));
    return settle(sums);
}

SinoStatus sino_insert_spreading(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *total, SinoData *const *partial)
{
    const SinoExchange *exchange = sums->exchange;
    const int64_t count = rank_count(sums), own = own_rank(sums);
    if (exchange->node_count == 0) {
        SINO_TRY(pass_only_node(runtime, sums, op, position, false, partial, total));
        return pass_sockets(runtime, sums, op, position, false, partial);
    }
    for (int64_t i = 0; i < exchange->peer_count; i++) {
        const SinoPeer *peer = &exchange->peer[i];
        SINO_TRY(pass_global(runtime, sums, position, false, &peer->footprint, peer->ray_list, false,
                             sums->arrival[i].rows, total));
        SINO_TRY(send(runtime, sums, "rays", position, peer->data_rank, RAYS, peer->node, peer->footprint.ray_count,
                      &sums->arrival[i]));
    }
    SINO_TRY(pass_own_pieces(runtime, sums, position, false, total));
    for (int64_t k = 0; k < count; k++) {
        const int64_t r = (own + k) % count;
        for (int64_t n = 0; n < exchange->node_count; n++) {
            const SinoParcel *piece = &sums->piece[n * count + r];
            if (r != own && piece->rows)
                SINO_TRY(receive(runtime, sums, "rays", position, r, RAYS, node_number(sums, n), piece_rows(sums, n, r),
                                 piece));
            SINO_TRY(pass_piece(runtime, sums, op, position, false, n, r, partial));
        }
    }
    SINO_TRY(pass_sockets(runtime, sums, op, position, false, partial));
    return settle(sums);
}

SinoStatus sino_insert_collection(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *own,
                                  SinoData **all)
{
    *all = own;
    if (rank_count(sums) == 1) return NULL;
    for (int64_t k = 1; k < rank_count(sums); k++) {
        const int64_t r = (own_rank(sums) + k) % rank_count(sums);
        const SinoMessage message = message_of(sums, "sums", position, r, SUMS, own_rank(sums));
        SINO_TRY(sino_send(runtime, &message, own));
    }
    for (int64_t r = 0; r < rank_count(sums); r++) {
        const SinoMessage message = message_of(sums, "sums", position, r, SUMS, r);
        if (sums->slice_sums[r]) SINO_TRY(sino_receive(runtime, &message, sums->slice_sums[r]));
        SINO_TRY(sino_insert_update_collect(runtime, position, sums->slices,
                                            sums->slice_sums[r] ? sums->slice_sums[r] : own, r == 0,
                                            sums->slice_total));
    }
    *all = sums->slice_total;
    return NULL;
}

SinoStatus sino_insert_agreement(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, int64_t which,
                                 SinoData *active)
{
    if (own_rank(sums) > 0) {
        const SinoMessage message = message_of(sums, "active", position, 0, ACTIVE, which);
        return sino_receive(runtime, &message, active);
    }
    for (int64_t r = 1; r < rank_count(sums); r++) {
        const SinoMessage message = message_of(sums, "active", position, r, ACTIVE, which);
        SINO_TRY(sino_send(runtime, &message, active));
    }
    return NULL;
}

int64_t sino_partial_sums_keeper(const SinoPartialSums *sums, int64_t minibatch)
{
    return minibatch % rank_count(sums);
}

SinoStatus sino_insert_gathering(SinoRuntime *runtime, SinoPartialSums *sums, const SinoOperator *op,
                                 SinoPosition position, SinoData *const *own)
{
    const int64_t keeper = sino_partial_sums_keeper(sums, position.minibatch), count = op->partition_count;
    for (int64_t p = 0; p < op->decomposition.partition_count; p++) {
        const int64_t owner = p / count, number = p - op->first_partition;
        const bool here = owner == own_rank(sums);
        position.partition = p;
        if (here && keeper != own_rank(sums)) {
            const SinoMessage message = message_of(sums, "tomogram", position, keeper, VOXELS, p);
            SINO_TRY(sino_send(runtime, &message, own[number]));
        } else if (!here && keeper == own_rank(sums)) {
            const SinoMessage message = message_of(sums, "tomogram", position, owner, VOXELS, p);
            SINO_TRY(sino_receive(runtime, &message, sums->voxels[p]));
        }
    }
    return NULL;
}
