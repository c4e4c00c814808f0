/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick voxels on a GPU: sums of vectors of voxels, and masks. */
#include "panel_cuda.cuh"

extern "C" {
#include "arithmetic.h"
#include "brick_voxels.h"
}

enum { FULL = 4, THREADS = 256, BLOCKS_MAX = 4096, ROWS_PER_BLOCK = 4 * SINO_PANEL_LANES };

/* Packs of four, and what is left. */
static __global__ void __launch_bounds__(THREADS) add_kernel(int64_t count, const float *from, float *to)
{
    typedef SinoPack<float, FULL> Pack;
    const int64_t me = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS, packs = count / FULL;
    for (int64_t i = me; i < packs; i += step) {
        const Pack addend = sino_pack_load<float, FULL>(from + i * FULL);
        Pack sum = sino_pack_load<float, FULL>(to + i * FULL);
#pragma unroll
        for (int k = 0; k < FULL; k++) sum.value[k] += addend.value[k];
        sino_pack_store(to + i * FULL, sum);
    }
    if (me < count % FULL) to[packs * FULL + me] += from[packs * FULL + me];
}

template <int N>
static __device__ __forceinline__ void mask_rows(SinoPanels panels, int64_t rows, const float *mask, const float *from,
                                                 float *to)
{
    const SinoPanelWalk<N> walk(panels, rows);
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) {
        SinoPack<float, N> pack = sino_pack_load<float, N>(from + walk.at(row));
        const float factor = mask[row];
        for (int i = 0; i < N; i++) pack.value[i] *= factor;
        sino_pack_store(to + walk.at(row), pack);
    }
}

static __global__ void __launch_bounds__(SINO_PANEL_LANES * 8)
    mask_kernel(SinoPanels panels, int64_t rows, const float *mask, const float *from, float *to)
{
    if (sino_panel_slices(panels) >= FULL)
        mask_rows<FULL>(panels, rows, mask, from, to);
    else
        mask_rows<1>(panels, rows, mask, from, to);
}

static __global__ void __launch_bounds__(THREADS) copy_kernel(int64_t count, const float *from, float *to)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < count; i += step) to[i] = from[i];
}

SinoStatus sino_voxels_clear_cuda(cudaStream_t stream, int64_t count, float *to)
{
    return sino_clear(stream, to, static_cast<size_t>(count) * sizeof *to);
}

SinoStatus sino_voxels_add_cuda(cudaStream_t stream, int64_t count, const float *from, float *to)
{
    if (count == 0) return NULL;
    const unsigned blocks = sino_blocks_for(count, FULL * THREADS, BLOCKS_MAX);
    return sino_launch(SinoLaunch{"voxels_add", blocks, THREADS, 0, stream}, add_kernel, count, from, to);
}

SinoStatus sino_voxels_mask_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *mask,
                                 const float *from, float *to)
{
    const SinoPanels panels = sino_panels_of(slices);
    const int64_t count = sino_times(rows, slices.stride);
    if (count == 0) return NULL;
    if (!mask) {
        const unsigned blocks = sino_blocks_for(count, THREADS, BLOCKS_MAX);
        return sino_launch(SinoLaunch{"voxels_copy", blocks, THREADS, 0, stream}, copy_kernel, count, from, to);
    }
    const SinoLaunch each = {"voxels_mask",
                             dim3(sino_blocks_for(rows, ROWS_PER_BLOCK, BLOCKS_MAX), sino_panels_count(panels)),
                             sino_panel_threads(panels, FULL), 0, stream};
    return sino_launch(each, mask_kernel, panels, rows, mask, from, to);
}
