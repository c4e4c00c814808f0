/* SPDX-License-Identifier: BSD-3-Clause */
/* Task lines: filtered cone-beam projections become the lines that backprojection reads. */
#pragma once

#include "cone_pack.h"
#include "runtime.h"

/* Projections of a piece, at most: what one chain of tasks loads, filters and makes lines of. */
enum { SINO_PIECE_PROJECTIONS = 8 };

/* Bytes of the lines of `count` projections, with their units. */
int64_t sino_lines_bytes(const SinoConeLines *lines, int64_t count);

/* Inserts lines, from the sinogram of a piece to its lines. `scratch`: scratch memory of at least
 * sino_cone_pack_scratch_bytes. Pointers in `packing` are not owned, and outlive the task. */
SinoStatus sino_insert_lines(SinoRuntime *runtime, SinoPosition position, const SinoConePacking *packing,
                             SinoData *sinogram, SinoData *scratch, SinoData *piece);

/* What a piece in memory consists of: unit[projection], line[projection][half][column][entry]. */
float *sino_lines_units(void *piece);
void *sino_lines_in(void *piece);
