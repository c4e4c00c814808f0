/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of partial sums: from the rows of a footprint to those of the sum that they are added to. */
#pragma once

#include "ray_exchange.h"
#include "reduce.h"

/* Of sums that take all their parts at once. NULL: there are none of these sums. */
typedef struct SinoPartialMaps {
    SinoRowMap *socket; /* [partition]: to the rows of its socket */
    SinoRowMap *only;   /* [child of the only node]: to the rays of this rank */
    SinoRowMap *piece;  /* [data rank][child of a node, node after node]: to the node's rows that the rank owns */
    SinoRowMap *global; /* [node of this rank, then peer]: to the rays of this rank */
} SinoPartialMaps;

/* *maps is zero before. They point to footprints of the exchange. sino_partial_maps_free is called also after a
 * failure. SINO_FAILED: no memory. */
SinoStatus sino_partial_maps_new(const SinoRayExchange *exchange, SinoPartialMaps *maps);
void sino_partial_maps_free(SinoPartialMaps *maps);

/* Children of all nodes of this rank: its sockets, or its partitions if there are no sockets. */
int64_t sino_node_children(const SinoRayExchange *exchange);

/* The rays of this rank that its node n has sums of; the list is the node's. */
SinoFootprint sino_own_rays(const SinoRayExchange *exchange, int64_t n);

/* From all rows of a footprint to rows row[i] − base; to the rays of this rank; from the rows of child c of a node to
 * the node's rows that a data rank owns. */
SinoRowMap sino_map_whole(const SinoFootprint *footprint, const uint32_t *row, int64_t base, int64_t total_rows);
SinoRowMap sino_map_rays(const SinoRayExchange *exchange, const SinoFootprint *footprint);
SinoRowMap sino_map_piece(const SinoRegion *node, const SinoFootprint *child, int64_t c, int64_t data_rank);
