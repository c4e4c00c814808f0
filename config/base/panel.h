/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels and precisions of vectors. */
#pragma once

#include "vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Precision: the element types of vectors and of ray lengths. */

typedef enum SinoPrecision {
    SINO_SINGLE, /* float */
    SINO_DOUBLE, /* double */
    SINO_HALF,   /* IEEE binary16: an SpMM reads and writes halves */
    SINO_MIXED,  /* an SpMM reads halves, computes in single and writes single */
    SINO_PRECISIONS
} SinoPrecision;

/* Bytes of one stored length of a ray in a voxel, and of one element of a vector that an SpMM reads. */
SINO_INLINE size_t sino_precision_bytes(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? sizeof(double) : precision == SINO_SINGLE ? sizeof(float) : sizeof(uint16_t);
}

/* Precision of the solvers' vectors: SINO_DOUBLE or SINO_SINGLE. */
static inline SinoPrecision sino_precision_solver(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? SINO_DOUBLE : SINO_SINGLE;
}

/* Whether an SpMM reads halves, so that vectors must be cast to half before it. */
static inline bool sino_precision_is_narrow(SinoPrecision precision)
{
    return precision == SINO_HALF || precision == SINO_MIXED;
}

/* Panel: the memory layout of a vector of F slices.
 *
 * Slices are interleaved, and split into panels of at most P slices: vector[panel][row][slice of the panel], where a
 * row is a voxel or a ray. P slices fill two vector registers, the unit that an SpMM kernel works on. The rows of a
 * tile are therefore one contiguous piece that fits L1, whatever F is (docs/lab/kernels.md). Every panel but the last
 * is P wide; the last one's width is the smallest power of two that holds the remaining slices. The stride is the sum
 * of the widths of all panels. */

enum {
    SINO_SLICES_MAX = 256, /* the largest stride */
    SINO_PANEL_MAX = 32    /* the largest P */
};

/* The slices of a vector. Slices slice_count … stride − 1 are padding: they are zero and stay zero. */
typedef struct SinoSlices {
    SinoPrecision precision; /* of the elements */
    int64_t stride, slice_count;
} SinoSlices;

/* P of this processor: the slices that fill 2 vector registers, at least 4. Half precision computes in single, and has
 * the P of single. */
int64_t sino_panel_width(SinoPrecision precision);

/* Stride of slice_count slices: their number with padding. */
int64_t sino_panel_stride(SinoPrecision precision, int64_t slice_count);

/* One panel: its slices, and the number of its first slice, padding of earlier panels included. */
typedef struct SinoPanel {
    int64_t first;
    SinoSlices slices;
} SinoPanel;

/* The panel whose first slice is `first`, a multiple of P. After the last panel `first` equals the stride:
 *
 *     for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) */
SinoPanel sino_panel_at(SinoSlices slices, int64_t first);

static inline SinoPanel sino_panel_next(SinoSlices slices, SinoPanel panel)
{
    return sino_panel_at(slices, panel.first + panel.slices.stride);
}

/* First element of the panel in a vector of `rows` rows: _from in a vector that the caller reads, _to in one that it
 * writes. */
static inline const void *sino_panel_from(SinoPanel panel, int64_t rows, const void *vector)
{
    return (const char *)vector + (size_t)(panel.first * rows) * sino_precision_bytes(panel.slices.precision);
}

static inline void *sino_panel_to(SinoPanel panel, int64_t rows, void *vector)
{
    return (char *)vector + (size_t)(panel.first * rows) * sino_precision_bytes(panel.slices.precision);
}

/* Index of the element (row, slice) in a vector of `rows` rows. For single elements; loops walk panels. */
int64_t sino_panel_element(SinoSlices slices, int64_t rows, int64_t row, int64_t slice);
