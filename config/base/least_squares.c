/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of four unknowns, by their normal equations. */
#include "least_squares.h"

#include <stdbool.h>

enum { UNKNOWNS = SINO_UNKNOWNS };

void sino_least_squares_add(const double coefficient[UNKNOWNS], double value, SinoLeastSquares *sums)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        for (int j = 0; j < UNKNOWNS; j++) sums->matrix[i][j] += coefficient[i] * coefficient[j];
        sums->matrix[i][UNKNOWNS] += coefficient[i] * value;
    }
}

/* By Gauss and Jordan, largest pivot first. */
void sino_least_squares_solve(SinoLeastSquares sums, double solution[UNKNOWNS])
{
    double(*matrix)[UNKNOWNS + 1] = sums.matrix;
    bool used[UNKNOWNS] = {false};
    double most = 0;
    for (int i = 0; i < UNKNOWNS; i++) {
        most = matrix[i][i] > most ? matrix[i][i] : most;
        solution[i] = 0;
    }
    for (int step = 0; step < UNKNOWNS; step++) {
        int p = -1;
        for (int i = 0; i < UNKNOWNS; i++)
            if (!used[i] && (p < 0 || matrix[i][i] > matrix[p][p])) p = i;
        if (!(matrix[p][p] > 1e-10 * most)) break;
        used[p] = true;
        for (int i = 0; i < UNKNOWNS; i++) {
            const double share = matrix[i][p] / matrix[p][p];
            for (int j = 0; j <= UNKNOWNS && i != p; j++) matrix[i][j] -= share * matrix[p][j];
        }
    }
    for (int i = 0; i < UNKNOWNS; i++)
        if (used[i]) solution[i] = matrix[i][UNKNOWNS] / matrix[i][i];
}
