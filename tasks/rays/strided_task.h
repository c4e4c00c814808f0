/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks take and give: from the arrays of a caller to vectors, and back. */
#pragma once

#include "reduce_task.h"
#include "strided.h"

/* Insert take_tiles, take_rays, give_tiles and give_rays (strided.h). A task that takes rays from a first row above 0
 * on keeps what tasks before have put into the vector; several that take rays at the same time are between gates
 * (`shared`: rays_gate_task.h). The arrays are no data of StarPU: the caller waits for the tasks
 * before it touches them. A value that is NaN or infinite ends the run with SINO_BAD_INPUT; `what` names the array in
 * the text, and `first` is the number of its first slice there. */
typedef struct SinoTake {
    const char *what; /* constant */
    int64_t first;
} SinoTake;
SinoStatus sino_take_check(bool finite, SinoTake take, SinoSlices slices);
SinoStatus sino_insert_take_tiles(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                  const SinoStridedTiles *tiles, SinoData *x);
SinoStatus sino_insert_take_rays(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                 const SinoStridedRays *rays, bool shared, SinoData *y);
SinoStatus sino_insert_give_tiles(SinoRuntime *runtime, SinoPosition position, const SinoStridedTiles *tiles,
                                  SinoData *x);
SinoStatus sino_insert_give_rays(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays, SinoData *y);

/* Inserts give_sums: the rays are the sums of `parts`. scratch: sino_give_sums_bytes, of each worker. On cores. */
int64_t sino_give_sums_bytes(SinoSlices slices, int64_t column_count);
SinoStatus sino_insert_give_sums(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays,
                                 const SinoParts *parts, SinoData *scratch);
