/* SPDX-License-Identifier: BSD-3-Clause */
/* Strength: how strong the prior of a solver should be, found from the scan itself.
 *
 * A slice is reconstructed from the projections of even number with several strengths, and from those of odd number.
 * The noise of both halves is independent. FBP of the other half differs from the slice by an error that no strength
 * changes, and by the error of the reconstruction: the strength with the least mean square difference is the best for
 * half of the projections (the principle of A. Hendriksen, D. Pelt and K. J. Batenburg, "Noise2Inverse", IEEE Trans.
 * Comput. Imaging 6, 1320 (2020)). That for all projections is √2 times as large, since noise in the gradient grows as
 * the square root of their number. docs/QUALITY.md compares this choice with the best one. */
#ifndef SINO_STRENGTH_H
#define SINO_STRENGTH_H

#include "reconstruction.h"

/* The slice that the input is restricted to, with its angles in the order of op. The solver is fista. width: slices of
 * a minibatch that memory has room for; each strength takes two. */
typedef struct SinoStrengthRequest {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoOperator *op;
    const SinoSolver *solver;
    int64_t width;
} SinoStrengthRequest;

/* SINO_FAILED: no memory, or a task failed. 0: a slice without values. */
SinoStatus sino_strength_find(const SinoStrengthRequest *request, double *strength);

#endif
