/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, varied: the values of recon --sweep NAME=VALUES, each as settings of its own. */
#pragma once

#include "settings.h"

enum { SINO_SWEPT_MAX = 100, SINO_SWEPT_TEXT = 32 };

typedef struct SinoSwept {
    char name[SINO_SWEPT_TEXT]; /* of the setting */
    bool number;                /* its values are numbers */
    bool axis;                  /* it is the rotation axis */
    bool geometry;              /* each value needs an operator of its own; else all have the same */
    bool reopens;               /* values change what the scan becomes before it is reconstructed */
    int64_t count;
    char value[SINO_SWEPT_MAX][SINO_SWEPT_TEXT]; /* as on the command line */
} SinoSwept;

/* Reads NAME=VALUES: values with commas, or FIRST:LAST:STEP, both ends included. NAME is a stage's, geometry's,
 * center's or solver's setting of recon that has no text for a value. Every value is tried. SINO_BAD_INPUT: anything
 * else, more than SINO_SWEPT_MAX values, or a value that the settings do not allow. */
SinoStatus sino_swept_read(const SinoSettings *settings, const char *text, SinoSwept *swept);

/* The settings with one of the values. `varied` borrows every text of `settings`, and owns nothing. */
SinoStatus sino_swept_take(const SinoSettings *settings, const SinoSwept *swept, int64_t i, SinoSettings *varied);
