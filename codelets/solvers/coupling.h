/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling: what FISTA with a prior in 3-D needs beside the steps of each minibatch of slices (variation.h, prior.h).
 *
 * Slices keep the step lengths 1/L of their own: with D = diag(L) the update is a proximal step in the norm of D, which
 * bounds the Hessian of all slices together, because that of the residual is block-diagonal, and that of a pair of
 * voxels is bounded by twice its diagonal. What is common to all slices is the momentum, which starts again by
 * Σ L·(y − u)(u − x) over all of them. */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"
#include "update_formulas.h"

/* edge[row] = a slice of a vector of `rows` rows. */
void sino_coupling_edge(SinoSlices slices, int64_t rows, int64_t slice, const void *vector, void *edge);

/* Sets SINO_FISTA_DUAL of every slice: 1/(12θ) with the larger θ of the slice and the next one, because each u_j has
 * 2·θ_j·(5σ_j + σ of the slice before) ≤ 1 as its row of ∇ᵀσ∇θ. A slice that is alone has 1/(8θ), as in 2-D; 0 where θ
 * is 0. `before`: there is a slice before the first one. after: state of the slice after the last one; NULL: there is
 * none. */
void sino_coupling_steps(SinoSlices slices, bool before, const SinoSliceState *after, SinoSliceState *state);

/* Adds L times the sums of each slice to *total. */
void sino_coupling_add(SinoSlices slices, const SinoSliceSums *sums, const SinoSliceState *state, SinoSliceSums *total);

/* sino_coupling_edge on a GPU, with vectors in device memory (cuda_stream.h). */
SinoStatus sino_coupling_edge_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, int64_t slice,
                                   const void *vector, void *edge);
