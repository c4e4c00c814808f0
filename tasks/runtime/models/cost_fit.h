/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost fit: a curve through measured times of tasks of one kind, for sizes and widths that were never measured.
 *
 *     t = (a + b·work + c·bytes) · exp(z(log₂ size, log₂ width)),   a, b, c ≥ 0
 *
 * a, b and c are fitted by least squares of relative errors, in which single bad times count little. What they leave
 * over, because caches hold small sizes and kernels for narrow vectors are slower, is z: a Gaussian process (C. E.
 * Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006, ch. 2) that passes near the
 * measured times and goes to 0 far from them.
 *
 * Kernels take one panel of a vector after another (panel.h), and read what a task has once, such as A, for each of
 * them. 48 slices in panels of 32 and 16 take what 32 and 16 take: where the last panel is narrower than the others,
 * both have a law and a z of their own. */
#pragma once

#include "status.h"

#include <stdint.h>

/* Tasks that are alike. */
typedef struct SinoCostPoint {
    double work, bytes, width; /* 0: they have none */
    double panel;              /* width of a whole panel of their vectors; 0: vectors are one panel */
    double seconds;            /* median, above 0 */
    double noise;              /* standard error of the median, relative */
} SinoCostPoint;

typedef struct SinoCostFit SinoCostFit;

/* Fits a curve through one point or more; of more than 64 it takes 64, spread over all sizes. SINO_FAILED: no memory.
 */
SinoStatus sino_cost_fit_new(int64_t count, const SinoCostPoint *point, SinoCostFit **fit);
void sino_cost_fit_free(SinoCostFit *fit); /* takes NULL */

/* Seconds of a task of `work`, `bytes`, `width` and `panel`; the other members are not read. `error`: NULL, or the
 * expected relative error: what the points of sizes near this one miss a curve through all other sizes by (root of the
 * mean square), more where no point is near, and growing by 0.1 for each factor of two beyond the measured sizes or
 * widths.
 */
double sino_cost_fit_s(const SinoCostFit *fit, const SinoCostPoint *point, double *error);
