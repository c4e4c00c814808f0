/* SPDX-License-Identifier: BSD-3-Clause */
/* Center: finding the rotation center. A column index whose 0 is the centre of column 0. */
#ifndef SINO_CENTER_H
#define SINO_CENTER_H

#include "status.h"

#include <stdint.h>

/* Vo's metric (N. T. Vo et al., Opt. Express 22, 19078 (2014)) of candidates: the Fourier magnitude, outside the double
 * wedge that a sinogram over 360° fills, of the sinogram over 180° joined with its mirror image about the candidate;
 * columns that the mirror image does not reach show the sinogram upside down, as TomoPy does it.
 *
 * Smaller is better. Two things differ from TomoPy, so that one pass may compare all candidates from 0 to M − 1: the
 * joined sinogram is smoothed (a Gaussian of 2 rows and 2 columns, as a weight of its spectrum), not its half; and the
 * magnitude is given as a share of what a wrong candidate of the same overlap would have. So wrong candidates are near
 * 1 and the center well below (0.1 for clean data, 0.6 under strong noise). Search whole columns first, then steps of
 * 0.1 to 0.25 about the least; the minimum is a few columns wide. */
typedef struct SinoCenterVo SinoCenterVo;

/* sinogram[K][M] finite line integrals, copied: rows equally spaced over [0°, 180°), a row at 180° left out.
 * `radius_ratio` in (0, 1]: object size over field of view (0.5 is usual); `drop`: angular frequencies left out on each
 * side of zero (20 is usual), at most a tenth of 2K. K and M ≥ 8. Create and free on one thread at a time, no other
 * user of FFTW's planner meanwhile. */
SinoStatus sino_center_vo_new(int64_t angle_count, int64_t column_count, const float *sinogram, double radius_ratio,
                              int64_t drop, SinoCenterVo **vo);
void sino_center_vo_free(SinoCenterVo *vo); /* takes NULL */

/* metric[i] of candidate[i]; candidates are any column positions in [0, M−1], fractions included. Safe from many
 * threads at once on one `vo`. */
SinoStatus sino_center_vo_metric(const SinoCenterVo *vo, int64_t candidate_count, const double *candidate,
                                 double *metric);

/* Phase correlation of the projections at 0° and 180°: image0, image180[row_count][column_count] finite line integrals.
 * Sub-pixel by a parabola through the peak. Rows are taken as they are: the axis is vertical. SINO_BAD_INPUT when the
 * images are constant. On one thread at a time, no other user of FFTW's planner meanwhile. */
SinoStatus sino_center_phase_correlation(int64_t row_count, int64_t column_count, const float *image0,
                                         const float *image180, double *center);

#endif
