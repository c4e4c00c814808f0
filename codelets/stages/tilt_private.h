/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt, private: what one call makes of the detector, and what that depends on. */
#pragma once

#include "tilt.h"

/* Rows are those of the detector. */
typedef struct SinoTiltPart {
    int64_t first, rows;                /* of the image that is made: with the rows that phase retrieval needs beside */
    int64_t first_column, column_count; /* likewise; for phase retrieval all columns */
    int64_t from_first, from_rows;      /* that it depends on */
} SinoTiltPart;

/* Rows of an image for `rows` rows of the result, at most. */
int64_t sino_tilt_image_rows(const SinoPhaseOptions *phase, int64_t rows);

SinoTiltPart sino_tilt_part(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction);

/* The correction of the image, without flat fields. Its function that makes images is to be set. */
SinoCorrection sino_tilt_after(const SinoTilt *tilt, const SinoTiltPart *part, const SinoCorrection *correction);

/* On a GPU: bytes of the arrays of one angle, of so many rows that images depend on, and pixels of an image. */
int64_t sino_tilt_angle_bytes(const SinoTilt *tilt, int64_t lines, int64_t pixels);

/* On a GPU: bytes of scratch memory without those of phase retrieval. */
int64_t sino_tilt_own_bytes(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction);
