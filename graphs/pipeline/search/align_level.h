/* SPDX-License-Identifier: BSD-3-Clause */
/* Align, level: a scan of averaged pixels whose projections are shifted, and what a volume predicts of them. */
#pragma once

#include "cone.h"
#include "input.h"
#include "register.h"
#include "settings.h"

typedef struct SinoAlignLevel {
    SinoRuntime *runtime;         /* not owned */
    const SinoSettings *settings; /* not owned */
    SinoInput input;              /* of averaged pixels; owns nothing, but `base` is its view */
    SinoView *base;               /* [angle]: as the scan has it; owned */
    SinoView *view;               /* [prediction][angle]: turned and shifted; owned */
    SinoCone cone;                /* with `view`, and room for what shifted projections see beside the others */
    float *rays;                  /* [angle][column][row]: line integrals; owned */
    SinoShift *shift;             /* [angle], averaged pixels; owned */
    SinoViewTurn *turn;           /* [angle]; owned */
    bool turns;                   /* steps turn, too */
    SinoShift *first;             /* [angle]: of a refinement; owned */
    SinoRegistered *result;       /* [angle]: of the last prediction; owned */
    SinoCentroid *centroid;       /* [angle]: of the rays; owned */
    bool axis;                    /* is searched afterwards */
    double residual;              /* ‖A x − b‖/‖b‖ of the last prediction */
    int64_t rounds;               /* predictions so far */
} SinoAlignLevel;

/* A level whose pixels are means of factor × factor of the input's; its rays are not set. The caller frees the level,
 * on failure, too. SINO_BAD_INPUT: as of sino_cone_scan. */
SinoStatus sino_align_level_new(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                int64_t factor, SinoAlignLevel *level);
void sino_align_level_free(SinoAlignLevel *level);

int64_t sino_align_level_angles(const SinoAlignLevel *level);

/* Set the rays: from the scan, or as means of factor × factor of another level's. */
SinoStatus sino_align_level_read(SinoAlignLevel *level);
int64_t sino_align_level_read_bytes(const SinoAlignLevel *level); /* of the rays, and while they are read */
void sino_align_level_average(const SinoAlignLevel *fine, int64_t factor, SinoAlignLevel *coarse);

/* Sets level->centroid. */
SinoStatus sino_align_level_centroids(SinoAlignLevel *level);

/* Solves with the shifts and turns by a few iterations of CG, and registers the rays to the projections that the volume
 * predicts: sets level->result and level->residual. Waits for its tasks. */
SinoStatus sino_align_level_predict(SinoAlignLevel *level);

/* Bytes that a level of so many averaged pixels takes, with steps that turn or without. */
double sino_align_level_bytes(const SinoInput *input, int64_t factor, bool turns);
