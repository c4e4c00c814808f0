/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupling of minibatches on a GPU. */
#include "panel_cuda.cuh"

extern "C" {
#include "coupling.h"
}

enum { THREADS = 256, BLOCKS_MAX = 4096 };

template <class Real>
static __global__ void __launch_bounds__(THREADS) edge_kernel(int64_t rows, int64_t step, const Real *from, Real *edge)
{
    const int64_t threads = gridDim.x * static_cast<int64_t>(THREADS);
    for (int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; i < rows; i += threads)
        edge[i] = from[i * step];
}

template <class Real>
static SinoStatus launch(cudaStream_t stream, int64_t rows, int64_t step, const Real *from, void *edge)
{
    const unsigned blocks = sino_blocks_for(rows, THREADS, BLOCKS_MAX);
    return sino_launch(SinoLaunch{"edge", blocks, THREADS, 0, stream}, edge_kernel<Real>, rows, step, from,
                       static_cast<Real *>(edge));
}

SinoStatus sino_coupling_edge_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, int64_t slice,
                                   const void *vector, void *edge)
{
    const int64_t width = sino_panel_width(slices.precision);
    const SinoPanel at = sino_panel_at(slices, slice / width * width);
    const int64_t lane = slice - at.first;
    const void *from = sino_panel_from(at, rows, vector);
    if (rows == 0) return NULL;
    return slices.precision == SINO_DOUBLE
               ? launch(stream, rows, at.slices.stride, static_cast<const double *>(from) + lane, edge)
               : launch(stream, rows, at.slices.stride, static_cast<const float *>(from) + lane, edge);
}
