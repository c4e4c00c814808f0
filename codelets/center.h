/* SPDX-License-Identifier: BSD-3-Clause */
/* Center: finding the rotation center. A column index whose 0 is the centre of column 0. */
#ifndef SINO_CENTER_H
#define SINO_CENTER_H

#include "status.h"

#include <stdint.h>

/* Vo's metric (N. T. Vo et al., Opt. Express 22, 19078 (2014)) of candidates: the mean Fourier magnitude, inside the
 * double-wedge mask, of the sinogram joined with its mirror image about the candidate. Smaller is better. The sinogram
 * covers 180°. */
typedef struct SinoCenterVo SinoCenterVo;

/* sinogram[K][M] line integrals; copied as needed. `radius_ratio`: object size over field of view (0.5 is usual);
 * `drop`: rows about zero frequency left out (20 is usual). */
SinoStatus sino_center_vo_new(int64_t angle_count, int64_t column_count, const float *sinogram, double radius_ratio,
                              int64_t drop, SinoCenterVo **vo);
void sino_center_vo_free(SinoCenterVo *vo); /* takes NULL */

/* metric[i] of candidate[i]; candidates are any column positions in [0, M−1], fractions included. Safe from many
 * threads at once on one `vo`. */
SinoStatus sino_center_vo_metric(const SinoCenterVo *vo, int64_t candidate_count, const double *candidate,
                                 double *metric);

/* Phase correlation of the projections at 0° and 180°: image0, image180[row_count][column_count] line integrals.
 * Sub-pixel by a parabola through the peak. */
SinoStatus sino_center_phase_correlation(int64_t row_count, int64_t column_count, const float *image0,
                                         const float *image180, double *center);

#endif
