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
#pragma once

#include "variation.h"

/* Slices of a minibatch that one call looks at: first, first + step … */
typedef struct SinoDetailSlices {
    int64_t first, step;
} SinoDetailSlices;

/* Writes the gain of the voxels of x to u of all parts, so that x + u is within the bounds; 0 elsewhere. The vectors
 * are those of variation.h, [part]; NULL: a part without tiles. m is of this share of the rays. variation->part and
 * ->neighbour are not read. scratch: of sino_detail_bytes, aligned to 16 bytes. */
void sino_detail(const SinoVariation *tiles, SinoDetailSlices slices, double share, const void *const *g,
                 const void *const *m, const void *const *x, void *scratch, void *const *u);
int64_t sino_detail_bytes(int64_t grid_size);

/* On a GPU, by variation.h's rule for memory; tiles->tile is in device memory, and parts are at most
 * SINO_VARIATION_CUDA_PARTS. Results are within rounding of the CPU's. */
SinoStatus sino_detail_cuda(cudaStream_t stream, const SinoVariation *tiles, SinoDetailSlices slices, double share,
                            const void *const *g, const void *const *m, const void *const *x, void *scratch,
                            void *const *u);
