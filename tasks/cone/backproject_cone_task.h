/* SPDX-License-Identifier: BSD-3-Clause */
/* Task backproject_cone: adds a block of cone-beam projections to a part of the volume. */
#pragma once

#include "cone_backproject.h"
#include "lines_task.h"
#include "runtime.h"

enum {
    SINO_BLOCK_PIECES = 4, /* pieces of a block, at most; with quarter turns: one piece per turn */
    SINO_BLOCK_PROJECTIONS = SINO_BLOCK_PIECES * SINO_PIECE_PROJECTIONS
};

/* A block is made of pieces (lines_task.h), of which all but the last have equally many projections. Pointers are not
 * owned, and outlive the task. */
typedef struct SinoBackprojectCone {
    const SinoCone *cone;
    const SinoConeLines *lines;
    SinoConePart part;
    const double *angle_rad;   /* [projection of the block] */
    int64_t piece_projections; /* of each piece but the last */
    bool first;                /* of the part's blocks: the part becomes 0 before */
    double progress;           /* work that the task tells (sino_runtime_advance); 0: it tells nothing */
    int64_t turn;              /* tasks of a lower turn come first, under policies with priorities */
} SinoBackprojectCone;

/* Inserts backproject_cone. All other tasks come first, so that nobody waits for what they make. `scratch`: scratch
 * memory of at least sino_cone_scratch_bytes. */
SinoStatus sino_insert_backproject_cone(SinoRuntime *runtime, SinoPosition position, const SinoBackprojectCone *what,
                                        int64_t piece_count, SinoData *const *piece, SinoData *scratch, SinoData *part);
