/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK of projections that have vectors: what it takes. */
#ifndef SINO_SOLVER_FDK_H
#define SINO_SOLVER_FDK_H

#include "cone.h"
#include "status.h"

/* SINO_BAD_INPUT unless the cone's vectors are near a circle about z: sources within a share of the radius, rows and
 * parallel rays nearly at right angles to z, the volume near the middle of the detector, and angles without a gap. */
SinoStatus sino_fdk_check(const SinoCone *cone);

#endif
