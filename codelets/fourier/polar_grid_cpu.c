/* SPDX-License-Identifier: BSD-3-Clause */
/* Polar grid: spreading along rays, and FFTs, on a CPU core. */
#include "fast_size.h"
#include "memory.h"
#include "polar_grid.h"
#include "vector.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAPS = SINO_POLAR_TAPS,
    MARGIN = TAPS / 2, /* columns of the grid before 0, and after G/2 */
    NODES = 10,        /* of the polynomial for each tap, by the fraction of a point in [−1, 1] */
    PAD_BYTES = 64,    /* between columns of the grid, so that they do not all map to the same cache sets */
    SECTIONS = 4,      /* of a ray, whose terms take turns: no sum is read at once after it is written */
    BLOCK = 32,        /* terms whose places are found together */
    AHEAD = 12,        /* columns from which finished rows are fetched in advance */
    ROWS = SINO_POLAR_ROWS,
    LANES = SINO_POLAR_LANES
};

struct SinoPolarGrid {
    int64_t size;      /* S */
    int64_t grid_size; /* G */
    SinoPrecision precision;
    double *inverse; /* [S]: 1/transform of the window at pixel j − S/2 */
    void *taps;      /* [NODES][TAPS] of the precision: coefficients of half of the taps, twice; even powers, then odd
                        ones, the highest first */
    fftwf_plan plan_single; /* of G points */
    fftw_plan plan_double;
};

/* Elements from column to column of the grid, complex, with room for what is spread beyond the end; from row to row of
 * the finished rows, real. */
static int64_t column_stride(int64_t grid_size)
{
    return sino_ceil_multiple(grid_size + TAPS, PAD_BYTES / 8) + PAD_BYTES / 8;
}

static int64_t row_stride(int64_t grid_size)
{
    return sino_ceil_multiple(grid_size + 2, PAD_BYTES / 4) + PAD_BYTES / 4;
}

static int64_t column_count(int64_t grid_size)
{
    return grid_size / 2 + 1 + 2 * (int64_t)MARGIN;
}

int64_t sino_polar_grid_points(int64_t size)
{
    return sino_fast_size(sino_larger(2 * size, 2 * (int64_t)TAPS));
}

/* The shape parameter of the window for G = 2S, and the modified Bessel function I₀. */
static double window_shape(void)
{
    const double half = TAPS / 2.0 * 1.5;
    return M_PI * sqrt(half * half - 0.8);
}

static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/* The window at the distance t from its middle, in points of the grid. */
static double window_at(double t)
{
    const double u = 2 * t / TAPS, rest = 1 - u * u;
    return rest > 0 ? bessel(window_shape() * sqrt(rest)) / bessel(window_shape()) : 1 / bessel(window_shape());
}

/* ∫ window(t)·exp(2πi·t·frequency) dt; the frequency is at most 1/4. */
static double window_transform(double frequency)
{
    const double shape = window_shape(), wave = M_PI * TAPS * frequency;
    const double root = sqrt(shape * shape - wave * wave);
    return TAPS * sinh(root) / root / bessel(shape);
}

/* Solves matrix · x = right in place, by elimination with pivots. */
static void solve(int count, double matrix[][SINO_POLAR_POWERS], double *right)
{
    for (int i = 0; i < count; i++) {
        int pivot = i;
        for (int r = i + 1; r < count; r++)
            if (fabs(matrix[r][i]) > fabs(matrix[pivot][i])) pivot = r;
        for (int c = 0; c < count; c++) {
            const double held = matrix[i][c];
            matrix[i][c] = matrix[pivot][c];
            matrix[pivot][c] = held;
        }
        const double held = right[i];
        right[i] = right[pivot];
        right[pivot] = held;
        for (int r = i + 1; r < count; r++) {
            const double share = matrix[r][i] / matrix[i][i];
            for (int c = i; c < count; c++) matrix[r][c] -= share * matrix[i][c];
            right[r] -= share * right[i];
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int c = i + 1; c < count; c++) right[i] -= matrix[i][c] * right[c];
        right[i] /= matrix[i][i];
    }
}

/* Node n of `count`, in [−1, 1]. */
static double chebyshev(int n, int count)
{
    return cos(M_PI * (n + 0.5) / count);
}

/* The polynomial of degree count − 1 that has the values coefficient[n] at variable[n]. coefficient[0] becomes the
 * highest power's. */
static void interpolate(int count, const double *variable, double *coefficient)
{
    double matrix[SINO_POLAR_POWERS][SINO_POLAR_POWERS] = {{0}};
    for (int n = 0; n < count; n++) {
        matrix[n][count - 1] = 1;
        for (int p = count - 2; p >= 0; p--) matrix[n][p] = matrix[n][p + 1] * variable[n];
    }
    solve(count, matrix, coefficient);
}

/* The polynomial in z = 2·fraction − 1 that agrees with the window of a tap at the Chebyshev nodes. The window is even:
 * tap TAPS − 1 − t has the polynomial of tap t in −z. */
static void fit_tap(int tap, double coefficient[NODES])
{
    double z[NODES];
    for (int n = 0; n < NODES; n++) {
        z[n] = chebyshev(n, NODES);
        coefficient[n] = window_at(tap + (z[n] + 1) / 2 - TAPS / 2.0);
    }
    interpolate(NODES, z, coefficient);
}

void sino_polar_grid_window(float coefficient[SINO_POLAR_POWERS])
{
    double variable[SINO_POLAR_POWERS], fitted[SINO_POLAR_POWERS];
    for (int n = 0; n < SINO_POLAR_POWERS; n++) {
        variable[n] = (chebyshev(n, SINO_POLAR_POWERS) + 1) / 2;
        fitted[n] = window_at(TAPS / 2.0 * sqrt(1 - variable[n]));
    }
    interpolate(SINO_POLAR_POWERS, variable, fitted);
    for (int n = 0; n < SINO_POLAR_POWERS; n++) coefficient[n] = (float)fitted[n];
}

/* The terms k of a ray on the grid: column k·across ≥ 0, and the place k·along of it. turned: the conjugate of a term
 * is spread, whose real part is the term's. */
typedef struct Ray {
    double along, across;
    bool turned;
    int64_t count;
} Ray;

static int64_t section_terms(const Ray *ray)
{
    return sino_ceil_divide(ray->count, SECTIONS);
}

#define TEMPLATE "polar_grid_tmpl.c"
#include "two_precisions_tmpl.c"

static double inverse_at(int64_t size, int64_t pixel)
{
    const int64_t middle = size / 2;
    return 1 / window_transform((double)(pixel - middle) / (double)sino_polar_grid_points(size));
}

void sino_polar_grid_inverse(int64_t size, float *inverse)
{
    for (int64_t j = 0; j < size; j++) inverse[j] = (float)inverse_at(size, j);
}

static SinoStatus fill(SinoPolarGrid *grid)
{
    const bool is_double = grid->precision == SINO_DOUBLE;
    SINO_TRY(sino_allocate(grid->size, sizeof *grid->inverse, "a grid of frequencies", &grid->inverse));
    SINO_TRY(sino_allocate((int64_t)NODES * TAPS, sino_precision_bytes(grid->precision), "a window", &grid->taps));
    for (int64_t j = 0; j < grid->size; j++) grid->inverse[j] = inverse_at(grid->size, j);
    for (int tap = 0; tap < TAPS / 2; tap++) {
        double coefficient[NODES];
        fit_tap(tap, coefficient);
        if (is_double)
            keep_tap_double(tap, coefficient, grid->taps);
        else
            keep_tap_single(tap, coefficient, grid->taps);
    }
    return is_double ? make_plans_double(grid) : make_plans_single(grid);
}

SinoStatus sino_polar_grid_new(int64_t size, SinoPrecision precision, SinoPolarGrid **grid)
{
    SinoPolarGrid *made = NULL;
    SINO_TRY(sino_allocate(1, sizeof *made, "a grid of frequencies", &made));
    *made = (SinoPolarGrid){.size = size, .grid_size = sino_polar_grid_points(size), .precision = precision};
    SINO_GIVE(fill(made), made, sino_polar_grid_free, grid);
}

void sino_polar_grid_free(SinoPolarGrid *grid)
{
    if (!grid) return;
    if (grid->plan_single) fftwf_destroy_plan(grid->plan_single);
    if (grid->plan_double) fftw_destroy_plan(grid->plan_double);
    free(grid->inverse);
    free(grid->taps);
    free(grid);
}

int64_t sino_polar_grid_sum_bytes(int64_t size, SinoPrecision precision)
{
    const int64_t grid = sino_polar_grid_points(size);
    return sino_times(sino_times(column_count(grid), column_stride(grid)),
                      2 * (int64_t)sino_precision_bytes(precision));
}

/* Pairs of rows, and their transforms. */
int64_t sino_polar_grid_row_bytes(int64_t size, SinoPrecision precision)
{
    return 2 * (int64_t)ROWS *
           sino_times(row_stride(sino_polar_grid_points(size)), (int64_t)sino_precision_bytes(precision));
}

int64_t sino_polar_grid_stride(const SinoPolarGrid *grid)
{
    return row_stride(grid->grid_size);
}

void sino_polar_grid_clear(const SinoPolarGrid *grid, int64_t lanes, void *sums)
{
    memset(sums, 0, (size_t)(lanes * sino_polar_grid_sum_bytes(grid->size, grid->precision)));
}

void sino_polar_grid_add(const SinoPolarGrid *grid, int64_t lanes, double row_step, double column_step, int64_t count,
                         const void *strength, void *sums)
{
    const double points = (double)grid->grid_size / (2 * M_PI);
    const bool turned = column_step < 0;
    const Ray ray = {.along = (turned ? -row_step : row_step) * points,
                     .across = fabs(column_step) * points,
                     .turned = turned,
                     .count = count};
    if (grid->precision == SINO_DOUBLE)
        (lanes == 1 ? add_one_double : add_lanes_double)(grid, &ray, strength, sums);
    else
        (lanes == 1 ? add_one_single : add_lanes_single)(grid, &ray, strength, sums);
}

/* Of each term 2·TAPS real sums in TAPS columns; of the FFTs, 5·n·log₂n each. */
double sino_polar_grid_flops(int64_t size, double terms)
{
    const double grid = (double)sino_polar_grid_points(size);
    return terms * 4 * TAPS * TAPS + 2.5 * (grid + (double)size) * grid * log2(grid);
}

void sino_polar_grid_transform(const SinoPolarGrid *grid, int64_t lanes, void *sums, void *rows)
{
    if (grid->precision == SINO_DOUBLE)
        transform_double(grid, lanes, sums, rows);
    else
        transform_single(grid, lanes, sums, rows);
}

void *sino_polar_grid_finish(const SinoPolarGrid *grid, int64_t lanes, int64_t lane, const void *sums,
                             int64_t first_row, int64_t count, void *rows)
{
    if (grid->precision == SINO_DOUBLE) return finish_double(grid, lanes, lane, sums, first_row, count, rows);
    return finish_single(grid, lanes, lane, sums, first_row, count, rows);
}
