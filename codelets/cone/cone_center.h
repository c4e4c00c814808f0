/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone center: finds the column of the rotation axis in a cone-beam or fan-beam scan, and which beam a scan has. */
#pragma once

#include "cone.h"
#include "status.h"

#include <stdbool.h>

/* What the search found. A score compares the rays of a candidate with their reverses: 0 means equal, 1 means no more
 * alike than rays at random. */
typedef struct SinoConeCenter {
    double center; /* a column, as in SinoCone */
    double score;  /* at the center; 0.001 to 0.02 for clean data */
    double around; /* the least score of the candidates five columns or more from the center */
    bool at_end;   /* the scores fall towards an end of the range: the axis is perhaps beyond */
    bool found;    /* not at an end, and the score is less than 0.7 of those around; false: the caller should warn */
} SinoConeCenter;

/* Searches the axis from column `first` to column `last`, fractions included. sinogram[angle][column]: finite line
 * integrals of the rays in the plane of the source, which detector row cone->center_row sees; the caller interpolates
 * between rows. Of the cone the search uses the angles, the columns, the width of a pixel, and S.
 *
 * Let γ be the angle between a ray in the plane of the source and the ray through the axis: tan γ = (column −
 * center)·width/S. The rays (θ, γ) and (θ + π − 2γ, −γ) lie on one line, in opposite directions; their columns are
 * mirror images about the center. The score of a candidate is the mean squared difference of all such pairs that lie on
 * the detector and between measured angles, divided by the mean squared difference of the same rays at random.
 * Candidates whose pairs see little but air score 1. Values between columns are interpolated by a cubic, values between
 * angles linearly, across gaps of up to three times the median one. Angles may be uneven, in any order, and cover a
 * circle or less.
 *
 * Errors in columns: 0.05 for clean phantoms and with noise of 1 % of the largest value, 0.1 with 20 %, 0.06 for round
 * objects on the axis, whose edges every angle samples alike. Single outliers are left out. Remove stripes before: a
 * column that is wrong at every angle differs from its mirror image at every candidate but one. If the sign of the
 * angles is not known, search with both signs: the right one has the lower score (0.001 against 0.36 for a measured
 * scan whose center was only 0.06 columns off with the wrong sign). `found` is false for objects without features, and
 * for ranges without the axis.
 *
 * Time, on one thread: 10⁵ rays for each column of the range, and 3·10⁷ rays, at 20 ns. SINO_BAD_INPUT: the range is
 * not on the detector, the detector has less than 16 columns, no ray is measured from both sides. SINO_FAILED: no
 * memory. */
SinoStatus sino_cone_center_find(const SinoCone *cone, const float *sinogram, double first, double last,
                                 SinoConeCenter *result);

/* A beam that a scan may have. */
typedef struct SinoConeBeam {
    double center; /* of its best score */
    double bend;   /* width of a pixel over S; 0: parallel rays; below 0: the sample turns the other way */
    double score;  /* mean squared difference of rays and reverses, as a share of that at random */
} SinoConeBeam;

enum { SINO_CONE_BEAM_GIVEN, SINO_CONE_BEAM_PARALLEL, SINO_CONE_BEAM_FAN, SINO_CONE_BEAM_TURNED, SINO_CONE_BEAMS };

/* Compares the beam of the cone (S may be INFINITY: parallel rays) with others: parallel rays, the fan whose S fits
 * best, and that of the other direction of turning; each about its best axis in all columns. Scores of one scan are
 * comparable. Time: about 500 candidates, at 20 ns for each ray. Errors: as above. */
SinoStatus sino_cone_center_beams(const SinoCone *cone, const float *sinogram, SinoConeBeam beam[SINO_CONE_BEAMS]);
