/* SPDX-License-Identifier: BSD-3-Clause */
/* Solve: the graph of a reconstruction by a solver, and the only loop over iterations. What is solved are units: slices
 * of a scan, the volume of a cone beam, or sets of counts. They go through slots, minibatch by minibatch; their kind
 * fills the slots with data, and stores the images.
 *
 *     load → fill → start → iterate × iterations → store
 *
 * With a solver of `blocks`, data come by blocks of angles, and there is one slab: load, fill and start are called for
 * each block of all minibatches before the next block.
 *
 * The minibatches that have a slot at the same time are a slab. They are independent chains, unless the solver has
 * `volume`. StarPU starts a task of the next slab as soon as the slot that it needs is free. */
#pragma once

#include "progress.h"
#include "solver.h"

/* The functions of a kind of units. Each gets `of`, and submits tasks from the thread that submits all. NULL: there is
 * nothing to do. `first` and `count` are units, numbered as this rank has them. */
typedef struct SinoUnitKind {
    /* Makes the data beside the slots, and what is inserted once for all units. Not called on idle ranks. */
    SinoStatus (*open)(void *of);
    /* Number of steps that the stores of these units add to the progress. 0: an earlier run has stored all of them, and
     * they are not solved again. Not called once their store is inserted. NULL: no unit is stored yet, and stores add
     * no steps. */
    int64_t (*left)(const void *of, int64_t first, int64_t count);
    /* Whether these units are loaded and filled in even if they are not solved. */
    bool (*pictured)(const void *of, int64_t first, int64_t count);
    /* Loads the data of a slab: of the first one, then of each next one before the iterations of a slab. By blocks: of
     * block number `slab`. */
    SinoStatus (*load)(void *of, int64_t slab);
    /* Writes vector 0 of a minibatch, and whatever its solver starts from; or a block (SinoVectors.block). */
    SinoStatus (*fill)(void *of, SinoMinibatch *minibatch);
    /* After each iteration; minibatches that depend on each other have none. */
    SinoStatus (*iterated)(void *of, SinoMinibatch *minibatch, int64_t iteration);
    SinoStatus (*store)(void *of, SinoMinibatch *minibatch);
    /* Takes what is left of a minibatch that is solved, once the stores of its slab are inserted; may wait for it. */
    SinoStatus (*stored)(void *of, const SinoMinibatch *minibatch);
    /* Tells the progress of a minibatch that was stored before. */
    void (*passed)(const void *of, SinoPosition position, int64_t first, int64_t count);
} SinoUnitKind;

/* Units of this rank. */
typedef struct SinoUnits {
    const SinoUnitKind *kind;
    void *of;
    int64_t count;             /* 0: this rank has none, and takes part in messages alone */
    int64_t minibatch;         /* units of a minibatch */
    int64_t slots;             /* minibatches of a slab */
    int64_t slab_count;        /* the same on all ranks */
    const int64_t *iterations; /* [unit]; NULL: those of the run */
    double minibatch_work;     /* steps of the progress by an iteration of a minibatch, beside one for each unit */
} SinoUnits;

typedef struct SinoSolve {
    const SinoSolver *solver;
    SinoSolverRun run; /* the caller leaves out stride and has_likelihood */
    SinoUnits units;
    SinoSlices slices;       /* of a slot; the count is set for each minibatch */
    int64_t history_numbers; /* of a unit */
    bool overlap;            /* as in SinoMinibatchRequest */
    SinoProgressShape shape; /* but for the count of iterations */
    bool alone;              /* other ranks do not take part */
    bool aside;              /* tells neither progress nor profile, for it is not what was asked for */
    SinoMinibatch **slot;    /* [units.slots], during the run */
    bool *solves;            /* [units.slots]: the minibatch is not stored yet; others are only pictured */
} SinoSolve;

/* Collective, unless `alone`. Submits every task, and returns when the last one has ended. If another rank fails, the
 * result is an error of the same kind without a text. The caller frees what `open` made. */
SinoStatus sino_solve(SinoSolve *solve);

/* Submits iterations first … last of a minibatch that has been started. */
SinoStatus sino_solve_iterations(const SinoSolver *solver, SinoSolverRun *run, SinoMinibatch *minibatch, int64_t first,
                                 int64_t last);
