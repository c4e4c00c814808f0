/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors, the prior: trials on averaged pixels, without every fourth projection. */
#include "vectors_strength.h"

#include "align_level.h"
#include "halves.h"
#include "memory.h"
#include "simulation.h"
#include "solve.h"
#include "undefined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 64,    /* of averaged pixels, at most twice as many */
    LEAST_ROWS = 16, /* of averaged pixels */
    ITERATIONS = 12, /* at least, as volumes start from 0 */
    STEPS_MOST = 10  /* powers of two to either side */
};

/* In units of √(angles) times the root mean square of the line integrals, as of slices (halves.c). */
static const double usual = 0.015;

/* Of phantoms whose rays are lines, about half of the strength that is nearest to the truth predicts best
 * (docs/lab/cones.md). */
static const double growth = 2;

typedef struct Search {
    SinoAlignLevel level;
    SinoProblem problem;
    SinoOperator *op;
    const SinoSolver *solver;
    SinoSettings settings;
    SinoSolverRun run;
    SinoMinibatch *minibatch;
    int64_t parts, columns, rows;
    double *line; /* [2·pixels of the longer side]; owned */
} Search;

static bool lacks(const Search *search, int64_t angle)
{
    return angle % search->parts == search->parts / 2;
}

static int64_t factor_of(const SinoInput *input)
{
    int64_t factor = 1;
    while (input->geometry.column_count / (2 * factor) >= COLUMNS && input->slice_count / (2 * factor) >= LEAST_ROWS)
        factor *= 2;
    return factor;
}

/* Line integrals in the order of the operator; −0 where the volume lacks them. */
static SinoStatus fill(const Search *search)
{
    const int64_t pixels = search->columns * search->rows;
    void *memory;
    SINO_TRY(sino_data_acquire(search->minibatch->vector[0][0], SINO_WRITE, &memory));
    for (int64_t k = 0; k < sino_align_level_angles(&search->level); k++) {
        float *to = (float *)memory + search->op->place[k] * pixels;
        memcpy(to, search->level.rays + k * pixels, (size_t)pixels * sizeof *to);
        for (int64_t i = 0; i < pixels && lacks(search, k); i++) to[i] = -0.0F;
    }
    sino_data_release(search->minibatch->vector[0][0]);
    return NULL;
}

/* What the differences of a line of pixels say of the volume's square error. */
static double square_of_line(const Search *search, const float *measured, const float *predicted, int64_t count,
                             int64_t stride)
{
    for (int64_t i = 0; i < count; i++) {
        const float value = measured[i * stride];
        search->line[i] = sino_is_undefined(value) ? 0 : (double)(predicted[i * stride] - value);
    }
    return sino_halves_filtered_square(count, search->line, search->line + count);
}

/* Of a projection that the volume lacks, [column][row], along columns and along rows. */
static double square_of_view(const Search *search, const float *measured, const float *predicted)
{
    double sum = 0;
    for (int64_t r = 0; r < search->rows; r++)
        sum += square_of_line(search, measured + r, predicted + r, search->columns, search->rows);
    for (int64_t c = 0; c < search->columns; c++)
        sum += square_of_line(search, measured + c * search->rows, predicted + c * search->rows, search->rows, 1);
    return sum;
}

/* Adds up what subset s says, whose rays begin at row `first`. */
static SinoStatus add_subset(const Search *search, int64_t s, int64_t first, double *sum)
{
    const int64_t pixels = search->columns * search->rows, count = search->op->shape.extent[SINO_ROWS_SUBSET].rows[s];
    SinoData *projection = search->minibatch->vector[search->solver->projection][s];
    void *predicted;
    SINO_TRY(sino_insert_project_subset(search->minibatch, search->run.iterations, s, search->solver->vectors.tomogram,
                                        search->solver->projection));
    SINO_TRY(sino_data_acquire(projection, SINO_READ, &predicted));
    for (int64_t k = 0; k < sino_align_level_angles(&search->level); k++) {
        const int64_t row = search->op->place[k] * pixels - first;
        if (lacks(search, k) && row >= 0 && row < count)
            *sum += square_of_view(search, search->level.rays + k * pixels, (const float *)predicted + row);
    }
    sino_data_release(projection);
    return NULL;
}

/* What a volume with 2^exponent times the first strength leaves of the projections that it lacks. */
static SinoStatus try_strength(Search *search, double exponent, double *sum)
{
    const SinoExtent *subsets = &search->op->shape.extent[SINO_ROWS_SUBSET];
    void *state;
    int64_t first = 0;
    SINO_TRY(fill(search));
    SINO_TRY(search->solver->start(&search->run, search->minibatch));
    SINO_TRY(sino_data_acquire(search->minibatch->state, SINO_READ_WRITE, &state));
    sino_update_strengthen(state, search->run.regularization.strength * exp2(exponent));
    sino_data_release(search->minibatch->state);
    SINO_TRY(sino_solve_iterations(search->solver, &search->run, search->minibatch, 1, search->run.iterations));
    *sum = 0;
    for (int64_t s = 0; s < subsets->members; s++) {
        SINO_TRY(add_subset(search, s, first, sum));
        first += subsets->rows[s];
    }
    return NULL;
}

/* Goes by powers of two to the best strength, and then to the lowest point of a parabola. */
static SinoStatus descend(Search *search, double *exponent)
{
    double left, middle, right;
    int step = 0;
    SINO_TRY(try_strength(search, -1, &left));
    SINO_TRY(try_strength(search, 0, &middle));
    SINO_TRY(try_strength(search, 1, &right));
    while (right < middle && step < STEPS_MOST) {
        left = middle;
        middle = right;
        SINO_TRY(try_strength(search, ++step + 1, &right));
    }
    while (left < middle && step > -STEPS_MOST) {
        right = middle;
        middle = left;
        SINO_TRY(try_strength(search, --step - 1, &left));
    }
    const double bend = left - 2 * middle + right;
    *exponent = step + (bend > 0 ? fmax(-1, fmin(0.5 * (left - right) / bend, 1)) : 0);
    return NULL;
}

static double mean_square(const Search *search)
{
    const int64_t rays = sino_align_level_angles(&search->level) * search->columns * search->rows;
    double sum = 0;
    for (int64_t i = 0; i < rays; i++) sum += (double)search->level.rays[i] * (double)search->level.rays[i];
    return sum / (double)rays;
}

/* Opens the operator and the solver, in a minibatch of one volume. */
static SinoStatus open_search(Search *search)
{
    SinoOperatorRequest wanted = {.problem = search->problem, .shape = SINO_EXCHANGE_ALONE(1)};
    wanted.shape.first_process = sino_processes_rank(sino_runtime_processes(search->level.runtime));
    SINO_TRY(sino_operator_new(search->level.runtime, &wanted, &search->op));
    search->run.op = search->op;
    const SinoMinibatchRequest request = {.op = search->op,
                                          .vectors = &search->solver->vectors,
                                          .slices = {.precision = SINO_SINGLE, .stride = 1, .slice_count = 1},
                                          .history_numbers = search->run.iterations + 1};
    SINO_TRY(sino_minibatch_new(search->level.runtime, &request, &search->minibatch));
    return search->solver->prepare(&search->run);
}

/* The line integrals of a ball of radius R and value μ, in voxels, have the sum M = 4/3 π μ R³, and of their squares
 * E = 2π μ² R⁴. Each voxel of the scan has a `factor`-th of the value. */
static SinoStatus find_threshold(const Search *search, int64_t factor, double unit, double *threshold)
{
    const int64_t angles = sino_align_level_angles(&search->level), pixels = search->columns * search->rows;
    const double given = search->settings.prior.threshold;
    double mass = 0;
    for (int64_t i = 0; i < angles * pixels; i++) mass += (double)search->level.rays[i] / (double)angles;
    SINO_CHECK(mass > 0, SINO_BAD_INPUT,
               "the line integrals sum to 0 or less, so that differences of voxels have no measure; allowed: --prior "
               "total-variation");
    const double ball = 3 * mass / (4 * SINO_PI), square = (double)pixels * mean_square(search);
    const double typical = pow(square / (2 * SINO_PI), 1.5) / (ball * ball) / (double)factor;
    *threshold = sino_halves_rounded(typical * (isnan(given) ? SINO_USUAL_THRESHOLD : given), unit);
    return NULL;
}

/* The strength for all projections of `factor` times as many columns, of which each voxel has a `factor`-th of the
 * value: halves.h. The more projections, the more noise is in the gradient. */
static SinoStatus find_strength(Search *search, int64_t factor, double unit, double *strength)
{
    const double parts = (double)search->parts,
                 size = (double)sino_align_level_angles(&search->level) * mean_square(search);
    double exponent = 0;
    *strength = 0;
    if (!(size > 0)) return NULL;
    search->run.regularization.strength = usual * sqrt(size) / (double)factor;
    SINO_TRY(open_search(search));
    SINO_TRY(descend(search, &exponent));
    const double all = growth * sqrt(parts / (parts - 1)) * (double)factor;
    *strength = sino_halves_rounded(all * search->run.regularization.strength * exp2(exponent), unit);
    return NULL;
}

/* Trials have total variation: with a smooth prior of much strength they have not converged, and the best strengths of
 * both are about the same (docs/lab/cones.md). */
static SinoStatus find(Search *search, int64_t factor, double unit, SinoRegularization *found)
{
    if (found->prior != SINO_PRIOR_TOTAL_VARIATION) SINO_TRY(find_threshold(search, factor, unit, &found->threshold));
    return isnan(found->strength) ? find_strength(search, factor, unit, &found->strength) : NULL;
}

/* The search for the settings, of a scan that is not read yet. */
static SinoStatus describe(Search *search, const SinoInput *input, int64_t factor)
{
    SinoAlignLevel *level = &search->level;
    SINO_TRY(sino_align_level_new(search->run.runtime, &search->settings, input, factor, level));
    search->columns = level->input.geometry.column_count;
    search->rows = level->input.slice_count;
    search->parts = sino_halves_parts(sino_align_level_angles(level));
    search->problem = (SinoProblem){
        .geometry = level->input.geometry,
        .cone = &level->cone,
        .precision = SINO_SINGLE,
        .subset_count = sino_solver_subsets(search->solver, &search->settings.solver, sino_align_level_angles(level))};
    return NULL;
}

static SinoStatus begin(Search *search, const SinoInput *input, int64_t factor)
{
    SINO_TRY(describe(search, input, factor));
    SINO_TRY(sino_align_level_read(&search->level));
    return sino_allocate(2 * sino_larger(search->columns, search->rows), sizeof *search->line, "a projection",
                         &search->line);
}

static Search search_of(const SinoSettings *settings)
{
    Search search = {.solver = sino_solver_of_cone(settings), .settings = *settings};
    SinoSolverSettings *solver = &search.settings.solver;
    solver->tolerance = solver->support_ratio = 0;
    solver->iterations = sino_larger(sino_halves_trial_iterations(&settings->solver), ITERATIONS);
    return search;
}

SinoStatus sino_vectors_strength_bytes(const SinoSettings *settings, const SinoInput *input, int64_t workers,
                                       SinoVectorsSearchBytes *bytes)
{
    Search search = search_of(settings);
    const SinoSolver *solver = search.solver;
    const SinoDivision division = {.topology.rank_count = 1};
    const SinoBatch batch = {.stride = 1, .history_numbers = search.settings.solver.iterations + 1};
    SinoOperatorSize size;
    SinoStatus status = describe(&search, input, factor_of(input));
    const SinoOperatorKind *kind = sino_operator_kind(&search.problem);
    if (!status) status = kind->size(&search.problem, &division, workers, &size);
    if (!status)
        *bytes = (SinoVectorsSearchBytes){.vectors = sino_minibatch_bytes(kind, &solver->vectors, &size.shape, batch) +
                                                     sino_solver_weight_bytes(solver, &search.problem, &size.shape),
                                          .rest = size.map_bytes + sino_align_level_read_bytes(&search.level)};
    sino_align_level_free(&search.level);
    return status;
}

SinoStatus sino_vectors_prior(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                              bool photon_weights, double scale, SinoRegularization *found, int64_t *binning)
{
    const int64_t factor = factor_of(input);
    Search search = search_of(settings);
    *binning = factor;
    if (SINO_SIMULATES) {
        if (isnan(found->strength)) found->strength = 1;
        found->threshold = 1;
        return NULL;
    }
    search.run = (SinoSolverRun){.runtime = runtime,
                                 .settings = &search.settings,
                                 .stride = 1,
                                 .iterations = search.settings.solver.iterations,
                                 .photon_weights = photon_weights,
                                 .regularization = {.prior = SINO_PRIOR_TOTAL_VARIATION, .strength = 1},
                                 .bounds = sino_solver_bounds(&settings->solver, scale / (double)factor)};
    SinoStatus status = begin(&search, input, factor);
    search.run.lacking = 1 / (double)sino_larger(search.parts, 2);
    if (!status) status = find(&search, factor, input->unit, found);
    status = sino_runtime_wait_after(runtime, status);
    if (search.op) search.solver->release(&search.run);
    sino_minibatch_free(search.minibatch);
    sino_operator_free(search.op);
    sino_align_level_free(&search.level);
    free(search.line);
    return status;
}
