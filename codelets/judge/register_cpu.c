/* SPDX-License-Identifier: BSD-3-Clause */
/* Register: how far measured projections lie from predicted ones. */
#include "register.h"

#include "least_squares.h"

#include <math.h>
#include <string.h>

/* The normal equations of a step: the gradients' products, and their products with the difference. */
typedef struct Equations {
    double cc, cr, rr, c, r;
} Equations;

static SinoShift solve(const Equations *of)
{
    const double determinant = of->cc * of->rr - of->cr * of->cr, flat = 1e-9;
    if (of->cc <= 0 && of->rr <= 0) return (SinoShift){0, 0};
    if (determinant > flat * of->cc * of->rr)
        return (SinoShift){-(of->rr * of->c - of->cr * of->r) / determinant,
                           -(of->cc * of->r - of->cr * of->c) / determinant};
    /* All edges lie in one direction. */
    const double trace = of->cc + of->rr;
    return (SinoShift){-of->c / trace, -of->r / trace};
}

SinoRegistered sino_register(int64_t column_count, int64_t row_count, const float *measured, const float *predicted)
{
    SinoRegistered result = {.squares = 0};
    Equations sums = {0};
    for (int64_t i = 0; i < column_count; i++)
        for (int64_t j = 0; j < row_count; j++) {
            const float *p = predicted + i * row_count + j;
            const double m = measured[i * row_count + j], difference = m - (double)*p;
            if (m == 0 && signbit(m)) continue;
            result.squares += difference * difference;
            result.measured += m * m;
            if ((column_count > 1 && (i == 0 || i == column_count - 1)) ||
                (row_count > 1 && (j == 0 || j == row_count - 1)))
                continue;
            const double c = column_count > 1 ? ((double)p[row_count] - (double)p[-row_count]) / 2 : 0;
            const double r = row_count > 1 ? ((double)p[1] - (double)p[-1]) / 2 : 0;
            sums.cc += c * c;
            sums.cr += c * r;
            sums.rr += r * r;
            sums.c += c * difference;
            sums.r += r * difference;
        }
    result.step = solve(&sums);
    return result;
}

/* Of a pixel: the derivatives by column, row, pitch and roll; and after them the difference and the measured value. */
enum { DIFFERENCE = SINO_UNKNOWNS, MEASURED, NUMBERS, SMOOTHED = 5, REACH = SMOOTHED / 2 };

/* The share of the sum of the diagonal that a step with turns is damped by. */
static const double damping = 1e-3;

static const double smoothing[SMOOTHED] = {1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0};

/* One projection, beside its predictions. */
typedef struct Turned {
    int64_t column_count, row_count;
    const float *measured;
    SinoTurnedPredictions predicted;
} Turned;

/* Adds `share` times the numbers of a pixel that has a value and neighbours. */
static void add_pixel(const Turned *of, int64_t column, int64_t row, double share, double number[NUMBERS])
{
    const int64_t at = column * of->row_count + row;
    if (column < 1 || row < 1 || column >= of->column_count - 1 || row >= of->row_count - 1) return;
    const double m = of->measured[at];
    const float *p = of->predicted.still + at;
    if (m == 0 && signbit(m)) return;
    number[0] -= share * ((double)p[of->row_count] - (double)p[-of->row_count]) / 2;
    number[1] -= share * ((double)p[1] - (double)p[-1]) / 2;
    number[2] += share * ((double)of->predicted.pitched[at] - (double)*p);
    number[3] += share * ((double)of->predicted.rolled[at] - (double)*p);
    number[DIFFERENCE] += share * (m - (double)*p);
    number[MEASURED] += share * m;
}

/* Smooths the numbers of a column of pixels, and adds their equations and squares. */
static void add_column(const Turned *of, int64_t column, SinoLeastSquares *sums, SinoRegistered *result)
{
    double window[SMOOTHED][NUMBERS] = {{0}}; /* of rows, smoothed along columns */
    for (int64_t row = 0; row < of->row_count + REACH; row++) {
        double number[NUMBERS] = {0};
        memmove(window, window + 1, sizeof window - sizeof *window);
        memset(window[SMOOTHED - 1], 0, sizeof *window);
        for (int i = 0; i < SMOOTHED; i++) add_pixel(of, column + i - REACH, row, smoothing[i], window[SMOOTHED - 1]);
        for (int i = 0; i < SMOOTHED; i++)
            for (int j = 0; j < NUMBERS; j++) number[j] += smoothing[i] * window[i][j];
        sino_least_squares_add(number, number[DIFFERENCE], sums);
        result->squares += number[DIFFERENCE] * number[DIFFERENCE];
        result->measured += number[MEASURED] * number[MEASURED];
    }
}

SinoRegistered sino_register_turned(int64_t column_count, int64_t row_count, const float *measured,
                                    const SinoTurnedPredictions *predicted)
{
    const Turned of = {column_count, row_count, measured, *predicted};
    SinoRegistered result = {.squares = 0};
    SinoLeastSquares sums = {{{0}}};
    double trace = 0, step[SINO_UNKNOWNS];
    for (int64_t i = 0; i < column_count; i++) add_column(&of, i, &sums, &result);
    for (int i = 0; i < SINO_UNKNOWNS; i++) trace += sums.matrix[i][i];
    for (int i = 0; i < SINO_UNKNOWNS; i++) sums.matrix[i][i] += damping * trace;
    sino_least_squares_solve(sums, step);
    result.step = (SinoShift){step[0], step[1]};
    result.turn = (SinoViewTurn){predicted->angle_rad * step[2], predicted->angle_rad * step[3]};
    return result;
}

SinoCentroid sino_register_centroid(int64_t column_count, int64_t row_count, const float *measured)
{
    double sum = 0, column = 0, row = 0;
    for (int64_t i = 0; i < column_count; i++)
        for (int64_t j = 0; j < row_count; j++) {
            const double m = measured[i * row_count + j];
            sum += m;
            column += m * (double)i;
            row += m * (double)j;
        }
    if (!(sum > 0)) return (SinoCentroid){{(double)(column_count - 1) / 2, (double)(row_count - 1) / 2}, 0};
    return (SinoCentroid){{column / sum, row / sum}, sum};
}
