/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver: sizes and steps that several solvers share. */
#include "solver.h"

#include "memory.h"
#include "rays_tasks.h"
#include "simulation.h"
#include "solvers_tasks.h"

#include <float.h>
#include <math.h>

/* FISTA's steps with subsets of three angles diverge where no bound holds the slice (docs/lab/images.md). */
enum { SUBSETS_OF_OSEM = 8, SUBSETS_OF_FISTA = 16, ANGLES_OF_FISTA = 5 };

int64_t sino_solver_subsets(const SinoSolver *solver, const SinoSolverSettings *settings, int64_t rows)
{
    if (!solver->has_subsets) return 1;
    if (settings->subsets > 0) return settings->subsets;
    if (solver->choice != SINO_ALGORITHM_FISTA) return sino_smaller(SUBSETS_OF_OSEM, rows);
    return sino_larger(1, sino_smaller(SUBSETS_OF_FISTA, rows / ANGLES_OF_FISTA));
}

/* With fewer projections so few iterations come less near (docs/lab/cones.md). */
enum { SUBSETS_OF_ORBIT = 32, ITERATIONS_OF_ORBIT = 8, ITERATIONS_OF_FISTA = 15 };

static bool takes_few(const SinoSolverSettings *settings, int64_t angles)
{
    return settings->algorithm == SINO_ALGORITHM_FISTA && settings->subsets == 0 &&
           angles >= (int64_t)SUBSETS_OF_ORBIT * ANGLES_OF_FISTA;
}

int64_t sino_solver_orbit_subsets(const SinoSolver *solver, const SinoSolverSettings *settings, int64_t angles)
{
    return takes_few(settings, angles) ? SUBSETS_OF_ORBIT : sino_solver_subsets(solver, settings, angles);
}

int64_t sino_solver_orbit_iterations(const SinoSolverSettings *settings, int64_t angles)
{
    return takes_few(settings, angles) ? ITERATIONS_OF_ORBIT : ITERATIONS_OF_FISTA;
}

double sino_solver_updates(const SinoSolver *solver, int64_t subsets, int64_t iterations)
{
    enum { SUMMED = 64 }; /* later iterations are alike */
    const int64_t summed = sino_smaller(iterations, SUMMED);
    double updates = 0;
    if (!solver->turns || iterations < 1) return (double)subsets;
    for (int64_t i = 1; i <= summed; i++) updates += (double)solver->turns(subsets, i);
    updates += (double)(iterations - summed) * (double)solver->turns(subsets, iterations);
    return updates / (double)iterations;
}

SinoStatus sino_solver_order_subsets(int64_t count, int64_t **order)
{
    int bits = 0;
    int64_t made = 0;
    SINO_TRY(sino_allocate(count, sizeof **order, "subsets", order));
    while ((int64_t)1 << bits < count) bits++;
    for (int64_t i = 0; i < (int64_t)1 << bits; i++) {
        int64_t reversed = 0;
        for (int b = 0; b < bits; b++) reversed |= (i >> b & 1) << (bits - 1 - b);
        if (reversed < count) (*order)[made++] = reversed;
    }
    return NULL;
}

SinoStatus sino_solver_divide(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t from, int64_t to)
{
    const SinoExtent *subsets = &run->op->shape.extent[SINO_ROWS_SUBSET];
    int64_t first = 0;
    for (int64_t s = 0; s < subsets->members; s++) {
        const SinoSubset part = {
            .total_rows = sino_solver_rays(run), .first_row = first, .row_count = subsets->rows[s]};
        SINO_TRY(sino_insert_subset(run->runtime, sino_minibatch_at(minibatch, 0, -1), minibatch->slices, &part,
                                    minibatch->vector[from][0], minibatch->vector[to][s]));
        first += part.row_count;
    }
    return NULL;
}

/* The members are 0, which is no upper bound, where a verb does not have the settings. */
SinoBounds sino_solver_bounds(const SinoSolverSettings *settings, double scale)
{
    const double least = sino_settings_nonnegative(settings) ? 0 : settings->minimum / scale;
    return (SinoBounds){.least = isnan(least) ? (double)-INFINITY : least,
                        .most = settings->maximum > 0 ? settings->maximum / scale : (double)INFINITY};
}

int64_t sino_solver_history_columns(const SinoSolver *solver, const SinoSolverSettings *settings)
{
    return solver->iterative ? sino_settings_iterations(settings) + 1 : 1;
}

int64_t sino_solver_rays(const SinoSolverRun *run)
{
    return run->op->shape.extent[SINO_ROWS_RAYS].total;
}

int64_t sino_solver_voxels(const SinoSolverRun *run, int64_t partition)
{
    return run->op->shape.extent[SINO_ROWS_VOXELS].rows[partition];
}

int64_t sino_solver_partitions(const SinoSolverRun *run)
{
    return run->op->shape.extent[SINO_ROWS_VOXELS].members;
}

int64_t sino_solver_history_numbers(const SinoSolver *solver, const SinoSolverSettings *settings)
{
    return sino_solver_history_columns(solver, settings) * (solver->has_likelihood ? 2 : 1);
}

double sino_solver_least_sum(const SinoSolverRun *run)
{
    return run->op->problem.matrix ? (double)FLT_MIN : 1e-6;
}

/* The column of an iteration in the history. */
static SinoIteration iteration_of(const SinoSolverRun *run, int64_t iteration)
{
    const int64_t columns = run->iterations + 1;
    return (SinoIteration){.columns = columns,
                           .numbers = run->has_likelihood ? 2 * columns : columns,
                           .iteration = iteration,
                           .tolerance = run->settings->solver.tolerance,
                           .likelihood_tolerance = run->settings->solver.likelihood_tolerance};
}

/* Of tasks before the first iteration: of the iterations, or of none. Iterations may be offered to devices alone, which
 * a direct solver's rays would be copied to for these tasks only. */
static SinoPosition at_begin(const SinoSolverRun *run, const SinoMinibatch *minibatch)
{
    return sino_minibatch_at(minibatch, run->iterations > 0 ? 0 : -1, -1);
}

SinoStatus sino_solver_begin(SinoSolverRun *run, SinoMinibatch *minibatch, SinoUpdateFormula formula, SinoData **sums)
{
    const SinoPosition position = at_begin(run, minibatch);
    const SinoExtent *extent = &run->op->shape.extent[minibatch->vectors->buffer[0].rows];
    for (int64_t i = 0; i < extent->members; i++) {
        const SinoUpdateTask add = {.update = {.formula = formula,
                                               .slices = minibatch->slices,
                                               .rows = extent->rows ? extent->rows[i] : extent->total,
                                               .add = i > 0},
                                    .vector = {minibatch->vector[0][i]},
                                    .sums = minibatch->sums};
        SINO_TRY(sino_insert_update(run->runtime, position, &add));
    }
    return sino_solver_begun(run, minibatch, sums);
}

SinoStatus sino_solver_begun(SinoSolverRun *run, SinoMinibatch *minibatch, SinoData **sums)
{
    SINO_TRY(sino_insert_collect(minibatch, 0, sums));
    return sino_insert_update_start(run->runtime, at_begin(run, minibatch), minibatch->slices, iteration_of(run, 0),
                                    *sums, minibatch->state, minibatch->history);
}

SinoStatus sino_solver_start_block(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t vector)
{
    const SinoAngleBlock block = minibatch->block;
    const SinoUpdateTask add = {.update = {.formula = SINO_UPDATE_SQUARE,
                                           .slices = minibatch->slices,
                                           .rows = sino_times(block.count, run->op->problem.geometry.column_count),
                                           .add = block.first > 0},
                                .vector = {minibatch->vector[vector][0]},
                                .sums = minibatch->sums};
    SinoData *sums;
    SINO_TRY(sino_insert_update(run->runtime, at_begin(run, minibatch), &add));
    return block.last ? sino_solver_begun(run, minibatch, &sums) : NULL;
}

SinoStatus sino_solver_start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    SinoData *sums;
    return sino_solver_begin(run, minibatch, SINO_UPDATE_SQUARE, &sums);
}

SinoStatus sino_solver_update_voxels(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration,
                                     const SinoUpdate *update, int vector_count, const int *vector)
{
    const SinoUpdateRow *row = &sino_update_row[update->formula];
    const int64_t parts = minibatch->part_count;
    int64_t part = 0;
    for (int64_t p = 0; p < sino_solver_partitions(run); p++) {
        SinoUpdateTask task = {.update = *update, .state = row->reads_state ? minibatch->state : NULL};
        task.update.slices = minibatch->slices;
        task.update.rows = sino_solver_voxels(run, p);
        if (task.update.rows == 0) continue;
        for (int i = 0; i < vector_count; i++) task.vector[i] = minibatch->vector[vector[i]][p];
        if (row->sums > 0) task.sums = parts > 1 ? minibatch->part_sums[part++] : minibatch->sums;
        SINO_TRY(sino_insert_update(run->runtime, sino_minibatch_at(minibatch, iteration, p), &task));
    }
    if (row->sums == 0 || parts <= 1) return NULL;
    return sino_insert_update_collect_all(run->runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices,
                                          parts, minibatch->part_sums, minibatch->sums);
}

bool sino_solver_is_started(const SinoSolverRun *run)
{
    return run->begin.scale > 0;
}

SinoStatus sino_solver_fill(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t vector)
{
    if (run->begin.fill) return run->begin.fill(run->begin.of, minibatch, vector);
    const SinoTiling tiling = run->op->kind->tiling(run->op);
    for (int64_t p = 0; p < tiling.partition_count; p++) {
        const SinoFill fill = {.slices = minibatch->slices,
                               .grid_size = run->op->problem.geometry.grid_size,
                               .margin = run->op->problem.geometry.margin,
                               .tile_count = tiling.first[p + 1] - tiling.first[p],
                               .tile = tiling.tile + tiling.first[p],
                               .scale = run->begin.scale,
                               .support_ratio = run->settings->solver.support_ratio};
        if (fill.tile_count > 0)
            SINO_TRY(sino_insert_fill(run->runtime, sino_minibatch_at(minibatch, 0, p), &fill, minibatch->image,
                                      minibatch->vector[vector][p]));
    }
    return NULL;
}

SinoStatus sino_solver_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoPosition position = sino_minibatch_at(minibatch, iteration, -1);
    const int64_t turn = iteration % SINO_LOOKAHEAD;
    SinoData *sums, *active = minibatch->slot[SINO_SLOT_ACTIVE + turn][0];
    SINO_TRY(sino_insert_collect(minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_record(run->runtime, position, minibatch->slices, iteration_of(run, iteration), sums,
                                       minibatch->state, minibatch->history, active));
    return sino_insert_agreement(run->runtime, minibatch->work->sums, position, turn, active);
}

SinoStatus sino_solver_look_for_stop(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration, double work_left)
{
    const int64_t earlier = iteration - SINO_LOOKAHEAD + 1;
    void *count;
    const bool stops = run->settings->solver.tolerance > 0 || run->settings->solver.likelihood_tolerance > 0;
    if (!stops || earlier < 1 || SINO_SIMULATES) return NULL;
    SinoData *active = minibatch->slot[SINO_SLOT_ACTIVE + earlier % SINO_LOOKAHEAD][0];
    SINO_TRY(sino_data_acquire(active, SINO_READ, &count));
    minibatch->stopped = *(const int64_t *)count == 0;
    sino_data_release(active);
    if (minibatch->stopped) sino_runtime_expect_less(run->runtime, work_left);
    return NULL;
}

int64_t sino_solver_weight_bytes(const SinoSolver *solver, const SinoProblem *problem, const SinoShape *shape)
{
    static const SinoBuffer left = {"weights", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES};
    const SinoBatch one = {.stride = 1, .history_numbers = 1};
    const int64_t kept = solver->bands ? 0 : problem->subset_count - 1;
    if (!solver->weights) return 0;
    return sino_minibatch_bytes(sino_operator_kind(problem), solver->weights, shape, one) +
           sino_times(kept, sino_buffers_bytes(1, &left, shape, one));
}

SinoStatus sino_solver_new_weights(SinoSolverRun *run, const SinoVectors *vectors, SinoMinibatch **weights)
{
    const SinoSlices one = {
        .precision = sino_precision_solver(run->op->problem.precision), .stride = 1, .slice_count = 1};
    const SinoMinibatchRequest request = {
        .op = run->op, .vectors = vectors, .slices = one, .history_numbers = 1, .overlap = true};
    return sino_minibatch_new(run->runtime, &request, weights);
}
