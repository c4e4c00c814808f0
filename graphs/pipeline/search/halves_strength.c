/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the strength of a prior: slices are reconstructed with some strengths at a time, and judged by how well they
 * predict the projections that they lack. One such trial is a chain of tasks. While it runs, idle workers try the
 * strengths that will be asked for if the best one of the first trial is at its end. */
#include "halves_strength.h"

#include "arithmetic.h"
#include "halves_normal.h"
#include "memory.h"
#include "solve.h"
#include "undefined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = SINO_HALVES, MIDDLE = SINO_STRENGTHS / 2 };

typedef SinoHalvesSearch Search;

/* Slices 2i and 2i + 1 of the minibatch have step `lowest` + i. */
typedef struct Trial {
    SinoMinibatch *minibatch;
    int64_t lowest, count; /* count 0: nothing is being tried */
} Trial;

typedef struct Trials {
    Search *search;
    int64_t count; /* of those at a time */
    Trial trial[SINO_TRIALS_MOST];
} Trials;

/* The bound of 0 is denied where less than this share of the mean square difference is left without it. Where more is
 * left, slices with the bound are still nearer to the truth (docs/lab/images.md). */
static const double denied_share = 1.0 / 3;

/* A slice that lacks negative values leaves projections that differ by a constant: where this is less than such a share
 * of the mean square difference, nothing is denied, and no time is spent on asking. */
static const double suspect_share = 0.03;

/* What a projection that differs by r says of a slice's square error: Σ s·(h ∗ s) with the ramp filter h. The footprint
 * of a voxel passes 2/3 of the highest frequency; s has 3/2 of it, so that s is the difference before the footprint. */
static double filtered_square(int64_t columns, const double *r, double *s)
{
    const double sharpen = 1.0 / 8;
    double sum = 0;
    for (int64_t c = 0; c < columns; c++) {
        const double before = c > 0 ? r[c - 1] : 0, after = c + 1 < columns ? r[c + 1] : 0;
        s[c] = r[c] + sharpen * (2 * r[c] - before - after);
    }
    for (int64_t c = 0; c < columns; c++) {
        double filtered = 0.25 * s[c];
        for (int64_t d = c + 1; d < columns; d += 2)
            filtered -= 2 * s[d] / (SINO_PI * SINO_PI * (double)((d - c) * (d - c)));
        sum += s[c] * filtered;
    }
    return sum;
}

/* A projection that is predicted: slice f of a vector of rays, from `row` on. */
typedef struct Predicted {
    SinoSlices slices;
    int64_t rows, row, f;
    const void *vector;
} Predicted;

/* Adds what angle k of the scan says of a strength. rest: [2·columns]. */
static void add_prediction(Search *search, int64_t step, int64_t k, const Predicted *of, double *rest)
{
    const int64_t columns = search->of.op->problem.geometry.column_count;
    const float *b = search->sinogram + k * columns;
    double sum = 0;
    for (int64_t c = 0; c < columns; c++) {
        const bool defined = !sino_is_undefined(b[c]);
        const double predicted = sino_halves_value(of->slices, of->rows, of->row + c, of->f, of->vector);
        rest[c] = defined ? predicted - (double)b[c] : 0;
        search->square[step] += rest[c] * rest[c];
        sum += rest[c];
    }
    search->constant[step] += sum * sum / (double)columns;
    search->difference[step] += filtered_square(columns, rest, rest + columns);
}

static void use_prediction(Search *search, int64_t step, int64_t angle, SinoSlices slices, int64_t rows, int64_t row,
                           const void *projection)
{
    add_prediction(search, step, angle, &(Predicted){slices, rows, row, 0, projection}, search->rest);
}

/* Adds the differences of the slices' projections from those that they lack to search->difference. */
static SinoStatus add_predictions(Search *search, const Trial *trial)
{
    const SinoSolver *solver = search->of.solver;
    const SinoProblem *problem = &search->of.op->problem;
    const SinoExtent *subsets = &search->of.op->shape.extent[SINO_ROWS_SUBSET];
    const int64_t columns = problem->geometry.column_count;
    SinoMinibatch *minibatch = trial->minibatch;
    double *rest = NULL;
    int64_t first = 0;
    SinoStatus status = sino_allocate(2 * columns, sizeof *rest, "a projection", &rest);
    for (int64_t s = 0; !status && s < subsets->members; s++) {
        void *value;
        status = sino_insert_project_subset(minibatch, search->run.iterations, s, solver->vectors.tomogram,
                                            solver->projection);
        if (!status) status = sino_data_acquire(minibatch->vector[solver->projection][s], SINO_READ, &value);
        for (int64_t i = search->angles.first[s]; !status && i < search->angles.first[s + 1]; i++) {
            const int64_t k = search->angles.number[i], row = search->of.op->place[k] * columns - first;
            for (int64_t f = 0; f < minibatch->slices.slice_count; f++)
                if (!sino_halves_has(search, f, k))
                    add_prediction(search, trial->lowest + f / HALVES, k,
                                   &(Predicted){minibatch->slices, subsets->rows[s], row, f, value}, rest);
        }
        if (!status) sino_data_release(minibatch->vector[solver->projection][s]);
        first += subsets->rows[s];
    }
    free(rest);
    return status;
}

/* Multiplies the strengths of slices 2i and 2i + 1 by 2^(lowest + i − MIDDLE). */
static SinoStatus spread_strengths(const Search *search, const Trial *trial)
{
    const SinoMinibatch *minibatch = trial->minibatch;
    void *memory;
    SINO_TRY(sino_data_acquire(minibatch->state, SINO_READ_WRITE, &memory));
    SinoSliceState *state = memory;
    for (int64_t f = 0; f < minibatch->slices.slice_count; f++) {
        const int64_t step = trial->lowest + f / HALVES;
        sino_update_strengthen(&state[f], sino_halves_strength(search, step));
    }
    sino_data_release(minibatch->state);
    return NULL;
}

/* Submits the tasks that try `count` steps from the lowest on. */
static SinoStatus begin_trial(Search *search, Trial *trial, int64_t lowest, int64_t count)
{
    const SinoSolver *solver = search->of.solver;
    trial->lowest = lowest;
    trial->count = count;
    trial->minibatch->slices.slice_count = HALVES * count;
    SINO_TRY(sino_halves_fill(search, trial->minibatch));
    SINO_TRY(solver->start(&search->run, trial->minibatch));
    SINO_TRY(spread_strengths(search, trial));
    return sino_solve_iterations(solver, &search->run, trial->minibatch, 1, search->run.iterations);
}

/* Adds the differences of the steps' slices from what they lack, where a solver has the normal operator. */
static SinoStatus try_normal(Search *search, int64_t lowest, int64_t count)
{
    SINO_TRY(sino_allocate(2 * search->of.op->problem.geometry.column_count, sizeof *search->rest, "a projection",
                           &search->rest));
    SinoStatus status = sino_halves_normal_try(search, lowest, count, use_prediction);
    free(search->rest);
    search->rest = NULL;
    return status;
}

/* The trial of the steps from the lowest on, which begins unless it has. */
static SinoStatus find_trial(Trials *trials, int64_t lowest, int64_t count, Trial **found)
{
    Trial *of = trials->trial;
    for (int64_t i = 0; i < trials->count; i++)
        if (trials->trial[i].count > 0 && trials->trial[i].lowest == lowest) {
            *found = &trials->trial[i];
            return NULL;
        }
    for (int64_t i = trials->count - 1; i >= 0; i--)
        if (trials->trial[i].count == 0) of = &trials->trial[i];
    *found = of; /* the first one that is free, else one whose steps turned out not to be wanted */
    return begin_trial(trials->search, of, lowest, count);
}

/* Tries the steps beyond either end of those from `begin` to `end` − 1 as well, as long as a trial is free. Further
 * steps are seldom asked for. */
static SinoStatus foresee(Trials *trials, int64_t begin, int64_t end, int64_t count)
{
    const int64_t up = sino_smaller(count, SINO_STRENGTHS - end), down = sino_smaller(count, begin);
    const int64_t lowest[] = {end, begin - down}, steps[] = {up, down};
    for (int i = 0; i < 2; i++) {
        Trial *ignored;
        bool room = false;
        for (int64_t t = 0; t < trials->count; t++) room |= trials->trial[t].count == 0;
        if (room && steps[i] > 0) SINO_TRY(find_trial(trials, lowest[i], steps[i], &ignored));
    }
    return NULL;
}

/* Adds the differences of the steps' slices. first: of the first trial, beside which others are tried; −1: a later
 * one. */
static SinoStatus try_steps(Trials *trials, int64_t lowest, int64_t steps, int64_t first, int64_t count)
{
    Trial *trial;
    SINO_TRY(find_trial(trials, lowest, steps, &trial));
    if (first >= 0) SINO_TRY(foresee(trials, first, first + count, count));
    SINO_TRY(add_predictions(trials->search, trial));
    trial->count = 0;
    return NULL;
}

/* The lowest point of a parabola through the differences of the best step and its neighbours. */
static double refine(const Search *search, int64_t best)
{
    const double *at = search->difference + best, bend = at[-1] - 2 * at[0] + at[1];
    return (double)best + (bend > 0 ? 0.5 * (at[-1] - at[1]) / bend : 0);
}

/* Tries steps until the best one has neighbours. *step: of the least difference. */
static SinoStatus descend(Trials *trials, int64_t count, double *step)
{
    Search *search = trials->search;
    int64_t lowest = MIDDLE - count / 2, steps = count, begin = lowest, end = lowest;
    for (;;) {
        begin = sino_smaller(begin, lowest);
        end = sino_larger(end, lowest + steps);
        SINO_TRY(search->of.normal ? try_normal(search, lowest, steps)
                                   : try_steps(trials, lowest, steps, end - begin == count ? begin : -1, count));
        const int64_t best = sino_halves_best(search->difference, begin, end);
        const int64_t up = sino_smaller(count, SINO_STRENGTHS - end), down = sino_smaller(count, begin);
        *step = best > begin && best < end - 1 ? refine(search, best) : (double)best;
        if (best == end - 1 && up > 0) {
            lowest = end;
            steps = up;
        } else if (best == begin && down > 0) {
            lowest = begin - down;
            steps = down;
        } else {
            return NULL;
        }
    }
}

SinoStatus sino_halves_descend(SinoHalvesSearch *search, int64_t count, double *exponent)
{
    Trials trials = {.search = search, .count = 1, .trial[0].minibatch = search->minibatch};
    SinoStatus status = NULL;
    double step = MIDDLE;
    for (int64_t i = 1; i < search->of.trials && !status && !search->of.normal; i++) {
        status = sino_halves_minibatch(search, search->of.solver, HALVES * count, i, &trials.trial[i].minibatch);
        if (!status) trials.count++;
    }
    if (!status) status = descend(&trials, count, &step);
    status = sino_runtime_wait_after(search->run.runtime, status); /* for trials that turned out not to be wanted */
    for (int64_t i = 1; i < trials.count; i++) sino_minibatch_free(trials.trial[i].minibatch);
    *exponent = step - MIDDLE;
    return status;
}

SinoStatus sino_halves_deny(SinoHalvesSearch *search, double exponent, bool *denied)
{
    const SinoBounds bounds = search->run.bounds;
    const int64_t step = MIDDLE + llrint(exponent);
    const double bounded = search->square[step];
    Trial trial = {.minibatch = search->minibatch};
    *denied = false;
    if (!(search->constant[step] > suspect_share * bounded)) return NULL;
    search->square[step] = 0;
    search->run.bounds.least = -INFINITY;
    if (search->of.normal) {
        SINO_TRY(try_normal(search, step, 1));
    } else {
        SINO_TRY(begin_trial(search, &trial, step, 1));
        SINO_TRY(add_predictions(search, &trial));
    }
    *denied = search->square[step] < denied_share * bounded;
    if (!*denied) search->run.bounds = bounds;
    memset(search->difference, 0, sizeof search->difference);
    memset(search->square, 0, sizeof search->square);
    memset(search->constant, 0, sizeof search->constant);
    return NULL;
}

int64_t sino_halves_trials(int64_t worker_count, int64_t partition_count)
{
    return sino_larger(1, sino_smaller(SINO_TRIALS_MOST, worker_count / sino_larger(partition_count, 1)));
}
