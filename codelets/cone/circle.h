/* SPDX-License-Identifier: BSD-3-Clause */
/* Circle: the different angles of a scan in rising order, modulo a turn. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Angles that differ by less than 10⁻⁶ rad are one: even 10⁵ columns from the axis their rays are less than a tenth of
 * a pixel apart. An angle just below the turn is one near 0. */
typedef struct SinoCircle {
    double turn_rad;
    int64_t count;     /* different angles */
    double *angle_rad; /* [count]: rising; owned */
    int64_t *members;  /* [count]: angles of the scan that are this one; owned */
    int64_t *number;   /* [angle of the scan]: which one it is; −1: it is left out; owned */
} SinoCircle;

/* The circle without the angles of dropped[angle of the scan] (NULL: with all), of which there is one at least.
 * SINO_FAILED: no memory. */
SinoStatus sino_circle_new(int64_t angle_count, const double *angle_rad, const bool *dropped, double turn_rad,
                           SinoCircle *circle);
void sino_circle_free(SinoCircle *circle);

/* Angle i, −1 to count: the last one a turn earlier, and the first one a turn later. */
double sino_circle_angle(const SinoCircle *circle, int64_t i);

/* Gaps of a circle. A gap is a step of more than 30° and more than four mean steps. */
typedef struct SinoCircleGaps {
    int64_t count;
    double longest_rad; /* the longest step, of gaps or others */
    double lacking_rad; /* what all shares lack of the turn */
} SinoCircleGaps;

/* share[i]: the radians of the turn that angle i stands for, half the steps to its neighbours. Beside a gap it stands
 * for half the mean of the other steps: no angle sees the rest of the gap, and more weight beside it makes streaks. */
void sino_circle_shares(const SinoCircle *circle, double *share, SinoCircleGaps *gaps);
