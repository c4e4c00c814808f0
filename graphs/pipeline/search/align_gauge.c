/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, gauge: shifts of projections that a translation of the object would make. */
#include "align_gauge.h"

/* Along x, y and z, and a shift of all columns alike. */
enum { UNKNOWNS = 4 };

/* By how much the column and the row of (0, 0, 0) change with each unknown. */
static void derive(const SinoView *view, double column[UNKNOWNS], double row[UNKNOWNS])
{
    const double origin[3] = {0, 0, 0};
    const SinoViewPlanes planes = sino_view_planes(view);
    const double depth = sino_view_value(&planes, 0, origin);
    const double c = sino_view_value(&planes, 1, origin) / depth, r = sino_view_value(&planes, 2, origin) / depth;
    for (int i = 0; i < 3; i++) {
        column[i] = (planes.plane[1][i + 1] - c * planes.plane[0][i + 1]) / depth;
        row[i] = (planes.plane[2][i + 1] - r * planes.plane[0][i + 1]) / depth;
    }
    column[3] = 1;
    row[3] = 0;
}

/* Solves a positive semidefinite system by Gauss and Jordan, largest pivot first. Unknowns that no equation tells are
 * 0.
 */
static void solve(double matrix[UNKNOWNS][UNKNOWNS + 1], double solution[UNKNOWNS])
{
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

void sino_align_fix_gauge(int64_t count, const SinoView *view, bool axis, SinoShift *shift)
{
    double matrix[UNKNOWNS][UNKNOWNS + 1] = {{0}}, moved[UNKNOWNS], column[UNKNOWNS], row[UNKNOWNS];
    for (int64_t k = 0; k < count; k++) {
        derive(&view[k], column, row);
        for (int i = 0; i < UNKNOWNS; i++) {
            for (int j = 0; j < UNKNOWNS; j++) matrix[i][j] += column[i] * column[j] + row[i] * row[j];
            matrix[i][UNKNOWNS] += column[i] * shift[k].column + row[i] * shift[k].row;
        }
    }
    solve(matrix, moved);
    if (!axis) moved[3] = 0;
    for (int64_t k = 0; k < count; k++) {
        derive(&view[k], column, row);
        for (int i = 0; i < UNKNOWNS; i++) {
            shift[k].column -= moved[i] * column[i];
            shift[k].row -= moved[i] * row[i];
        }
    }
}

SinoShift sino_align_from_middle(const SinoView *view, SinoShift place)
{
    const double origin[3] = {0, 0, 0};
    const SinoViewPlanes planes = sino_view_planes(view);
    const double depth = sino_view_value(&planes, 0, origin);
    return (SinoShift){place.column - sino_view_value(&planes, 1, origin) / depth,
                       place.row - sino_view_value(&planes, 2, origin) / depth};
}
