/* SPDX-License-Identifier: BSD-3-Clause */
/* Center: finds the rotation center, a column index whose 0 is the centre of column 0. */
#pragma once

#include "geometry.h"
#include "status.h"

/* Vo's metric (N. T. Vo et al., Opt. Express 22, 19078 (2014)) of candidate centers. A sinogram over 180° is joined
 * with its mirror image about the candidate. The metric is the Fourier magnitude of the joined sinogram outside the
 * double wedge that a true sinogram over 360° fills. Columns that the mirror image does not reach hold the sinogram
 * upside down, as in TomoPy.
 *
 * Smaller is better. Two things differ from TomoPy, so that all candidates from 0 to M − 1 are comparable in one pass.
 * The joined sinogram is smoothed (a Gaussian of 2 rows and 2 columns, as a weight of its spectrum), not one half of
 * it. The magnitude is divided by that of a wrong candidate with the same overlap. Wrong candidates are therefore near
 * 1 and the center well below (0.1 for clean data, 0.6 under strong noise). Search whole columns first, then steps of
 * 0.1 to 0.25 around the minimum, which is a few columns wide. */
typedef struct SinoCenterVo SinoCenterVo;

/* sinogram[K][M]: finite line integrals, copied; rows equally spaced over [0°, 180°), without a row at 180°.
 * `radius_ratio` in (0, 1]: object size over field of view (0.5 is usual). `drop`: angular frequencies left out on each
 * side of zero (20 is usual), at most a tenth of 2K. K and M ≥ 8. Create and free on one thread at a time, while no
 * other thread uses FFTW's planner. */
SinoStatus sino_center_vo_new(int64_t angle_count, int64_t column_count, const float *sinogram, double radius_ratio,
                              int64_t drop, SinoCenterVo **vo);
void sino_center_vo_free(SinoCenterVo *vo); /* takes NULL */

/* metric[i] of candidate[i]: column positions in [0, M−1], fractions included. Many threads may use one `vo` at once.
 */
SinoStatus sino_center_vo_metric(const SinoCenterVo *vo, int64_t candidate_count, const double *candidate,
                                 double *metric);

/* Center by phase correlation of the projections at 0° and 180°: finite line integrals image0,
 * image180[row_count][column_count]. A parabola through the peak gives sub-pixel resolution. Rows are not shifted: the
 * axis must be vertical. SINO_BAD_INPUT: the images are constant. Call on one thread at a time, while no other thread
 * uses FFTW's planner. */
SinoStatus sino_center_phase_correlation(int64_t row_count, int64_t column_count, const float *image0,
                                         const float *image180, double *center);

/* How alike two projections half a turn apart are if one is turned over about a line: their correlation (1 for clean
 * data) where they fit best, in images of at most 128 pixels a side. The line about which they are most alike is the
 * rotation axis. */
typedef struct SinoCenterMirror {
    double upright;  /* about the best line within 10 degrees of the columns: the axis of most scans */
    double lying;    /* about the best line within 10 degrees of the rows: rows and columns are exchanged */
    double lean_deg; /* of that line, positive if it lies in lower rows at larger columns */
    double still;    /* neither turned over nor shifted: near 1 if the detector's pattern outweighs the object */
} SinoCenterMirror;

/* image0, image180[row_count][column_count]: finite line integrals. All correlations are 0 of images that are too
 * small, or constant. SINO_FAILED: no memory. Call on one thread at a time, while no other thread uses FFTW's planner.
 */
SinoStatus sino_center_mirror(int64_t row_count, int64_t column_count, const float *image0, const float *image180,
                              SinoCenterMirror *mirror);

/* Center of a scan of a whole turn by its pairs of opposite projections in one row: first, second[pair][column], finite
 * line integrals. The center is where the mirror images of the second ones are most like the first ones in the columns
 * that both see, at least 8 and a twentieth of all: in half columns, then by a parabola. The axis may lie anywhere but
 * in these outermost columns. center: of all pairs, of the first half of them, and of the second. *likeness: the
 * correlation of all at their center, 1 for clean data. SINO_FAILED: no memory. */
SinoStatus sino_center_pairs(int64_t pair_count, int64_t column_count, const float *first, const float *second,
                             double center[3], double *likeness);

/* The same likeness about a given center, to half a column; 0 if fewer columns are in common. SINO_FAILED: no memory.
 */
SinoStatus sino_center_pairs_likeness(int64_t pair_count, int64_t column_count, const float *first, const float *second,
                                      double center, double *likeness);

/* Center by the moments of projections (S. Helgason, Acta Math. 113, 153 (1965); D. Ludwig, Comm. Pure Appl. Math. 19,
 * 49 (1966)): about the axis those of degree n are trigonometric polynomials of degree n of the angle, so that few
 * angles tell as exactly as many. sinogram[K][M]: finite line integrals at any angles, in any order. The object must
 * stay within the columns that are as far from the axis on both sides. *uncertainty: two standard deviations, from the
 * noise and from how far the moments of different degrees agree; INFINITY: nothing is told, as the ends of projections
 * vary, `around` is too far off, or there are too few angles. SINO_FAILED: no memory. */
SinoStatus sino_center_moments(int64_t angle_count, const double *angle_rad, int64_t column_count,
                               const float *sinogram, double around, double *center, double *uncertainty);

/* The same by a hundred projections at most, spread over all: more take longer, and tell little more. */
SinoStatus sino_center_moments_of_some(int64_t angle_count, const double *angle_rad, int64_t column_count,
                                       const float *sinogram, double around, double *center, double *uncertainty);

/* The entropy of the slice (slice_quality.h; T. Donath, F. Beckmann, A. Schreyer, J. Opt. Soc. Am. A 23, 1048 (2006),
 * Q_H): that of the histogram, in standard deviations about the mean, of a filtered backprojection about a candidate,
 * in tiles spread over nine tenths of the inscribed circle, of projections that are continued by their outermost
 * values, for the object may be wider than the detector. A wrong center blurs edges and adds artefacts, which widen the
 * peaks of the histogram. Smaller is better, compared with other candidates of the same sinogram of half a turn or
 * less; in a whole turn a wrong center only blurs. */
typedef struct SinoCenterEntropy SinoCenterEntropy;

/* sinogram[K][M]: finite line integrals at geometry->angle_rad, copied. Create and free on one thread at a time, while
 * no other thread uses FFTW's planner. SINO_FAILED: no memory. */
SinoStatus sino_center_entropy_new(const SinoGeometry *geometry, const float *sinogram, SinoCenterEntropy **search);
void sino_center_entropy_free(SinoCenterEntropy *search); /* takes NULL */

/* metric[i], in nats, of candidate[i], any column position; 0 if no tile is sampled. Many threads may use one `search`
 * at once. */
SinoStatus sino_center_entropy_metric(const SinoCenterEntropy *search, int64_t candidate_count, const double *candidate,
                                      double *metric);
