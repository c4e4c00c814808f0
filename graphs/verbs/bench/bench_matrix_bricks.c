/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, system matrices: the operator and the solver that recon has for counts, on counts that are all 1. */
#include "bench_matrix.h"
#include "matrix_kind.h"
#include "memory.h"
#include "platform.h"
#include "solve.h"
#include "solvers_tasks.h"

#include <stdlib.h>

/* The only iteration of a history, which is measured again and again: residuals and log-likelihoods of 0 and of 1. */
enum { ITERATION = 1, HISTORY_NUMBERS = 4 };

static const SinoBuffer rays_buffer = {"rays", SINO_ROWS_SUBSET, SINO_ELEMENT_REAL, SINO_LANES_SLICES};

struct SinoBenchBricks {
    SinoBenchMatrix *bench;
    const SinoSolver *solver;
    SinoOperator *op;
    SinoCountModel model;
    SinoSolverRun run;
    SinoMinibatch *minibatch;
    SinoData **rays; /* [1]: A x, of which MLEM keeps none */
};

static SinoProblem problem_of(const SinoBenchMatrix *bench, SinoPrecision precision)
{
    return (SinoProblem){.matrix = bench->survey, .precision = precision, .subset_count = 1};
}

static SinoBatch batch_of(int64_t sets)
{
    return (SinoBatch){.stride = sino_panel_stride(SINO_SINGLE, sets), .history_numbers = HISTORY_NUMBERS};
}

SinoStatus sino_bench_bricks_bytes(const SinoBenchMatrix *bench, SinoPrecision precision, int64_t sets, int64_t *bytes)
{
    const SinoProblem problem = problem_of(bench, precision);
    const SinoSolver *solver = sino_solver_counts(SINO_ALGORITHM_MLEM, false);
    const SinoBatch batch = batch_of(sets);
    SinoOperatorSize size;
    SINO_TRY(sino_bricks_kind.size(&problem, NULL, bench->machine.worker_count, &size));
    *bytes = size.bytes + size.map_bytes + size.building_bytes +
             sino_minibatch_bytes(&sino_bricks_kind, &solver->vectors, &size.shape, batch) +
             sino_solver_weight_bytes(solver, &problem, &size.shape) +
             sino_buffers_bytes(1, &rays_buffer, &size.shape, batch);
    return NULL;
}

static SinoStatus pack(SinoBenchBricks *bricks, SinoPrecision precision)
{
    SinoBenchMatrix *bench = bricks->bench;
    const SinoOperatorRequest request = {.problem = problem_of(bench, precision), .shape = SINO_EXCHANGE_ALONE(1)};
    const double begin = sino_platform_now_s();
    SINO_TRY(sino_operator_new(bench->machine.runtime, &request, &bricks->op));
    bench->packing[precision] = (SinoBenchPacking){.bytes = sino_matrix_bytes(bricks->op),
                                                   .nonzero_count = bricks->op->nonzero_count,
                                                   .elapsed_s = sino_platform_now_s() - begin};
    SINO_CHECK(bricks->op->nonzero_count > 0, SINO_BAD_INPUT, "%s has no entry above 0; needed: some",
               bench->settings->counts.system_matrix);
    return NULL;
}

SinoStatus sino_bench_bricks_new(SinoBenchMatrix *bench, SinoPrecision precision, SinoBenchBricks **result)
{
    SinoBenchBricks *bricks;
    SINO_TRY(sino_allocate(1, sizeof *bricks, "bricks", &bricks));
    bricks->bench = bench;
    bricks->solver = sino_solver_counts(SINO_ALGORITHM_MLEM, false);
    SINO_GIVE(pack(bricks, precision), bricks, sino_bench_bricks_free, result);
}

static void free_vectors(SinoBenchBricks *bricks)
{
    if (bricks->run.own) bricks->solver->release(&bricks->run);
    sino_minibatch_free(bricks->minibatch);
    sino_data_free_each(bricks->rays, 1);
    bricks->minibatch = NULL;
    bricks->rays = NULL;
}

void sino_bench_bricks_free(SinoBenchBricks *bricks)
{
    if (!bricks) return;
    free_vectors(bricks);
    sino_operator_free(bricks->op);
    free(bricks);
}

/* ---- vectors ---- */

static SinoStatus new_vectors(SinoBenchBricks *bricks, int64_t sets)
{
    const SinoBatch batch = batch_of(sets);
    SinoRuntime *runtime = bricks->bench->machine.runtime;
    const SinoMinibatchRequest request = {.op = bricks->op,
                                          .vectors = &bricks->solver->vectors,
                                          .slices = {SINO_SINGLE, batch.stride, sets},
                                          .history_numbers = HISTORY_NUMBERS,
                                          .number = 1, /* number 0 is used by solvers' `prepare` */
                                          .overlap = true};
    bricks->run = (SinoSolverRun){.runtime = runtime,
                                  .op = bricks->op,
                                  .settings = bricks->bench->settings,
                                  .stride = batch.stride,
                                  .iterations = ITERATION,
                                  .has_likelihood = true,
                                  .counts = &bricks->model};
    SINO_TRY(sino_minibatch_new(runtime, &request, &bricks->minibatch));
    return sino_buffer_new(runtime, &rays_buffer, &bricks->op->shape, batch, &bricks->rays);
}

static SinoStatus insert_start(SinoBenchBricks *bricks)
{
    SinoMinibatch *minibatch = bricks->minibatch;
    const SinoUpdateTask ones = {.update = {.formula = SINO_UPDATE_ONES,
                                            .slices = minibatch->slices,
                                            .rows = bricks->bench->survey->subset_rows[0]},
                                 .vector = {minibatch->vector[SINO_COUNTS_G][0]}};
    SINO_TRY(sino_insert_update(bricks->bench->machine.runtime, SINO_NOWHERE, &ones));
    SINO_TRY(bricks->solver->prepare(&bricks->run));
    return bricks->solver->start(&bricks->run, minibatch);
}

SinoStatus sino_bench_bricks_vectors(SinoBenchBricks *bricks, int64_t sets)
{
    free_vectors(bricks);
    SINO_TRY(new_vectors(bricks, sets));
    return sino_runtime_wait_after(bricks->bench->machine.runtime, insert_start(bricks));
}

/* ---- steps ---- */

static SinoProduct product_of(const SinoBenchBricks *bricks)
{
    return (SinoProduct){.position = SINO_NOWHERE, .slices = bricks->minibatch->slices};
}

static SinoStatus project_to(SinoBenchBricks *bricks, SinoData *rays)
{
    const SinoMinibatch *minibatch = bricks->minibatch;
    const SinoProduct product = product_of(bricks);
    return sino_runtime_wait_after(
        bricks->bench->machine.runtime,
        bricks->op->kind->project(minibatch->work, &product, minibatch->vector[SINO_COUNTS_X], rays));
}

SinoStatus sino_bench_bricks_project(SinoBenchBricks *bricks)
{
    return project_to(bricks, bricks->rays[0]);
}

SinoStatus sino_bench_bricks_settle(SinoBenchBricks *bricks)
{
    return project_to(bricks, bricks->minibatch->vector[SINO_COUNTS_G][0]);
}

SinoStatus sino_bench_bricks_backproject(SinoBenchBricks *bricks)
{
    const SinoMinibatch *minibatch = bricks->minibatch;
    const SinoProduct product = product_of(bricks);
    return sino_runtime_wait_after(bricks->bench->machine.runtime,
                                   bricks->op->kind->backproject(minibatch->work, &product,
                                                                 minibatch->vector[SINO_COUNTS_G][0],
                                                                 minibatch->vector[SINO_COUNTS_GRADIENT]));
}

SinoStatus sino_bench_bricks_iterate(SinoBenchBricks *bricks)
{
    return sino_runtime_wait_after(
        bricks->bench->machine.runtime,
        sino_solve_iterations(bricks->solver, &bricks->run, bricks->minibatch, ITERATION, ITERATION));
}
