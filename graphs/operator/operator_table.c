/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator, table: all kinds. */
#include "operator.h"

const SinoOperatorKind *const sino_operator_kinds[] = {
    &sino_rays_kind,  &sino_rotate_kind, &sino_gridding_kind, &sino_pixels_kind, &sino_toeplitz_kind,
    &sino_lines_kind, &sino_strips_kind, &sino_cone_kind,     &sino_bricks_kind, NULL,
};

bool sino_operator_adds(const SinoOperatorKind *kind, const SinoGeometry *geometry)
{
    return kind->adds && sino_redundancy_width(geometry) == 0;
}

SinoExtent sino_operator_waiting(const SinoProblem *problem, int64_t rays)
{
    const bool waits = !sino_operator_adds(sino_operator_of(problem->projector), &problem->geometry);
    return problem->block_angles > 0 && waits ? sino_extent_one(rays) : (SinoExtent){0};
}
