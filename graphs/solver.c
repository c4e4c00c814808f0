/* SPDX-License-Identifier: BSD-3-Clause */
/* Solver: the table of solvers. */
#include "solver.h"

static const SinoSolver *const solvers[] = {&sino_solver_cg, &sino_solver_sirt, &sino_solver_fbp};

const SinoSolver *sino_solver_find(SinoAlgorithmChoice choice)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (solvers[i]->choice == choice) return solvers[i];
    return NULL;
}

/* The place of an iteration's residuals in the history. */
static SinoIteration iteration_of(const SinoSolverRun *run, int64_t iteration)
{
    return (SinoIteration){
        .columns = run->iterations + 1, .iteration = iteration, .tolerance = run->settings->tolerance};
}

SinoStatus sino_solver_start(SinoSolverRun *run, SinoMinibatch *minibatch)
{
    const SinoPosition position = sino_minibatch_at(minibatch, 0, -1);
    SinoData *sums;
    SINO_TRY(sino_insert_update_sums(run->runtime, position, minibatch->slices, sino_exchange_ray_count(run->exchange),
                                     minibatch->rays[0], NULL, true, minibatch->sums));
    SINO_TRY(sino_insert_collect(run->runtime, minibatch, 0, &sums));
    return sino_insert_update_start(run->runtime, position, minibatch->slices, iteration_of(run, 0), sums,
                                    minibatch->state, minibatch->history);
}

SinoStatus sino_solver_record(SinoSolverRun *run, SinoMinibatch *minibatch, int64_t iteration)
{
    const SinoPosition position = sino_minibatch_at(minibatch, iteration, -1);
    const int64_t turn = iteration % SINO_LOOKAHEAD;
    SinoData *sums;
    SINO_TRY(sino_insert_collect(run->runtime, minibatch, iteration, &sums));
    SINO_TRY(sino_insert_update_record(run->runtime, position, minibatch->slices, iteration_of(run, iteration), sums,
                                       minibatch->state, minibatch->history, minibatch->active[turn]));
    return sino_insert_agreement(run->runtime, minibatch->partial_sums, position, turn, minibatch->active[turn]);
}
