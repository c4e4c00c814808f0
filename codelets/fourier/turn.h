/* SPDX-License-Identifier: BSD-3-Clause */
/* Turn: exp(i·m·angle) for m = 0, 1, 2 …, by multiplication in double, and sin(t)/t from it. */
#ifndef SINO_TURN_H
#define SINO_TURN_H

#include <math.h>
#include <stdint.h>

typedef struct SinoTurn {
    double real, imaginary; /* of the current m */
    double cosine, sine;    /* of the angle */
} SinoTurn;

static inline SinoTurn sino_turn_begin(double angle_rad)
{
    return (SinoTurn){1, 0, cos(angle_rad), sin(angle_rad)};
}

static inline void sino_turn_next(SinoTurn *turn)
{
    const double real = turn->real * turn->cosine - turn->imaginary * turn->sine;
    turn->imaginary = turn->real * turn->sine + turn->imaginary * turn->cosine;
    turn->real = real;
}

/* sin(t)/t of t = m·angle, where `turn` is at m ≥ 0. */
static inline double sino_turn_sinc(const SinoTurn *turn, int64_t m, double angle_rad)
{
    const double argument = (double)m * angle_rad;
    return fabs(argument) < 1e-8 ? 1 : turn->imaginary / argument;
}

#endif
