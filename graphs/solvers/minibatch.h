/* SPDX-License-Identifier: BSD-3-Clause */
/* Minibatch: F slices that are solved together, and the slot of buffers that serves one minibatch after another. A slot
 * has the buffers of the solver's table, the buffers that every minibatch has, and those of the operator's products. */
#pragma once

#include "operator.h"

enum { SINO_LOOKAHEAD = 3 };

/* Buffers that every minibatch has in addition to its solver's vectors. */
enum SinoSlotBuffer {
    SINO_SLOT_PARTS,    /* [partition] SinoSliceSums[stride]: sums over some of these rows */
    SINO_SLOT_SUMS,     /* SinoSliceSums[stride]: sums over this rank's rows */
    SINO_SLOT_STATE,    /* SinoSliceState[stride] */
    SINO_SLOT_HISTORY,  /* double[slice][numbers]: residuals, and log-likelihoods of solvers that have them */
    SINO_SLOT_REPAIRED, /* int64_t[slice]: undefined values */
    SINO_SLOT_TALLY,    /* int64_t[angle + column]: undefined values of all slices by angle, then by column */
    SINO_SLOT_IMAGE,    /* float[slice][N][N]; empty for volumes */
    SINO_SLOT_ACTIVE,   /* int64_t: slices that go on after iteration i, at ACTIVE + i mod LOOKAHEAD */
    SINO_SLOT_BUFFERS = SINO_SLOT_ACTIVE + SINO_LOOKAHEAD
};
extern const SinoBuffer sino_slot_buffers[SINO_SLOT_BUFFERS];

/* The table of a solver's vectors; vector 0 is the sinogram. */
typedef struct SinoVectors {
    int64_t count;
    const SinoBuffer *buffer;
    int64_t tomogram; /* index of the tomogram in the table */
    int64_t block;    /* index of what a block of angles comes in: its line integrals, and the next two, its undefined
                       * values by slice, and by angle and column; 0: the scan comes as a whole, in vector 0 */
} SinoVectors;

/* A minibatch in its slot. StarPU runs the tasks of a slot's next minibatch after those of its last, because both
 * access the same data. Vectors lie in panels (panel.h). */
typedef struct SinoMinibatch {
    SinoPosition position; /* slab and minibatch; partition and iteration −1 */
    SinoSlices slices;
    int64_t first_slice;
    SinoAngleBlock block;       /* that `fill` and `start` are called for */
    bool stopped;               /* no more iterations are submitted */
    const SinoOperator *op;     /* not owned */
    const SinoVectors *vectors; /* not owned */
    SinoData ***vector;         /* [vector of the table][member] */
    SinoData **slot[SINO_SLOT_BUFFERS];
    SinoOperatorWork *work;
    /* The only members of these slot buffers. */
    SinoData *sums, *state, *history, *repaired, *tally, *image;
    SinoData **part_sums; /* [part_count] those of SINO_SLOT_PARTS that there are */
    int64_t part_count;
} SinoMinibatch;

/* A slot for minibatches of at most slices.stride slices. */
typedef struct SinoMinibatchRequest {
    const SinoOperator *op;     /* not owned */
    const SinoVectors *vectors; /* not owned */
    SinoSlices slices;
    int64_t history_numbers; /* of a slice (SinoHistory) */
    int64_t number;          /* unique among the operator's slots */
    bool overlap;            /* exchanges between ranks go on while other minibatches compute */
} SinoMinibatchRequest;
SinoStatus sino_minibatch_new(SinoRuntime *runtime, const SinoMinibatchRequest *request, SinoMinibatch **result);
void sino_minibatch_free(SinoMinibatch *minibatch); /* takes NULL */

/* Bytes of one slot, including the work of the operator's kind. */
int64_t sino_minibatch_bytes(const SinoOperatorKind *kind, const SinoVectors *vectors, const SinoShape *shape,
                             SinoBatch batch);

/* The minibatch's position at an iteration and partition. */
SinoPosition sino_minibatch_at(const SinoMinibatch *minibatch, int64_t iteration, int64_t partition);

/* Insert the tasks of vector[to] = A·vector[from], or vector[to] = Aᵀ·vector[from], over all rays. */
SinoStatus sino_insert_project(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to);
SinoStatus sino_insert_backproject(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to);

/* The same of the minibatch's block alone, whose rays are vector[from], added to the blocks before; of operators whose
 * kind has `adds`. sums: the vector of SINO_ROWS_GRID. */
SinoStatus sino_insert_backproject_block(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t sums,
                                         int64_t to);

/* Inserts the tasks of vector[to] = AᵀA·vector[from], of operators whose kind has `normal`. */
SinoStatus sino_insert_normal(SinoMinibatch *minibatch, int64_t iteration, int64_t from, int64_t to);

/* The same over one subset of the rays. The ray vector's buffer has the kind SINO_ROWS_SUBSET; its member `subset` is
 * used. */
SinoStatus sino_insert_project_subset(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t from,
                                      int64_t to);
SinoStatus sino_insert_backproject_subset(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, int64_t from,
                                          int64_t to);

/* Insert the tasks of vector[to] = Aᵀ(n · g/ybar) over one subset of the rays, where ybar is made of A·vector[from],
 * and of minibatch->sums (SinoOperatorKind.sweep). */
SinoStatus sino_insert_sweep(SinoMinibatch *minibatch, int64_t iteration, int64_t subset, const SinoSweep *sweep,
                             int64_t from, int64_t to);

/* Adds up minibatch->sums over all ranks that share the slices. *all is not owned. */
SinoStatus sino_insert_collect(SinoMinibatch *minibatch, int64_t iteration, SinoData **all);

/* sino_minibatch_is_kept: whether this rank keeps the minibatch's images. sino_insert_image sends voxels to the rank
 * that does, which assembles `image`: minibatch->image, or data of the caller for some slices of a volume. */
bool sino_minibatch_is_kept(const SinoMinibatch *minibatch);
SinoStatus sino_insert_image(SinoMinibatch *minibatch, const SinoImaging *imaging, SinoData *image);
