/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology: the hierarchy of the partitions of a slice: nodes, sockets of a node, workers of a socket. */
#include "topology.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

SinoStatus sino_topology_new(const SinoTopologyRequest *request, SinoTopology *result)
{
    const SinoTopologyShape *shape = &request->shape;
    SinoTopology made = {.rank_count = request->rank_count};
    made.node_count = shape->nodes ? shape->nodes : made.rank_count;
    SINO_CHECK(made.node_count % made.rank_count == 0, SINO_BAD_INPUT,
               "--topology has nodes=%" PRId64 "; allowed: a multiple of the %" PRId64 " ranks that share a slice",
               made.node_count, made.rank_count);
    const int64_t node_partitions = sino_ceil_divide(request->rank_partitions, made.node_count / made.rank_count);
    const int64_t sockets = request->machine_sockets < node_partitions ? request->machine_sockets : node_partitions;
    made.sockets = shape->sockets ? shape->sockets : shape->workers ? request->machine_sockets : sockets;
    made.workers = shape->workers ? shape->workers : sino_ceil_divide(node_partitions, made.sockets);
    int64_t all_sockets, partitions;
    SINO_TRY(sino_multiply(made.node_count, made.sockets, "sockets", &all_sockets));
    SINO_TRY(sino_multiply(all_sockets, made.workers, "partitions", &partitions));
    SINO_CHECK(partitions <= SINO_PARTITIONS_MAX, SINO_BAD_INPUT,
               "%" PRId64 " nodes of %" PRId64 " sockets of %" PRId64 " workers make %" PRId64
               " partitions of a slice; allowed: %d",
               made.node_count, made.sockets, made.workers, partitions, SINO_PARTITIONS_MAX);
    *result = made;
    return NULL;
}

void sino_topology_shares(const SinoTopology *topology, const double *rank_weight, double *share)
{
    const int64_t count = sino_topology_partitions(topology);
    for (int64_t p = 0; p < count; p++)
        share[p] = rank_weight ? rank_weight[sino_topology_rank_of_partition(topology, p)] : 1;
}

/* Process grid: P_b batch groups × P_d data ranks. */

int64_t sino_process_grid_group(const SinoProcessGrid *grid, int64_t rank)
{
    return rank < grid->batch_groups * grid->data_ranks ? rank / grid->data_ranks : -1;
}

bool sino_process_grid_is_idle(const SinoProcessGrid *grid, int64_t rank)
{
    const int64_t group = sino_process_grid_group(grid, rank);
    return group < 0 || sino_process_grid_slices(grid, group) == 0;
}

int64_t sino_process_grid_idle(const SinoProcessGrid *grid, int64_t unit_count)
{
    int64_t busy = 0;
    for (int64_t r = 0; r < grid->rank_count; r++) busy += !sino_process_grid_is_idle(grid, r);
    if (unit_count < grid->data_ranks) busy = busy / grid->data_ranks * unit_count;
    return grid->rank_count - busy;
}

void sino_process_grid_cut(int64_t count, int64_t parts, const double *weight, int64_t *first)
{
    double all = 0, sum = 0;
    for (int64_t i = 0; i < parts; i++) all += weight ? weight[i] : 1;
    first[0] = 0;
    for (int64_t i = 0; i < parts; i++) {
        sum += weight ? weight[i] : 1;
        first[i + 1] = i + 1 == parts ? count : (int64_t)floor((double)count * (sum / all) + 0.5);
    }
}

static SinoStatus needed_bytes(const SinoProcessGridRequest *request, int64_t data_ranks, int64_t *bytes)
{
    *bytes = 0;
    if (!request->rank_bytes) return NULL;
    return request->rank_bytes(request->context, request->rank_count / data_ranks, data_ranks, bytes);
}

/* True if a group would have no slices, or a data rank no part of the slice. */
static bool wastes_groups(const SinoProcessGridRequest *request, int64_t data_ranks)
{
    return request->rank_count / data_ranks > request->slice_count;
}

static bool is_allowed(const SinoProcessGridRequest *request, int64_t data_ranks)
{
    return request->node_count == 0 || request->node_count % data_ranks == 0;
}

static SinoStatus fits_memory(const SinoProcessGridRequest *request, int64_t data_ranks, bool *fits)
{
    int64_t bytes;
    SINO_TRY(needed_bytes(request, data_ranks, &bytes));
    *fits = !request->rank_bytes || bytes <= request->budget_bytes;
    return NULL;
}

/* The first of `count` numbers of ranks that fits; 0: none. The more ranks share a slice, the less each of them needs,
 * so that steps double until a number fits, and bisection finds the first. */
static SinoStatus first_that_fits(const SinoProcessGridRequest *request, int64_t count, const int64_t *candidate,
                                  int64_t *data_ranks)
{
    int64_t low = 0, high = count;
    for (int64_t step = 1; low < high; step = sino_times(2, step)) {
        const int64_t i = high < count ? low + (high - low) / 2 : sino_smaller(low + step - 1, count - 1);
        bool fits;
        SINO_TRY(fits_memory(request, candidate[i], &fits));
        if (fits)
            high = i;
        else
            low = i + 1;
    }
    *data_ranks = high < count ? candidate[high] : 0;
    return NULL;
}

/* The least P_d ≥ `from` that fits the memory and, with `divisors`, divides the number of ranks; 0: there is none. */
static SinoStatus least_that_fits(const SinoProcessGridRequest *request, int64_t from, bool divisors,
                                  int64_t *data_ranks)
{
    int64_t *candidate = NULL, count = 0;
    SINO_TRY(sino_allocate(request->rank_count, sizeof *candidate, "numbers of ranks", &candidate));
    for (int64_t d = from; d <= request->rank_count; d++)
        if (is_allowed(request, d) && (!divisors || request->rank_count % d == 0)) candidate[count++] = d;
    SinoStatus status = first_that_fits(request, count, candidate, data_ranks);
    free(candidate);
    return status;
}

/* The least divisor of the number of ranks that gives every group a slice and has no more ranks than a slice has
 * parts. */
static int64_t least_useful(const SinoProcessGridRequest *request)
{
    int64_t useful = 1;
    for (int64_t d = 1; d <= request->rank_count && d <= request->unit_count; d++) {
        if (!is_allowed(request, d) || request->rank_count % d != 0) continue;
        useful = d;
        if (!wastes_groups(request, d)) break;
    }
    return useful;
}

static SinoStatus too_little(const SinoProcessGridRequest *request)
{
    int64_t bytes, most = request->rank_count;
    char budget[24], needed[24];
    while (!is_allowed(request, most)) most--;
    SINO_TRY(needed_bytes(request, most, &bytes));
    return sino_error(SINO_BAD_INPUT,
                      "memory is %s per rank; a rank needs %s when %" PRId64
                      " share each slice; allowed: --memory %" PRId64 "MiB or more, or more ranks",
                      sino_bytes_text(request->budget_bytes, budget), sino_bytes_text(bytes, needed), most,
                      (bytes >> 20) + 1);
}

static SinoStatus choose(const SinoProcessGridRequest *request, SinoProcessGrid *grid)
{
    const int64_t useful = least_useful(request);
    int64_t divisor, any = 0;
    SINO_TRY(least_that_fits(request, useful, true, &divisor));
    if (divisor == 0) SINO_TRY(least_that_fits(request, useful, false, &any));
    if (divisor == 0 && any == 0) return too_little(request);
    grid->data_ranks = divisor ? divisor : any;
    grid->batch_groups = request->rank_count / grid->data_ranks;
    const char *why = grid->data_ranks == 1 ? "a whole slice fits a rank"
                      : divisor == useful   ? "as many groups as there are slices"
                                            : "the fewest ranks per slice whose shares fit their memory";
    snprintf(grid->why, sizeof grid->why, "%s%s", request->rank_count == 1 ? "one rank" : why,
             divisor ? "" : "; no number of ranks that divides them all does");
    return NULL;
}

static SinoStatus take(const SinoProcessGridRequest *request, SinoProcessGrid *grid)
{
    int64_t ranks;
    grid->batch_groups = request->shape.batch_groups;
    grid->data_ranks = request->shape.data_ranks;
    SINO_TRY(sino_multiply(grid->batch_groups, grid->data_ranks, "the ranks of --grid", &ranks));
    SINO_CHECK(ranks <= request->rank_count, SINO_BAD_INPUT,
               "--grid is %" PRId64 "x%" PRId64 ", which takes %" PRId64 " ranks; allowed: at most the %" PRId64
               " that there are",
               grid->batch_groups, grid->data_ranks, ranks, request->rank_count);
    snprintf(grid->why, sizeof grid->why, "given");
    return NULL;
}

/* Shares out the slices in proportion to the groups' speeds. A group's speed is the sum of its ranks' weights. */
static SinoStatus share_slices(const SinoProcessGridRequest *request, SinoProcessGrid *grid)
{
    double *weight = NULL;
    SINO_TRY(sino_allocate(grid->batch_groups, sizeof *weight, "groups of ranks", &weight));
    for (int64_t r = 0; r < grid->batch_groups * grid->data_ranks; r++)
        weight[r / grid->data_ranks] += request->rank_weight ? request->rank_weight[r] : 1;
    SinoStatus status =
        sino_allocate(grid->batch_groups + 1, sizeof *grid->first_slice, "groups of ranks", &grid->first_slice);
    if (!status) sino_process_grid_cut(request->slice_count, grid->batch_groups, weight, grid->first_slice);
    free(weight);
    return status;
}

SinoStatus sino_process_grid_new(const SinoProcessGridRequest *request, SinoProcessGrid *result)
{
    SinoProcessGrid made = {.rank_count = request->rank_count};
    SINO_TRY(request->shape.batch_groups ? take(request, &made) : choose(request, &made));
    SINO_TRY(share_slices(request, &made));
    *result = made;
    return NULL;
}

void sino_process_grid_free(SinoProcessGrid *grid)
{
    free(grid->first_slice);
    *grid = (SinoProcessGrid){0};
}
