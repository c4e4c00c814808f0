/* SPDX-License-Identifier: BSD-3-Clause */
/* Image quality: how close two images of the same object are. Sums are in double precision, whatever the sizes.
 *
 * The structural similarity is that of Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, IEEE Trans. Image Process.
 * 13, 600 (2004): a Gaussian window of 11 × 11 pixels with a standard deviation of 1.5, K1 = 0.01, K2 = 0.03. */
#pragma once

#include "image_region.h"
#include "status.h"

#include <stdint.h>

/* Of the voxels of a region that are finite in both images, a and b. */
typedef struct SinoPairSums {
    int64_t count;
    int64_t bad[2];            /* voxels that are NaN or infinite in a, in b; they do not count elsewhere */
    double mean[2];            /* of a, of b; 0 if count is 0 */
    double moment[2], product; /* Σ(a − ā)², Σ(b − b̄)², Σ(a − ā)(b − b̄) */
    double difference, square; /* Σ(a − b)², Σb² */
    double least[2], most[2];  /* of a, of b; infinite if count is 0 */
} SinoPairSums;

/* The sums of no voxel. */
SinoPairSums sino_pair_none(void);

/* a, b: [rows][width], which hold the region. */
SinoPairSums sino_pair_sums(const SinoImageRegion *region, int64_t width, const float *a, const float *b);

/* Adds the sums of other voxels (T. F. Chan, G. H. Golub, R. J. LeVeque, Am. Stat. 37, 242 (1983)). */
void sino_pair_add(const SinoPairSums *from, SinoPairSums *to);

/* Σ(scale·a + offset − b)² over the same voxels. */
double sino_pair_fit_error(const SinoImageRegion *region, int64_t width, double scale, double offset, const float *a,
                           const float *b);

/* Of the pixels whose whole window lies in the region, and has finite values only. */
typedef struct SinoSimilarity {
    double sum; /* of the structural similarities of these pixels, each at most 1 */
    int64_t count;
} SinoSimilarity;

/* `range` > 0: that of the data, L of the paper. SINO_FAILED: no memory. */
SinoStatus sino_similarity(const SinoImageRegion *region, int64_t width, double range, const float *a, const float *b,
                           SinoSimilarity *similarity);
