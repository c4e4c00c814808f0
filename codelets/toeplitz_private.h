/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, private: what its two files share. */
#ifndef SINO_TOEPLITZ_PRIVATE_H
#define SINO_TOEPLITZ_PRIVATE_H

#include "polar_grid.h"
#include "toeplitz.h"

#include <fftw3.h>
#include <math.h>

struct SinoToeplitz {
    SinoGeometry geometry;
    int64_t side;     /* L */
    int64_t detector; /* D */
    float *spectrum;  /* [column frequency 0 … L/2][row frequency 0 … L − 1]: transform of T, 1/L² included */
    SinoPolarGrid *adjoint; /* of N × N pixels, in single */
    fftwf_plan row, row_back, column, column_back, detector_row;
};

/* D. A ray has the terms m = 0 … D/2 − 1. */
int64_t sino_toeplitz_detector(const SinoGeometry *geometry);

/* exp(i·m·angle) for m = 0, 1, 2 …, by multiplication in double. */
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

/* sinc(m·angle) where `turn` is at m ≥ 0. */
static inline double sino_turn_sinc(const SinoTurn *turn, int64_t m, double angle_rad)
{
    const double argument = (double)m * angle_rad;
    return fabs(argument) < 1e-8 ? 1 : turn->imaginary / argument;
}

/* Fills in toeplitz->spectrum. */
SinoStatus sino_toeplitz_fill_spectrum(SinoToeplitz *toeplitz);

#endif
