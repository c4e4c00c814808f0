/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost fit: nonnegative least squares, and a Gaussian process for what they leave over. */
#include "models.h"

#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 64, TERMS = 3, AXES = 2, SIZE = 0, WIDTH = 1, PARTS = 2 };

/* Over how many factors of two neighbours are alike. */
static const double reach[AXES] = {2, 1};
static const double least_noise = 0.03, least_deviation = 0.05;
static const double unknown_error = 0.5; /* with points of one size only */
static const double growth = 0.1;        /* of the error, for each factor of two outside of the measured range */

/* What a task does with panels of one width. */
typedef struct Part {
    double width; /* of all of them */
    double term[TERMS];
} Part;

/* Where z of a task is looked up: at the size of its data, and at the widths of its parts. */
typedef struct Place {
    double size, width[PARTS]; /* in factors of two */
    double share[PARTS];       /* of its time by the law; together 1 */
} Place;

struct SinoCostFit {
    int count;
    double once; /* bytes for each unit of size that a task has once, and each of its panels reads */
    double law[TERMS];
    Place place[POINTS_MOST];
    double low[AXES], high[AXES];
    double variance;            /* of what the law leaves over */
    double weight[POINTS_MOST]; /* K⁻¹ z */
    double *triangle;           /* [count][count]: L of K = L Lᵀ; owned */
    double miss[POINTS_MOST];   /* squares of relative errors, between sizes */
};

/* ---- the law ---- */

static double size_of(const SinoCostPoint *point)
{
    return point->work / fmax(point->width, 1);
}

/* Whole panels, and the last one if it is narrower; the number of parts. */
static int parts_of(double once, const SinoCostPoint *point, Part part[PARTS])
{
    const double width = fmax(point->width, 1), panel = point->panel > 0 ? point->panel : width;
    const double panels = floor(width / panel), whole = panel * panels, rest = width - whole;
    const double shared = fmin(once * size_of(point), point->bytes), own = point->bytes - shared;
    int count = 0;
    if (whole > 0)
        part[count++] = (Part){whole, {1, point->work * whole / width, shared * panels + own * whole / width}};
    if (rest > 0) part[count++] = (Part){rest, {whole <= 0, point->work * rest / width, shared + own * rest / width}};
    return count;
}

static void terms_of(double once, const SinoCostPoint *point, double term[TERMS])
{
    Part part[PARTS] = {{0}};
    const int count = parts_of(once, point, part);
    for (int k = 0; k < TERMS; k++) term[k] = part[0].term[k] + (count > 1 ? part[1].term[k] : 0);
}

static double law_of_terms(const double law[TERMS], const double term[TERMS])
{
    double sum = 0;
    for (int k = 0; k < TERMS; k++) sum += law[k] * term[k];
    return sum;
}

static double law_of(const SinoCostFit *fit, const SinoCostPoint *point)
{
    double term[TERMS];
    terms_of(fit->once, point, term);
    return law_of_terms(fit->law, term);
}

/* What is to be explained by terms. */
typedef struct Equation {
    double term[TERMS], value;
} Equation;

/* Normal equations of the weighted points; terms are scaled to 1 on the diagonal. */
typedef struct Normal {
    double matrix[TERMS][TERMS], right[TERMS], scale[TERMS], square;
} Normal;

static Normal normal_of(int64_t count, const Equation *equation, const double *weight)
{
    Normal normal = {.square = 0};
    for (int64_t i = 0; i < count; i++) {
        const double *const term = equation[i].term, t = equation[i].value * weight[i];
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
static void fit_weighted(int64_t count, const Equation *equation, const double *weight, double law[TERMS])
{
    static const unsigned sets[] = {2, 4, 1, 3, 5, 6, 7};
    const Normal normal = normal_of(count, equation, weight);
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
static void fit_law(int64_t count, const Equation *equation, double law[TERMS])
{
    const double usual = 0.3;
    double weight[POINTS_MOST];
    for (int64_t i = 0; i < count; i++) weight[i] = 1 / equation[i].value;
    for (int round = 0; round < 5; round++) {
        fit_weighted(count, equation, weight, law);
        for (int64_t i = 0; i < count; i++) {
            const double value = equation[i].value;
            const double told = fmax(law_of_terms(law, equation[i].term), 1e-3 * value);
            const double off = fabs(log(value / told));
            weight[i] = sqrt(fmin(1, usual / fmax(off, 1e-9)) / (told * value));
        }
    }
}

/* What tasks have once, such as A, grows with their size; their vectors grow with the width, too, and with the size or,
 * as rays and voxels of products do, its power of two thirds. */
static double find_once(int64_t count, const SinoCostPoint *point)
{
    Equation equation[POINTS_MOST] = {0};
    double law[TERMS] = {0};
    for (int64_t i = 0; i < count; i++) {
        const double size = size_of(&point[i]), width = fmax(point[i].width, 1);
        if (!(size > 0 && point[i].bytes > 0)) return 0;
        equation[i] = (Equation){{size, width * size, width * pow(size, 2.0 / 3)}, point[i].bytes};
    }
    fit_law(count, equation, law);
    return law[0];
}

static void find_law(SinoCostFit *fit, int64_t count, const SinoCostPoint *point)
{
    Equation equation[POINTS_MOST] = {0};
    fit->once = find_once(count, point);
    for (int64_t i = 0; i < count; i++) {
        terms_of(fit->once, &point[i], equation[i].term);
        equation[i].value = point[i].seconds;
    }
    fit_law(count, equation, fit->law);
}

/* ---- what it leaves over ---- */

static double log_size(const SinoCostPoint *point)
{
    return log2(fmax(point->work > 0 ? size_of(point) : point->bytes, 1));
}

static Place place_of(const SinoCostFit *fit, const SinoCostPoint *point)
{
    Part part[PARTS] = {{0}};
    Place place = {.size = log_size(point)};
    const int count = parts_of(fit->once, point, part);
    const double all = fmax(law_of(fit, point), 1e-300);
    for (int i = 0; i < count; i++) {
        place.width[i] = log2(fmax(part[i].width, 1));
        place.share[i] = count == 1 ? 1 : law_of_terms(fit->law, part[i].term) / all;
    }
    return place;
}

static double likeness(const SinoCostFit *fit, const Place *a, const Place *b)
{
    double sum = 0;
    const double size = (a->size - b->size) / reach[SIZE];
    for (int i = 0; i < PARTS; i++)
        for (int j = 0; j < PARTS; j++) {
            const double width = (a->width[i] - b->width[j]) / reach[WIDTH];
            sum += a->share[i] * b->share[j] * exp(-(size * size + width * width) / 2);
        }
    return fit->variance * sum;
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

static void find_weights(SinoCostFit *fit, const double *z)
{
    memcpy(fit->weight, z, (size_t)fit->count * sizeof *z);
    solve_lower(fit->count, fit->triangle, fit->weight);
    solve_upper(fit->count, fit->triangle, fit->weight);
}

/* The mean of z over the panels of a place. */
static double mean_z(const SinoCostFit *fit, const Place *place)
{
    double sum = 0;
    for (int i = 0; i < fit->count; i++) sum += fit->weight[i] * likeness(fit, place, &fit->place[i]);
    return sum;
}

/* The logarithm of the mean of exp z, as the times of panels are summed up. */
static double joint_z(const SinoCostFit *fit, const Place *place)
{
    double sum = 0;
    if (place->share[1] <= 0) return mean_z(fit, place);
    for (int i = 0; i < PARTS; i++) {
        const Place part = {.size = place->size, .width = {place->width[i], 0}, .share = {1, 0}};
        sum += place->share[i] * exp(mean_z(fit, &part));
    }
    return log(sum);
}

/* Law and process of the points, which are POINTS_MOST at most; `miss` stays. `fit->triangle` has room. The process
 * takes means of z; a second pass takes from points with panels of two widths what joint_z has beyond that. */
static void fit_points(SinoCostFit *fit, int count, const SinoCostPoint *point)
{
    double z[POINTS_MOST] = {0}, beyond[POINTS_MOST];
    fit->count = count;
    fit->variance = 0;
    find_law(fit, count, point);
    for (int i = 0; i < count; i++) {
        fit->place[i] = place_of(fit, &point[i]);
        z[i] = log(point[i].seconds / fmax(law_of(fit, &point[i]), 1e-3 * point[i].seconds));
        fit->variance += z[i] * z[i] / count;
    }
    fit->variance = fmax(fit->variance, least_deviation * least_deviation);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const double noise = i == j ? point[i].noise + least_noise : 0;
            fit->triangle[i * count + j] = likeness(fit, &fit->place[i], &fit->place[j]) + noise * noise;
        }
    factor(count, fit->triangle);
    find_weights(fit, z);
    for (int i = 0; i < count; i++) beyond[i] = joint_z(fit, &fit->place[i]) - mean_z(fit, &fit->place[i]);
    for (int i = 0; i < count; i++) z[i] -= beyond[i];
    find_weights(fit, z);
}

static void widen(SinoCostFit *fit, int axis, double at)
{
    fit->low[axis] = fmin(fit->low[axis], at);
    fit->high[axis] = fmax(fit->high[axis], at);
}

static void find_range(SinoCostFit *fit)
{
    for (int axis = 0; axis < AXES; axis++) fit->low[axis] = INFINITY, fit->high[axis] = -INFINITY;
    for (int i = 0; i < fit->count; i++) {
        const Place *place = &fit->place[i];
        widen(fit, SIZE, place->size);
        for (int part = 0; part < PARTS; part++)
            if (place->share[part] > 0) widen(fit, WIDTH, place->width[part]);
    }
}

static double value_at(const SinoCostFit *fit, const SinoCostPoint *point, const Place *place)
{
    return law_of(fit, point) * exp(joint_z(fit, place));
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
        if (fabs(size[i] - size[which]) > same) continue;
        const Place place = place_of(part, &point[i]);
        const double off = kept > 0 ? value_at(part, &point[i], &place) / point[i].seconds - 1 : unknown_error;
        miss[i] = fmin(off * off, 4);
    }
}

/* Leaves out one size after another. */
static void cross_validate(SinoCostFit *part, int count, const SinoCostPoint *point, double *miss)
{
    double size[POINTS_MOST];
    for (int i = 0; i < count; i++) size[i] = log_size(&point[i]);
    for (int i = 0; i < count; i++) {
        bool done = false; /* its size came before */
        for (int k = 0; k < i; k++) done |= fabs(size[k] - size[i]) <= 1e-9;
        if (!done) miss_size(part, count, point, size, i, miss);
    }
}

/* The mean of what points are missed by; those of a size near this one count most. */
static double missed_near(const SinoCostFit *fit, const Place *place)
{
    double nearest = INFINITY, sum = 0, all = 0;
    for (int i = 0; i < fit->count; i++) nearest = fmin(nearest, fabs(fit->place[i].size - place->size));
    for (int i = 0; i < fit->count; i++) {
        const double away = (fabs(fit->place[i].size - place->size) - nearest) / reach[SIZE];
        const double weight = exp(-away * away / 2);
        sum += weight * fit->miss[i];
        all += weight;
    }
    return sum / all;
}

/* Factors of two beyond what was measured. */
static double outside(const SinoCostFit *fit, int axis, double at)
{
    return fmax(fmax(fit->low[axis] - at, at - fit->high[axis]), 0);
}

static double distance_outside(const SinoCostFit *fit, const Place *place)
{
    double sum = outside(fit, SIZE, place->size);
    for (int part = 0; part < PARTS; part++) sum += place->share[part] * outside(fit, WIDTH, place->width[part]);
    return sum;
}

/* Variance of z at a place. */
static double variance_at(const SinoCostFit *fit, const Place *place)
{
    double near[POINTS_MOST], left = likeness(fit, place, place);
    for (int i = 0; i < fit->count; i++) near[i] = likeness(fit, place, &fit->place[i]);
    solve_lower(fit->count, fit->triangle, near);
    for (int i = 0; i < fit->count; i++) left -= near[i] * near[i];
    return fmax(left, 0);
}

double sino_cost_fit_s(const SinoCostFit *fit, const SinoCostPoint *point, double *error)
{
    const Place place = place_of(fit, point);
    if (error) {
        const double beyond = growth * distance_outside(fit, &place);
        *error = sqrt(missed_near(fit, &place) + variance_at(fit, &place) + beyond * beyond);
    }
    return value_at(fit, point, &place);
}

/* ---- */

static int by_size(const void *a, const void *b)
{
    const SinoCostPoint *const one = a, *const other = b;
    const double x = log_size(one), y = log_size(other);
    if (x != y) return x < y ? -1 : 1;
    return one->width < other->width ? -1 : one->width > other->width;
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
