/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring correlation: how well two images agree at each spatial frequency. Between images of independent halves of the
 * data it falls where noise begins to outweigh the object, which is the resolution.
 *
 *     FRC(r) = Σ Re F G* / √(Σ|F|² Σ|G|²)         over the Fourier pixels of ring r
 *     T(r)   = (0.2071 + 1.9102/√n)/(1.2071 + 0.9102/√n)      the 1/2-bit threshold for n independent numbers
 *
 * M. van Heel, M. Schatz, J. Struct. Biol. 151, 250 (2005). Before the transform an image is multiplied by a mask with
 * a soft edge: 1 in the disc, 0 outside, and a cosine within the outer fifth of its radius. Of the image its mean along
 * that edge is subtracted first. */
#pragma once

#include "image_region.h"
#include "status.h"

#include <stdint.h>

/* Plan, mask and rings of images of one size; several threads may use it. */
typedef struct SinoRings SinoRings;

/* Sums over the Fourier pixels of a ring; of several pairs of images they are added. */
typedef struct SinoRingSums {
    double product, square[2]; /* Σ Re F G*, Σ|F|², Σ|G|² */
} SinoRingSums;

/* A ring of the curve. */
typedef struct SinoRingPoint {
    double frequency;   /* in cycles per voxel, up to 0.5 */
    double correlation; /* NaN where an image has nothing */
    double half_bit;    /* the threshold */
    double numbers;     /* independent real ones, of all pairs: correlations of noise deviate by 1/√n from 0 */
} SinoRingPoint;

/* Images [height][width]; `disc` is a circle. The caller frees *rings with sino_rings_free. SINO_FAILED: no memory. */
SinoStatus sino_rings_new(const SinoImageRegion *disc, int64_t height, int64_t width, SinoRings **rings);
void sino_rings_free(SinoRings *rings); /* takes NULL */

/* Rings from the mean to the highest frequency, 0.5 cycles per voxel along the longer side. */
int64_t sino_rings_count(const SinoRings *rings);

/* sums[sino_rings_count] of one pair of images, whose values are finite. SINO_FAILED: no memory. */
SinoStatus sino_rings_sum(const SinoRings *rings, const float *a, const float *b, SinoRingSums *sums);

/* The curve of the sums over `pairs` pairs of images. A ring has as many independent real numbers as Fourier pixels, of
 * which opposite ones are conjugate, times the share of the image that the mask covers. */
void sino_rings_curve(const SinoRings *rings, int64_t pairs, const SinoRingSums *sums, SinoRingPoint *curve);

/* The frequency, in cycles per voxel, where the curve first falls below the threshold (that of each ring if it is 0),
 * on straight lines between rings; NaN: it never does. */
double sino_rings_crossing(int64_t count, const SinoRingPoint *curve, double threshold);
