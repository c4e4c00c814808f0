/* SPDX-License-Identifier: BSD-3-Clause */
/* Solve: the graph of a reconstruction by a solver, slab after slab. */
#include "solve.h"

#include "consensus.h"
#include "memory.h"
#include "solvers_tasks.h"

#include <stdlib.h>

/* ---- units ---- */

static int64_t slab_units(const SinoSolve *solve)
{
    return sino_times(solve->units.slots, solve->units.minibatch);
}

static int64_t first_unit(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    return sino_times(slab, slab_units(solve)) + sino_times(slot, solve->units.minibatch);
}

/* Units of a minibatch, of which the last one of all may have fewer; 0: there is none. */
static int64_t unit_count(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    const int64_t left = solve->units.count - first_unit(solve, slab, slot);
    return left > 0 ? sino_smaller(solve->units.minibatch, left) : 0;
}

/* Minibatches of a slab; 0 if another rank has more slabs. */
static int64_t slot_count(const SinoSolve *solve, int64_t slab)
{
    const int64_t left = solve->units.count - sino_times(slab, slab_units(solve));
    return left > 0 ? sino_ceil_divide(sino_smaller(left, slab_units(solve)), solve->units.minibatch) : 0;
}

static bool is_done(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    const SinoUnits *units = &solve->units;
    return units->kind->left &&
           units->kind->left(units->of, first_unit(solve, slab, slot), unit_count(solve, slab, slot)) == 0;
}

/* Whether the data of a minibatch are wanted. */
static bool is_wanted(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    const SinoUnits *units = &solve->units;
    const bool pictured = units->kind->pictured && units->kind->pictured(units->of, first_unit(solve, slab, slot),
                                                                         unit_count(solve, slab, slot));
    return pictured || !is_done(solve, slab, slot);
}

/* The numbers of iterations of a minibatch's units; NULL: those of the run. */
static const int64_t *numbers_of(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    return solve->units.iterations ? solve->units.iterations + first_unit(solve, slab, slot) : NULL;
}

/* The largest number of iterations of a minibatch's units. */
static int64_t iterations_of(const SinoSolve *solve, int64_t slab, int64_t slot)
{
    const int64_t *number = numbers_of(solve, slab, slot);
    int64_t most = number ? 0 : solve->run.iterations;
    for (int64_t i = 0; number && i < unit_count(solve, slab, slot); i++) most = sino_larger(most, number[i]);
    return most;
}

/* The same of all units of a slab. */
static int64_t slab_iterations(const SinoSolve *solve, int64_t slab)
{
    int64_t most = 0;
    for (int64_t s = 0; s < slot_count(solve, slab); s++) most = sino_larger(most, iterations_of(solve, slab, s));
    return most;
}

/* Blocks of angles in which data come. */
static int64_t block_count(const SinoSolve *solve)
{
    const SinoProblem *problem = &solve->run.op->problem;
    return solve->solver->blocks ? sino_ceil_divide(problem->geometry.angle_count, problem->block_angles) : 1;
}

static SinoAngleBlock block_of(const SinoSolve *solve, int64_t block)
{
    const SinoProblem *problem = &solve->run.op->problem;
    const int64_t first = sino_times(block, problem->block_angles), left = problem->geometry.angle_count - first;
    if (!solve->solver->blocks) return (SinoAngleBlock){0};
    return (SinoAngleBlock){first, sino_smaller(problem->block_angles, left), left <= problem->block_angles};
}

/* Steps of the progress by an iteration of a minibatch of so many units. */
static double iteration_work(const SinoSolve *solve, int64_t count)
{
    return solve->units.minibatch_work + (double)count;
}

/* ---- tasks ---- */

/* The data of a slab, or of a block. */
static SinoStatus insert_load(const SinoSolve *solve, int64_t number)
{
    bool wanted = false;
    const int64_t slab = solve->solver->blocks ? 0 : number;
    const int64_t count = solve->solver->blocks ? block_count(solve) : solve->units.slab_count;
    if (!solve->units.kind->load || number >= count) return NULL;
    for (int64_t s = 0; s < slot_count(solve, slab); s++) wanted |= is_wanted(solve, slab, s);
    return wanted ? solve->units.kind->load(solve->units.of, number) : NULL;
}

/* Assigns a slot to the next minibatch, fills it, and starts the solver, with a block. */
static SinoStatus insert_start(SinoSolve *solve, int64_t slab, int64_t slot, int64_t block)
{
    SinoMinibatch *minibatch = solve->slot[slot];
    minibatch->first_slice = first_unit(solve, slab, slot);
    minibatch->slices.slice_count = unit_count(solve, slab, slot);
    minibatch->block = block_of(solve, block);
    minibatch->position.slab = slab;
    minibatch->position.minibatch = slab * solve->units.slots + slot;
    SINO_TRY(solve->units.kind->fill(solve->units.of, minibatch));
    return minibatch->stopped ? NULL : solve->solver->start(&solve->run, minibatch);
}

/* Whether to stop submitting after a failure. A rank that exchanges messages must submit the whole slab, because other
 * ranks wait for them; its tasks then do nothing. */
static bool gives_up(const SinoSolve *solve)
{
    const bool exchanges =
        solve->run.op->ranks->shape.data_count > 1 || (solve->solver->volume && solve->run.grid && !solve->alone);
    return !exchanges && sino_runtime_failed(solve->run.runtime);
}

/* Stops the units whose last iteration this was, where others of the minibatch go on. */
static SinoStatus insert_stop(const SinoSolve *solve, int64_t slab, int64_t slot, int64_t iteration)
{
    const SinoMinibatch *minibatch = solve->slot[slot];
    const int64_t *number = numbers_of(solve, slab, slot);
    bool last = false;
    for (int64_t i = 0; number && i < minibatch->slices.slice_count; i++) last |= number[i] == iteration;
    if (!last || iteration == iterations_of(solve, slab, slot)) return NULL;
    return sino_insert_stop(solve->run.runtime, sino_minibatch_at(minibatch, iteration, -1), minibatch->slices,
                            iteration, number, minibatch->state);
}

SinoStatus sino_solve_iterations(const SinoSolver *solver, SinoSolverRun *run, SinoMinibatch *minibatch, int64_t first,
                                 int64_t last)
{
    for (int64_t i = first; i <= last; i++) SINO_TRY(solver->iterate(run, minibatch, i));
    return NULL;
}

/* Submits iteration i of a minibatch, unless all of its units have stopped. */
static SinoStatus insert_iteration(SinoSolve *solve, int64_t slab, int64_t slot, int64_t i)
{
    SinoMinibatch *minibatch = solve->slot[slot];
    const int64_t left = iterations_of(solve, slab, slot) - i + 1;
    if (left <= 0 || minibatch->stopped) return NULL;
    SINO_TRY(sino_solver_look_for_stop(&solve->run, minibatch, i,
                                       (double)left * iteration_work(solve, minibatch->slices.slice_count)));
    if (minibatch->stopped) return NULL;
    SINO_TRY(sino_solve_iterations(solve->solver, &solve->run, minibatch, i, i));
    SINO_TRY(insert_stop(solve, slab, slot, i));
    return solve->units.kind->iterated ? solve->units.kind->iterated(solve->units.of, minibatch, i) : NULL;
}

/* Submits iteration by iteration, so that every minibatch of the slab has tasks in flight. */
static SinoStatus insert_iterations(SinoSolve *solve, int64_t slab)
{
    const int64_t most = slab_iterations(solve, slab), count = slot_count(solve, slab);
    for (int64_t i = 1; i <= most; i++) {
        for (int64_t s = 0; s < count && !solve->solver->volume; s++) {
            if (gives_up(solve)) return NULL;
            SINO_TRY(insert_iteration(solve, slab, s, i));
        }
        if (!solve->solver->volume) continue;
        if (gives_up(solve)) return NULL;
        SINO_TRY(solve->solver->iterate_together(&solve->run, count, solve->slot, i));
    }
    return NULL;
}

static SinoStatus insert_slab(SinoSolve *solve, int64_t slab)
{
    const int64_t count = slot_count(solve, slab);
    const int64_t blocks = block_count(solve);
    for (int64_t s = 0; s < count; s++) {
        solve->solves[s] = !is_done(solve, slab, s);
        solve->slot[s]->stopped = !solve->solves[s];
    }
    for (int64_t b = 0; b < blocks; b++) {
        if (b > 0 && gives_up(solve)) return NULL;
        for (int64_t s = 0; s < count; s++)
            if (is_wanted(solve, slab, s)) SINO_TRY(insert_start(solve, slab, s, b));
        SINO_TRY(insert_load(solve, slab + b + 1));
    }
    SINO_TRY(insert_iterations(solve, slab));
    for (int64_t s = 0; s < count && solve->solver->finish; s++)
        if (solve->solves[s]) SINO_TRY(solve->solver->finish(&solve->run, solve->slot[s]));
    for (int64_t s = 0; s < count; s++)
        if (solve->solves[s]) SINO_TRY(solve->units.kind->store(solve->units.of, solve->slot[s]));
    for (int64_t s = 0; s < count && solve->units.kind->stored; s++)
        if (solve->solves[s]) SINO_TRY(solve->units.kind->stored(solve->units.of, solve->slot[s]));
    return NULL;
}

static SinoStatus insert_all(SinoSolve *solve)
{
    SinoRuntime *runtime = solve->run.runtime;
    SINO_TRY(insert_load(solve, 0));
    for (int64_t slab = 0; slab < solve->units.slab_count; slab++) {
        if (slab > 0 && !solve->alone) SINO_TRY(sino_consensus_go_on(runtime));
        if (sino_runtime_failed(runtime) && slab > 0) return NULL;
        SINO_TRY(insert_slab(solve, slab));
    }
    return NULL;
}

/* ---- the run ---- */

static SinoStatus new_slots(SinoSolve *solve)
{
    SinoMinibatchRequest request = {.op = solve->run.op,
                                    .vectors = &solve->solver->vectors,
                                    .slices = solve->slices,
                                    .history_numbers = solve->history_numbers,
                                    .overlap = solve->overlap};
    SINO_TRY(sino_allocate(solve->units.slots, sizeof *solve->slot, "slots", &solve->slot));
    SINO_TRY(sino_allocate(solve->units.slots, sizeof *solve->solves, "slots", &solve->solves));
    for (int64_t s = 0; s < solve->units.slots; s++) {
        request.number = s + 1; /* number 0 is used by solvers' `prepare` */
        SINO_TRY(sino_minibatch_new(solve->run.runtime, &request, &solve->slot[s]));
    }
    return NULL;
}

static void free_slots(SinoSolve *solve)
{
    for (int64_t s = 0; solve->slot && s < solve->units.slots; s++) sino_minibatch_free(solve->slot[s]);
    free(solve->slot);
    free(solve->solves);
    solve->slot = NULL;
    solve->solves = NULL;
}

static void tell_passed(const SinoSolve *solve)
{
    const SinoUnits *units = &solve->units;
    for (int64_t slab = 0; units->kind->passed && slab < units->slab_count; slab++)
        for (int64_t s = 0; s < slot_count(solve, slab); s++) {
            SinoPosition position = SINO_NOWHERE;
            position.slab = slab;
            position.minibatch = slab * units->slots + s;
            if (is_done(solve, slab, s))
                units->kind->passed(units->of, position, first_unit(solve, slab, s), unit_count(solve, slab, s));
        }
}

/* Announces the work of this rank: its units at every iteration, and their stores, except of those that an earlier run
 * has stored. */
static SinoStatus expect(const SinoSolve *solve)
{
    const SinoUnits *units = &solve->units;
    SinoProgressShape shape = solve->shape;
    double work = 0;
    for (int64_t slab = 0; slab < units->slab_count; slab++) {
        shape.iteration_count = sino_larger(shape.iteration_count, slab_iterations(solve, slab));
        for (int64_t s = 0; s < slot_count(solve, slab); s++) {
            const int64_t first = first_unit(solve, slab, s), count = unit_count(solve, slab, s);
            if (is_done(solve, slab, s)) continue;
            work += (double)iterations_of(solve, slab, s) * iteration_work(solve, count);
            if (units->kind->left) work += (double)units->kind->left(units->of, first, count);
        }
    }
    SINO_TRY(sino_runtime_expect(solve->run.runtime, work, &shape));
    tell_passed(solve);
    return NULL;
}

static SinoStatus begin(SinoSolve *solve)
{
    if (!solve->aside) SINO_TRY(expect(solve));
    if (solve->run.op->idle) return NULL;
    if (solve->units.kind->open) SINO_TRY(solve->units.kind->open(solve->units.of));
    return new_slots(solve);
}

SinoStatus sino_solve(SinoSolve *solve)
{
    const SinoSolver *solver = solve->solver;
    SinoRuntime *runtime = solve->run.runtime;
    SinoProcesses *processes = solve->alone ? NULL : sino_runtime_processes(runtime);
    solve->run.stride = solve->slices.stride;
    solve->run.has_likelihood = solver->has_likelihood;
    SinoStatus status = sino_processes_agree(processes, begin(solve));
    const bool begun = !status; /* all ranks have begun */
    if (!status && solver->prepare && !solve->run.op->idle) status = solver->prepare(&solve->run);
    if (!solve->aside) sino_runtime_profile_begin(runtime);
    if (!status) status = insert_all(solve);
    /* Other ranks would wait for ever for messages that this rank no longer submits. */
    if (begun && *sino_status_text(status) && sino_processes_count(processes) > 1)
        sino_processes_abort(processes, status);
    status = sino_runtime_wait_after(runtime, status);
    if (!solve->aside) sino_runtime_expect_nothing(runtime);
    if (!status && !solve->aside) sino_runtime_profile_report(runtime, "");
    if (solver->release) solver->release(&solve->run);
    free_slots(solve);
    return status;
}
