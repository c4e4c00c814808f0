/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, with one step length, residual and stop per slice.
 *
 * Ray vectors (b, r, q, w) have a row per ray, voxel vectors (x, d, g) one per voxel; they lie in panels (panel.h) of
 * the given precision, states and histories by slice. Sums are in double, row after row, so that a slice's are the same
 * whatever it is batched with. */
#ifndef SINO_UPDATE_H
#define SINO_UPDATE_H

#include "panel.h"

#include <stdbool.h>
#include <stdint.h>

/* What the solver knows of one slice. */
typedef struct SinoSliceState {
    double residual0; /* ‖b‖² */
    double norm;      /* ‖Aᵀr‖², while it is summed over partitions */
    double along;     /* (Aᵀr)·g0, likewise */
    double overlap;   /* what Aᵀr has of g0, by rounding: (Aᵀr)·g0/‖g0‖² */
    double norm0;     /* ‖g0‖² */
    double gamma;     /* ‖Aᵀr‖² of the last iteration */
    double step;      /* step length along d; 0 once the slice has stopped */
    double beta;      /* weight of the last direction in the next one */
    int64_t stopped;  /* 1 once the tolerance is met, or when nothing is left to gain */
} SinoSliceState;

/* Where residuals go: history[slice·columns + iteration] = ‖Ax − b‖², NaN in iterations after the slice stopped. */
typedef struct SinoHistory {
    double *residual;
    int64_t columns; /* iterations + 1 */
    int64_t iteration;
    double tolerance; /* stop at ‖Ax − b‖ ≤ tolerance·‖b‖ */
} SinoHistory;

/* Iteration 0, x = 0: residuals of r = b; the rest of the history is NaN. A slice of zeros has stopped. */
void sino_update_start(SinoSlices slices, int64_t ray_count, const void *r, SinoSliceState *state,
                       const SinoHistory *history);

/* CG (CGLS: M. Hestenes and E. Stiefel, J. Res. NBS 49, 409 (1952)): with q = A d, the step length that minimises the
 * residual, (r·q)/(q·q); r −= step·q. */
void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, void *r, SinoSliceState *state,
                             const SinoHistory *history);

/* CG's gradients are orthogonal to the first of them, g0 = Aᵀb, but for rounding, which A's largest singular vectors
 * amplify: in single precision CG soon takes the same directions again. What g has of g0 is therefore taken out of it.
 *
 * norm += ‖g‖², along += g·g0 of one partition; `first` clears them before, `last` turns them into overlap, beta and
 * gamma, of g − overlap·g0. g0 NULL: g is g0 itself. */
void sino_update_norm(SinoSlices slices, int64_t voxel_count, const void *g, const void *g0, SinoSliceState *state,
                      bool first, bool last);

/* x += step·d; d = g − overlap·g0 + beta·d. `first`: x = 0, d = g0 = g. */
void sino_update_voxels_cg(SinoSlices slices, int64_t voxel_count, const void *g, const SinoSliceState *state,
                           bool first, void *g0, void *d, void *x);

/* SIRT (A. van der Sluis and H. van der Vorst, Linear Algebra Appl. 130, 257 (1990)): w = R (b − w) where w holds A x
 * before, R = row_weight[ray] = 1/row sum. `first`: A x = 0, and nothing is recorded. */
void sino_update_residual_sirt(SinoSlices slices, int64_t ray_count, const void *b, const void *row_weight, bool first,
                               void *w, SinoSliceState *state, const SinoHistory *history);

/* x += relaxation·C g with C = column_weight[voxel] = 1/column sum; then, when asked, x = max(x, 0). `first`: x = 0.
 * Slices that have stopped stay as they are. */
void sino_update_voxels_sirt(SinoSlices slices, int64_t voxel_count, const void *g, const void *column_weight,
                             const SinoSliceState *state, double relaxation, bool nonnegativity, bool first, void *x);

/* value[i] = 1/value[i], 0 where that is not above 1e−6: SIRT's weights from sums of a row of A or Aᵀ. `value` has
 * `count` elements of the precision. */
void sino_update_reciprocal(SinoPrecision precision, int64_t count, void *value);

/* value[i] = 1 for every element. */
void sino_update_fill_one(SinoPrecision precision, int64_t count, void *value);

#endif
