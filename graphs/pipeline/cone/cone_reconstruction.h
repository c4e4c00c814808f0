/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone reconstruction: the graph of FDK for cone beams, from the scan to the volume. */
#pragma once

#include "cone_pieces.h"
#include "cone_streaming.h"
#include "journal.h"
#include "live.h"
#include "settings.h"
#include "volume.h"

/* Bytes that a rank has sent to others. */
typedef struct SinoConeTraffic {
    int64_t lines_bytes, part_bytes;
} SinoConeTraffic;

/* The parts of a run; nothing is owned. */
typedef struct SinoConeReconstruction {
    SinoRuntime *runtime;
    const SinoSettings *settings;
    const SinoInput *input;
    const SinoCone *cone;
    const SinoConeStreaming *streaming;
    double scale;         /* output value = scale · attenuation per voxel */
    SinoVolume *volume;   /* NULL: only the pictures are wanted; slices that are done already are left out */
    SinoJournal *journal; /* gets an entry for each image that is stored; NULL: none */
    SinoRecord *record;
    SinoConeTraffic *traffic; /* is added to */
    SinoLive *live;           /* gets planes after each block, one process alone; NULL: none */
    bool aside;               /* tells neither progress nor profile, for it is not what was asked for */
} SinoConeReconstruction;

/* Collective. Submits every task, and returns when the last slice of this rank is stored. If another rank fails, the
 * result is an error of the same kind without a text. */
SinoStatus sino_cone_reconstruct(const SinoConeReconstruction *reconstruction);
