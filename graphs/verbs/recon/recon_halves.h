/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --regularization auto and --iterations auto: what some slices decide (halves.h). The prior is that of one slice
 * for the whole volume. Each slice has a number of iterations of its own (slice_samples.h). */
#pragma once

#include "halves.h"
#include "settings.h"
#include "slice_samples.h"
#include "team.h"
#include "volume.h"

/* Nothing is owned. */
typedef struct SinoReconHalves {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input; /* all slices and angles of the scan */
    const SinoTeam *team;
    const SinoOperator *op;
    const SinoSolver *solver;
    const unsigned char *mask; /* input_parts.h; NULL: none */
    int64_t slice;             /* that decides on the prior */
} SinoReconHalves;

typedef struct SinoReconChoice {
    SinoRegularization regularization; /* of fista; strength NaN: another solver, or the rank is idle */
    int64_t *iterations;               /* [slice of the volume]; owned; NULL: as many as the settings say */
    SinoSliceSamples searched;         /* slices whose numbers were found; owned */
    SinoHalvesApart apart;             /* the sums of these slices, of rank 0 */
    bool sought;                       /* by trials, which took their time */
} SinoReconChoice;

/* Logs that the search for a strength begins, which may take long. where: the slice or row that decides, as "slice 12".
 * pairs: columns are averaged. */
void sino_recon_tell_trials(SinoLog *log, const char *where, bool pairs);

/* Logs what was found of a prior, or is given, and stores it with the volume. where: as above. */
void sino_recon_tell_prior(SinoLog *log, const SinoSettings *settings, const SinoRegularization *found,
                           const char *where);
SinoStatus sino_recon_write_prior(SinoVolume *volume, const SinoRegularization *of);

/* Writes "12–19 (median 15) by slice", or the number that all have. of: what has a number each. SINO_FAILED: no memory.
 */
SinoStatus sino_recon_numbers_text(int64_t count, const int64_t *number, const char *of, char *text, size_t size);

/* Collective over the ranks of the team, which share the slices that are searched. What the settings say, or, where
 * they are auto, what a part of the projections finds. The caller frees the choice, after a failure, too. */
SinoStatus sino_recon_halves(const SinoReconHalves *of, SinoReconChoice *choice);
void sino_recon_choice_free(SinoReconChoice *choice);
