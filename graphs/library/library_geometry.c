/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, geometries: what the kinds of beams have in common. */
#include "library_operator.h"

#include "scan_limits.h"

#include <inttypes.h>
#include <math.h>

static SinoStatus check_angles(const SinodagGeometry *geometry)
{
    SINO_CHECK(geometry->angles >= 1 && geometry->angles <= SINO_IMAGES_MAX, SINO_BAD_INPUT,
               "angles is %" PRId64 "; allowed: 1 to %d", geometry->angles, SINO_IMAGES_MAX);
    for (int64_t k = 0; k < geometry->angles; k++)
        SINO_CHECK(isfinite(geometry->angle_rad[k]), SINO_BAD_INPUT,
                   "angle %" PRId64 " is %g; allowed: finite numbers of radians", k, geometry->angle_rad[k]);
    return NULL;
}

SinoStatus sino_library_check_slices(const SinodagGeometry *geometry)
{
    SINO_CHECK(geometry->slices >= 0 && geometry->slices <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "slices is %" PRId64 "; allowed: 0 to %d", geometry->slices, SINO_SIDE_MAX);
    return NULL;
}

SinoStatus sino_library_check_beams(const SinodagGeometry *geometry)
{
    SINO_CHECK(geometry && geometry->angle_rad, SINO_BAD_INPUT,
               "the geometry has no angles; allowed: an array of them");
    SINO_TRY(check_angles(geometry));
    SINO_CHECK(geometry->columns >= 1 && geometry->columns <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "columns is %" PRId64 "; allowed: 1 to %d", geometry->columns, SINO_SIDE_MAX);
    SINO_CHECK(geometry->subsets >= 0 && geometry->subsets <= geometry->angles, SINO_BAD_INPUT,
               "subsets is %" PRId64 ", and there are %" PRId64 " angles; allowed: 0 to %" PRId64, geometry->subsets,
               geometry->angles, geometry->angles);
    SINO_CHECK(isnan(geometry->center) || fabs(geometry->center) <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "center is %g; allowed: NaN, or -%d to %d", geometry->center, SINO_SIDE_MAX, SINO_SIDE_MAX);
    return sino_library_check_slices(geometry);
}
