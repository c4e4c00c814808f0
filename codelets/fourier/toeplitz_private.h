/* SPDX-License-Identifier: BSD-3-Clause */
/* Toeplitz, private: what its two files share. */
#pragma once

#include "toeplitz.h"

#include <fftw3.h>
#include <math.h>

struct SinoToeplitz {
    SinoGeometry geometry;
    int64_t side;    /* L */
    double norm;     /* sino_toeplitz_norm */
    float *spectrum; /* [column frequency 0 … L/2][row frequency 0 … L − 1]: transform of T, 1/L² included */
    fftwf_plan row, row_back, column, column_back;
};

/* Fills in toeplitz->spectrum and norm. */
SinoStatus sino_toeplitz_fill_spectrum(SinoToeplitz *toeplitz);
