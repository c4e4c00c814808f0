/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels: products of a parallel beam without a matrix, whose weights follow from the place of a pixel's middle on the
 * detector, the column p = x·cos θ + y·sin θ + center. With a = max(|cos θ|, |sin θ|) and b = min(|cos θ|, |sin θ|),
 * the weight of the ray of column c in the pixel is
 *
 *     linear    1 − |c − p|, not below 0: y is interpolated between columns (the pixel-driven backprojection of
 *               filtered projections; A. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, ch. 3)
 *     lengths   ((a + b)/2 − |c − p|)/(a·b), within 0 … 1/a: the length of the ray in the pixel (siddon.h)
 *     strips    the mean of the lengths over the width of the column, from c − ½ to c + ½
 *
 * Two columns at most see a pixel, three with strips, and the detector is 0 beside its columns. Positions are computed
 * in double for each super-tile, and in single within it, to about 10⁻⁵ column; b is at least 2⁻¹⁰ for lengths, which
 * spreads a ray along the border of two pixels, and 2⁻²⁰ for strips. Projection and backprojection round differently:
 * they are adjoint to about 10⁻⁶. */
#pragma once

#include "geometry.h"
#include "panel.h"
#include "trace.h"

typedef enum SinoPixelWeights {
    SINO_PIXELS_LINEAR,
    SINO_PIXELS_LENGTHS,
    SINO_PIXELS_STRIPS,
    SINO_PIXELS_WEIGHTS
} SinoPixelWeights;

typedef struct SinoPixels {
    SinoGeometry geometry; /* of y: angle k, column c is row k·M + c; angle_rad is not owned */
    SinoPixelWeights weights;
    SinoSlices slices;                /* single precision */
    int64_t first_angle, angle_count; /* the angles whose rays take part */
    int64_t tile_count;               /* x has tile_count·T² rows */
    const SinoTilePlace *tile;        /* not owned */
} SinoPixels;

/* Bytes of work memory of a call, of any content. */
int64_t sino_pixels_scratch_bytes(void);

/* Adds A x of the tiles, with lengths or strips as weights, to the rows of the angles in y: all vectors lie in panels
 * (panel.h). Safe from many threads at once for different angles. */
void sino_pixels_project(const SinoPixels *what, const float *x, void *scratch, float *y);

/* Adds the backprojection of the angles to the pixels of the tiles that lie in the grid: all vectors lie in panels
 * (panel.h), angle after angle: the bits of a pixel depend neither on the tiles of a call nor on how consecutive angles
 * are divided into calls. Safe from many threads at once for different tiles. */
void sino_pixels_back(const SinoPixels *what, const float *y, void *scratch, float *x);

/* The instruction set that is used: plain, avx2 or avx512. */
const char *sino_pixels_isa_name(void);
