/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels: backprojection of a parallel beam to the middles of pixels, without a matrix (the pixel-driven backprojection
 * of filtered projections; A. Kak and M. Slaney, Principles of Computerized Tomographic Imaging, ch. 3).
 *
 *     x(pixel) += Σ over angles of y at the column x·cos θ + y·sin θ + center
 *
 * where y is interpolated linearly between columns, and 0 beside the detector. The weights of an angle in a pixel sum
 * to 1, as the lengths of rays in a voxel do. Positions are computed in double for each super-tile, and in single
 * within it, to about 10⁻⁵ column. */
#ifndef SINO_PIXELS_H
#define SINO_PIXELS_H

#include "geometry.h"
#include "panel.h"
#include "trace.h"

typedef struct SinoPixels {
    SinoGeometry geometry;     /* of y: angle k, column c is row k·M + c; angle_rad is not owned */
    SinoSlices slices;         /* single precision */
    int64_t tile_count;        /* x has tile_count·T² rows */
    const SinoTilePlace *tile; /* not owned */
} SinoPixels;

/* Bytes of work memory of a call, of any content. */
int64_t sino_pixels_scratch_bytes(void);

/* Adds the backprojection of all angles to the pixels of the tiles that lie in the grid: all vectors lie in panels
 * (panel.h). Safe from many threads at once for different tiles. The sums of a pixel do not depend on the tiles of a
 * call. */
void sino_pixels_back(const SinoPixels *what, const float *y, void *scratch, float *x);

/* The instruction set that is used: plain, avx2 or avx512. */
const char *sino_pixels_isa_name(void);

#endif
