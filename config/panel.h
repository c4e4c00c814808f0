/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel: how the F slices of a vector lie in memory.
 *
 * Slices are interleaved, and split into panels of at most P slices: vector[panel][row][slice of the panel], where a
 * row is a voxel or a ray. P slices fill two vector registers, what an SpMM kernel works on at a time: the rows of a
 * tile are then one contiguous piece that fits L1, whatever F is (docs/PERFORMANCE.md). All panels are P wide but the
 * last, whose width is the power of two that holds the rest; the width of all panels together is the stride. */
#ifndef SINO_PANEL_H
#define SINO_PANEL_H

#include "precision.h"

#include <stdint.h>

enum {
    SINO_SLICES_MAX = 256, /* the largest stride */
    SINO_PANEL_MAX = 32    /* the largest P */
};

/* The slices of a vector; those from slice_count to the stride are padding: zero, and kept so. */
typedef struct SinoSlices {
    SinoPrecision precision; /* of the elements */
    int64_t stride, slice_count;
} SinoSlices;

/* P of this processor: 2 registers, 4 slices at least. Half precision computes in single and has its P. */
int64_t sino_panel_width(SinoPrecision precision);

/* The stride of F slices. */
int64_t sino_panel_stride(SinoPrecision precision, int64_t slice_count);

/* One panel: its slices, and the number of the first, among padded slices. */
typedef struct SinoPanel {
    int64_t first;
    SinoSlices slices;
} SinoPanel;

/* The panel that begins with slice `first`, a multiple of P. The last one is followed by `first` = stride:
 *
 *     for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) */
SinoPanel sino_panel_at(SinoSlices slices, int64_t first);

static inline SinoPanel sino_panel_next(SinoSlices slices, SinoPanel panel)
{
    return sino_panel_at(slices, panel.first + panel.slices.stride);
}

/* Where the panel begins in a vector of `rows` rows that is read, and in one that is written. */
static inline const void *sino_panel_from(SinoPanel panel, int64_t rows, const void *vector)
{
    return (const char *)vector + (size_t)(panel.first * rows) * sino_precision_bytes(panel.slices.precision);
}

static inline void *sino_panel_to(SinoPanel panel, int64_t rows, void *vector)
{
    return (char *)vector + (size_t)(panel.first * rows) * sino_precision_bytes(panel.slices.precision);
}

/* Element (row, slice) of a vector of `rows` rows: for single elements, not for loops over them. */
int64_t sino_panel_element(SinoSlices slices, int64_t rows, int64_t row, int64_t slice);

#endif
