/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns: exp(i·m·angle) for m = 0, 1, 2 …, some neighbours at once, by multiplication in double, and sin(t)/t from it.
 */
#pragma once

#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { SINO_TURNS = 4 }; /* neighbours */
typedef double SinoTurnDoubles __attribute__((vector_size(SINO_TURNS * sizeof(double))));

typedef struct SinoTurns {
    SinoTurnDoubles real, imaginary; /* of m = first … first + SINO_TURNS − 1, where `first` is 0 in the beginning */
    double cosine, sine;             /* of SINO_TURNS times the angle */
} SinoTurns;

SINO_INLINE void sino_turns_begin(double angle_rad, SinoTurns *turns)
{
    for (int i = 0; i < SINO_TURNS; i++) {
        turns->real[i] = cos(i * angle_rad);
        turns->imaginary[i] = sin(i * angle_rad);
    }
    turns->cosine = cos(SINO_TURNS * angle_rad);
    turns->sine = sin(SINO_TURNS * angle_rad);
}

/* `first` grows by SINO_TURNS. */
SINO_INLINE void sino_turns_next(SinoTurns *turns)
{
    const SinoTurnDoubles real = turns->real * turns->cosine - turns->imaginary * turns->sine;
    turns->imaginary = turns->real * turns->sine + turns->imaginary * turns->cosine;
    turns->real = real;
}

/* Multiplies by sin(t)/t for t = m·angle. */
SINO_INLINE void sino_turns_times_sinc(const SinoTurns *turns, int64_t first, double angle_rad,
                                       SinoTurnDoubles *product)
{
    const SinoTurnDoubles from_first = {0, 1, 2, 3};
    SinoTurnDoubles argument = ((double)first + from_first) * angle_rad, sine = turns->imaginary;
    for (int i = 0; i < SINO_TURNS; i++) {
        const bool is_small = fabs(argument[i]) < 1e-8;
        sine[i] = is_small ? 1 : sine[i];
        argument[i] = is_small ? 1 : argument[i];
    }
    *product *= sine / argument;
}
