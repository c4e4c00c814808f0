/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grid: P_b batch groups × P_d data ranks. A group has a contiguous share of the slices and needs no other
 * group; its P_d ranks share each of its slices. Rank r is data rank r mod P_d of group r / P_d; ranks beyond the grid
 * are idle (M. Hidayetoğlu et al., "Petascale XCT", SC 2020, Sec. III-A). */
#ifndef SINO_PROCESS_GRID_H
#define SINO_PROCESS_GRID_H

#include "settings.h"

/* Memory that a rank needs when this many ranks share each slice: it falls as they become more. */
typedef SinoStatus (*SinoRankBytes)(const void *context, int64_t batch_groups, int64_t data_ranks, int64_t *bytes);

typedef struct SinoProcessGridRequest {
    SinoGridShape shape; /* what was given; zero: to be chosen */
    int64_t rank_count, slice_count;
    int64_t node_count;        /* that --topology gives, of which the ranks of a slice have equal runs; 0: any */
    int64_t unit_count;        /* parts that a slice can be shared out in (sino_decomposition_units) */
    const double *rank_weight; /* how fast each rank is; NULL: all alike; not owned */
    SinoRankBytes rank_bytes;  /* NULL: memory does not matter */
    const void *context;       /* of rank_bytes; not owned */
    int64_t budget_bytes;      /* of a rank */
} SinoProcessGridRequest;

typedef struct SinoProcessGrid {
    int64_t rank_count; /* of the run */
    int64_t batch_groups, data_ranks;
    int64_t *first_slice; /* group g has the slices first_slice[g] … first_slice[g+1] − 1, possibly none; owned */
    char why[192];        /* a clause for people: "given", "the fewest ranks per slice that …" */
} SinoProcessGrid;

/* Chosen: the least P_d that divides the ranks, and the nodes if they are given, leaves no group without slices and
 * fits the budget; where none that divides them fits, the least one that does. SINO_BAD_INPUT: a given grid that has
 * more ranks than the run, or no grid that fits: with the budget that would do. */
SinoStatus sino_process_grid_new(const SinoProcessGridRequest *request, SinoProcessGrid *grid);
void sino_process_grid_free(SinoProcessGrid *grid);

/* Group and data rank; −1: the rank is beyond the grid. */
int64_t sino_process_grid_group(const SinoProcessGrid *grid, int64_t rank);
int64_t sino_process_grid_data_rank(const SinoProcessGrid *grid, int64_t rank);

static inline int64_t sino_process_grid_slices(const SinoProcessGrid *grid, int64_t group)
{
    return grid->first_slice[group + 1] - grid->first_slice[group];
}

/* The rank is beyond the grid, or its group has no slices. */
bool sino_process_grid_is_idle(const SinoProcessGrid *grid, int64_t rank);

/* How many are idle, with the data ranks that a slice has no part for: which those are, the decomposition tells. */
int64_t sino_process_grid_idle(const SinoProcessGrid *grid, int64_t unit_count);

/* Cuts `count` items into `parts` runs in proportion to weights; first[parts + 1]; weight NULL: all the same. */
void sino_process_grid_cut(int64_t count, int64_t parts, const double *weight, int64_t *first);

#endif
