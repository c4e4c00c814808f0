/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, gauge: shifts and turns of projections that a motion of the whole object would make. */
#include "align_gauge.h"

#include "least_squares.h"

/* Along x, y and z, and a shift of all columns alike. */
enum { UNKNOWNS = SINO_UNKNOWNS };

/* By how much the column and the row of (0, 0, 0) change with each unknown. */
static void derive_shift(const SinoView *view, double column[UNKNOWNS], double row[UNKNOWNS])
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

/* By how much pitch and roll change with turns of the object about x, y and z. */
static void derive_turn(const SinoView *view, double pitch[UNKNOWNS], double roll[UNKNOWNS])
{
    const double column = sqrt(sino_view_dot(view->column, view->column));
    const double source = sqrt(sino_view_dot(view->source, view->source));
    for (int i = 0; i < 3; i++) {
        pitch[i] = view->column[i] / column;
        roll[i] = view->source[i] / source;
    }
    pitch[3] = roll[3] = 0;
}

/* What is left of a value without the motion of the object. */
static double without(const double moved[UNKNOWNS], const double by[UNKNOWNS], double value)
{
    for (int i = 0; i < UNKNOWNS; i++) value -= moved[i] * by[i];
    return value;
}

void sino_align_fix_gauge(int64_t count, const SinoView *view, bool axis, SinoShift *shift)
{
    SinoLeastSquares sums = {{{0}}};
    double moved[UNKNOWNS], column[UNKNOWNS], row[UNKNOWNS];
    for (int64_t k = 0; k < count; k++) {
        derive_shift(&view[k], column, row);
        sino_least_squares_add(column, shift[k].column, &sums);
        sino_least_squares_add(row, shift[k].row, &sums);
    }
    sino_least_squares_solve(sums, moved);
    if (!axis) moved[3] = 0;
    for (int64_t k = 0; k < count; k++) {
        derive_shift(&view[k], column, row);
        shift[k] = (SinoShift){without(moved, column, shift[k].column), without(moved, row, shift[k].row)};
    }
}

void sino_align_fix_turns(int64_t count, const SinoView *view, SinoViewTurn *turn)
{
    SinoLeastSquares sums = {{{0}}};
    double turned[UNKNOWNS], pitch[UNKNOWNS], roll[UNKNOWNS];
    for (int64_t k = 0; k < count; k++) {
        derive_turn(&view[k], pitch, roll);
        sino_least_squares_add(pitch, turn[k].pitch, &sums);
        sino_least_squares_add(roll, turn[k].roll, &sums);
    }
    sino_least_squares_solve(sums, turned);
    for (int64_t k = 0; k < count; k++) {
        derive_turn(&view[k], pitch, roll);
        turn[k] = (SinoViewTurn){without(turned, pitch, turn[k].pitch), without(turned, roll, turn[k].roll)};
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
