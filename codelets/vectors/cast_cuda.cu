/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: vectors of floats to halves and back, with adaptive normalisation, on a GPU. */
#include "panel_cuda.cuh"

extern "C" {
#include "cast.h"
}

enum { FULL = 4, BLOCKS_MAX = 4096, ROWS_PER_BLOCK = 4 * SINO_PANEL_LANES, THREADS_MAX = SINO_PANEL_LANES * 8 };

/* Calls function<N>, where N is the pack size for this block's panel. */
#define PACKED(panels, function, ...)                                                                                  \
    do {                                                                                                               \
        if (sino_panel_slices(panels) >= FULL)                                                                         \
            function<FULL>(panels, __VA_ARGS__);                                                                       \
        else                                                                                                           \
            function<1>(panels, __VA_ARGS__);                                                                          \
    } while (0)

/* Finds the largest absolute value of each slice. The atomic maximum compares the bits of floats as integers, which
 * have the same order as nonnegative floats. A maximum does not depend on the order of its operands. */
template <int N>
static __device__ __forceinline__ void find_largest(SinoPanels panels, int64_t rows, const float *x,
                                                    SinoCastUnits *units)
{
    const SinoPanelWalk<N> walk(panels, rows);
    float largest[N] = {};
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) {
        const SinoPack<float, N> pack = sino_pack_load<float, N>(x + walk.at(row));
        for (int i = 0; i < N; i++) { /* a NaN fails the comparison and is skipped */
            const float value = fabsf(pack.value[i]);
            if (value > largest[i]) largest[i] = value;
        }
    }
    for (int i = 0; i < N; i++)
        if (largest[i] > 0)
            atomicMax(reinterpret_cast<int *>(&units->largest[walk.first + walk.column + i]),
                      __float_as_int(largest[i]));
}

static __global__ void __launch_bounds__(THREADS_MAX)
    largest_kernel(SinoPanels panels, int64_t rows, const float *x, SinoCastUnits *units)
{
    PACKED(panels, find_largest, rows, x, units);
}

static __global__ void unit_kernel(int exponent, SinoCastUnits *units)
{
    units->unit[threadIdx.x] = sino_cast_unit(units->largest[threadIdx.x], exponent);
}

template <int N>
static __device__ __forceinline__ void narrow(SinoPanels panels, int64_t rows, const float *x,
                                              const SinoCastUnits *units, SinoHalf *to)
{
    const SinoPanelWalk<N> walk(panels, rows);
    float factor[N];
    for (int i = 0; i < N; i++) factor[i] = 1 / units->unit[walk.first + walk.column + i];
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) {
        const SinoPack<float, N> pack = sino_pack_load<float, N>(x + walk.at(row));
        SinoPack<SinoHalf, N> halves;
        for (int i = 0; i < N; i++) halves.value[i] = __half_as_ushort(__float2half_rn(pack.value[i] * factor[i]));
        sino_pack_store(to + walk.at(row), halves);
    }
}

static __global__ void __launch_bounds__(THREADS_MAX)
    narrow_kernel(SinoPanels panels, int64_t rows, const float *x, const SinoCastUnits *units, SinoHalf *to)
{
    PACKED(panels, narrow, rows, x, units, to);
}

template <int N>
static __device__ __forceinline__ void widen(SinoPanels panels, int64_t rows, const SinoHalf *x,
                                             const SinoCastUnits *units, float *to)
{
    const SinoPanelWalk<N> walk(panels, rows);
    float factor[N];
    for (int i = 0; i < N; i++) factor[i] = units->unit[walk.first + walk.column + i];
    for (int64_t row = walk.lane; row < walk.end; row += walk.step) {
        const SinoPack<SinoHalf, N> halves = sino_pack_load<SinoHalf, N>(x + walk.at(row));
        SinoPack<float, N> pack;
        for (int i = 0; i < N; i++) pack.value[i] = __half2float(__ushort_as_half(halves.value[i])) * factor[i];
        sino_pack_store(to + walk.at(row), pack);
    }
}

static __global__ void __launch_bounds__(THREADS_MAX)
    widen_kernel(SinoPanels panels, int64_t rows, const SinoHalf *x, const SinoCastUnits *units, float *to)
{
    PACKED(panels, widen, rows, x, units, to);
}

static SinoLaunch over_rows(const char *name, cudaStream_t stream, SinoPanels panels, int64_t rows)
{
    return {name, dim3(sino_blocks_for(rows, ROWS_PER_BLOCK, BLOCKS_MAX), sino_panels_count(panels)),
            sino_panel_threads(panels, FULL), 0, stream};
}

SinoStatus sino_cast_units_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x, int exponent,
                                bool first, bool last, SinoCastUnits *units)
{
    const SinoPanels panels = sino_panels_of(slices);
    if (first) SINO_TRY(sino_clear(stream, units->largest, static_cast<size_t>(slices.stride) * sizeof(float)));
    SINO_TRY(sino_launch(over_rows("cast_largest", stream, panels, rows), largest_kernel, panels, rows, x, units));
    if (!last) return NULL;
    const SinoLaunch each = {"cast_units", 1, static_cast<unsigned>(slices.stride), 0, stream};
    return sino_launch(each, unit_kernel, exponent, units);
}

SinoStatus sino_cast_narrow_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const float *x,
                                 const SinoCastUnits *units, SinoHalf *to)
{
    const SinoPanels panels = sino_panels_of(slices);
    return sino_launch(over_rows("cast_narrow", stream, panels, rows), narrow_kernel, panels, rows, x, units, to);
}

SinoStatus sino_cast_widen_cuda(cudaStream_t stream, SinoSlices slices, int64_t rows, const SinoHalf *x,
                                const SinoCastUnits *units, float *to)
{
    const SinoPanels panels = sino_panels_of(slices);
    return sino_launch(over_rows("cast_widen", stream, panels, rows), widen_kernel, panels, rows, x, units, to);
}
