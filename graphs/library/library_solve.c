/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, solutions: the solvers of the program on the operator and the arrays of a caller. Minibatches of the
 * caller's slices go through slots: take, start, iterate, give. */
#include "library_operator.h"

#include "arithmetic.h"
#include "cone_kind.h"
#include "library.h"
#include "library_devices.h"
#include "solve.h"
#include "solver_fbp.h"
#include "usual_algorithm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const allowed[] = {
    "algorithm",     "iterations",   "tolerance",     "likelihood-tolerance", "relaxation",
    "minimum",       "maximum",      "nonnegativity", "regularization",       "fbp-filter",
    "support-ratio", "padding-type", "weights",       "post-filter",          NULL};
static const char *const own[] = {"algorithm=cg", NULL};
static const char *const own_matrix[] = {"system-matrix=the matrix", NULL};
/* Of a scan that is line integrals, for fdk, which runs the graph of recon. */
static const char *const own_cone[] = {"geometry=cone", "algorithm=cg", "data=line-integrals",
                                       "pictures=no",   "report=none",  NULL};
const SinoLibrarySettings sino_library_solve = {.what = "a solution", .allowed = allowed, .own = own};

typedef struct Solve {
    const SinodagOperator *of;
    const SinodagSolution *solution;
    SinoArrays arrays;
    SinoStrided start; /* images, or one for all, whose first step is then 0; first NULL: none */
    SinoSolve graph;
} Solve;

/* ---- what is asked for ---- */

/* What the program finds by looking at the scan, and the solvers that need the operator as it is. */
static SinoStatus check_solver(const SinoSettings *settings, const SinodagOperator *op, const SinoSolver *solver)
{
    const char *name = sino_algorithm_name(settings->solver.algorithm);
    SINO_CHECK(solver, SINO_BAD_INPUT, "--algorithm is %s; allowed: cg, sirt, mlem, osem, fista, fbp, fdk", name);
    SINO_CHECK(!solver->iterative || settings->solver.iterations > 0, SINO_BAD_INPUT,
               "--iterations is auto; allowed: a number, for there is no scan to find it by");
    SINO_CHECK(settings->solver.algorithm != SINO_ALGORITHM_FISTA || !isnan(settings->prior.regularization),
               SINO_BAD_INPUT, "--regularization is auto; allowed: a number, for there is no scan to find it by");
    SINO_CHECK(op->about.subsets == 1 || solver->has_subsets || !solver->iterative, SINO_BAD_INPUT,
               "--algorithm is %s, and the operator has %" PRId64
               " subsets; allowed: osem, fista or fbp, or an operator with one",
               name, op->about.subsets);
    return NULL;
}

static SinoStatus check_residual(const Solve *solve)
{
    const SinodagSolution *to = solve->solution;
    const int64_t columns = solve->graph.run.iterations + 1;
    SINO_CHECK(!to->residual || to->columns == columns, SINO_BAD_INPUT,
               "there are %" PRId64 " residuals of a slice; allowed: %" PRId64 ", one more than iterations",
               to->columns, columns);
    return NULL;
}

/* The vectors of a minibatch of so many slices. */
static int64_t slot_bytes(const Solve *solve, int64_t minibatch)
{
    const SinoOperator *op = solve->of->op;
    const SinoBatch batch = {.stride = sino_panel_stride(solve->graph.slices.precision, minibatch),
                             .history_numbers = solve->graph.history_numbers};
    return sino_minibatch_bytes(op->kind, &solve->graph.solver->vectors, &op->shape, batch);
}

/* Slices of a minibatch, and how many of these at a time: as products have, or what there is room for. */
static SinoStatus divide(Solve *solve)
{
    const SinoProducts *products = solve->of->products;
    const SinoOperator *op = solve->of->op;
    const int64_t slices = solve->arrays.slice_count, room = sino_products_room(products);
    const int64_t weights = sino_solver_weight_bytes(solve->graph.solver, &op->problem, &op->shape);
    SinoUnits *units = &solve->graph.units;
    int64_t minibatch = sino_products_minibatch(products, slices);
    while (minibatch > 1 && slot_bytes(solve, minibatch) + weights > room) minibatch = sino_ceil_divide(minibatch, 2);
    const int64_t bytes = slot_bytes(solve, minibatch);
    units->count = slices;
    units->minibatch = minibatch;
    units->slots = sino_products_slots(products, sino_ceil_divide(slices, minibatch), bytes);
    while (units->slots > 1 && units->slots * bytes > room - weights) units->slots--;
    const int64_t slab = sino_times(minibatch, units->slots);
    units->slab_count = sino_ceil_divide(slices, slab);
    solve->graph.slices.stride = sino_panel_stride(solve->graph.slices.precision, minibatch);
    solve->graph.shape = (SinoProgressShape){.slice_count = slices,
                                             .slab_slices = sino_smaller(slices, slab),
                                             .slab_minibatches = units->slots,
                                             .minibatch_slices = minibatch};
    return sino_library_check_room(solve->of, op->problem.cone ? "a volume" : "a slice", sino_smaller(slices, slab),
                                   units->slots * bytes + weights);
}

/* ---- tasks ---- */

/* Writes image f of the start; false: a value is NaN or infinite. */
static bool take_image(const Solve *solve, int64_t f, float *image)
{
    const SinoStrided *from = &solve->start;
    const int64_t side = solve->of->op->problem.geometry.grid_size;
    bool finite = true;
    for (int64_t r = 0; r < side; r++)
        for (int64_t c = 0; c < side; c++) {
            const int64_t at = f * from->step[0] + r * from->step[1] + c * from->step[2];
            const bool wide = from->type == SINO_STRIDED_FLOAT64;
            const float value = wide ? (float)((const double *)from->first)[at] : ((const float *)from->first)[at];
            finite &= isfinite(value);
            *image++ = value;
        }
    return finite;
}

/* SinoGivenStart.fill of cone beams: `of` is the solve. */
static SinoStatus fill_start(void *of, SinoMinibatch *minibatch, int64_t vector)
{
    const Solve *solve = of;
    const SinoProduct product = {.position = minibatch->position, .slices = minibatch->slices};
    SinoArrays arrays = solve->arrays;
    arrays.images = solve->start;
    arrays.image_step = 0;
    return sino_lines_move_images(solve->of->lines, &arrays, (SinoTake){.what = "start"}, false, &product,
                                  minibatch->vector[vector]);
}

/* The images from which the slices of a minibatch begin. */
static SinoStatus take_start(const Solve *solve, const SinoMinibatch *minibatch)
{
    const int64_t side = solve->of->op->problem.geometry.grid_size;
    bool finite = true;
    void *images;
    if (!solve->start.first || solve->of->op->problem.cone) return NULL;
    SINO_TRY(sino_data_acquire(minibatch->image, SINO_WRITE, &images));
    for (int64_t f = 0; f < minibatch->slices.slice_count; f++)
        finite &= take_image(solve, minibatch->first_slice + f, (float *)images + f * side * side);
    sino_data_release(minibatch->image);
    SINO_CHECK(finite, SINO_BAD_INPUT, "start has a value that is NaN or infinite; allowed: finite values");
    return NULL;
}

/* Takes the projections of a minibatch, and its start. */
static SinoStatus fill(void *of, SinoMinibatch *minibatch)
{
    const Solve *solve = of;
    const SinoTake take = {.what = "the projections", .first = minibatch->first_slice};
    const SinoProduct product = {.position = minibatch->position, .slices = minibatch->slices};
    SINO_TRY(take_start(solve, minibatch));
    return sino_lines_take_rays(solve->of->lines, &solve->arrays, take, &product, minibatch->vector[0][0]);
}

static SinoStatus give(void *of, SinoMinibatch *minibatch)
{
    const Solve *solve = of;
    const SinoProduct product = {.position = minibatch->position, .slices = minibatch->slices};
    const SinoTake to = {.first = minibatch->first_slice};
    return sino_lines_move_images(solve->of->lines, &solve->arrays, to, true, &product,
                                  minibatch->vector[minibatch->vectors->tomogram]);
}

/* Waits for the residuals of a minibatch. Iterations that were not submitted, since all slices had stopped, have none.
 */
static SinoStatus take_residuals(void *of, const SinoMinibatch *minibatch)
{
    const Solve *solve = of;
    const int64_t columns = solve->graph.run.iterations + 1, numbers = solve->graph.history_numbers;
    void *history;
    if (!solve->solution->residual || sino_runtime_failed(solve->graph.run.runtime)) return NULL;
    double *to = solve->solution->residual + minibatch->first_slice * columns;
    SINO_TRY(sino_data_acquire(minibatch->history, SINO_READ, &history));
    for (int64_t f = 0; f < minibatch->slices.slice_count; f++)
        memcpy(to + f * columns, (const double *)history + f * numbers, (size_t)columns * sizeof *to);
    sino_data_release(minibatch->history);
    return NULL;
}

static const SinoUnitKind arrays = {.fill = fill, .store = give, .stored = take_residuals};

static SinoStatus open_solve(const SinodagOperator *op, const SinoSettings *settings, Solve *solve)
{
    const SinoCone *cone = op->op->problem.cone;
    const SinoSolver *found =
        cone ? sino_solver_of_cone(settings)
             : sino_solver_find(settings->solver.algorithm, op->op->problem.projector, settings->solver.weights, 2);
    SINO_TRY(check_solver(settings, op, found));
    const SinoSolver *solver = found->iterative ? found : sino_solver_fbp_of(op->about.subsets);
    const int64_t iterations = sino_solver_history_columns(found, &settings->solver) - 1;
    solve->of = op;
    solve->graph = (SinoSolve){
        .solver = solver,
        .run = {.runtime = op->op->runtime,
                .op = op->op,
                .settings = settings,
                .iterations = iterations,
                .pad_edges = settings->solver.padding == SINO_PADDING_EDGES,
                .photon_weights = settings->solver.weights == SINO_WEIGHTS_COUNTS,
                .regularization = {.prior = sino_prior_first(&settings->prior),
                                   .strength = settings->prior.regularization},
                .bounds = sino_solver_bounds(&settings->solver, 1),
                .begin = {cone ? fill_start : NULL, solve, solve->start.first ? 1 : 0}},
        .units = {.kind = &arrays, .of = solve, .minibatch_work = cone ? 2 * sino_cone_product_work(cone) : 0},
        .slices = {.precision = sino_precision_solver(op->op->problem.precision)},
        .history_numbers = sino_solver_history_numbers(solver, &settings->solver),
        .aside = iterations == 0};
    SINO_TRY(check_residual(solve));
    return divide(solve);
}

static SinoStatus solve_with(const SinodagOperator *op, const SinoSettings *settings, Solve *solve)
{
    SINO_TRY(open_solve(op, settings, solve));
    sino_library_show_progress(solve->solution->progress, solve->solution->of);
    SinoStatus status = sino_solve(&solve->graph);
    sino_library_show_progress(NULL, NULL);
    return status;
}

/* An array of a solution, by a name. */
typedef struct Beside {
    const char *name;
    const SinodagArray *array;
} Beside;

/* The settings of the operator's kind. Arrays beside the projections count as files, so that the rules of the program
 * hold for them. */
static SinoStatus read_settings(const SinodagOperator *op, const SinodagSolution *to, const char *const *given,
                                SinoSettings **settings)
{
    const Beside beside[] = {{"start=start", to->start},
                             {"multiplicative=multiplicative", to->multiplicative},
                             {"additive=additive", to->additive},
                             {"sensitivity=sensitivity", to->sensitivity}};
    enum { ARRAYS = sizeof beside / sizeof *beside };
    const char *all[sizeof own_cone / sizeof *own_cone + ARRAYS] = {NULL};
    const char *const *kind = op->matrix ? own_matrix : op->cone.angle_count > 0 ? own_cone : own;
    const SinoLibrarySettings of = {.what = sino_library_solve.what, .allowed = allowed, .own = all};
    int count = 0;
    for (; kind[count]; count++) all[count] = kind[count];
    for (size_t i = 0; i < ARRAYS; i++)
        if (beside[i].array) all[count++] = beside[i].name;
    return sino_library_settings(&of, given, settings);
}

/* The start of beams; one image is that of all slices, and of cone beams one volume that of all. */
static SinoStatus use_start(const SinodagOperator *op, const SinodagArray *start, Solve *solve)
{
    if (!start || op->matrix) return NULL;
    SINO_TRY(sino_library_use_array("the images of start", start, op->about.images, &solve->start));
    if (op->op->problem.cone) return NULL;
    SINO_CHECK(start->size[0] == 1 || start->size[0] == solve->arrays.slice_count, SINO_BAD_INPUT,
               "start has %" PRId64 " images, and there are %" PRId64 " slices; allowed: as many, or 1", start->size[0],
               solve->arrays.slice_count);
    if (start->size[0] == 1) solve->start.step[0] = 0;
    return NULL;
}

/* The volume is written while start and the like are still to be read. */
static SinoStatus check_apart(const SinodagOperator *op, const SinodagSolution *to, const SinoStrided *volume)
{
    const Beside beside[] = {{"the images of start", to->start},
                             {"the values of sensitivity", to->sensitivity},
                             {"the values of multiplicative", to->multiplicative},
                             {"the values of additive", to->additive}};
    for (int i = 0; i < 4; i++)
        if (beside[i].array)
            SINO_TRY(sino_library_check_apart(beside[i].name, beside[i].array,
                                              i < 2 ? op->about.images : op->about.projections, &to->volume, volume));
    return NULL;
}

static SinoStatus solve_by_kind(const SinodagOperator *op, SinoSettings *settings, Solve *solve)
{
    if (op->matrix) return sino_library_solve_matrix(op, settings, &solve->arrays, solve->solution);
    if (settings->solver.algorithm == SINO_ALGORITHM_FDK)
        return sino_library_solve_fdk(op, settings, &solve->arrays, solve->solution);
    settings->solver.subsets = op->about.subsets; /* the caller's: not those of which cones have few iterations */
    SINO_TRY(sino_usual_iterations(&op->op->problem.geometry, settings));
    return solve_with(op, settings, solve);
}

/* Of arrays in main memory. */
static SinoStatus solve_here(const SinodagOperator *op, const SinodagArray *projections, const char *const *given,
                             const SinodagSolution *solution)
{
    SinoSettings *settings = NULL;
    const SinodagSolution copy = *solution;
    Solve solve = {.solution = &copy, .arrays = {.back = true, .subset = SINO_ALL_SUBSETS}};
    SINO_TRY(sino_library_use_arrays(op, &copy.volume, projections, &solve.arrays));
    SINO_TRY(read_settings(op, &copy, given, &settings));
    SinoStatus status = use_start(op, copy.start, &solve);
    if (!status) status = check_apart(op, &copy, &solve.arrays.images);
    if (!status) status = solve_by_kind(op, settings, &solve);
    sino_settings_free(settings);
    return status;
}

/* The arrays of a call in main memory. */
typedef struct Brought {
    SinoBrought projections, volume, beside[4];
    SinodagSolution solution;
} Brought;

/* Those in main memory are checked where they are used. */
static SinoStatus bring_beside(const SinodagOperator *op, const SinodagSolution *from, Brought *to)
{
    const SinodagArray *array[] = {from->start, from->sensitivity, from->multiplicative, from->additive};
    const SinodagArray **place[] = {&to->solution.start, &to->solution.sensitivity, &to->solution.multiplicative,
                                    &to->solution.additive};
    static const char *const what[] = {"the images of start", "the values of sensitivity",
                                       "the values of multiplicative", "the values of additive"};
    for (int i = 0; i < 4; i++) {
        SinoStrided checked;
        if (!array[i] || array[i]->device == SINODAG_MAIN_MEMORY) continue;
        SINO_TRY(sino_library_use_array(what[i], array[i], i < 2 ? op->about.images : op->about.projections, &checked));
        SINO_TRY(sino_library_bring(what[i], array[i], false, &to->beside[i]));
        *place[i] = &to->beside[i].array;
    }
    return NULL;
}

static SinoStatus bring(const SinodagOperator *op, const SinodagArray *projections, const SinodagSolution *solution,
                        Brought *to)
{
    SinoArrays checked = {.back = true, .subset = SINO_ALL_SUBSETS};
    to->solution = *solution;
    SINO_TRY(sino_library_use_arrays(op, &solution->volume, projections, &checked));
    SINO_TRY(sino_library_bring("the projections", projections, false, &to->projections));
    SINO_TRY(sino_library_bring("the images", &solution->volume, true, &to->volume));
    to->solution.volume = to->volume.array;
    return bring_beside(op, solution, to);
}

/* A setting of files, which `start` takes the place of. */
static SinoStatus check_save_every(const char *const *given)
{
    const char *every = sino_library_given(given, "save-every");
    SINO_CHECK(
        !every, SINO_BAD_INPUT,
        "'save-every=%.40s' is no setting of a solution, which has no files; allowed: mlem or osem in calls of so "
        "many iterations, each of which has the images of the one before as start, with the same bits",
        every);
    return NULL;
}

static SinoStatus check_and_solve(const SinodagOperator *handle, const SinodagArray *projections,
                                  const char *const *given, const SinodagSolution *solution)
{
    SinodagOperator *op;
    Brought brought = {0};
    SINO_TRY(sino_library_find_operator(handle, &op));
    SINO_TRY(check_save_every(given));
    SINO_CHECK(solution, SINO_BAD_INPUT, "there is no place for the solution; allowed: the address of one");
    SinoStatus status = bring(op, projections, solution, &brought);
    if (!status) status = solve_here(op, &brought.projections.array, given, &brought.solution);
    if (!status) status = sino_library_give(&brought.volume);
    sino_library_forget(&brought.projections);
    sino_library_forget(&brought.volume);
    for (int i = 0; i < 4; i++) sino_library_forget(&brought.beside[i]);
    return status;
}

SinodagStatus sinodag_solve(SinodagOperator *op, const SinodagArray *projections, const char *const *settings,
                            const SinodagSolution *solution)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = check_and_solve(op, projections, settings, solution);
    sino_library_leave();
    return status;
}
