/* SPDX-License-Identifier: BSD-3-Clause */
/* Detail: the contrast of small parts that a prior has flattened, though the rays show it.
 *
 * x is near the minimum of ½ Σ w (A x − b)² + a prior, g = AᵀW(b − A x), and m = AᵀW 1. For squares of a = 5, 7 and 9
 * voxels, each in the middle of one of 2a + 1 voxels within the inscribed circle:
 *
 *     t = Σ of g over the square − (a/(2a + 1))² · Σ of g over the one around
 *     l = t/(response · m)      contrast that x lacks; response: t of a square of contrast 1, where m is 1
 *     z = t/√m, over the root of the mean of its square
 *     c                         contrast that x has
 *     e, s                      mean and standard deviation of x in the square around
 *     f = [|z|·(1 + c/l) − √(4 ln N − 2)] · [|z| − 2.5] · [1.6 − 2 s/|l|] · [2 − 4 |l|/e]
 *
 * [ ] limits to 0 … 1; N is the size of a slice, at least 256. A voxel gets the largest f·l by size, f of a square
 * about it, and its own l, of the sign that l has in the middle of that square. z is the score of a matched filter: of
 * noise alone, a slice has on average less than one place with f > 0, for any N. s keeps edges and textures as they
 * are, where little of the lack is certain. e keeps air as it is, where effects beyond A, such as the fringes of edges,
 * would become parts of the object. */
#ifndef SINO_DETAIL_H
#define SINO_DETAIL_H

#include "variation.h"

/* Slices of a minibatch that one call looks at: first, first + step … */
typedef struct SinoDetailSlices {
    int64_t first, step;
} SinoDetailSlices;

/* Writes the gain of the voxels of x to u of all parts, so that x + u is within the bounds; 0 elsewhere. The vectors
 * are those of variation.h, [part]; NULL: a part without tiles. m is of this share of the rays. variation->part is not
 * read. SINO_FAILED: no memory. */
SinoStatus sino_detail(const SinoVariation *tiles, SinoDetailSlices slices, double share, const void *const *g,
                       const void *const *m, const void *const *x, void *const *u);

/* Bytes of memory that a call takes meanwhile. */
int64_t sino_detail_bytes(int64_t grid_size);

#endif
