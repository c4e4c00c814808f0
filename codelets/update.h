/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector work of the solvers between two SpMMs, with one step length, residual and stop per slice.
 *
 * Ray vectors (b, r, q, w) have a row per ray, voxel vectors (x, d, g) one per voxel; they lie in panels (panel.h) of
 * the given precision, sums, states and histories by slice. Sums are in double, row after row, so that a slice's are
 * the same whatever it is batched with. */
#ifndef SINO_UPDATE_H
#define SINO_UPDATE_H

#include "panel.h"

#include <stdbool.h>
#include <stdint.h>

/* What some rows of a vector v add up to, for one slice. */
typedef struct SinoSliceSums {
    double square; /* Σ v² */
    double along;  /* Σ v·w, with another vector w */
} SinoSliceSums;

/* What the solver knows of one slice. */
typedef struct SinoSliceState {
    double residual0; /* ‖b‖² */
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

/* A vector may be in several parts, of partitions or of processes. Its sums are those of its parts, added in a fixed
 * order: sums[f] += Σ v·v and, unless w is NULL, Σ v·w over the rows of a part; the `first` part clears them before. */
void sino_update_sums(SinoSlices slices, int64_t rows, const void *v, const void *w, bool first, SinoSliceSums *sums);

/* total += part; the `first` part starts the total. */
void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total);

/* Iteration 0, x = 0: residuals from the sums of r = b; the rest of the history is NaN. A slice of zeros has stopped.
 */
void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history);

/* CG (CGLS: M. Hestenes and E. Stiefel, J. Res. NBS 49, 409 (1952)): the step length that minimises the residual,
 * (r·q)/(q·q) with q = A d, from the sums of q along r. */
void sino_update_step(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state);

/* r −= step·q, and the sums of r. */
void sino_update_residual_cg(SinoSlices slices, int64_t ray_count, const void *q, const SinoSliceState *state, void *r,
                             SinoSliceSums *sums);

/* Residuals of this iteration from the sums of r: into the history, and which slices stop. *active: how many go on. */
void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active);

/* CG's gradients are orthogonal to the first of them, g0 = Aᵀb, but for rounding, which A's largest singular vectors
 * amplify: in single precision CG soon takes the same directions again. What g has of g0 is therefore taken out of it.
 *
 * Overlap, beta and gamma, of g − overlap·g0, from the sums of g along g0. `first`: g is g0 itself. */
void sino_update_direction(SinoSlices slices, const SinoSliceSums *sums, bool first, SinoSliceState *state);

/* x += step·d; d = g − overlap·g0 + beta·d. `first`: x = 0, d = g0 = g. */
void sino_update_voxels_cg(SinoSlices slices, int64_t voxel_count, const void *g, const SinoSliceState *state,
                           bool first, void *g0, void *d, void *x);

/* SIRT (A. van der Sluis and H. van der Vorst, Linear Algebra Appl. 130, 257 (1990)): w = R (b − w) where w holds A x
 * before, R = row_weight[ray] = 1/row sum; and the sums of b − w. `first`: A x = 0. */
void sino_update_residual_sirt(SinoSlices slices, int64_t ray_count, const void *b, const void *row_weight, bool first,
                               void *w, SinoSliceSums *sums);

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
