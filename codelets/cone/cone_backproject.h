/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject: adds filtered cone-beam projections to voxels, as Feldkamp, Davis and Kress do (J. Opt. Soc. Am. A
 * 1, 612, 1984): volume(x, y, z) += Σ (D/depth)²·q(column, row), q interpolated linearly in both directions. */
#pragma once

#include "cone_lines.h"

/* A block of projections, and the part that gets them. Nothing is owned. */
typedef struct SinoConeBackprojection {
    const SinoCone *cone;
    const SinoConeLines *lines;
    const SinoConePart *part;
    const double *angle_rad;       /* [projection] */
    const float *unit;             /* [projection]: value of an entry of 1, with SINO_MIXED; else not used */
    const void *const *projection; /* [projection]: its lines */
} SinoConeBackprojection;

/* Bytes of work memory of one call; 64-byte aligned. */
int64_t sino_cone_scratch_bytes(const SinoConeLines *lines);

/* Adds to the part. A projection that sees a run beside the detector (column < 0 or > column_count − 1) adds nothing;
 * rows beyond the detector count as 0, and their neighbours' share falls linearly. With SINO_MIXED up to 8 projections
 * are added as integers; the result is off by about 2⁻¹⁵ of the largest value of each. A voxel of a run whose windows
 * fit registers does not depend on the part that it is in, nor on first_row, if parts begin at multiples of
 * SINO_CONE_VOXELS from each other. Safe from many threads at once. */
void sino_cone_backproject(const SinoConeBackprojection *what, void *scratch, float *part);

/* The instruction set that is used: plain, avx2, avx512 or avx512vnni. */
const char *sino_cone_isa_name(void);
