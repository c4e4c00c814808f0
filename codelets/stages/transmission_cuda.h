/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission on a GPU: rows of several projections as transmission.h has them, without gaps. cuda_stream.h gives the
 * contract of launchers. Counts, fields, flat_at of the correction, and all arrays below are device memory. */
#pragma once

#include "cuda_stream.h"
#include "transmission.h"

/* Lines of a call. Nothing is owned. */
typedef struct SinoTransmissionCuda {
    SinoTransmission from;         /* `light` is not used */
    int64_t first_row, line_count; /* rows of the counts; those beyond are the outermost */
    int64_t continued; /* columns of a line with what follows its own: its outermost value, then its innermost, half of
                        * the rest each, for a line is a circle */
    int64_t stride;    /* floats from line to line */
    float alone;       /* value of lines without defined values */
    SinoTransmissionBounds *bounds; /* [line_count] */
    int *undefined;                 /* [angle][line_count]: number of undefined values */
    float *lines;                   /* [angle][line_count][stride] */
    uint8_t *marks; /* [angle][line_count][column_count of `from`]: 1 where a value is undefined, else 0 */
} SinoTransmissionCuda;

/* Finds the bounds. */
SinoStatus sino_transmission_bounds_cuda(cudaStream_t stream, const SinoTransmissionCuda *rows);

/* Makes lines and marks of `count` angles from `first` on, whose images follow each other. */
SinoStatus sino_transmission_rows_cuda(cudaStream_t stream, const SinoTransmissionCuda *rows, int64_t first,
                                       int64_t count, const void *images);
