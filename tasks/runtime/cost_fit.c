/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost fit: nonnegative least squares, and a Gaussian process for what they leave over. */
#include "cost_fit.h"

#include "arithmetic.h"
#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 64, TERMS = 3, AXES = 2, SIZE = 0, WIDTH = 1 };

/* Over how many factors of two neighbours are alike. */
static const double reach[AXES] = {2, 1};
static const double least_noise = 0.03, least_deviation = 0.05;
static const double unknown_error = 0.5; /* with points of one size only */
static const double growth = 0.1;        /* of the error, for each factor of two outside of the measured range */

struct SinoCostFit {
    int count;
    double law[TERMS];
    double place[POINTS_MOST][AXES]; /* in factors of two */
    double low[AXES], high[AXES];
    double variance;            /* of what the law leaves over */
    double weight[POINTS_MOST]; /* K⁻¹ z */
    double *triangle;           /* [count][count]: L of K = L Lᵀ; owned */
    double miss[POINTS_MOST];   /* squares of relative errors, between sizes */
};

/* ---- the law ---- */

static void terms_of(const SinoCostPoint *point, double term[TERMS])
{
    term[0] = 1;
    term[1] = point->work;
    term[2] = point->bytes;
}

static double law_of(const double law[TERMS], const SinoCostPoint *point)
{
    double term[TERMS], sum = 0;
    terms_of(point, term);
    for (int k = 0; k < TERMS; k++) sum += law[k] * term[k];
    return sum;
}

/* Normal equations of the weighted points; terms are scaled to 1 on the diagonal. */
typedef struct Normal {
    double matrix[TERMS][TERMS], right[TERMS], scale[TERMS], square;
} Normal;

static Normal normal_of(int64_t count, const SinoCostPoint *point, const double *weight)
{
    Normal normal = {.square = 0};
    for (int64_t i = 0; i < count; i++) {
        double term[TERMS];
        terms_of(&point[i], term);
        const double t = point[i].seconds * weight[i];
        normal.square += t * t;
        for (int k = 0; k < TERMS; k++) {
            normal.right[k] += term[k] * weight[i] * t;
            for (int l = 0; l < TERMS; l++) normal.matrix[k][l] += term[k] * term[l] * weight[i] * weight[i];
        }
    }
    for (int k = 0; k < TERMS; k++) normal.scale[k] = normal.matrix[k][k] > 0 ? 1 / sqrt(normal.matrix[k][k]) : 0;
    for (int k = 0; k < TERMS; k++) {
        normal.right[k] *= normal.scale[k];
        for (int l = 0; l < TERMS; l++) normal.matrix[k][l] *= normal.scale[k] * normal.scale[l];
    }
    return normal;
}

/* Solves the equations of the terms whose bits are in `set`. False: they are singular, or a solution is negative. */
static bool solve(const Normal *normal, unsigned set, double solution[TERMS])
{
    double a[TERMS][TERMS + 1];
    const double tiny = 1e-9;
    for (int k = 0; k < TERMS; k++) {
        const bool in = set >> k & 1;
        if (in && normal->scale[k] == 0) return false;
        for (int l = 0; l < TERMS; l++) a[k][l] = in && (set >> l & 1) ? normal->matrix[k][l] : k == l;
        a[k][TERMS] = in ? normal->right[k] : 0;
    }
    for (int k = 0; k < TERMS; k++) { /* the matrix is symmetric and positive: no pivots */
        if (a[k][k] < tiny) return false;
        for (int row = 0; row < TERMS; row++) {
            const double factor = a[row][k] / a[k][k];
            for (int l = k; row != k && l <= TERMS; l++) a[row][l] -= factor * a[k][l];
        }
    }
    for (int k = 0; k < TERMS; k++) {
        solution[k] = a[k][TERMS] / a[k][k];
        if (solution[k] < 0) return false;
    }
    return true;
}

/* Square of what a solution misses, for each point that is left over to tell. */
static double misfit(const Normal *normal, const double solution[TERMS], int64_t count, int used)
{
    double sum = normal->square;
    for (int k = 0; k < TERMS; k++) {
        sum -= 2 * solution[k] * normal->right[k];
        for (int l = 0; l < TERMS; l++) sum += solution[k] * solution[l] * normal->matrix[k][l];
    }
    return fmax(sum, 1e-12 * normal->square) / fmax((double)(count - used), 0.5);
}

/* The best of all sets of terms. A single point tells one term: work, else bytes, else a constant. */
static void fit_weighted(int64_t count, const SinoCostPoint *point, const double *weight, double law[TERMS])
{
    static const unsigned sets[] = {2, 4, 1, 3, 5, 6, 7};
    const Normal normal = normal_of(count, point, weight);
    double best = INFINITY;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        double solution[TERMS];
        const int used = __builtin_popcount(sets[s]);
        if ((used > 1 && used >= count) || !solve(&normal, sets[s], solution)) continue;
        const double miss = misfit(&normal, solution, count, used);
        if (miss >= 0.999 * best) continue;
        best = miss;
        for (int k = 0; k < TERMS; k++) law[k] = solution[k] * normal.scale[k];
    }
}

/* Weights that make least squares those of the logarithm, and of outliers their first power (Huber). */
static void fit_law(int64_t count, const SinoCostPoint *point, double law[TERMS])
{
    const double usual = 0.3;
    double weight[POINTS_MOST];
    for (int64_t i = 0; i < count; i++) weight[i] = 1 / point[i].seconds;
    for (int round = 0; round < 5; round++) {
        fit_weighted(count, point, weight, law);
        for (int64_t i = 0; i < count; i++) {
            const double told = fmax(law_of(law, &point[i]), 1e-3 * point[i].seconds);
            const double off = fabs(log(point[i].seconds / told));
            weight[i] = sqrt(fmin(1, usual / fmax(off, 1e-9)) / (told * point[i].seconds));
        }
    }
}

/* ---- what it leaves over ---- */

static void place_of(const SinoCostPoint *point, double place[AXES])
{
    const double width = fmax(point->width, 1);
    place[SIZE] = log2(fmax(point->work > 0 ? point->work / width : point->bytes, 1));
    place[WIDTH] = log2(width);
}

static double likeness(const SinoCostFit *fit, const double *a, const double *b)
{
    double square = 0;
    for (int axis = 0; axis < AXES; axis++) square += pow((a[axis] - b[axis]) / reach[axis], 2);
    return fit->variance * exp(-square / 2);
}

/* K = L Lᵀ, in place; K is positive definite by its noise. */
static void factor(int count, double *matrix)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = matrix[i * count + j];
            for (int k = 0; k < j; k++) sum -= matrix[i * count + k] * matrix[j * count + k];
            matrix[i * count + j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / matrix[j * count + j];
        }
}

static void solve_lower(int count, const double *triangle, double *x)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) x[i] -= triangle[i * count + k] * x[k];
        x[i] /= triangle[i * count + i];
    }
}

static void solve_upper(int count, const double *triangle, double *x)
{
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++) x[i] -= triangle[k * count + i] * x[k];
        x[i] /= triangle[i * count + i];
    }
}

/* Law and process of the points, which are POINTS_MOST at most; `miss` stays. `fit->triangle` has room. */
static void fit_points(SinoCostFit *fit, int count, const SinoCostPoint *point)
{
    fit->count = count;
    fit->variance = 0;
    fit_law(count, point, fit->law);
    for (int i = 0; i < count; i++) {
        place_of(&point[i], fit->place[i]);
        fit->weight[i] = log(point[i].seconds / fmax(law_of(fit->law, &point[i]), 1e-3 * point[i].seconds));
        fit->variance += fit->weight[i] * fit->weight[i] / count;
    }
    fit->variance = fmax(fit->variance, least_deviation * least_deviation);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const double noise = i == j ? point[i].noise + least_noise : 0;
            fit->triangle[i * count + j] = likeness(fit, fit->place[i], fit->place[j]) + noise * noise;
        }
    factor(count, fit->triangle);
    solve_lower(count, fit->triangle, fit->weight);
    solve_upper(count, fit->triangle, fit->weight);
}

static void find_range(SinoCostFit *fit)
{
    for (int axis = 0; axis < AXES; axis++) {
        fit->low[axis] = fit->high[axis] = fit->place[0][axis];
        for (int i = 1; i < fit->count; i++) {
            fit->low[axis] = fmin(fit->low[axis], fit->place[i][axis]);
            fit->high[axis] = fmax(fit->high[axis], fit->place[i][axis]);
        }
    }
}

static double value_at(const SinoCostFit *fit, const SinoCostPoint *point, const double place[AXES])
{
    double over = 0;
    for (int i = 0; i < fit->count; i++) over += fit->weight[i] * likeness(fit, place, fit->place[i]);
    return law_of(fit->law, point) * exp(over);
}

/* ---- the error ---- */

/* Squares of what a curve through all other sizes misses the points of one size by, `miss[]` of these points. `part`
 * has room for a fit of all points. */
static void miss_size(SinoCostFit *part, int count, const SinoCostPoint *point, const double *size, int which,
                      double *miss)
{
    const double same = 0.13; /* a step of 9 % */
    SinoCostPoint rest[POINTS_MOST];
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (fabs(size[i] - size[which]) > same) rest[kept++] = point[i];
    if (kept > 0) fit_points(part, kept, rest);
    for (int i = 0; i < count; i++) {
        double place[AXES];
        if (fabs(size[i] - size[which]) > same) continue;
        place_of(&point[i], place);
        const double off = kept > 0 ? value_at(part, &point[i], place) / point[i].seconds - 1 : unknown_error;
        miss[i] = fmin(off * off, 4);
    }
}

/* Leaves out one size after another. */
static void cross_validate(SinoCostFit *part, int count, const SinoCostPoint *point, double *miss)
{
    double size[POINTS_MOST], place[AXES];
    for (int i = 0; i < count; i++) {
        place_of(&point[i], place);
        size[i] = place[SIZE];
    }
    for (int i = 0; i < count; i++) {
        bool done = false; /* its size came before */
        for (int k = 0; k < i; k++) done |= fabs(size[k] - size[i]) <= 1e-9;
        if (!done) miss_size(part, count, point, size, i, miss);
    }
}

/* The mean of what points are missed by; those of a size near this one count most. */
static double missed_near(const SinoCostFit *fit, const double place[AXES])
{
    double nearest = INFINITY, sum = 0, all = 0;
    for (int i = 0; i < fit->count; i++) nearest = fmin(nearest, fabs(fit->place[i][SIZE] - place[SIZE]));
    for (int i = 0; i < fit->count; i++) {
        const double away = (fabs(fit->place[i][SIZE] - place[SIZE]) - nearest) / reach[SIZE];
        const double weight = exp(-away * away / 2);
        sum += weight * fit->miss[i];
        all += weight;
    }
    return sum / all;
}

/* Factors of two beyond what was measured. */
static double distance_outside(const SinoCostFit *fit, const double place[AXES])
{
    double sum = 0;
    for (int axis = 0; axis < AXES; axis++)
        sum += fmax(fmax(fit->low[axis] - place[axis], place[axis] - fit->high[axis]), 0);
    return sum;
}

/* Variance of z at a place. */
static double variance_at(const SinoCostFit *fit, const double place[AXES])
{
    double near[POINTS_MOST], left = fit->variance;
    for (int i = 0; i < fit->count; i++) near[i] = likeness(fit, place, fit->place[i]);
    solve_lower(fit->count, fit->triangle, near);
    for (int i = 0; i < fit->count; i++) left -= near[i] * near[i];
    return fmax(left, 0);
}

double sino_cost_fit_s(const SinoCostFit *fit, const SinoCostPoint *point, double *error)
{
    double place[AXES];
    place_of(point, place);
    if (error) {
        const double outside = growth * distance_outside(fit, place);
        *error = sqrt(missed_near(fit, place) + variance_at(fit, place) + outside * outside);
    }
    return value_at(fit, point, place);
}

/* ---- */

static int by_size(const void *a, const void *b)
{
    double x[AXES], y[AXES];
    place_of(a, x);
    place_of(b, y);
    if (x[SIZE] != y[SIZE]) return x[SIZE] < y[SIZE] ? -1 : 1;
    return x[WIDTH] < y[WIDTH] ? -1 : x[WIDTH] > y[WIDTH];
}

static SinoStatus allocate(int count, SinoCostFit **fit)
{
    SinoCostFit *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "a curve of times", &made));
    SinoStatus status = sino_allocate(sino_times(count, count), sizeof(double), "a curve of times", &made->triangle);
    if (status) free(made);
    if (!status) *fit = made;
    return status;
}

SinoStatus sino_cost_fit_new(int64_t count, const SinoCostPoint *point, SinoCostFit **fit)
{
    const int taken = count < POINTS_MOST ? (int)count : POINTS_MOST;
    SinoCostPoint *sorted, some[POINTS_MOST];
    SinoCostFit *part;
    SINO_TRY(sino_allocate(count, sizeof *sorted, "a curve of times", &sorted));
    memcpy(sorted, point, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    for (int64_t i = 0; i < taken; i++) some[i] = sorted[(2 * i + 1) * count / ((int64_t)2 * taken)];
    free(sorted);
    SINO_TRY(allocate(taken, &part));
    SinoStatus status = allocate(taken, fit);
    if (!status) {
        cross_validate(part, taken, some, (*fit)->miss);
        fit_points(*fit, taken, some);
        find_range(*fit);
    }
    sino_cost_fit_free(part);
    return status;
}

void sino_cost_fit_free(SinoCostFit *fit)
{
    if (fit) free(fit->triangle);
    free(fit);
}
