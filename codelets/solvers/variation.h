/* SPDX-License-Identifier: BSD-3-Clause */
/* Variation: the two halves of a step that lowers the total variation of slices (isotropic, in 2-D),
 *
 *     TV(u) = Σ √((u right − u)² + (u below − u)²),
 *
 * by its dual (A. Chambolle, J. Math. Imaging Vis. 20, 89 (2004); with bounds: A. Beck and M. Teboulle, IEEE Trans.
 * Image Process. 18, 2419 (2009)). p and q are the dual vectors across and down, of length ≤ 1 in each voxel. For the
 * minimum of ½‖u − z‖² + θ·TV(u) over least ≤ u ≤ most:
 *
 *     primal:  u = min(max(z + θ·(p − p left + q − q above), least), most)
 *     dual:    (p, q) += (u right − u, u below − u)/(8θ), then shortened to length 1
 *
 * Differences across the border of the grid are 0. θ is the scalar `SINO_FISTA_THRESHOLD` of each slice's state; where
 * it is 0, p and q stay as they are.
 *
 * In 3-D the variation has the difference (u of the next slice − u), too, and r is its dual vector:
 *
 *     primal:  u = min(max(z + θ·(p − p left + q − q above + r − r of the slice before), least), most)
 *     dual:    (p, q, r) += σ·(u right − u, u below − u, u of the next slice − u), then shortened to length 1
 *
 * Slices may have different θ. σ is the scalar `SINO_FISTA_DUAL` of a slice; the steps converge if it is at most
 * 1/(12θ) with the larger θ of the slice and the next one (coupling.h).
 *
 * The voxels lie in tiles (trace.h) of several parts. Each call computes the voxels of one part, and reads neighbours
 * from the vectors of all parts. Elements outside of the grid are neither read nor written. */
#pragma once

#include "cuda_stream.h"
#include "opencl_device.h"
#include "panel.h"
#include "trace.h"
#include "update_formulas.h"

/* Numbers of the tiles beside a tile, among the tiles of all parts; −1: none. */
typedef struct SinoTileNeighbours {
    int32_t left, right, above, below;
} SinoTileNeighbours;

typedef struct SinoVariation {
    SinoSlices slices;
    int64_t grid_size;
    int64_t part_count, part;  /* the part that is computed */
    const int64_t *first_tile; /* [part_count + 1]: tiles of part i: first_tile[i] … first_tile[i + 1] − 1 */
    const SinoTilePlace *tile; /* [first_tile[part_count]] */
    const SinoTileNeighbours *neighbour; /* [first_tile[part_count]] */
    double least, most;                  /* of u; −∞ and ∞: none */
} SinoVariation;

/* Whether a part has no tiles. */
static inline bool sino_variation_is_empty(const SinoVariation *variation, int64_t part)
{
    return variation->first_tile[part] == variation->first_tile[part + 1];
}

/* Fills neighbour[tile_count] for the tiles of all parts. SINO_FAILED: no memory. */
SinoStatus sino_variation_neighbours(int64_t grid_size, int64_t tile_count, const SinoTilePlace *tile,
                                     SinoTileNeighbours *neighbour);

/* Vectors are in panels, one row per voxel of the part's tiles. p[part], q[part], u[part]: of all parts; those of parts
 * that are no neighbours are not read. state: [slice]. z, and u of the first, p and q of the second are of
 * variation->part, as r is. r NULL: in 2-D. before[voxel of the part]: r of the slice before the first one; NULL: 0.
 * after[voxel of the part]: u of the slice after the last one; NULL: there is none, and the difference is 0. */
void sino_variation_primal(const SinoVariation *variation, const void *z, const void *const *p, const void *const *q,
                           const void *r, const void *before, const SinoSliceState *state, void *u);
void sino_variation_dual(const SinoVariation *variation, const void *const *u, const void *after,
                         const SinoSliceState *state, void *p, void *q, void *r);

/* On a GPU. Vectors, states, variation->tile and variation->neighbour are in device memory, vectors aligned to 16
 * bytes; variation->first_tile and the arrays of the parts' vectors are in host memory (cuda_stream.h). The addresses
 * of all parts go to the kernel as arguments, so there are at most SINO_VARIATION_CUDA_PARTS of them. */
enum { SINO_VARIATION_CUDA_PARTS = 16 };

SinoStatus sino_variation_primal_cuda(cudaStream_t stream, const SinoVariation *variation, const void *z,
                                      const void *const *p, const void *const *q, const void *r, const void *before,
                                      const SinoSliceState *state, void *u);
SinoStatus sino_variation_dual_cuda(cudaStream_t stream, const SinoVariation *variation, const void *const *u,
                                    const void *after, const SinoSliceState *state, void *p, void *q, void *r);

/* On an OpenCL device, with buffers of the device (opencl_device.h), in 2-D, for a part that has all tiles of the grid.
 * The buffers `tile` and `neighbour` replace variation->tile and variation->neighbour, which are ignored. */
SinoStatus sino_variation_primal_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile,
                                        cl_mem neighbour, cl_mem z, cl_mem p, cl_mem q, cl_mem state, cl_mem u);
SinoStatus sino_variation_dual_opencl(SinoOpencl *opencl, const SinoVariation *variation, cl_mem tile, cl_mem neighbour,
                                      cl_mem u, cl_mem state, cl_mem p, cl_mem q);
