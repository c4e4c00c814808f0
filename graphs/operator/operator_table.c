/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator, table: all kinds. */
#include "operator.h"

const SinoOperatorKind *const sino_operator_kinds[] = {
    &sino_rays_kind,  &sino_rotate_kind, &sino_gridding_kind, &sino_pixels_kind, &sino_toeplitz_kind,
    &sino_lines_kind, &sino_strips_kind, &sino_cone_kind,     &sino_bricks_kind, NULL,
};
