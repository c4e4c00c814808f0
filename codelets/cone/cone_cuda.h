/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on a GPU: sino_cone_backproject with lines, units and the part in device memory, aligned to 16
 * bytes. cuda_stream.h gives the contract of launchers.
 *
 * With SINO_SINGLE the result is the CPU's to rounding. With SINO_MIXED entries are added as integers, as on the CPU:
 * they are scaled to the largest unit of the block first, and the result is off by about 2⁻¹⁵ of the largest value. */
#pragma once

#include "cone_backproject.h"
#include "cuda_stream.h"
#include "status.h"

enum { SINO_CONE_CUDA_PROJECTIONS = 32 }; /* of a block, at most */

/* A block of projections, and the part that gets them. Nothing is owned. Lists are in host memory, and may be gone when
 * the launcher has returned. */
typedef struct SinoConeBackprojectionCuda {
    const SinoCone *cone;
    const SinoConeLines *lines;
    const SinoConePart *part;
    const double *angle_rad;  /* [projection] */
    const float *const *unit; /* [projection]: where its unit is in device memory, with SINO_MIXED; else not used */
    const void *const *projection; /* [projection]: its lines in device memory */
    bool first;                    /* the part counts as 0 before */
} SinoConeBackprojectionCuda;

/* Adds to the part, as sino_cone_backproject does. SINO_BAD_INPUT: more than SINO_CONE_CUDA_PROJECTIONS,
 * or a projection of 2³¹ entries or more. */
SinoStatus sino_cone_backproject_cuda(cudaStream_t stream, const SinoConeBackprojectionCuda *what, float *part);
