/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone reach: the columns beside the detector that filtered projections have. */
#pragma once

#include "cone.h"

/* Sets columns_before and columns_after. Voxels beyond the shorter side are seen there, and need the negative values
 * that the ramp filter spreads from the columns of the detector: as far as the longer side reaches, or the volume. */
static inline void sino_cone_reach(SinoCone *cone)
{
    const double before = cone->center, after = (double)(cone->column_count - 1) - cone->center;
    const double radius = sino_cone_radius(cone);
    const double seen = radius * cone->source_detector /
                        (sqrt(cone->source_object * cone->source_object - radius * radius) * cone->pixel_width);
    const double reach = fmin(fmax(before, after), ceil(seen));
    cone->columns_before = (int64_t)round(fmax(reach - before, 0));
    cone->columns_after = (int64_t)round(fmax(reach - after, 0));
}
