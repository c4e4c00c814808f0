/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors, the prior: the strength with which a volume predicts best the projections that it lacks, of a scan
 * whose projections have vectors. No slice is a problem of its own, so that pixels are averaged instead
 * (align_level.h), which takes a small share of the run's work. */
#pragma once

#include "input.h"
#include "settings.h"
#include "solver.h"

/* Memory of the search, in bytes. */
typedef struct SinoVectorsSearchBytes {
    int64_t vectors; /* of the solver: large vectors (data.h) and messages */
    int64_t rest;    /* the averaged scan, and what is read of it at a time */
} SinoVectorsSearchBytes;
SinoStatus sino_vectors_strength_bytes(const SinoSettings *settings, const SinoInput *input, int64_t workers,
                                       SinoVectorsSearchBytes *bytes);

/* Sets the strength of the prior in `found`, if it is NaN, to two digits (0: a scan without values), and the threshold
 * of a smooth prior: its share of the value of a ball with the volume's mass, and with the mean square of its line
 * integrals. Both are 1 in a simulation, which has no values. scale: output value = scale · value per voxel. *binning:
 * pixels that were averaged along each side. Waits for its tasks; no others may be in flight. Errors: as of sino_align;
 * SINO_BAD_INPUT: a smooth prior, and a mass of 0 or less. */
SinoStatus sino_vectors_prior(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                              bool photon_weights, double scale, SinoRegularization *found, int64_t *binning);
