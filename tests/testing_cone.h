/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing cone: what tests of cone-beam kernels share. */
#pragma once

#include "cone_lines.h"

#include <math.h>

/* Detector row of an entry of a line, or of a half of it. */
static inline int64_t testing_cone_row(const SinoCone *cone, const SinoConeLines *lines, int half, int64_t entry)
{
    const int64_t outwards = lines->first_row + entry;
    if (lines->symmetry.halves == 1) return outwards;
    if (half == 0) return (int64_t)floor(cone->center_row + 1e-9) + outwards;
    return (int64_t)ceil(cone->center_row - 1e-9) - outwards;
}
