/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK and weighted backprojection of projections that have vectors: what they take. */
#pragma once

#include "cone.h"
#include "status.h"

/* *window: of a helix, else 0. SINO_BAD_INPUT unless the cone's vectors turn about an axis, and the volume is near the
 * middle of the lines of pixels that are filtered (view_weights.h). */
SinoStatus sino_fdk_check(const SinoCone *cone, SinoConeWindow *window);
