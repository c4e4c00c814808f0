/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: small objects of little contrast that a prior has flattened, though the projections tell of them.
 *
 * x is a slice, g = AᵀW(b − A x) and m = AᵀW1. The contrast of a disk of radius r is its mean less the mean of the disk
 * of radius 2r about it. T is the sum of g over the disk less the same for the larger one. Noise gives T/√m the same
 * variance everywhere. T/(2.293 r³ m) is the contrast that x lacks. s has a disk of this contrast where all of these
 * hold, with a share of it that grows from 0 to 1 over a unit of each measure:
 *
 *     what x lacks and has are together more than 4 standard deviations of noise,
 *     what x lacks is more than 2 of them,
 *     x has less than 1.5 times what it lacks.
 *
 * Elsewhere s is 0. Disks do not overlap. With b + A s in place of b, the prior takes from x + s what it took before.
 */
#ifndef SINO_DETAIL_H
#define SINO_DETAIL_H

#include "status.h"

#include <stdint.h>

/* Images of size² voxels. g becomes s. m may be 0 where no ray passes. SINO_FAILED: no memory. */
SinoStatus sino_detail_find(int64_t size, const float *x, const float *m, float *g);

#endif
