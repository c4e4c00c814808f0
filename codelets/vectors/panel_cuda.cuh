/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel, for CUDA kernels: the part of a vector in panels (panel.h) that a block works on, in packs of 16 bytes.
 *
 * The grid's y is the panel. A row of a panel is a power of two of elements. A pack is 16 bytes of a row, or the whole
 * row if that is less. Vectors are aligned to 16 bytes, and so are panels, because their rows begin at a multiple of P
 * elements. */
#pragma once

#include "simt.h"

#include <assert.h>

extern "C" {
#include "panel.h"
}

/* The part of SinoSlices that kernels need: the panel width P of this program, and the stride of vectors. */
struct SinoPanels {
    int width, stride;
};

/* Strides must come from sino_panel_stride. */
static inline SinoPanels sino_panels_of(SinoSlices slices)
{
    assert(sino_panel_stride(slices.precision, slices.stride) == slices.stride && "the last panel is a power of two");
    return {static_cast<int>(sino_panel_width(slices.precision)), static_cast<int>(slices.stride)};
}

static inline unsigned sino_panels_count(SinoPanels panels)
{
    return static_cast<unsigned>((panels.stride + panels.width - 1) / panels.width);
}

/* The panel of this block: its first slice, and its width. */
static __device__ __forceinline__ int sino_panel_first(SinoPanels panels)
{
    return static_cast<int>(blockIdx.y) * panels.width;
}

static __device__ __forceinline__ int sino_panel_slices(SinoPanels panels)
{
    return min(panels.width, panels.stride - sino_panel_first(panels));
}

/* N elements that a thread reads or writes in one access. */
template <class Real, int N> struct __align__(sizeof(Real) * N) SinoPack
{
    Real value[N];
};

template <class Real> struct SinoPackWidth {
    enum { ELEMENTS = 16 / sizeof(Real) };
};

template <class Real, int N> static __device__ __forceinline__ SinoPack<Real, N> sino_pack_load(const Real *from)
{
    return *reinterpret_cast<const SinoPack<Real, N> *>(from);
}

template <class Real, int N>
static __device__ __forceinline__ void sino_pack_store(Real *to, const SinoPack<Real, N> &pack)
{
    *reinterpret_cast<SinoPack<Real, N> *>(to) = pack;
}

enum { SINO_PANEL_LANES = 32 }; /* rows that a block works on at a time */

/* Threads per block for packs of at most `most` elements: enough for SINO_PANEL_LANES rows of the widest panel. */
static inline unsigned sino_panel_threads(SinoPanels panels, int most)
{
    const int width = panels.stride < panels.width ? panels.stride : panels.width;
    return static_cast<unsigned>(SINO_PANEL_LANES * (width < most ? width : width / most));
}

/* The packs of N elements that one thread visits in its block's panel. The thread always has the same slices, in rows
 * lane, lane + step, …. The rows of a block do not depend on the panel's width; in a narrower panel some threads have
 * no rows.
 *
 *     for (int64_t row = walk.lane; row < walk.end; row += walk.step) … element walk.at(row) … */
template <int N> struct SinoPanelWalk {
    int first, width; /* the panel's first slice; slices of the panel */
    int column;       /* this thread's first slice, within the panel */
    int block_lane;   /* this thread's row among the block's; SINO_PANEL_LANES or more: the thread has none */
    int64_t lane, step, end, rows;

    __device__ __forceinline__ SinoPanelWalk(SinoPanels panels, int64_t row_count)
        : first(sino_panel_first(panels)), width(sino_panel_slices(panels)),
          column(static_cast<int>(threadIdx.x) % (width / N) * N),
          block_lane(static_cast<int>(threadIdx.x) / (width / N)),
          lane(blockIdx.x * static_cast<int64_t>(SINO_PANEL_LANES) + block_lane),
          step(gridDim.x * static_cast<int64_t>(SINO_PANEL_LANES)), end(block_lane < SINO_PANEL_LANES ? row_count : 0),
          rows(row_count)
    {
    }

    __device__ __forceinline__ int64_t at(int64_t row) const
    {
        return first * rows + row * width + column;
    }
};

/* Number of blocks for `items` items if a block handles `per_block`: at least 1 and at most `most`, which keeps a
 * device busy a few times over. Kernels loop with the grid's size as their step. The number is the same on every
 * device. */
static inline unsigned sino_blocks_for(int64_t items, int64_t per_block, int64_t most)
{
    const int64_t blocks = (items + per_block - 1) / per_block;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks > most ? most : blocks);
}
