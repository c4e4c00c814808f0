/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, the strength of a prior: slices are reconstructed with some strengths at a time, and judged by how well they
 * predict the projections that they lack. */
#include "halves_private.h"

#include "memory.h"
#include "simulation.h"
#include "solve.h"
#include "undefined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIDDLE = SINO_STRENGTHS / 2 };

typedef SinoHalvesSearch Search;

/* The bound of 0 is denied where less than this share of the mean square difference is left without it. Where more is
 * left, slices with the bound are still nearer to the truth (docs/lab/images.md). */
static const double denied_share = 1.0 / 3;

/* A slice that lacks negative values leaves projections that differ by a constant: where this is less than such a share
 * of the mean square difference, nothing is denied, and no time is spent on asking. */
static const double suspect_share = 0.03;

double sino_halves_filtered_square(int64_t columns, const double *r, double *s)
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

/* A projection that is predicted: slice f of a vector of rays, from `row` on, every `step` rows. */
typedef struct Predicted {
    SinoSlices slices;
    int64_t rows, row, step, f;
    const void *vector;
} Predicted;

/* A simulation has no values: of the strengths that are tried first it takes the middle one as the best, and other
 * priors as worse than the first. */
static double assumed_difference(const Search *search, int64_t step)
{
    const double off = (double)(step - MIDDLE);
    return 1 + (double)search->run.regularization.prior + off * off;
}

/* Adds what angle k of the scan says of a strength. rest: [2·columns]. */
static void add_prediction(Search *search, int64_t step, int64_t k, const Predicted *of, double *rest)
{
    const int64_t columns = search->op->problem.geometry.column_count;
    const float *b = search->sinogram + k * columns;
    double sum = 0;
    if (SINO_SIMULATES) {
        search->difference[step] = assumed_difference(search, step);
        return;
    }
    for (int64_t c = 0; c < columns; c++) {
        const bool defined =
            !sino_is_undefined(b[c]) && (!search->op->problem.cone || !sino_halves_has(search, of->f, k, c));
        const double predicted = sino_halves_value(of->slices, of->rows, of->row + c * of->step, of->f, of->vector);
        rest[c] = defined ? predicted - (double)b[c] : 0;
        search->square[step] += rest[c] * rest[c];
        sum += rest[c];
    }
    search->constant[step] += sum * sum / (double)columns;
    search->difference[step] += sino_halves_filtered_square(columns, rest, rest + columns);
}

static void use_prediction(Search *search, int64_t step, int64_t angle, SinoSlices slices, int64_t rows, int64_t row,
                           const void *projection)
{
    add_prediction(search, step, angle, &(Predicted){slices, rows, row, 1, 0, projection}, search->rest);
}

/* Adds the differences of `count` steps in subset s, whose rays begin at row `first`. rest: [2·columns]. */
static SinoStatus add_subset(Search *search, int64_t lowest, int64_t count, int64_t s, int64_t first, double *rest)
{
    const SinoSolver *solver = search->of.solver;
    const int64_t columns = search->op->problem.geometry.column_count, fans = sino_halves_fans(search);
    const bool cone = search->op->problem.cone != NULL;
    const int64_t rows = search->op->shape.extent[SINO_ROWS_SUBSET].rows[s];
    SinoMinibatch *minibatch = search->minibatch;
    SinoData *projection = minibatch->vector[solver->projection][s];
    void *value;
    SINO_TRY(
        sino_insert_project_subset(minibatch, search->run.iterations, s, solver->vectors.tomogram, solver->projection));
    SINO_TRY(sino_data_acquire(projection, SINO_READ, &value));
    for (int64_t i = search->angles.first[s]; i < search->angles.first[s + 1]; i++) {
        const int64_t k = search->angles.number[i], row = search->op->place[k] * columns * fans - first;
        for (int64_t f = 0; f < search->folds * count; f++)
            if (cone || !sino_halves_has(search, f, k, 0))
                add_prediction(search, lowest + f / search->folds, k,
                               &(Predicted){minibatch->slices, rows, cone ? row + f : row, fans, cone ? 0 : f, value},
                               rest);
    }
    sino_data_release(projection);
    return NULL;
}

/* Adds the differences of the slices' projections from those that they lack to search->difference. */
static SinoStatus add_predictions(Search *search, int64_t lowest, int64_t count)
{
    const SinoExtent *subsets = &search->op->shape.extent[SINO_ROWS_SUBSET];
    const int64_t lacking = search->op->problem.left_out > 0 ? subsets->members - 1 : 0; /* the first of them */
    double *rest = NULL;
    int64_t first = 0;
    SinoStatus status =
        sino_allocate(2 * search->op->problem.geometry.column_count, sizeof *rest, "a projection", &rest);
    for (int64_t s = 0; !status && s < subsets->members; s++) {
        if (s >= lacking) status = add_subset(search, lowest, count, s, first, rest);
        first += subsets->rows[s];
    }
    free(rest);
    return status;
}

/* Multiplies the strengths of slices by 2^(step − MIDDLE). */
static SinoStatus spread_strengths(const Search *search, int64_t lowest)
{
    const SinoMinibatch *minibatch = search->minibatch;
    void *memory;
    SINO_TRY(sino_data_acquire(minibatch->state, SINO_READ_WRITE, &memory));
    SinoSliceState *state = memory;
    for (int64_t f = 0; f < minibatch->slices.slice_count; f++) {
        const int64_t step = lowest + f / search->folds;
        sino_update_strengthen(&state[f], sino_halves_strength(search, step));
    }
    sino_data_release(minibatch->state);
    return NULL;
}

/* Adds the differences of the steps' slices from what they lack, where a solver has the normal operator. */
static SinoStatus try_normal(Search *search, int64_t lowest, int64_t count)
{
    SINO_TRY(sino_allocate(2 * search->op->problem.geometry.column_count, sizeof *search->rest, "a projection",
                           &search->rest));
    SinoStatus status = sino_halves_normal_try(search, lowest, count, use_prediction);
    free(search->rest);
    search->rest = NULL;
    return status;
}

/* Tries `count` steps from the lowest on: slices 2i and 2i + 1 of the minibatch, or slice i, or fan i, have step
 * `lowest` + i. */
static SinoStatus try_steps(Search *search, int64_t lowest, int64_t count)
{
    const SinoSolver *solver = search->of.solver;
    if (search->of.normal) return try_normal(search, lowest, count);
    const int64_t slices = sino_times(search->folds, count);
    if (!search->op->problem.cone && slices != search->minibatch->slices.slice_count)
        SINO_TRY(sino_halves_prepare_again(search, slices, search->run.regularization));
    SINO_TRY(sino_halves_fill(search, search->minibatch));
    SINO_TRY(solver->start(&search->run, search->minibatch));
    SINO_TRY(spread_strengths(search, lowest));
    SINO_TRY(sino_solve_iterations(solver, &search->run, search->minibatch, 1, search->run.iterations));
    return add_predictions(search, lowest, count);
}

/* The lowest point of a parabola through the differences of the best step and its neighbours. */
static SinoHalvesBest refine(const Search *search, int64_t best)
{
    const double *at = search->difference + best, bend = at[-1] - 2 * at[0] + at[1];
    const double further = bend > 0 ? 0.5 * (at[-1] - at[1]) / bend : 0;
    return (SinoHalvesBest){(double)(best - MIDDLE) + further, at[0] - 0.5 * fmax(bend, 0) * further * further};
}

SinoStatus sino_halves_descend(SinoHalvesSearch *search, int64_t count, int64_t below, double promising,
                               SinoHalvesBest *found)
{
    const int64_t more = search->op->problem.cone ? count : sino_larger(count / 2, 1);
    int64_t lowest = MIDDLE - below, steps = count, begin = lowest, end = lowest;
    memset(search->difference, 0, sizeof search->difference);
    memset(search->square, 0, sizeof search->square);
    memset(search->constant, 0, sizeof search->constant);
    for (;;) {
        begin = sino_smaller(begin, lowest);
        end = sino_larger(end, lowest + steps);
        SINO_TRY(try_steps(search, lowest, steps));
        const int64_t best = sino_halves_best(search->difference, begin, end);
        const int64_t up = sino_smaller(more, SINO_STRENGTHS - end), down = sino_smaller(more, begin);
        *found = (SinoHalvesBest){(double)(best - MIDDLE), search->difference[best]};
        if (best > begin && best < end - 1) *found = refine(search, best);
        if (!(found->difference < promising)) return NULL;
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

SinoStatus sino_halves_deny(SinoHalvesSearch *search, double exponent, bool *denied)
{
    const SinoBounds bounds = search->run.bounds;
    const int64_t step = MIDDLE + llrint(exponent);
    const double bounded = search->square[step];
    *denied = false;
    if (!(search->constant[step] > suspect_share * bounded)) return NULL;
    search->square[step] = 0;
    search->run.bounds.least = -INFINITY;
    SINO_TRY(try_steps(search, step, 1));
    *denied = search->square[step] < denied_share * bounded;
    if (!*denied) search->run.bounds = bounds;
    return NULL;
}
