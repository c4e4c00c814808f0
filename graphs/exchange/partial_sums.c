/* SPDX-License-Identifier: BSD-3-Clause */
/* Partial sums: the tasks and messages by which one minibatch's partial projections pass between the members of an
 * exchange. */
#include "partial_sums.h"

#include "memory.h"
#include "rays_tasks.h"
#include "solvers_tasks.h"

#include <assert.h>
#include <stdlib.h>

/* Exponent e: sums sent as halves are scaled to |value| < 2^e. A half reaches 2^16; the margin is for rounding. */
enum { EXPONENT = 14 };

static int64_t own_rank(const SinoPartialSums *sums)
{
    return sums->exchange->shape.data_rank;
}

static int64_t rank_count(const SinoPartialSums *sums)
{
    return sums->exchange->shape.data_count;
}

/* number: of the slot, from 1 on. */
static int64_t tag_of(int64_t number, SinoCargo cargo, int64_t index)
{
    const int64_t indices = (int64_t)1 << 32; /* an upper bound of the number of nodes or partitions */
    return (number * SINO_CARGOES + (int64_t)cargo) * indices + index;
}

SinoMessage sino_partial_message(const SinoPartialSums *sums, const char *name, SinoPosition position,
                                 int64_t data_rank, SinoCargo cargo, int64_t index)
{
    return (SinoMessage){.name = name,
                         .position = position,
                         .process = sums->exchange->shape.first_process + data_rank,
                         .tag = tag_of(sums->number, cargo, index)};
}

SinoMessage sino_partial_message_between(const char *name, SinoPosition position, int64_t process, SinoCargo cargo,
                                         int64_t index)
{
    return (SinoMessage){.name = name, .position = position, .process = process, .tag = tag_of(0, cargo, index)};
}

const SinoBuffer sino_partial_buffers[SINO_PARTIAL_BUFFERS] = {
    [SINO_PARTIAL_SOCKET] = {"sum of a socket", SINO_ROWS_SOCKET, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_PARTIAL_PIECE] = {"sum of a node", SINO_ROWS_PIECE, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_PARTIAL_SENT] = {"sum of a node", SINO_ROWS_SENT, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_PARTIAL_SENT_HALF] = {"halves of a message", SINO_ROWS_SENT, SINO_ELEMENT_HALF, SINO_LANES_SLICES},
    [SINO_PARTIAL_SENT_UNITS] = {"units of a message", SINO_ROWS_SENT, SINO_ELEMENT_UNITS, SINO_LANES_ONE_MEMBER},
    [SINO_PARTIAL_ARRIVAL] = {"sum of another node", SINO_ROWS_ARRIVAL, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_PARTIAL_ARRIVAL_HALF] = {"halves of a message", SINO_ROWS_ARRIVAL, SINO_ELEMENT_HALF, SINO_LANES_SLICES},
    [SINO_PARTIAL_ARRIVAL_UNITS] = {"units of a message", SINO_ROWS_ARRIVAL, SINO_ELEMENT_UNITS, SINO_LANES_ONE_MEMBER},
    [SINO_PARTIAL_RANK_SUMS] = {"sums of another process", SINO_ROWS_RANKS, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_PARTIAL_TOTAL_SUMS] = {"sums of all", SINO_ROWS_SHARED, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_PARTIAL_VOXELS] = {"tomogram elsewhere", SINO_ROWS_ELSEWHERE, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};

SinoStatus sino_partial_sums_new(SinoRuntime *runtime, const SinoRayExchange *exchange, const SinoShape *shape,
                                 const SinoSlices *slices, int64_t number, bool overlap, SinoPartialSums **result)
{
    SinoPartialSums *made = NULL;
    SinoStatus status = NULL;
    const SinoBatch batch = {.stride = slices->stride, .history_numbers = 1};
    SINO_TRY(sino_allocate(1, sizeof *made, "partial sums", &made));
    *made = (SinoPartialSums){.exchange = exchange, .slices = slices, .number = number, .overlap = overlap};
    for (int i = 0; i < SINO_PARTIAL_BUFFERS && !status; i++)
        status = sino_buffer_new(runtime, &sino_partial_buffers[i], shape, batch, &made->buffer[i]);
    if (!status) status = sino_partial_maps_new(exchange, &made->maps);
    if (status)
        sino_partial_sums_free(made, shape);
    else
        *result = made;
    return status;
}

void sino_partial_sums_free(SinoPartialSums *sums, const SinoShape *shape)
{
    if (!sums) return;
    for (int i = 0; i < SINO_PARTIAL_BUFFERS; i++)
        sino_data_free_each(sums->buffer[i], shape->extent[sino_partial_buffers[i].rows].members);
    sino_partial_maps_free(&sums->maps);
    free(sums);
}

/* The rows of a message. They are sent as halves with units if the operator stores halves. */
typedef struct Parcel {
    SinoData *rows;   /* in the solver's precision; NULL: the message has no rows */
    SinoData *halves; /* NULL: the rows are sent as they are */
    SinoData *units;
} Parcel;

/* Member i of buffer `first` and of the two buffers after it, which hold its halves and units. */
static Parcel parcel_of(const SinoPartialSums *sums, int first, int64_t i)
{
    SinoData **rows = sums->buffer[first], **halves = sums->buffer[first + 1], **units = sums->buffer[first + 2];
    return (Parcel){.rows = rows[i], .halves = halves ? halves[i] : NULL, .units = units ? units[i] : NULL};
}

/* A node's sums of the rays that a data rank owns. */
static Parcel piece_of(const SinoPartialSums *sums, int64_t node, int64_t data_rank)
{
    if (data_rank == own_rank(sums)) return (Parcel){.rows = sums->buffer[SINO_PARTIAL_PIECE][node]};
    return parcel_of(sums, SINO_PARTIAL_SENT, node * rank_count(sums) + data_rank);
}

static Parcel arrival_of(const SinoPartialSums *sums, int64_t peer)
{
    return parcel_of(sums, SINO_PARTIAL_ARRIVAL, peer);
}

/* Sends rows, or their halves and units, to another data rank. */
static SinoStatus send(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, SinoPosition position,
                       int64_t data_rank, SinoCargo cargo, int64_t node, int64_t rows, const Parcel *parcel)
{
    const SinoMessage message = sino_partial_message(sums, name, position, data_rank, cargo, node);
    if (!parcel->halves) return sino_send(runtime, &message, parcel->rows);
    SINO_TRY(sino_insert_cast_units(runtime, position, *sums->slices, rows, EXPONENT, true, true, parcel->rows,
                                    parcel->units));
    SINO_TRY(
        sino_insert_cast_narrow(runtime, position, *sums->slices, rows, parcel->rows, parcel->units, parcel->halves));
    const SinoMessage units = sino_partial_message(sums, "units", position, data_rank, cargo + 1, node);
    SINO_TRY(sino_send(runtime, &units, parcel->units));
    return sino_send(runtime, &message, parcel->halves);
}

static SinoStatus receive(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, SinoPosition position,
                          int64_t data_rank, SinoCargo cargo, int64_t node, int64_t rows, const Parcel *parcel)
{
    const SinoMessage message = sino_partial_message(sums, name, position, data_rank, cargo, node);
    if (!parcel->halves) return sino_receive(runtime, &message, parcel->rows);
    const SinoMessage units = sino_partial_message(sums, "units", position, data_rank, cargo + 1, node);
    SINO_TRY(sino_receive(runtime, &units, parcel->units));
    SINO_TRY(sino_receive(runtime, &message, parcel->halves));
    return sino_insert_cast_widen(runtime, position, *sums->slices, rows, parcel->halves, parcel->units, parcel->rows);
}

/* Partial sums and footprint of a child of a socket or node. */
typedef struct Child {
    SinoData *data;
    const SinoFootprint *footprint;
    SinoData *rays; /* the footprint's rays for devices */
} Child;

static Child child_of(const SinoPartialSums *sums, bool socket, int64_t number, SinoData *const *partial)
{
    if (socket) {
        const SinoRegion *region = &sums->exchange->socket[number];
        return (Child){sums->buffer[SINO_PARTIAL_SOCKET][number], &region->footprint, region->ray_list};
    }
    assert(partial); /* NULL only if all children are sockets */
    const SinoExchangePart *part = &sums->exchange->parts.part[number];
    return (Child){partial[number], &part->footprint, part->list};
}

/* One step up (`partial` is added to `total`) or down (`partial` is filled from `total`). */
typedef struct Step {
    SinoReduction level;
    bool up;
    bool first; /* of the steps to the same data */
    bool last;  /* no other task reads the data from which the step passes sums */
} Step;

static SinoStatus pass(SinoRuntime *runtime, const SinoPartialSums *sums, Step step, SinoPosition position,
                       const SinoRowMap *map, SinoData *list, SinoData *partial, SinoData *total)
{
    SINO_TRY(
        step.up
            ? sino_insert_reduce(runtime, step.level, position, *sums->slices, map, list, step.first, partial, total)
            : sino_insert_spread(runtime, step.level, position, *sums->slices, map, list, step.first, total, partial));
    if (step.last) sino_data_forget(step.up ? partial : total);
    return NULL;
}

static SinoData *row_list(const SinoRegion *region, int64_t child)
{
    return region->row_list ? region->row_list[child] : NULL;
}

/* Whether sums may take all partials at once, several tasks at the same time. */
static bool cores_only(const SinoRuntime *runtime)
{
    return sino_runtime_devices(runtime) == SINO_DEVICE_CPU;
}

bool sino_partial_sums_are_found(const SinoRayExchange *exchange)
{
    return exchange->socket_count > 0 || exchange->node_count == 0;
}

SinoPartialRows sino_partial_sums_find(const SinoPartialSums *sums, int64_t p, SinoData *total)
{
    const SinoRayExchange *exchange = sums->exchange;
    const SinoExchangePart *part = &exchange->parts.part[p];
    const SinoRegion *socket = exchange->socket;
    int64_t s = 0;
    if (exchange->socket_count == 0)
        return (SinoPartialRows){total, part->footprint.ray, sino_ray_exchange_ray_count(exchange), part->list, p == 0};
    while (p >= socket[s].first_child + socket[s].child_count) s++;
    const int64_t child = p - socket[s].first_child;
    return (SinoPartialRows){sums->buffer[SINO_PARTIAL_SOCKET][s], socket[s].row[child], socket[s].footprint.ray_count,
                             row_list(&socket[s], child), child == 0};
}

void sino_partial_sums_forget(const SinoPartialSums *sums)
{
    for (int64_t s = 0; s < sums->exchange->socket_count; s++) sino_data_forget(sums->buffer[SINO_PARTIAL_SOCKET][s]);
}

/* Adds up the partitions of every socket. */
static SinoStatus reduce_sockets(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                 SinoData *const *partial)
{
    for (int64_t s = 0; s < sums->exchange->socket_count; s++) {
        const SinoRegion *socket = &sums->exchange->socket[s];
        SINO_TRY(sino_insert_reduce_all(runtime, SINO_REDUCE_SOCKET, position, *sums->slices, socket->child_count,
                                        sums->maps.socket + socket->first_child, partial + socket->first_child,
                                        socket->child_count, sums->buffer[SINO_PARTIAL_SOCKET][s]));
    }
    return NULL;
}

/* The children of the only node. */
static SinoParts children_of_only_node(const SinoPartialSums *sums, SinoData *const *partial)
{
    const SinoRayExchange *exchange = sums->exchange;
    const int64_t sockets = exchange->socket_count;
    return (SinoParts){.count = sockets ? sockets : exchange->parts.count,
                       .map = sums->maps.only,
                       .vector = sockets ? sums->buffer[SINO_PARTIAL_SOCKET] : partial};
}

/* Adds them up. */
static SinoStatus reduce_only_node(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                   SinoData *const *partial, SinoData *total)
{
    const SinoParts parts = children_of_only_node(sums, partial);
    if (!parts.map) return NULL;
    return sino_insert_reduce_all(runtime, SINO_REDUCE_NODE, position, *sums->slices, parts.count, parts.map,
                                  parts.vector, sums->exchange->parts.count, total);
}

bool sino_partial_sums_have_parts(const SinoRuntime *runtime, const SinoPartialSums *sums)
{
    return cores_only(runtime) && sums->exchange->node_count == 0 && sums->maps.only;
}

SinoStatus sino_insert_reduction_to_parts(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                          SinoData *const *partial, SinoParts *parts)
{
    SINO_TRY(reduce_sockets(runtime, sums, position, partial));
    *parts = children_of_only_node(sums, partial);
    return NULL;
}

/* Adds up the children of a node to its piece of the rays that a data rank owns. */
static SinoStatus reduce_piece(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, int64_t n,
                               int64_t data_rank, SinoData *const *partial)
{
    const SinoRayExchange *exchange = sums->exchange;
    const SinoRegion *node = &exchange->node[n];
    SinoData *const *from = exchange->socket_count > 0 ? sums->buffer[SINO_PARTIAL_SOCKET] : partial;
    const SinoRowMap *map = sums->maps.piece + data_rank * sino_node_children(exchange) + node->first_child;
    const Parcel piece = piece_of(sums, n, data_rank);
    if (!piece.rows || node->child_count == 0) return NULL;
    return sino_insert_reduce_all(runtime, SINO_REDUCE_NODE, position, *sums->slices, node->child_count, map,
                                  from + node->first_child, exchange->parts.count, piece.rows);
}

/* Adds up this rank's pieces and those that have arrived, in this order. */
static SinoStatus reduce_global(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                SinoData *total)
{
    const SinoRayExchange *exchange = sums->exchange;
    const int64_t nodes = exchange->node_count, count = nodes + exchange->peer_count;
    SinoData **from;
    SINO_TRY(sino_allocate(count, sizeof *from, "sums of nodes", &from));
    for (int64_t i = 0; i < count; i++)
        from[i] = i < nodes ? sums->buffer[SINO_PARTIAL_PIECE][i] : sums->buffer[SINO_PARTIAL_ARRIVAL][i - nodes];
    SinoStatus status =
        sino_insert_reduce_all(runtime, SINO_REDUCE_GLOBAL, position, *sums->slices, count, sums->maps.global, from,
                               sino_larger(exchange->parts.count, count), total);
    free(from);
    return status;
}

/* Passes sums between partitions and sockets. */
static SinoStatus pass_sockets(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                               SinoData *const *partial)
{
    for (int64_t s = 0; s < sums->exchange->socket_count; s++) {
        const SinoRegion *socket = &sums->exchange->socket[s];
        for (int64_t c = 0; c < socket->child_count; c++) {
            const Child child = child_of(sums, false, socket->first_child + c, partial);
            const SinoRowMap map = sino_map_whole(child.footprint, socket->row[c], 0, socket->footprint.ray_count);
            const Step step = {SINO_REDUCE_SOCKET, up, !up || c == 0, up || c == socket->child_count - 1};
            position.partition = socket->first_child + c;
            SINO_TRY(pass(runtime, sums, step, position, &map, row_list(socket, c), child.data,
                          sums->buffer[SINO_PARTIAL_SOCKET][s]));
        }
    }
    return NULL;
}

/* Passes sums between a node's children and one piece of the node. */
static SinoStatus pass_piece(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                             int64_t n, int64_t data_rank, SinoData *const *partial)
{
    const SinoRayExchange *exchange = sums->exchange;
    const SinoRegion *node = &exchange->node[n];
    const Parcel piece = piece_of(sums, n, data_rank);
    const bool own = data_rank == own_rank(sums); /* up the last piece, down the first one */
    for (int64_t c = 0; c < node->child_count && piece.rows; c++) {
        const Child child = child_of(sums, exchange->socket_count > 0, node->first_child + c, partial);
        const SinoRowMap map = sino_map_piece(node, child.footprint, c, data_rank);
        const Step step = {SINO_REDUCE_NODE, up, up ? c == 0 : own, up ? own : c == node->child_count - 1};
        position.partition = node->first_child + c;
        SINO_TRY(pass(runtime, sums, step, position, &map, row_list(node, c), child.data, piece.rows));
    }
    return NULL;
}

/* Passes sums between the children of the only node and the rays. */
static SinoStatus pass_only_node(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                                 SinoData *const *partial, SinoData *total)
{
    const SinoRayExchange *exchange = sums->exchange;
    const bool sockets = exchange->socket_count > 0;
    const int64_t count = sockets ? exchange->socket_count : exchange->parts.count;
    for (int64_t c = 0; c < count; c++) {
        const Child child = child_of(sums, sockets, c, partial);
        const SinoRowMap map = sino_map_rays(sums->exchange, child.footprint);
        const Step step = {SINO_REDUCE_NODE, up, !up || c == 0, up};
        position.partition = c;
        SINO_TRY(pass(runtime, sums, step, position, &map, child.rays, child.data, total));
    }
    return NULL;
}

/* Passes sums between the rays of this rank and a node's piece of them. */
static SinoStatus pass_global(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                              const SinoFootprint *footprint, SinoData *list, bool first, SinoData *piece,
                              SinoData *total)
{
    const SinoRowMap map = sino_map_rays(sums->exchange, footprint);
    const Step step = {SINO_REDUCE_GLOBAL, up, first, up};
    return pass(runtime, sums, step, position, &map, list, piece, total);
}

static SinoStatus pass_own_pieces(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, bool up,
                                  SinoData *total)
{
    for (int64_t n = 0; n < sums->exchange->node_count; n++) {
        const SinoFootprint rays = sino_own_rays(sums->exchange, n);
        position.partition = n;
        SINO_TRY(pass_global(runtime, sums, position, up, &rays, sums->exchange->node[n].ray_list, !up || n == 0,
                             sums->buffer[SINO_PARTIAL_PIECE][n], total));
    }
    return NULL;
}

/* Without overlap, the submitting thread waits here until the exchange is done. */
static SinoStatus settle(SinoRuntime *runtime, const SinoPartialSums *sums)
{
    if (!sums->overlap && rank_count(sums) > 1) sino_runtime_drain(runtime);
    return NULL;
}

/* The number of this rank's node n among all nodes of the batch group. */
static int64_t node_number(const SinoPartialSums *sums, int64_t n)
{
    return own_rank(sums) * sums->exchange->node_count + n;
}

static int64_t piece_rows(const SinoPartialSums *sums, int64_t n, int64_t data_rank)
{
    const int64_t *cut = sums->exchange->node[n].cut;
    return cut[data_rank + 1] - cut[data_rank];
}

/* Pieces for other ranks come first, so that their messages travel while the remaining sums are added up. */
static SinoStatus insert_pieces(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position,
                                SinoData *const *partial)
{
    const int64_t count = rank_count(sums), own = own_rank(sums);
    for (int64_t k = 1; k <= count; k++) {
        const int64_t r = (own + k) % count;
        for (int64_t n = 0; n < sums->exchange->node_count; n++) {
            const Parcel piece = piece_of(sums, n, r);
            SINO_TRY(cores_only(runtime) ? reduce_piece(runtime, sums, position, n, r, partial)
                                         : pass_piece(runtime, sums, position, true, n, r, partial));
            if (r != own && piece.rows)
                SINO_TRY(send(runtime, sums, "partial", position, r, SINO_CARGO_PARTIALS, node_number(sums, n),
                              piece_rows(sums, n, r), &piece));
        }
    }
    return NULL;
}

SinoStatus sino_insert_reduction(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                 SinoData *const *partial, SinoData *total)
{
    const SinoRayExchange *exchange = sums->exchange;
    const bool at_once = cores_only(runtime);
    if (partial)
        SINO_TRY(at_once ? reduce_sockets(runtime, sums, position, partial)
                         : pass_sockets(runtime, sums, position, true, partial));
    if (!partial && exchange->node_count == 0 && exchange->socket_count == 0) return NULL;
    if (exchange->node_count == 0)
        return at_once ? reduce_only_node(runtime, sums, position, partial, total)
                       : pass_only_node(runtime, sums, position, true, partial, total);
    SINO_TRY(insert_pieces(runtime, sums, position, partial));
    for (int64_t i = 0; i < exchange->peer_count; i++) {
        const Parcel arrival = arrival_of(sums, i);
        SINO_TRY(receive(runtime, sums, "partial", position, exchange->peer[i].data_rank, SINO_CARGO_PARTIALS,
                         exchange->peer[i].node, exchange->peer[i].footprint.ray_count, &arrival));
    }
    if (at_once) {
        SINO_TRY(reduce_global(runtime, sums, position, total));
        return settle(runtime, sums);
    }
    SINO_TRY(pass_own_pieces(runtime, sums, position, true, total));
    for (int64_t i = 0; i < exchange->peer_count; i++)
        SINO_TRY(pass_global(runtime, sums, position, true, &exchange->peer[i].footprint, exchange->peer[i].ray_list,
                             false, sums->buffer[SINO_PARTIAL_ARRIVAL][i], total));
    return settle(runtime, sums);
}

/* `partial` NULL: as far as sockets. */
static SinoStatus spread(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *total,
                         SinoData *const *partial)
{
    const SinoRayExchange *exchange = sums->exchange;
    const int64_t count = rank_count(sums), own = own_rank(sums);
    if (exchange->node_count == 0) {
        if (exchange->socket_count > 0 || partial)
            SINO_TRY(pass_only_node(runtime, sums, position, false, partial, total));
        return partial ? pass_sockets(runtime, sums, position, false, partial) : NULL;
    }
    for (int64_t i = 0; i < exchange->peer_count; i++) {
        const SinoPeer *peer = &exchange->peer[i];
        const Parcel arrival = arrival_of(sums, i);
        SINO_TRY(
            pass_global(runtime, sums, position, false, &peer->footprint, peer->ray_list, true, arrival.rows, total));
        SINO_TRY(send(runtime, sums, "rays", position, peer->data_rank, SINO_CARGO_RAYS, peer->node,
                      peer->footprint.ray_count, &arrival));
    }
    SINO_TRY(pass_own_pieces(runtime, sums, position, false, total));
    for (int64_t k = 0; k < count; k++) {
        const int64_t r = (own + k) % count;
        for (int64_t n = 0; n < exchange->node_count; n++) {
            const Parcel piece = piece_of(sums, n, r);
            if (r != own && piece.rows)
                SINO_TRY(receive(runtime, sums, "rays", position, r, SINO_CARGO_RAYS, node_number(sums, n),
                                 piece_rows(sums, n, r), &piece));
            SINO_TRY(pass_piece(runtime, sums, position, false, n, r, partial));
        }
    }
    if (partial) SINO_TRY(pass_sockets(runtime, sums, position, false, partial));
    return settle(runtime, sums);
}

SinoStatus sino_insert_spreading(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *total,
                                 SinoData *const *partial)
{
    return spread(runtime, sums, position, total, partial);
}

SinoStatus sino_insert_spreading_to_sockets(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                            SinoData *total)
{
    return spread(runtime, sums, position, total, NULL);
}

/* Adds up the sums of all data ranks in their order. */
static SinoStatus collect_ranks(SinoRuntime *runtime, const SinoPartialSums *sums, SinoPosition position, SinoData *own,
                                SinoData *total)
{
    SinoData **part;
    SINO_TRY(sino_allocate(rank_count(sums), sizeof *part, "sums of ranks", &part));
    for (int64_t r = 0; r < rank_count(sums); r++) {
        SinoData *arrived = sums->buffer[SINO_PARTIAL_RANK_SUMS][r];
        part[r] = arrived ? arrived : own;
    }
    SinoStatus status = sino_insert_update_collect_all(runtime, position, *sums->slices, rank_count(sums), part, total);
    free(part);
    return status;
}

/* Passes data of the data rank `root` on to all others along a binomial tree: counted from the root, rank r gets them
 * from r without its lowest bit. */
static SinoStatus broadcast(SinoRuntime *runtime, const SinoPartialSums *sums, const char *name, SinoPosition position,
                            int64_t root, SinoCargo cargo, int64_t index, SinoData *data)
{
    const int64_t count = rank_count(sums), own = (own_rank(sums) + count - root) % count;
    int64_t bit = 1;
    while (bit < count && !(own & bit)) bit *= 2;
    if (own > 0) {
        const int64_t from = (own - bit + root) % count;
        const SinoMessage message = sino_partial_message(sums, name, position, from, cargo, index);
        SINO_TRY(sino_receive(runtime, &message, data));
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        const int64_t to = (own + bit + root) % count;
        const SinoMessage message = sino_partial_message(sums, name, position, to, cargo, index);
        if (own + bit < count) SINO_TRY(sino_send(runtime, &message, data));
    }
    return NULL;
}

/* One rank adds up the sums of all, so that all have the same bits. */
SinoStatus sino_insert_collection(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, SinoData *own,
                                  SinoData **all)
{
    const int64_t root = sino_partial_sums_keeper(sums, sino_larger(position.minibatch, 0)), count = rank_count(sums);
    *all = own;
    if (count == 1) return NULL;
    *all = sums->buffer[SINO_PARTIAL_TOTAL_SUMS][0];
    if (own_rank(sums) != root) {
        const SinoMessage message = sino_partial_message(sums, "sums", position, root, SINO_CARGO_SUMS, own_rank(sums));
        SINO_TRY(sino_send(runtime, &message, own));
    } else {
        for (int64_t r = 0; r < count; r++) {
            const SinoMessage message = sino_partial_message(sums, "sums", position, r, SINO_CARGO_SUMS, r);
            SinoData *arrived = sums->buffer[SINO_PARTIAL_RANK_SUMS][r];
            if (arrived) SINO_TRY(sino_receive(runtime, &message, arrived));
        }
        SINO_TRY(collect_ranks(runtime, sums, position, own, *all));
    }
    return broadcast(runtime, sums, "sums", position, root, SINO_CARGO_SUMS, count, *all);
}

SinoStatus sino_insert_agreement(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position, int64_t which,
                                 SinoData *active)
{
    return broadcast(runtime, sums, "active", position, 0, SINO_CARGO_ACTIVE, which, active);
}

int64_t sino_partial_sums_keeper(const SinoPartialSums *sums, int64_t minibatch)
{
    return minibatch % rank_count(sums);
}

SinoStatus sino_insert_voxel_messages(SinoRuntime *runtime, SinoPartialSums *sums, SinoPosition position,
                                      SinoData *const *own)
{
    const SinoExchangeParts *parts = &sums->exchange->parts;
    const int64_t keeper = sino_partial_sums_keeper(sums, position.minibatch), count = parts->count;
    if (parts->whole) return NULL; /* no rank has voxels that another one lacks */
    for (int64_t p = 0; p < parts->all_count; p++) {
        const int64_t owner = p / count, number = p - parts->first;
        const bool here = owner == own_rank(sums);
        position.partition = p;
        if (here && keeper != own_rank(sums)) {
            const SinoMessage message = sino_partial_message(sums, "tomogram", position, keeper, SINO_CARGO_VOXELS, p);
            SINO_TRY(sino_send(runtime, &message, own[number]));
        } else if (!here && keeper == own_rank(sums)) {
            const SinoMessage message = sino_partial_message(sums, "tomogram", position, owner, SINO_CARGO_VOXELS, p);
            SINO_TRY(sino_receive(runtime, &message, sums->buffer[SINO_PARTIAL_VOXELS][p]));
        }
    }
    return NULL;
}
