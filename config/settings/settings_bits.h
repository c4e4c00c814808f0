/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, bits: sets of algorithms and of geometries, for the rows of the tables. Private to the files that have such
 * tables. */
#pragma once

#include "settings.h"

enum {
    CG = 1 << SINO_ALGORITHM_CG,
    SIRT = 1 << SINO_ALGORITHM_SIRT,
    FBP = 1 << SINO_ALGORITHM_FBP,
    MLEM = 1 << SINO_ALGORITHM_MLEM,
    OSEM = 1 << SINO_ALGORITHM_OSEM,
    FDK = 1 << SINO_ALGORITHM_FDK,
    FISTA = 1 << SINO_ALGORITHM_FISTA,
    BSREM = 1 << SINO_ALGORITHM_BSREM,
    ITERATIVE = CG | SIRT | MLEM | OSEM | FISTA | BSREM
};

enum {
    PARALLEL = 1 << SINO_GEOMETRY_PARALLEL,
    CONE = 1 << SINO_GEOMETRY_CONE,
    FAN = 1 << SINO_GEOMETRY_FAN,
    VECTORS = 1 << SINO_GEOMETRY_VECTORS,
    PET = 1 << SINO_GEOMETRY_PET,
    MATRIX = 1 << SINO_GEOMETRY_MATRIX,
    CONES = CONE | FAN,
    ORBITS = PARALLEL | CONES, /* that turn about an axis */
    SCANS = ORBITS | VECTORS
};
