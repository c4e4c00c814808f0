/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, subsets: the angles of each subset of the data. */
#include "memory.h"
#include "rays_kind.h"

#include <stdlib.h>

SinoStatus sino_subset_angles_new(const SinoProblem *problem, int64_t subset, SinoSubsetAngles *angles)
{
    const SinoGeometry *scan = &problem->geometry;
    const int64_t step = problem->subset_count, count = (scan->angle_count - subset + step - 1) / step;
    angles->geometry = *scan;
    angles->geometry.angle_count = count;
    SINO_TRY(sino_allocate(count, sizeof *angles->angle_rad, "angles", &angles->angle_rad));
    for (int64_t i = 0; i < count; i++) angles->angle_rad[i] = scan->angle_rad[subset + i * step];
    angles->geometry.angle_rad = angles->angle_rad;
    return NULL;
}

void sino_subset_angles_free(SinoSubsetAngles *angles)
{
    free(angles->angle_rad);
    angles->angle_rad = NULL;
}
