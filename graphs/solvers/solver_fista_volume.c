/* SPDX-License-Identifier: BSD-3-Clause */
/* FISTA with a prior in 3-D: the volume x within bounds that minimises
 *
 *     Σ over slices ½ Σ w (A x − b)² + strength · R(x),
 *
 * where R compares voxels of neighbouring slices, too (codelets/solvers/variation.h, codelets/solvers/prior.h). The
 * steps are those of solver_fista.c, in the norm of coupling.h: a slice has its own step length, all slices have one
 * momentum.
 *
 *     back → prior → voxels → residual        one chain per minibatch, turn after turn
 *              ↕ edges  ↘ coupling_sums ↘
 *                                      momentum of the next turn
 *
 * The minibatches of all ranks go through a turn together. A minibatch needs one slice of each neighbour, its *edge*:
 * of total variation the first slice of u of the next one and the last slice of the dual vector r of the one before; of
 * a smooth prior both slices of y. The minibatch that has the slice copies it, and sends it where the neighbour is
 * another rank's. The sum that decides on the momentum goes over a tree of ranks. It is needed by the prior of the next
 * turn, beside which all products of this turn lie, so that no worker waits for it. */
#include "memory.h"
#include "solver_fista.h"
#include "solvers_tasks.h"

#include <math.h>
#include <stdlib.h>

static const SinoBuffer vectors[SINO_FISTA_VOLUME_VECTORS] = {
    SINO_FISTA_BUFFERS,
    [SINO_FISTA_R] = {"dual along", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [SINO_FISTA_FIRST] = {"first slice", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_ONE},
    [SINO_FISTA_LAST] = {"last slice", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_ONE},
    [SINO_FISTA_BEFORE] = {"slice before", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_ONE},
    [SINO_FISTA_AFTER] = {"slice after", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_ONE},
    [SINO_FISTA_TOTAL] = {"sums of slices", SINO_ROWS_MINIBATCH, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_FISTA_LOWER] = {"sums of ranks", SINO_ROWS_MINIBATCH, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_FISTA_UPPER] = {"sums of ranks", SINO_ROWS_MINIBATCH, SINO_ELEMENT_SUMS, SINO_LANES_SLICES},
    [SINO_FISTA_STATE_AFTER] = {"state after", SINO_ROWS_MINIBATCH, SINO_ELEMENT_STATE, SINO_LANES_SLICES}};

/* The minibatches of this rank in an iteration. */
typedef struct Slab {
    SinoSolverRun *run;
    const SinoFista *own;
    int64_t count, iteration;
    SinoMinibatch *const *minibatch; /* [count] */
} Slab;

/* Ranks with slices. Each of them is a batch group. */
static SinoStatus list_ranks(const SinoSolverRun *run, SinoFista *own)
{
    const int64_t groups = run->grid ? run->grid->batch_groups : 1;
    const int64_t this = sino_processes_rank(sino_runtime_processes(run->runtime));
    SINO_TRY(sino_allocate(groups, sizeof *own->rank, "ranks", &own->rank));
    for (int64_t g = 0; g < groups; g++) {
        if (run->grid && sino_process_grid_slices(run->grid, g) == 0) continue;
        if (!run->grid || g == this) own->own_rank = own->rank_count;
        own->rank[own->rank_count++] = g;
    }
    return NULL;
}

/* A slice that stopped alone would draw its neighbours to where it stopped. */
static SinoStatus prepare(SinoSolverRun *run)
{
    SINO_TRY(sino_fista_prepare(run));
    SinoFista *own = run->own;
    own->volume = true;
    own->bend = SINO_PRIOR_CURVATURE_VOLUME;
    own->endless = *run->settings;
    own->endless.solver.tolerance = NAN;
    run->settings = &own->endless;
    return list_ranks(run, own);
}

static SinoStatus start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoFista *own = run->own;
    SINO_TRY(sino_fista_start(run, minibatch));
    return own->prior && !own->smooth ? sino_fista_insert_zeros(run, minibatch, SINO_FISTA_R) : NULL;
}

/* The process of a rank of the list; −1: there is none. */
static int64_t process_of(const Slab *slab, int64_t rank)
{
    return rank >= 0 && rank < slab->own->rank_count ? slab->own->rank[rank] : -1;
}

static int64_t process_before(const Slab *slab)
{
    return process_of(slab, slab->own->own_rank - 1);
}

static int64_t process_after(const Slab *slab)
{
    return process_of(slab, slab->own->own_rank + 1);
}

/* Sends data to, or receives them from, a process; −1: nothing happens. */
typedef SinoStatus Pass(SinoRuntime *runtime, const SinoMessage *message, SinoData *data);
static SinoStatus pass(const Slab *slab, Pass *how, const char *name, int64_t process, SinoCargo cargo, int64_t index,
                       SinoData *data)
{
    const SinoPosition position = sino_minibatch_at(slab->minibatch[0], slab->iteration, -1);
    const SinoMessage message = sino_partial_message_between(name, position, process, cargo, index);
    return process < 0 ? NULL : how(slab->run->runtime, &message, data);
}

/* Copies a slice of a vector of minibatch m to its edges, of all partitions. */
static SinoStatus insert_edges(const Slab *slab, int64_t m, int64_t vector, int64_t slice, int64_t edge)
{
    SinoMinibatch *minibatch = slab->minibatch[m];
    const SinoVariation tiles = sino_fista_tiles(slab->run, minibatch);
    const bool host = !sino_volume_prior_suits_devices(slab->run->runtime, &tiles, slab->own->tables);
    for (int64_t p = 0; p < sino_solver_partitions(slab->run); p++) {
        const int64_t rows = sino_solver_voxels(slab->run, p);
        if (rows > 0)
            SINO_TRY(sino_insert_edge(slab->run->runtime, sino_minibatch_at(minibatch, slab->iteration, p),
                                      minibatch->slices, rows, slice, host, minibatch->vector[vector][p],
                                      minibatch->vector[edge][p]));
    }
    return NULL;
}

static SinoStatus pass_edges(const Slab *slab, Pass *how, int64_t process, SinoCargo cargo, SinoData *const *edge)
{
    for (int64_t p = 0; p < sino_solver_partitions(slab->run); p++)
        if (sino_solver_voxels(slab->run, p) > 0) SINO_TRY(pass(slab, how, "edge", process, cargo, p, edge[p]));
    return NULL;
}

/* Gives the first slices of a vector to the minibatches before. */
static SinoStatus share_first(const Slab *slab, int64_t vector)
{
    SinoMinibatch *const *m = slab->minibatch;
    for (int64_t i = 0; i < slab->count; i++)
        if (i > 0 || process_before(slab) >= 0) SINO_TRY(insert_edges(slab, i, vector, 0, SINO_FISTA_FIRST));
    SINO_TRY(pass_edges(slab, sino_send, process_before(slab), SINO_CARGO_EDGE_FIRST, m[0]->vector[SINO_FISTA_FIRST]));
    return pass_edges(slab, sino_receive, process_after(slab), SINO_CARGO_EDGE_FIRST,
                      m[slab->count - 1]->vector[SINO_FISTA_AFTER]);
}

/* Gives the last slices of a vector to the minibatches after. */
static SinoStatus share_last(const Slab *slab, int64_t vector)
{
    SinoMinibatch *const *m = slab->minibatch;
    const int64_t last = slab->count - 1;
    for (int64_t i = 0; i < slab->count; i++)
        if (i < last || process_after(slab) >= 0)
            SINO_TRY(insert_edges(slab, i, vector, m[i]->slices.slice_count - 1, SINO_FISTA_LAST));
    SINO_TRY(pass_edges(slab, sino_send, process_after(slab), SINO_CARGO_EDGE_LAST, m[last]->vector[SINO_FISTA_LAST]));
    return pass_edges(slab, sino_receive, process_before(slab), SINO_CARGO_EDGE_LAST, m[0]->vector[SINO_FISTA_BEFORE]);
}

/* The slices beside minibatch m, by partition; NULL: there are none. */
static SinoData *const *edges_before(const Slab *slab, int64_t m)
{
    if (m > 0) return slab->minibatch[m - 1]->vector[SINO_FISTA_LAST];
    return process_before(slab) >= 0 ? slab->minibatch[0]->vector[SINO_FISTA_BEFORE] : NULL;
}

static SinoData *const *edges_after(const Slab *slab, int64_t m)
{
    if (m + 1 < slab->count) return slab->minibatch[m + 1]->vector[SINO_FISTA_FIRST];
    return process_after(slab) >= 0 ? slab->minibatch[m]->vector[SINO_FISTA_AFTER] : NULL;
}

/* Finds the steps of the dual vectors, which depend on the slices beside. */
static SinoStatus insert_dual_steps(const Slab *slab)
{
    SinoMinibatch *const *m = slab->minibatch;
    const int64_t last = slab->count - 1;
    SinoData *after = m[last]->vector[SINO_FISTA_STATE_AFTER][0];
    SINO_TRY(pass(slab, sino_send, "state", process_before(slab), SINO_CARGO_EDGE_STATE, 0, m[0]->state));
    SINO_TRY(pass(slab, sino_receive, "state", process_after(slab), SINO_CARGO_EDGE_STATE, 0, after));
    for (int64_t i = 0; i <= last; i++) {
        SinoData *next = i < last ? m[i + 1]->state : process_after(slab) >= 0 ? after : NULL;
        SINO_TRY(sino_insert_coupling_steps(slab->run->runtime, sino_minibatch_at(m[i], slab->iteration, -1),
                                            m[i]->slices, i > 0 || process_before(slab) >= 0, next, m[i]->state));
    }
    return NULL;
}

/* What must be known before the first iteration, once all minibatches have been started. */
static SinoStatus begin(const Slab *slab)
{
    if (!slab->own->prior) return NULL;
    if (!slab->own->smooth) {
        SINO_TRY(insert_dual_steps(slab));
        return share_last(slab, SINO_FISTA_R);
    }
    SINO_TRY(share_first(slab, SINO_FISTA_Y));
    return share_last(slab, SINO_FISTA_Y);
}

/* One half of a step of minibatch m towards the minimum of total variation. */
static SinoStatus insert_half(const Slab *slab, int64_t m, bool primal)
{
    SinoMinibatch *minibatch = slab->minibatch[m];
    SinoData *const *before = edges_before(slab, m), *const *after = edges_after(slab, m);
    SinoVariationTask task = {.variation = sino_fista_tiles(slab->run, minibatch),
                              .p = minibatch->vector[SINO_FISTA_P],
                              .q = minibatch->vector[SINO_FISTA_D],
                              .r = minibatch->vector[SINO_FISTA_R],
                              .u = minibatch->vector[SINO_FISTA_U],
                              .state = minibatch->state,
                              .tables = slab->own->tables};
    for (int64_t p = 0; p < slab->own->tiling.partition_count; p++) {
        const SinoPosition position = sino_minibatch_at(minibatch, slab->iteration, p);
        task.variation.part = p;
        if (sino_solver_voxels(slab->run, p) == 0) continue;
        SINO_TRY(primal ? sino_insert_variation_primal(slab->run->runtime, position, &task,
                                                       minibatch->vector[SINO_FISTA_G][p], before ? before[p] : NULL)
                        : sino_insert_variation_dual(slab->run->runtime, position, &task, after ? after[p] : NULL));
    }
    return NULL;
}

/* Computes U of all minibatches from z, which is in G. */
static SinoStatus insert_variation(const Slab *slab)
{
    const int halves = 2 * sino_fista_dual_steps(slab->own->subset_count);
    for (int half = 0; half <= halves; half++) {
        const bool primal = half % 2 == 0;
        for (int64_t m = 0; m < slab->count; m++) {
            SINO_TRY(insert_half(slab, m, primal));
            if (primal)
                SINO_TRY(sino_fista_insert_support(slab->run, slab->minibatch[m], slab->iteration, SINO_FISTA_U));
        }
        if (half < halves) SINO_TRY(primal ? share_first(slab, SINO_FISTA_U) : share_last(slab, SINO_FISTA_R));
    }
    return NULL;
}

/* Takes the gradient of a smooth prior at y from z of all minibatches. */
static SinoStatus insert_smooth_prior(const Slab *slab)
{
    for (int64_t m = 0; m < slab->count; m++) {
        SinoMinibatch *minibatch = slab->minibatch[m];
        SinoData *const *before = edges_before(slab, m), *const *after = edges_after(slab, m);
        SinoSmoothPrior prior = sino_fista_smooth_prior(slab->run, minibatch);
        prior.volume = true;
        for (; prior.tiles.part < prior.tiles.part_count; prior.tiles.part++) {
            const int64_t p = prior.tiles.part;
            if (sino_solver_voxels(slab->run, p) > 0)
                SINO_TRY(sino_insert_prior(slab->run->runtime, sino_minibatch_at(minibatch, slab->iteration, p), &prior,
                                           slab->own->tables, minibatch->vector[SINO_FISTA_Y],
                                           before ? before[p] : NULL, after ? after[p] : NULL, minibatch->state,
                                           minibatch->vector[SINO_FISTA_G][p]));
        }
    }
    return NULL;
}

static SinoStatus insert_prior(const Slab *slab)
{
    if (slab->own->prior && !slab->own->smooth) return insert_variation(slab);
    if (slab->own->smooth) SINO_TRY(insert_smooth_prior(slab));
    for (int64_t m = 0; m < slab->count; m++)
        SINO_TRY(sino_fista_insert_support(slab->run, slab->minibatch[m], slab->iteration, SINO_FISTA_G));
    return NULL;
}

/* Adds up the sums of this rank's slices, and the totals of the ranks below in the tree. */
static SinoStatus insert_sums(const Slab *slab, int64_t arrived_count, SinoData *const *arrived, SinoData *total)
{
    SinoMinibatch *const *m = slab->minibatch;
    SinoData **data = NULL;
    SINO_TRY(sino_allocate(2 * slab->count, sizeof *data, "the data of a task", &data));
    for (int64_t i = 0; i < slab->count; i++) {
        data[i] = m[i]->vector[SINO_FISTA_SUMS][0];
        data[slab->count + i] = m[i]->state;
    }
    const SinoCouplingSums sums = {.slices = m[0]->slices,
                                   .count = slab->count,
                                   .last_count = m[slab->count - 1]->slices.slice_count,
                                   .sums = data,
                                   .state = data + slab->count,
                                   .arrived_count = arrived_count,
                                   .arrived = arrived};
    SinoStatus status =
        sino_insert_coupling_sums(slab->run->runtime, sino_minibatch_at(m[0], slab->iteration, -1), &sums, total);
    free(data);
    return status;
}

/* The momentum of all slices. Rank r of the list has the ranks 2r + 1 and 2r + 2 below it. */
static SinoStatus insert_momentum(const Slab *slab)
{
    SinoMinibatch *const *m = slab->minibatch;
    const int64_t rank = slab->own->own_rank, above = rank > 0 ? process_of(slab, (rank - 1) / 2) : -1;
    const int64_t below[] = {process_of(slab, 2 * rank + 1), process_of(slab, 2 * rank + 2)};
    SinoData *total = m[0]->vector[SINO_FISTA_TOTAL][0];
    SinoData *arrived[] = {m[0]->vector[SINO_FISTA_LOWER][0], m[0]->vector[SINO_FISTA_UPPER][0]};
    int64_t arrived_count = 0;
    for (int i = 0; i < 2 && below[i] >= 0; i++, arrived_count++)
        SINO_TRY(pass(slab, sino_receive, "sums", below[i], SINO_CARGO_SLICE_SUMS, 0, arrived[i]));
    SINO_TRY(insert_sums(slab, arrived_count, arrived, total));
    SINO_TRY(pass(slab, sino_send, "sums", above, SINO_CARGO_SLICE_SUMS, 0, total));
    SINO_TRY(pass(slab, sino_receive, "sums", above, SINO_CARGO_SLICE_TOTALS, 0, total));
    for (int i = 0; i < 2; i++) SINO_TRY(pass(slab, sino_send, "sums", below[i], SINO_CARGO_SLICE_TOTALS, 0, total));
    for (int64_t i = 0; i < slab->count; i++)
        SINO_TRY(sino_fista_insert_momentum(slab->run, m[i], slab->iteration, total));
    return NULL;
}

/* Updates x and y of all minibatches in the k-th subset's turn. */
static SinoStatus insert_turn(const Slab *slab, int64_t k)
{
    for (int64_t m = 0; m < slab->count; m++)
        SINO_TRY(sino_fista_insert_back(slab->run, slab->minibatch[m], slab->iteration, k));
    SINO_TRY(insert_prior(slab));
    for (int64_t m = 0; m < slab->count; m++)
        SINO_TRY(sino_fista_insert_voxels(slab->run, slab->minibatch[m], slab->iteration));
    if (slab->own->smooth) {
        SINO_TRY(share_first(slab, SINO_FISTA_Y));
        SINO_TRY(share_last(slab, SINO_FISTA_Y));
    }
    SINO_TRY(insert_momentum(slab));
    for (int64_t m = 0; m < slab->count; m++)
        SINO_TRY(sino_fista_insert_residual(slab->run, slab->minibatch[m], slab->iteration, k));
    return NULL;
}

static SinoStatus iterate_together(SinoSolverRun *run, int64_t count, SinoMinibatch *const *minibatch,
                                   int64_t iteration)
{
    const Slab slab = {.run = run, .own = run->own, .count = count, .iteration = iteration, .minibatch = minibatch};
    if (iteration == 1) SINO_TRY(begin(&slab));
    for (int64_t k = 0; k < sino_fista_turns(slab.own->subset_count, iteration); k++) SINO_TRY(insert_turn(&slab, k));
    for (int64_t m = 0; m < count; m++) SINO_TRY(sino_fista_insert_record(run, minibatch[m], iteration));
    return NULL;
}

/* z, u, p, q and r of a primal half, u, p, q and r of a dual one. */
static double prior_vectors(int64_t subset_count)
{
    const int steps = sino_fista_dual_steps(subset_count);
    return 5 * (steps + 1) + 4 * steps;
}

const SinoSolver sino_solver_fista_volume = {
    .choice = SINO_ALGORITHM_FISTA,
    .iterative = true,
    .has_subsets = true,
    .turns = sino_fista_turns,
    .volume = true,
    .tiles = true,
    .prior_vectors = prior_vectors,
    .whole_slices = "fista compares neighbouring voxels",
    .vectors = {.count = SINO_FISTA_VOLUME_VECTORS, .buffer = vectors, .tomogram = SINO_FISTA_X},
    .weights = &sino_fista_weight_vectors,
    .projection = SINO_FISTA_Q,
    .scratch_bytes = sino_fista_scratch_bytes,
    .prepare = prepare,
    .release = sino_fista_release,
    .start = start,
    .iterate_together = iterate_together,
    .finish = sino_fista_finish,
    .finish_work = sino_fista_finish_work};
