/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of four unknowns, by their normal equations: products of the coefficients, and in the last column
 * products with the values. */
#pragma once

enum { SINO_UNKNOWNS = 4 };

typedef struct SinoLeastSquares {
    double matrix[SINO_UNKNOWNS][SINO_UNKNOWNS + 1];
} SinoLeastSquares;

/* Adds the equation coefficient·solution = value. */
void sino_least_squares_add(const double coefficient[SINO_UNKNOWNS], double value, SinoLeastSquares *sums);

/* Unknowns that no equation tells are 0. */
void sino_least_squares_solve(SinoLeastSquares sums, double solution[SINO_UNKNOWNS]);
