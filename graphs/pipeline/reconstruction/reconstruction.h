/* SPDX-License-Identifier: BSD-3-Clause */
/* Reconstruction: the graph of a whole run, slab after slab, from the scan to the volume. */
#pragma once

#include "files_tasks.h"
#include "input.h"
#include "journal.h"
#include "live.h"
#include "record.h"
#include "settings.h"
#include "solver.h"
#include "volume.h"
#include "volume_input.h"

/* The division of slices into minibatches and slabs. */
typedef struct SinoStreaming {
    int64_t minibatch;   /* F: slices of a minibatch */
    int64_t stride;      /* F padded to whole panels (panel.h) */
    int64_t slots;       /* minibatches of a slab; each has a slot */
    int64_t slab_slices; /* at most slots·F */
    int64_t slab_count;
} SinoStreaming;

/* F, slots and slabs for the slices of a batch group. */
SinoStreaming sino_streaming(SinoPrecision precision, int64_t slice_count, int64_t minibatch, int64_t slots);

/* The parts of a run; nothing is owned. */
typedef struct SinoReconstruction {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* the slices of this rank's batch group and the angles of this rank */
    const SinoOperator *op;
    const SinoSolver *solver;
    const SinoStreaming *streaming;
    const SinoProcessGrid *grid;       /* which ranks have which slices; NULL: this rank has all */
    SinoRegularization regularization; /* of fista */
    const int64_t *iterations;         /* [slice of the volume]: at most those of the settings; NULL: those */
    double scale;                      /* output value = scale · value per voxel */
    SinoVolume *volume;                /* NULL: only the picture is wanted; slices that are done already are left out */
    SinoVolumeInput *start;            /* the first x of all slices of the volume (input_parts.h); NULL: the solver's */
    const unsigned char *mask;         /* of all slices (input_parts.h); NULL: none */
    struct SinoEarlyLoad *early;       /* the first slab, loaded beforehand (stages.h); NULL: it is not */
    SinoJournal *journal;              /* gets an entry for each minibatch that is stored; NULL: none */
    SinoRecord *record;                /* of all slices of the volume */
    SinoLive *live;                    /* of a scan that comes by blocks; NULL: none */
    bool alone;                        /* other ranks do not take part */
    bool marked;                       /* undefined rays stay so in the sinogram, whatever the solver */
    bool aside;                        /* tells neither progress nor profile, for it is not what was asked for */
} SinoReconstruction;

/* Whether rays have weights by the photons that are left of them. */
bool sino_reconstruction_weighs_photons(const SinoSolverSettings *settings, const SinoInput *input);

/* Where undefined values of this rank's angles are counted. */
SinoTally sino_reconstruction_tally(const SinoInput *input, const SinoRecord *record);

/* Collective, unless `alone`. Submits every task, and returns when the last slice of this rank is stored. If another
 * rank fails, the result is an error of the same kind without a text. */
SinoStatus sino_reconstruct(const SinoReconstruction *reconstruction);
