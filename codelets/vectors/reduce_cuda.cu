/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: adds partial projections over footprints, and spread, the transposed operation, on a GPU. A map names each
 * row of the total at most once, so each element of the total belongs to one thread. */
#include "panel_cuda.cuh"

extern "C" {
#include "reduce.h"
}

enum { THREADS = 256, BLOCKS_MAX = 4096 };

/* The kernel's description of both vectors. */
struct Rows {
    SinoPanels panels;
    SinoRowMap map;
};

/* Adds or copies the rows of one panel, by packs of N elements. */
template <class Real, int N, bool TAKE>
static __device__ __forceinline__ void walk_rows(Rows rows, int width, Real *partial, Real *total)
{
    const int packs = width / N, shift = 31 - __clz(packs);
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t item = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; item < rows.map.count << shift;
         item += step) {
        const int64_t row = rows.map.first + (item >> shift), at = (item & (packs - 1)) * N;
        Real *const of_partial = partial + row * width + at;
        Real *const of_total = total + (static_cast<int64_t>(rows.map.row[row]) - rows.map.base) * width + at;
        SinoPack<Real, N> pack = sino_pack_load<Real, N>(of_total);
        if (TAKE) {
            sino_pack_store(of_partial, pack);
        } else {
            const SinoPack<Real, N> more = sino_pack_load<Real, N>(of_partial);
            for (int i = 0; i < N; i++) pack.value[i] += more.value[i];
            sino_pack_store(of_total, pack);
        }
    }
}

template <class Real, bool TAKE>
static __global__ void __launch_bounds__(THREADS) rows_kernel(Rows rows, Real *partial, Real *total)
{
    const int first = sino_panel_first(rows.panels), width = sino_panel_slices(rows.panels);
    Real *const of_partial = partial + first * rows.map.partial_rows, *const of_total =
                                                                          total + first * rows.map.total_rows;
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    if (width >= full)
        walk_rows<Real, full, TAKE>(rows, width, of_partial, of_total);
    else
        walk_rows<Real, 1, TAKE>(rows, width, of_partial, of_total);
}

template <class Real, bool TAKE>
static SinoStatus launch(const char *name, cudaStream_t stream, const Rows &rows, void *partial, void *total)
{
    if (rows.map.count == 0 || rows.panels.stride == 0) return NULL;
    const int64_t elements = rows.map.count * rows.panels.width;
    const unsigned blocks = sino_blocks_for(elements, THREADS * SinoPackWidth<Real>::ELEMENTS, BLOCKS_MAX);
    return sino_launch(SinoLaunch{name, dim3(blocks, sino_panels_count(rows.panels)), THREADS, 0, stream},
                       rows_kernel<Real, TAKE>, rows, static_cast<Real *>(partial), static_cast<Real *>(total));
}

SinoStatus sino_reduce_add_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *partial,
                                bool first, void *total)
{
    const Rows rows = {sino_panels_of(slices), *map};
    const size_t bytes = static_cast<size_t>(map->total_rows * slices.stride) * sino_precision_bytes(slices.precision);
    if (first) SINO_TRY(sino_clear(stream, total, bytes));
    void *const from = const_cast<void *>(partial); /* only read when adding */
    return slices.precision == SINO_DOUBLE ? launch<double, false>("reduce_add", stream, rows, from, total)
                                           : launch<float, false>("reduce_add", stream, rows, from, total);
}

SinoStatus sino_spread_take_cuda(cudaStream_t stream, SinoSlices slices, const SinoRowMap *map, const void *total,
                                 void *partial)
{
    const Rows rows = {sino_panels_of(slices), *map};
    void *const from = const_cast<void *>(total); /* only read when taking */
    return slices.precision == SINO_DOUBLE ? launch<double, true>("spread_take", stream, rows, partial, from)
                                           : launch<float, true>("spread_take", stream, rows, partial, from);
}
