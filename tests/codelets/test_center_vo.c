/* SPDX-License-Identifier: BSD-3-Clause */
/* Center, Vo's metric: the same in double precision, from its definition (center.h): the mirror image by splines whose
 * coefficients solve their equations, the spectrum by sums, the leak relative to that of wrong candidates. */
#include "center.h"
#include "fast_size.h"
#include "memory.h"
#include "testing.h"

#include <complex.h>
#include <math.h>

enum { FIRST_FREQUENCY = 2, SOME = 7 };

/* A sinogram of K angles and M columns; frequencies U of columns from FIRST_FREQUENCY on, and E of angles. */
typedef struct Reference {
    int64_t angles, columns, used, end;
    double *sinogram, *coefficient; /* [K][M] */
    int64_t drop;
    double radius_ratio;
} Reference;

static double *doubles(int64_t count)
{
    double *made = calloc((size_t)count, sizeof *made);
    assert_non_null(made);
    return made;
}

/* Position of a sample that is mirrored at both ends. */
static int64_t inside(int64_t i, int64_t count)
{
    return i < 0 ? -i : i < count ? i : 2 * (count - 1) - i;
}

/* Coefficients with (c[i−1] + 4·c[i] + c[i+1])/6 = row[i], by Gauss' elimination. */
static void solve_spline(int64_t count, const double *row, double *c)
{
    double *matrix = doubles(count * count);
    for (int64_t i = 0; i < count; i++) {
        c[i] = row[i];
        for (int64_t tap = -1; tap <= 1; tap++) matrix[i * count + inside(i + tap, count)] += (tap == 0 ? 4 : 1) / 6.0;
    }
    for (int64_t i = 0; i < count; i++) /* the diagonal dominates: no pivots */
        for (int64_t j = i + 1; j < count; j++) {
            const double factor = matrix[j * count + i] / matrix[i * count + i];
            for (int64_t k = i; k < count; k++) matrix[j * count + k] -= factor * matrix[i * count + k];
            c[j] -= factor * c[i];
        }
    for (int64_t i = count - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < count; k++) c[i] -= matrix[i * count + k] * c[k];
        c[i] /= matrix[i * count + i];
    }
    free(matrix);
}

static double spline_weight(double x)
{
    const double a = fabs(x);
    if (a < 1) return 2.0 / 3 - a * a + a * a * a / 2;
    return a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
}

static double spline_at(int64_t count, const double *c, double x)
{
    double sum = 0;
    for (int64_t i = (int64_t)floor(x) - 1; i <= (int64_t)floor(x) + 2; i++)
        sum += c[inside(i, count)] * spline_weight(x - (double)i);
    return sum;
}

/* Lagrange's cubic through four rows, so that there are K of them. */
static double resampled(int64_t count, int64_t columns, const float *sinogram, double at, int64_t c)
{
    const int64_t first = (int64_t)fmin(fmax(floor(at) - 1, 0), (double)(count - 4));
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double weight = 1;
        for (int j = 0; j < 4; j++)
            if (j != i) weight *= (at - (double)(first + j)) / (double)(i - j);
        sum += weight * (double)sinogram[(first + i) * columns + c];
    }
    return sum;
}

static Reference reference_of(int64_t angles, int64_t columns, const float *sinogram, double radius_ratio, int64_t drop)
{
    const int64_t fast = sino_fast_size(2 * angles) / 2;
    Reference of = {.angles = fast, .columns = columns, .drop = drop, .radius_ratio = radius_ratio};
    of.used = (int64_t)(0.3 * (double)columns) + 1 - FIRST_FREQUENCY;
    of.end = (int64_t)(0.3 * 2 * (double)fast) + 1;
    of.sinogram = doubles(fast * columns);
    of.coefficient = doubles(fast * columns);
    for (int64_t k = 0; k < fast; k++) {
        const double at = (double)k * (double)(angles - 1) / (double)(fast - 1);
        for (int64_t c = 0; c < columns; c++)
            of.sinogram[k * columns + c] = resampled(angles, columns, sinogram, at, c);
        solve_spline(columns, of.sinogram + k * columns, of.coefficient + k * columns);
    }
    return of;
}

static void reference_free(Reference *of)
{
    free(of->sinogram);
    free(of->coefficient);
}

/* The half of the joined sinogram below the sinogram itself: the mirror image where there is one, else the sinogram
 * upside down. candidate NAN: upside down everywhere. */
static double *lower_half(const Reference *of, double candidate)
{
    double *lower = doubles(of->angles * of->columns);
    for (int64_t k = 0; k < of->angles; k++)
        for (int64_t c = 0; c < of->columns; c++) {
            const double at = 2 * candidate - (double)c;
            const bool there = at >= 0 && at <= (double)(of->columns - 1);
            lower[k * of->columns + c] = there ? spline_at(of->columns, of->coefficient + k * of->columns, at)
                                               : of->sinogram[(of->angles - 1 - k) * of->columns + c];
        }
    return lower;
}

/* One value of the spectrum of two halves; upper NULL: zeros. */
static double complex spectrum_at(const Reference *of, const double *upper, const double *lower, int64_t m, int64_t u)
{
    double complex sum = 0;
    for (int64_t k = 0; k < 2 * of->angles; k++) {
        const double *row = k < of->angles ? upper : lower;
        if (!row) continue;
        row += k % of->angles * of->columns;
        double complex line = 0;
        for (int64_t c = 0; c < of->columns; c++)
            line += row[c] * cexp(-2 * M_PI * I * (double)(u * c) / (double)of->columns);
        sum += line * cexp(-2 * M_PI * I * (double)(m * k) / (double)(2 * of->angles));
    }
    return sum;
}

static double gaussian(double frequency)
{
    return exp(-2 * pow(2 * M_PI * frequency, 2)); /* of 2 samples */
}

static double leak_of(const Reference *of, const double *upper, const double *lower)
{
    const int64_t rows = 2 * of->angles, tenth = (rows + 9) / 10, dropped = of->drop < tenth ? of->drop : tenth;
    double sum = 0;
    for (int64_t u = FIRST_FREQUENCY; u < FIRST_FREQUENCY + of->used; u++)
        for (int64_t m = dropped + 1; m < of->end; m++) {
            if (lround((double)m / (M_PI * of->radius_ratio)) < u) continue; /* within the wedge */
            const double weight = gaussian((double)m / (double)rows) * gaussian((double)u / (double)of->columns);
            sum += weight * (cabs(spectrum_at(of, upper, lower, m, u)) + cabs(spectrum_at(of, upper, lower, -m, u)));
        }
    return sum;
}

/* Share of the variance over angles in the columns that a candidate's mirror image reaches. */
static double share_of(const Reference *of, double candidate)
{
    double all = 0, reached = 0;
    for (int64_t c = 0; c < of->columns; c++) {
        double mean = 0, variance = 0;
        for (int64_t k = 0; k < of->angles; k++) mean += of->sinogram[k * of->columns + c] / (double)of->angles;
        for (int64_t k = 0; k < of->angles; k++) variance += pow(of->sinogram[k * of->columns + c] - mean, 2);
        const double last = (double)(of->columns - 1);
        all += variance;
        if (c >= (int64_t)fmax(0, 2 * candidate - last) && c <= (int64_t)fmin(last, 2 * candidate)) reached += variance;
    }
    return all > 0 ? reached / all : 0;
}

/* The leak of what a candidate's mirror image changes, scaled up to a full overlap. */
static double mirror_leak(const Reference *of, const double *plain, double candidate)
{
    double *lower = lower_half(of, candidate);
    for (int64_t i = 0; i < of->angles * of->columns; i++) lower[i] -= plain[i];
    const double leak = leak_of(of, NULL, lower), share = share_of(of, candidate);
    free(lower);
    return share > 0 ? leak / sqrt(share) : 0;
}

static double metric_of(const Reference *of, double candidate)
{
    const double last = (double)(of->columns - 1);
    double *plain = lower_half(of, (double)NAN), *lower = lower_half(of, candidate);
    const double least = leak_of(of, of->sinogram, plain);
    const double mirror = fmax(mirror_leak(of, plain, 0.4 * last), mirror_leak(of, plain, 0.6 * last));
    const double expected = sqrt(least * least + share_of(of, candidate) * mirror * mirror);
    const double metric = leak_of(of, of->sinogram, lower) / expected;
    free(plain);
    free(lower);
    return metric;
}

static void compare(int64_t angles, int64_t columns, double radius_ratio, int64_t drop, uint64_t seed)
{
    float *sinogram = malloc((size_t)(angles * columns) * sizeof *sinogram);
    double candidate[SOME], metric[SOME];
    SinoCenterVo *vo = NULL;
    assert_non_null(sinogram);
    for (int64_t i = 0; i < angles * columns; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double smooth = sin(0.5 * (double)(i % columns) + 3 * sin((double)(i / columns) / (double)angles * M_PI));
        sinogram[i] = (float)(1 + smooth + (double)(seed >> 40) * 0x1p-24);
    }
    for (int i = 0; i < SOME; i++) candidate[i] = (double)(columns - 1) * i / (SOME - 1);
    candidate[3] = floor(candidate[3]);
    Reference of = reference_of(angles, columns, sinogram, radius_ratio, drop);
    assert_success(sino_center_vo_new(angles, columns, sinogram, radius_ratio, drop, &vo));
    assert_success(sino_center_vo_metric(vo, SOME, candidate, metric));
    for (int i = 0; i < SOME; i++) {
        const double wanted = metric_of(&of, candidate[i]);
        if (!(fabs(metric[i] - wanted) <= 2e-5 * wanted))
            fail_msg("%d x %d, candidate %g: %.9g, in double precision %.9g", (int)angles, (int)columns, candidate[i],
                     metric[i], wanted);
    }
    sino_center_vo_free(vo);
    reference_free(&of);
    free(sinogram);
}

static void the_same_in_double_precision(void **state)
{
    (void)state;
    compare(16, 24, 0.5, 2, 1);
    compare(18, 25, 0.5, 20, 2); /* a tenth of the rows is dropped */
    compare(22, 31, 1, 0, 3);    /* to 24 angles */
    compare(8, 8, 0.3, 1, 4);
    compare(9, 40, 0.8, 3, 5);
}

TESTING_SUBJECT(center_vo)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_in_double_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
