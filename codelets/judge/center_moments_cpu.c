/* SPDX-License-Identifier: BSD-3-Clause */
/* Center by moments: those of projections about the axis are trigonometric polynomials of the angle (S. Helgason, Acta
 * Math. 113, 153 (1965); D. Ludwig, Comm. Pure Appl. Math. 19, 49 (1966)).
 *
 * The moment a_n(θ) of a Legendre polynomial of degree n has terms cos mθ and sin mθ of m = n, n − 2, n − 4 … only. The
 * rest r_n, the part of the moment that is orthogonal to them, is noise about the axis and changes by d_n with each
 * column that the center is off: least squares of all n. Fixed errors of the columns, such as those of the flat fields,
 * are constants of the angle; they get the weight that their variance leaves them. */
#include "center.h"
#include "memory.h"
#include "sort.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* VALUES: orders 0 … ORDERS, in whole vectors. */
enum { ORDERS = 14, VALUES = 16, PASSES = 12 };

/* Differences that tell the noise, at most. */
enum { SAMPLES = 8192 };

/* Projections of sino_center_moments_of_some, at most. */
enum { SOME = 100 };

/* An order tells the center if its change with it is so many times that of noise. */
static const double least_change = 2;

/* How much the object may leave at the ends of the window, as a share of the window's root mean square. */
static const double most_at_ends = 0.1;

/* Standard deviations of the uncertainty. */
static const double deviations = 2;

/* Moments of the orders 1 … count of K projections, and their rests. */
typedef struct Moments {
    int64_t angle_count, column_count, count;
    const float *sinogram;
    double air;                    /* mean line integral at the ends of the window */
    double column_variance;        /* of the mean projection's noise, errors of columns included */
    double noise_variance;         /* of values, by second differences along the angle; most of few angles */
    double *basis[2];              /* [m ≤ ORDERS][K] orthonormal, by the parity of m */
    int64_t dimension[ORDERS + 1]; /* vectors of the basis of each order */
    double *constant;              /* [count + 1][K]: the rest of a constant */
    double *polynomial;            /* [column][VALUES] */
    double *rest, *change;         /* [count + 1][K] */
} Moments;

/* What a pass finds. */
typedef struct Pass {
    double step, uncertainty;
} Pass;

static double dot(int64_t count, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void add(int64_t count, double factor, const double *a, double *sum)
{
    for (int64_t i = 0; i < count; i++) sum[i] += factor * a[i];
}

/* Takes the basis of an order out of a vector. */
static void take_rest(const Moments *of, int64_t order, double *vector)
{
    const double *basis = of->basis[order % 2];
    for (int64_t i = 0; i < of->dimension[order]; i++, basis += of->angle_count)
        add(of->angle_count, -dot(of->angle_count, basis, vector), basis, vector);
}

/* Adds cos mθ or sin mθ to the basis of order m, unless the angles do not tell it from those that are there. */
static void extend_basis(Moments *of, const double *angle_rad, int64_t m, bool sine)
{
    const int64_t angles = of->angle_count;
    double *vector = of->basis[m % 2] + of->dimension[m] * angles;
    for (int64_t k = 0; k < angles; k++)
        vector[k] = sine ? sin((double)m * angle_rad[k]) : cos((double)m * angle_rad[k]);
    take_rest(of, m, vector);
    take_rest(of, m, vector); /* the first time leaves rounding errors */
    const double length = sqrt(dot(angles, vector, vector));
    if (length < 1e-6 * sqrt((double)angles)) return;
    for (int64_t k = 0; k < angles; k++) vector[k] /= length;
    of->dimension[m]++;
}

static void make_basis(Moments *of, const double *angle_rad)
{
    for (int64_t m = 0; m <= of->count; m++) {
        of->dimension[m] = m > 1 ? of->dimension[m - 2] : 0;
        extend_basis(of, angle_rad, m, false);
        if (m > 0) extend_basis(of, angle_rad, m, true);
        double *constant = of->constant + m * of->angle_count;
        for (int64_t k = 0; k < of->angle_count; k++) constant[k] = 1;
        take_rest(of, m, constant);
    }
}

/* Variance of `count` + 2 values of a line by its second differences, in which the object nearly cancels. */
static double variance_by(int64_t count, double *difference)
{
    const int64_t finite = sino_sort_finite(count, difference);
    const double deviation = finite > 0 ? difference[finite / 2] / 0.6745 : 0;
    return deviation * deviation / 6;
}

static SinoStatus measure_noise(Moments *of)
{
    const int64_t columns = of->column_count, angles = of->angle_count;
    double *mean = NULL, *difference = NULL;
    SinoStatus status = sino_allocate(columns, sizeof *mean, "columns", &mean);
    if (!status) status = sino_allocate(sino_larger(columns, SAMPLES), sizeof *difference, "differences", &difference);
    for (int64_t i = 0; !status && i < columns * angles; i++)
        mean[i % columns] += (double)of->sinogram[i] / (double)angles;
    for (int64_t c = 1; !status && c + 1 < columns; c++)
        difference[c - 1] = fabs(mean[c - 1] - 2 * mean[c] + mean[c + 1]);
    if (!status) of->column_variance = variance_by(columns - 2, difference);
    const int64_t inner = (angles - 2) * columns, step = (inner + SAMPLES - 1) / SAMPLES | 1;
    int64_t count = 0;
    for (int64_t i = columns; !status && i < columns + inner; i += step) {
        const float *value = of->sinogram + i;
        difference[count++] = fabs((double)value[-columns] - 2 * (double)value[0] + (double)value[columns]);
    }
    if (!status) of->noise_variance = variance_by(count, difference);
    free(mean);
    free(difference);
    return status;
}

/* Values of the normalised Legendre polynomials of orders 0 … count at s columns from the center. */
static void fill_polynomials(int64_t count, double s, double half_width, double *value)
{
    double before = 0, here = 1;
    for (int64_t n = 0; n <= count; n++) {
        const double order = (double)n;
        value[n] = here * sqrt((2 * order + 1) / (2 * half_width));
        const double next = ((2 * order + 1) * s / half_width * here - order * before) / (order + 1);
        before = here;
        here = next;
    }
}

/* Moments of a projection: sum[VALUES]. */
SINO_VECTORISED static void sum_projection(const Moments *of, const float *projection, double *sum)
{
    const double air = of->air, *polynomial = of->polynomial;
    double own[VALUES] = {0}; /* in registers */
    for (int64_t c = 0; c < of->column_count; c++, polynomial += VALUES) {
        const double value = (double)projection[c] - air;
        for (int64_t i = 0; i < VALUES; i++) own[i] += value * polynomial[i];
    }
    memcpy(sum, own, sizeof own);
}

/* Moments of the window of so many columns to each side of the center, and their changes: the derivative of the
 * Legendre polynomial of degree n is the sum of (2m + 1) times those of degree m = n − 1, n − 3 … */
static void fill_moments(Moments *of, double center, double half_width)
{
    const int64_t columns = of->column_count, angles = of->angle_count;
    for (int64_t c = 0; c < columns; c++) {
        const double s = (double)c - center, inside = fmin(fmax(half_width + 0.5 - fabs(s), 0), 1);
        double *value = of->polynomial + c * VALUES;
        fill_polynomials(of->count, s, half_width, value);
        for (int64_t i = 0; i < VALUES; i++) value[i] *= inside;
    }
    for (int64_t k = 0; k < angles; k++) {
        double sum[VALUES], slope[2] = {0};
        sum_projection(of, of->sinogram + k * columns, sum);
        for (int64_t n = 1; n <= of->count; n++) {
            of->rest[n * angles + k] = sum[n];
            slope[n % 2] += sqrt(2 * (double)n - 1) * sum[n - 1];
            of->change[n * angles + k] = -sqrt(2 * (double)n + 1) / half_width * slope[n % 2];
        }
    }
    for (int64_t n = 1; n <= of->count; n++) {
        take_rest(of, n, of->rest + n * angles);
        take_rest(of, n, of->change + n * angles);
    }
}

/* Gives constants of the angle the weight that errors of columns leave them. */
static void weigh_constants(Moments *of, double variance)
{
    const int64_t angles = of->angle_count;
    const double error = fmax(of->column_variance - variance / (double)angles, 0);
    for (int64_t n = 1; n <= of->count; n++) {
        const double *constant = of->constant + n * angles, square = dot(angles, constant, constant);
        if (square < 1e-6 * (double)angles) continue; /* the order has a term of m = 0 */
        const double taken = (1 - sqrt(variance / (variance + error * square))) / square;
        add(angles, -taken * dot(angles, constant, of->rest + n * angles), constant, of->rest + n * angles);
        add(angles, -taken * dot(angles, constant, of->change + n * angles), constant, of->change + n * angles);
    }
}

static int64_t freedom(const Moments *of, int64_t order)
{
    return of->angle_count - of->dimension[order];
}

/* Variance of the rests. */
static double variance_of(const Moments *of)
{
    int64_t all = 0;
    for (int64_t n = 1; n <= of->count; n++) all += freedom(of, n);
    const double *rest = of->rest + of->angle_count;
    return dot(of->count * of->angle_count, rest, rest) / (double)sino_larger(all - 1, 1);
}

/* The step to the center by all orders that tell it. Their disagreement, and rests above the noise, are errors that do
 * not average out: both widen the uncertainty. */
static Pass solve(const Moments *of, double variance, double half_width)
{
    const int64_t angles = of->angle_count;
    double slope = 0, raw = 0, change = 0, scatter = 0;
    int64_t count = 0;
    double center[ORDERS + 1], square[ORDERS + 1];
    for (int64_t n = 1; n <= of->count; n++) {
        const double *rest = of->rest + n * angles, *by = of->change + n * angles, order = (double)n;
        const double all = dot(angles, by, by), free = (double)freedom(of, n);
        const double noise = variance * free * (2 * order + 1) * order * (order + 1) / (2 * half_width * half_width);
        if (free < 1 || all < least_change * noise) continue;
        slope += dot(angles, by, rest);
        raw += all;
        change += all - noise;
        center[count] = -dot(angles, by, rest) / (all - noise);
        square[count++] = (all - noise) * (all - noise) / all / fmax(dot(angles, rest, rest) / free, variance);
    }
    if (count == 0) return (Pass){.uncertainty = INFINITY};
    const double step = -slope / change;
    for (int64_t i = 0; i < count; i++) scatter += (center[i] - step) * (center[i] - step) * square[i];
    const double disagreement = count > 1 ? fmax(scatter / (double)(count - 1), 1) : INFINITY;
    const double misfit = of->noise_variance > 0 ? fmax(variance / of->noise_variance, 1) : 1;
    return (Pass){step, deviations * sqrt(variance * raw * disagreement * misfit) / change};
}

/* Sum of the squares of the line integrals, less that of air, in columns first … end − 1 of a projection. */
static double squares_of(const Moments *of, int64_t angle, int64_t first, int64_t end)
{
    double sum = 0;
    for (int64_t c = first; c < end; c++) sum += pow((double)of->sinogram[angle * of->column_count + c] - of->air, 2);
    return sum;
}

static double mean_of(const Moments *of, int64_t angle, int64_t first, int64_t count)
{
    double sum = 0;
    for (int64_t c = first; c < first + count; c++) sum += (double)of->sinogram[angle * of->column_count + c];
    return sum / (double)count;
}

/* Takes the ends of the window for air. *share: the root mean square of what is left there, as a share of the window's:
 * an object that stays within the window leaves noise. */
static void take_air(Moments *of, double center, double half_width, double *share)
{
    const int64_t angles = of->angle_count, some = sino_larger(2, of->column_count / 50);
    const int64_t first = sino_larger((int64_t)ceil(center - half_width), 0);
    const int64_t end = sino_smaller((int64_t)floor(center + half_width), of->column_count - 1) + 1;
    double sum = 0, at_ends = 0, inside = 0;
    for (int64_t k = 0; k < angles; k++) sum += mean_of(of, k, first, some) + mean_of(of, k, end - some, some);
    of->air = sum / (double)(2 * angles);
    for (int64_t k = 0; k < angles; k++) {
        at_ends += pow(mean_of(of, k, first, some) - of->air, 2) + pow(mean_of(of, k, end - some, some) - of->air, 2);
        inside += squares_of(of, k, first, end);
    }
    *share = inside > 0 ? sqrt(at_ends / 2 * (double)(end - first) / inside) : 1;
}

/* Steps from `around` on to the center. */
static Pass iterate(Moments *of, double around, double *center)
{
    const double last = (double)(of->column_count - 1), farthest = 8, close = 1e-3;
    double half_width = 0, variance = 0, at_ends = 1;
    const Pass nothing = {.uncertainty = INFINITY};
    *center = around;
    for (int64_t i = 0; i < PASSES; i++) {
        half_width = fmin(*center, last - *center) + 0.5;
        if (half_width < last / 8) return nothing;
        take_air(of, *center, half_width, &at_ends);
        fill_moments(of, *center, half_width);
        if (i == 0) variance = variance_of(of);
        weigh_constants(of, variance);
        variance = variance_of(of);
        const Pass pass = solve(of, variance, half_width);
        *center += fmin(fmax(pass.step, -farthest), farthest);
        if (i > 1 && fabs(pass.step) < close) return at_ends < most_at_ends ? pass : nothing;
    }
    return nothing;
}

static SinoStatus allocate(Moments *of)
{
    const int64_t angles = of->angle_count, vectors = of->count + 1;
    SINO_TRY(sino_allocate(sino_times(ORDERS + 2, angles), sizeof(double), "moments", &of->basis[0]));
    SINO_TRY(sino_allocate(sino_times(ORDERS + 2, angles), sizeof(double), "moments", &of->basis[1]));
    SINO_TRY(sino_allocate(sino_times(vectors, angles), sizeof(double), "moments", &of->constant));
    SINO_TRY(sino_allocate(sino_times(vectors, angles), sizeof(double), "moments", &of->rest));
    SINO_TRY(sino_allocate(sino_times(vectors, angles), sizeof(double), "moments", &of->change));
    return sino_allocate(sino_times(VALUES, of->column_count), sizeof(double), "moments", &of->polynomial);
}

SinoStatus sino_center_moments(int64_t angle_count, const double *angle_rad, int64_t column_count,
                               const float *sinogram, double around, double *center, double *uncertainty)
{
    Moments of = {.angle_count = angle_count,
                  .column_count = column_count,
                  .count = sino_smaller(ORDERS, angle_count - 1),
                  .sinogram = sinogram};
    *center = around;
    *uncertainty = INFINITY;
    if (angle_count < 3 || column_count < 8) return NULL;
    SinoStatus status = allocate(&of);
    if (!status) status = measure_noise(&of);
    if (!status) {
        make_basis(&of, angle_rad);
        *uncertainty = iterate(&of, around, center).uncertainty;
    }
    for (int i = 0; i < 2; i++) free(of.basis[i]);
    free(of.constant);
    free(of.rest);
    free(of.change);
    free(of.polynomial);
    return status;
}

SinoStatus sino_center_moments_of_some(int64_t angle_count, const double *angle_rad, int64_t column_count,
                                       const float *sinogram, double around, double *center, double *uncertainty)
{
    const int64_t step = sino_ceil_divide(angle_count, SOME), count = sino_ceil_divide(angle_count, step);
    double *angle = NULL;
    float *line = NULL;
    SinoStatus status = sino_allocate(count, sizeof *angle, "angles", &angle);
    if (!status) status = sino_allocate(sino_times(count, column_count), sizeof *line, "a sinogram", &line);
    for (int64_t i = 0; i < count && !status; i++) {
        angle[i] = angle_rad[i * step];
        memcpy(line + i * column_count, sinogram + i * step * column_count, (size_t)column_count * sizeof *line);
    }
    if (!status) status = sino_center_moments(count, angle, column_count, line, around, center, uncertainty);
    free(angle);
    free(line);
    return status;
}
