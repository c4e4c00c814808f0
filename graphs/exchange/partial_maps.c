/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of partial sums. */
#include "partial_sums.h"

#include "memory.h"

#include <stdlib.h>

SinoRowMap sino_map_whole(const SinoFootprint *footprint, const uint32_t *row, int64_t base, int64_t total_rows)
{
    return (SinoRowMap){.partial_rows = footprint->ray_count,
                        .total_rows = total_rows,
                        .count = footprint->ray_count,
                        .row = row,
                        .base = base};
}

SinoRowMap sino_map_piece(const SinoRegion *node, const SinoFootprint *child, int64_t c, int64_t data_rank)
{
    const int64_t *cut = node->cut + data_rank, *child_cut = node->child_cut[c] + data_rank;
    return (SinoRowMap){.partial_rows = child->ray_count,
                        .total_rows = cut[1] - cut[0],
                        .first = child_cut[0],
                        .count = child_cut[1] - child_cut[0],
                        .row = node->row[c],
                        .base = cut[0]};
}

/* The footprint of a child of nodes: a socket's, or a partition's if there are no sockets. */
static const SinoFootprint *child_footprint(const SinoRayExchange *exchange, int64_t number)
{
    return exchange->socket_count > 0 ? &exchange->socket[number].footprint : &exchange->parts.part[number].footprint;
}

int64_t sino_node_children(const SinoRayExchange *exchange)
{
    return exchange->socket_count > 0 ? exchange->socket_count : exchange->parts.count;
}

SinoRowMap sino_map_rays(const SinoRayExchange *exchange, const SinoFootprint *footprint)
{
    return sino_map_whole(footprint, footprint->ray, exchange->first_ray[exchange->shape.data_rank],
                          sino_ray_exchange_ray_count(exchange));
}

SinoFootprint sino_own_rays(const SinoRayExchange *exchange, int64_t n)
{
    const SinoRegion *node = &exchange->node[n];
    const int64_t *cut = node->cut + exchange->shape.data_rank;
    return (SinoFootprint){.ray_count = cut[1] - cut[0], .ray = node->footprint.ray + cut[0]};
}

static SinoStatus new_socket_maps(const SinoRayExchange *exchange, SinoPartialMaps *maps)
{
    if (exchange->socket_count == 0) return NULL;
    SINO_TRY(sino_allocate(exchange->parts.count, sizeof *maps->socket, "maps", &maps->socket));
    for (int64_t s = 0; s < exchange->socket_count; s++) {
        const SinoRegion *socket = &exchange->socket[s];
        for (int64_t c = 0; c < socket->child_count; c++) {
            const int64_t p = socket->first_child + c;
            maps->socket[p] =
                sino_map_whole(&exchange->parts.part[p].footprint, socket->row[c], 0, socket->footprint.ray_count);
        }
    }
    return NULL;
}

static SinoStatus new_node_maps(const SinoRayExchange *exchange, SinoPartialMaps *maps)
{
    const int64_t children = sino_node_children(exchange), nodes = exchange->node_count,
                  ranks = exchange->shape.data_count;
    SINO_TRY(sino_allocate(sino_times(ranks, children), sizeof *maps->piece, "maps", &maps->piece));
    SINO_TRY(sino_allocate(nodes + exchange->peer_count, sizeof *maps->global, "maps", &maps->global));
    for (int64_t n = 0; n < nodes; n++) {
        const SinoRegion *node = &exchange->node[n];
        const SinoFootprint own = sino_own_rays(exchange, n);
        maps->global[n] = sino_map_rays(exchange, &own);
        for (int64_t r = 0; r < ranks; r++)
            for (int64_t c = 0; c < node->child_count; c++)
                maps->piece[r * children + node->first_child + c] =
                    sino_map_piece(node, child_footprint(exchange, node->first_child + c), c, r);
    }
    for (int64_t i = 0; i < exchange->peer_count; i++)
        maps->global[nodes + i] = sino_map_rays(exchange, &exchange->peer[i].footprint);
    return NULL;
}

SinoStatus sino_partial_maps_new(const SinoRayExchange *exchange, SinoPartialMaps *maps)
{
    SINO_TRY(new_socket_maps(exchange, maps));
    if (exchange->node_count > 0) return new_node_maps(exchange, maps);
    if (exchange->parts.whole) return NULL;
    SINO_TRY(sino_allocate(sino_node_children(exchange), sizeof *maps->only, "maps", &maps->only));
    for (int64_t c = 0; c < sino_node_children(exchange); c++)
        maps->only[c] = sino_map_rays(exchange, child_footprint(exchange, c));
    return NULL;
}

void sino_partial_maps_free(SinoPartialMaps *maps)
{
    free(maps->socket);
    free(maps->only);
    free(maps->piece);
    free(maps->global);
    *maps = (SinoPartialMaps){0};
}
