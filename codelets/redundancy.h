/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: weights of detector columns in a scan of a whole turn whose axis is far off the middle (half
 * acquisition). Rays that pass the axis closer than the detector's shorter side are seen twice, from both sides; the
 * others once. */
#ifndef SINO_REDUNDANCY_H
#define SINO_REDUNDANCY_H

#include "geometry.h"
#include "panel.h"

#include <stdbool.h>

/* Whether the scan covers a whole turn but for 10°, its axis is off the middle by a tenth of the columns, and the slice
 * is larger than the detector is wide, so that it needs rays that are seen once. Direct methods then weigh the columns.
 */
bool sino_redundancy_matters(const SinoGeometry *geometry);

/* weight[column]: factor of the ray, 0 to 2; 1 for each ray of a scan that sees all rays equally often. Both sights of
 * a ray together have the weight 2. Over the columns that see rays twice, d to each side of the axis, the weight rises
 * as 2·sin²(π/4·(1 + s/d)) towards the longer side, smoothly, so that the ramp filter makes no edges; s: distance from
 * the axis. */
void sino_redundancy_weights(const SinoGeometry *geometry, double *weight);

/* Multiplies ray k·M + c of the sinogram, in panels (panel.h), by weight[c] for each of its angles. */
void sino_redundancy_weigh(int64_t angle_count, int64_t column_count, SinoSlices slices, const double *weight,
                           void *sinogram);

#endif
