/* SPDX-License-Identifier: BSD-3-Clause */
/* FDK and weighted backprojection of projections that have vectors: what they take. */
#pragma once

#include "cone.h"
#include "status.h"

/* SINO_BAD_INPUT unless the cone's vectors turn about an axis (ray_circle.h) without a gap, but one in half a turn of
 * parallel rays, and the volume is near the middle of the lines of pixels that are filtered. */
SinoStatus sino_fdk_check(const SinoCone *cone);
