/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: direct methods on a scan of a whole turn whose axis is far off the middle (half acquisition). Rays that
 * pass the axis closer than the detector's shorter side are seen twice, from both sides; the others once.
 *
 * A projection is *completed* by the opposite one, of half a turn later, mirrored about the axis, so that it sees the
 * object as far on the shorter side as on the longer one. The ramp filter then meets no edge. After it the columns of
 * the detector are weighed, so that both sights of a ray count as much as the one sight of another. */
#pragma once

#include "geometry.h"
#include "panel.h"
#include "status.h"

/* Columns of a completed projection; 0: direct methods need none, because the scan covers less than a whole turn but
 * for 10°, its axis is off the middle by less than a tenth of the columns, or the slice is not larger than the detector
 * is wide, so that it needs no rays that are seen once. */
int64_t sino_redundancy_width(const SinoGeometry *geometry);

/* weight[column]: factor of the filtered ray, 0 to 2. Both sights of a ray together have the weight 2. Over the columns
 * that see rays twice, d to each side of the axis, the weight rises as 2·sin²(π/4·(1 + s/d)) towards the longer side;
 * s: distance from the axis. */
void sino_redundancy_weights(const SinoGeometry *geometry, double *weight);

/* How a scan's projections are completed. SINO_BAD_INPUT: a projection that is needed is not among those of place (a
 * rank that shares slices has a part of the angles). place[angle of the scan]: its number in the sinogram, −1: it is
 * not there; `geometry`, whose sino_redundancy_width is not 0, and `place` are not kept. */
typedef struct SinoRedundancy SinoRedundancy;
SinoStatus sino_redundancy_new(const SinoGeometry *geometry, const int64_t *place, SinoRedundancy **redundancy);
void sino_redundancy_free(SinoRedundancy *redundancy); /* takes NULL */

/* completed[angle][column of W]: the projections of the sinogram [angle][column of M], both in panels (panel.h). A
 * value of the opposite projection is interpolated between the two angles next to half a turn later, and between the
 * columns next to the mirrored place. Columns of the longer side have their own values; over the shorter side the
 * opposite projection takes over as cos²(π/2·(1 + s/d)). What an undefined value (−0, correct.h) goes into is
 * undefined. */
void sino_redundancy_complete(const SinoRedundancy *redundancy, SinoSlices slices, const void *sinogram,
                              void *completed);

/* sinogram[angle][column]: the columns of the detector in completed projections, after the filter, times their
 * weights. */
void sino_redundancy_weigh(const SinoRedundancy *redundancy, SinoSlices slices, const void *completed, void *sinogram);
