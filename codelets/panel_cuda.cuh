/* SPDX-License-Identifier: BSD-3-Clause */
/* Panel, for CUDA kernels: which part of a vector in panels (panel.h) a block works on, in packs of 16 bytes.
 *
 * A grid's y is the panel. A row of a panel is a power of two of elements; a pack is 16 bytes of it, or the whole row
 * where that is less. Vectors begin on 16 bytes, so panels do: their rows begin at a multiple of P elements. */
#ifndef SINO_PANEL_CUDA_CUH
#define SINO_PANEL_CUDA_CUH

#include "simt.h"

#include <assert.h>

extern "C" {
#include "panel.h"
}

/* What kernels know of SinoSlices: the P of this program's vectors, and their stride. */
struct SinoPanels {
    int width, stride;
};

/* Strides as sino_panel_stride gives them. */
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

/* N elements as one access. */
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

/* Blocks for `items` when each does `per_block`, at least one, and no more than keep a device busy a few times over:
 * kernels go round by the grid's size. The answer is the same on every device. */
static inline unsigned sino_blocks_for(int64_t items, int64_t per_block, int64_t most)
{
    const int64_t blocks = (items + per_block - 1) / per_block;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

#endif
