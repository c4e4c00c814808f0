/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone consistency: finds how the detector of a cone beam stands, by planes through two places of the source. */
#pragma once

#include "cone.h"
#include "status.h"

/* A number that was found, and its standard error: from estimates without an eighth of the pairs each. */
typedef struct SinoConeNumber {
    double value, error;
} SinoConeNumber;

typedef struct SinoConeConsistency {
    SinoConeNumber center, center_row; /* as in SinoCone, of the projections turned back */
    SinoConeNumber tilt;               /* τ of the detector (tilt.h), in radians */
    double axis;                       /* the center that the search starts from */
    int64_t line_count;                /* pairs of lines that were compared; 0: too few, all else is undefined */
} SinoConeConsistency;

/* Finds the center, the center row and the tilt. The search starts from the centers of the cone and from tilt_rad, in
 * radians. A center that is NaN is first found by rays and their reverses (cone_center.h); line_count is 0 where these
 * do not tell it. projections[angle][row][column]: finite line integrals. Of the cone the search uses angles,
 * distances, pixels and centers. One row tells nothing.
 *
 * A plane through two places of the source cuts the object in a slice f. Both see the integral of f/d, where d is the
 * distance from the line through both: one projection's integral along a line of its detector, weighted by the angles
 * of the rays (R. Clackdoyle, L. Desbat, Med. Phys. 42, 2015; J. Lesaint et al., IEEE Trans. Radiat. Plasma Med. Sci.
 * 1, 517, 2017). Each pair of projections, about 60°, 90° or 120° apart, gives such numbers for planes of all heights;
 * the mean of their differences over the heights, which a change of the source's light would alter, does not count.
 * Differences are least at the right numbers, for any angle of the cone. Lines count whose ends see air.
 *
 * Errors: test_cone_consistency.c. Objects without features along z, and round ones, tell nothing: the errors are then
 * large. SINO_FAILED: no memory. */
SinoStatus sino_cone_consistency_find(const SinoCone *cone, double tilt_rad, const float *projections,
                                      SinoConeConsistency *result);
