/* SPDX-License-Identifier: BSD-3-Clause */
/* Register: how far measured projections lie from predicted ones. */
#include "register.h"

#include <math.h>

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
    SinoRegistered result = {{0, 0}, 0, 0};
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
