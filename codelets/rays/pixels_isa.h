/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels of one instruction set. pixels_isa.c is compiled once per instruction set; pixels_cpu.c chooses at run time.
 */
#pragma once

#include "block.h"
#include "pixels.h"

enum {
    SINO_PIXELS_SLICES = 4,  /* most that share the places and weights of their pixels */
    SINO_PIXELS_ANGLES = 32, /* of a block, whose lines fit the first-level cache */
    /* Columns of a line: those across the diagonal of a super-tile, and a window of two vectors that begins at the last
     * of them. */
    SINO_PIXELS_LINE = 128,
    SINO_PIXELS_SIDE = SINO_SUPER_TILE * SINO_TILE,
    SINO_PIXELS_ROOM = 40 /* beside a row of an image: more than a window */
};

/* The projections of some angles near a super-tile. A line has one slice. The pixel (row i, column j) of the super-tile
 * is seen at entry first + j·cosine − i·sine of its angle's line. */
typedef struct SinoPixelsLines {
    int64_t angle_count, slice_count; /* 1, 2 or 4 slices */
    float cosine[SINO_PIXELS_ANGLES], sine[SINO_PIXELS_ANGLES], first[SINO_PIXELS_ANGLES];
    float reach[SINO_PIXELS_ANGLES], slope[SINO_PIXELS_ANGLES]; /* of lengths: reach − slope·|c − p|, in 0 … 1 */
    float line[SINO_PIXELS_SLICES][SINO_PIXELS_ANGLES][SINO_PIXELS_LINE];
} SinoPixelsLines;

/* Adds the lines to sum[slice][T][T], the pixels of the tile in row `row` and column `column` of tiles of the
 * super-tile. */
typedef void SinoPixelsTile(const SinoPixelsLines *lines, int row, int column, float *sum);

/* The pixels of a super-tile of one slice, with zeros on either side. */
typedef float SinoPixelsImage[SINO_PIXELS_SIDE][SINO_PIXELS_ROOM + SINO_PIXELS_SIDE + SINO_PIXELS_ROOM];

/* Neighbouring rays of an angle. Ray i crosses row r of an image at place first + i·ray + r·row, between the middles of
 * the row's pixels floor(place) and floor(place) + 1; 1 ≤ |ray| ≤ √2, |row| ≤ 1. */
typedef struct SinoPixelsRays {
    int64_t count;       /* at most SINO_PIXELS_LINE − 16 */
    int64_t slice_count; /* 1, 2 or 4 */
    double first, ray, row;
    float reach, slope; /* its length in a pixel at a distance d of places: reach − slope·d, in 0 … 1 */
    float half;         /* of strips: half the width of a column, in places */
    float sum[SINO_PIXELS_SLICES][SINO_PIXELS_LINE]; /* is set; what follows the rays, too */
} SinoPixelsRays;

/* By lengths, or by strips: the integral of the length over the width of a column. image: of each slice. */
typedef void SinoPixelsProject(const SinoPixelsImage *image, SinoPixelsRays *rays);

typedef struct SinoPixelsIsa {
    const char *name;
    SinoPixelsTile *add[SINO_PIXELS_WEIGHTS];        /* of each SinoPixelWeights */
    SinoPixelsProject *project[SINO_PIXELS_WEIGHTS]; /* likewise; of linear weights: NULL */
} SinoPixelsIsa;

extern const SinoPixelsIsa sino_pixels_plain, sino_pixels_avx2, sino_pixels_avx512;

/* sino_pixels_back and sino_pixels_project by a given instruction set, for panels of `width` slices. */
void sino_pixels_back_with(const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *y,
                           void *scratch, float *x);
void sino_pixels_project_with(const SinoPixelsIsa *isa, int64_t width, const SinoPixels *what, const float *x,
                              void *scratch, float *y);
