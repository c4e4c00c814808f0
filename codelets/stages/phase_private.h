/* SPDX-License-Identifier: BSD-3-Clause */
/* Phase, private: the filter that phase_kernel.c makes and phase_cpu.c applies, and the rows that a GPU transforms at a
 * time. */
#pragma once

#include "phase.h"

#include <fftw3.h>

/* Floats of a part of a spectrum, whose rows fit the cache together. */
enum { SINO_PHASE_PART = 128 };

struct SinoPhase {
    SinoPhaseOptions options;
    int64_t reach;                /* rows to each side that the lowest frequencies of a row depend on */
    int64_t padded;               /* columns of a row with its continuation to both sides; even */
    int64_t stride;               /* floats of the spectrum of a row */
    int64_t *part_reach;          /* [part]: rows that the frequencies of a part depend on; owned */
    float *kernel;                /* [reach + 1][stride]: factor of rows so far away, twice for each frequency; owned */
    fftwf_plan forward, backward; /* of complex numbers, from one 64-byte aligned array to another */
};

/* Sizes that follow from the options. */
int64_t sino_phase_reach(const SinoPhaseOptions *options);
int64_t sino_phase_padded(const SinoPhaseOptions *options);
int64_t sino_phase_stride(const SinoPhaseOptions *options);

/* Bytes of a row that is transformed in place. */
int64_t sino_phase_row_bytes(const SinoPhaseOptions *options);

/* Rows of one transform. They depend on the options alone, so that the rounding of a row does. */
int64_t sino_phase_transform_rows(const SinoPhaseOptions *options);

/* Bytes of the arrays of one angle: of `lines` rows, those beside the result included, and `rows` rows of `columns`
 * columns of the result. */
int64_t sino_phase_angle_bytes(const SinoPhaseOptions *options, int64_t lines, int64_t rows, int64_t columns);
