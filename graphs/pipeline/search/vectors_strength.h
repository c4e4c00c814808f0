/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors, the strength of a prior: that with which a volume predicts best the projections that it lacks, of a scan
 * whose projections have vectors. No slice is a problem of its own, so that pixels are averaged instead
 * (align_level.h), which takes a small share of the run's work. */
#pragma once

#include "input.h"
#include "settings.h"

/* Memory of the search, in bytes. */
typedef struct SinoVectorsSearchBytes {
    int64_t vectors; /* of the solver: large vectors (data.h) and messages */
    int64_t rest;    /* the averaged scan, and what is read of it at a time */
} SinoVectorsSearchBytes;
SinoStatus sino_vectors_strength_bytes(const SinoSettings *settings, const SinoInput *input, int64_t workers,
                                       SinoVectorsSearchBytes *bytes);

/* scale: output value = scale · value per voxel. *strength: two digits; 0: a scan without values; of a simulation,
 * which has none, 1. *binning: pixels that were averaged along each side. Waits for its tasks; no others may be in
 * flight. Errors: as of sino_align. */
SinoStatus sino_vectors_strength(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                 bool photon_weights, double scale, double *strength, int64_t *binning);
