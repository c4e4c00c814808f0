/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone pack on a GPU: a thread writes entries; neighbouring threads have neighbouring rows, which are adjacent in a
 * panel and in a line. With 16-bit entries, one kernel finds each projection's largest absolute value before. */
#include "panel_cuda.cuh"

#include <float.h>

extern "C" {
#include "cone_pack.h"
}

enum { THREADS = 256, BLOCKS_MAX = 4096, GRID_MAX = 65535 };

/* The fields of SinoConePacking that the kernels read. */
struct Packing {
    SinoPanels panels;
    int row_count, halves;
    int64_t angle_count, column_count, entry_count;
    int64_t row[2]; /* of the sinogram: of entry 0 of each half */
};

/* Element of a ray (angle·columns + column) and a row of the sinogram. */
static __device__ __forceinline__ int64_t element(const Packing &packing, int64_t ray, int row)
{
    const int first = row / packing.panels.width * packing.panels.width;
    const int width = min(packing.panels.width, packing.panels.stride - first);
    return first * packing.angle_count * packing.column_count + ray * width + (row - first);
}

/* The largest absolute value of each projection, as the bits of a float, which are in the order of the floats. */
static __global__ void __launch_bounds__(THREADS) largest_kernel(Packing packing, const float *sinogram, unsigned *most)
{
    const int64_t end = packing.column_count * packing.row_count, step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t angle = blockIdx.y; angle < packing.angle_count; angle += gridDim.y) {
        float largest = 0;
        for (int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; i < end; i += step) {
            const int64_t ray = angle * packing.column_count + i / packing.row_count;
            const float size = fabsf(sinogram[element(packing, ray, static_cast<int>(i % packing.row_count))]);
            largest = size > largest ? size : largest;
        }
        for (int by = 16; by > 0; by /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, by));
        if (threadIdx.x % 32 == 0) atomicMax(&most[angle], __float_as_uint(largest));
    }
}

static __device__ __forceinline__ void put(float value, float, float *to)
{
    *to = value;
}

static __device__ __forceinline__ void put(float value, float scale, short *to)
{
    *to = static_cast<short>(rintf(value * scale));
}

template <class Entry>
static __global__ void __launch_bounds__(THREADS)
    pack_kernel(Packing packing, const float *sinogram, const unsigned *most_bits, Entry *line, float *unit)
{
    const int64_t end = packing.halves * packing.column_count * packing.entry_count;
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t angle = blockIdx.y; angle < packing.angle_count; angle += gridDim.y) {
        float scale = 1;
        if (sizeof(Entry) == sizeof(short)) {
            const float most = __uint_as_float(most_bits[angle]);
            const bool counts = most > FLT_MIN * SINO_CONE_LARGEST;
            scale = counts ? SINO_CONE_LARGEST / most : 0;
            if (blockIdx.x == 0 && threadIdx.x == 0) unit[angle] = counts ? most / SINO_CONE_LARGEST : 0;
        }
        for (int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; i < end; i += step) {
            const int64_t entry = i % packing.entry_count, in_halves = i / packing.entry_count;
            const int half = in_halves >= packing.column_count;
            const int64_t ray = angle * packing.column_count + in_halves % packing.column_count;
            const int64_t row = half ? packing.row[1] - entry : packing.row[0] + entry;
            const bool there = row >= 0 && row < packing.row_count;
            put(there ? sinogram[element(packing, ray, static_cast<int>(row))] : 0, scale, &line[angle * end + i]);
        }
    }
}

static Packing packing_of(const SinoConePacking *packing)
{
    const SinoConeLines *lines = packing->lines;
    Packing result = {sino_panels_of(packing->rows),
                      static_cast<int>(packing->rows.slice_count),
                      lines->symmetry.halves,
                      packing->angle_count,
                      lines->column_count,
                      lines->entry_count,
                      {0, 0}};
    for (int half = 0; half < lines->symmetry.halves; half++)
        result.row[half] = sino_cone_entry_row(packing->cone, lines, half) - packing->first_row;
    return result;
}

static dim3 blocks_for(const Packing &packing, int64_t items)
{
    const int64_t angles = sino_smaller(packing.angle_count, GRID_MAX);
    return dim3(sino_blocks_for(items, THREADS, BLOCKS_MAX), static_cast<unsigned>(angles));
}

template <class Entry>
static SinoStatus launch(cudaStream_t stream, const Packing &packing, const float *sinogram, const unsigned *most,
                         void *line, float *unit)
{
    const int64_t entries = packing.halves * packing.column_count * packing.entry_count;
    return sino_launch(SinoLaunch{"cone_pack", blocks_for(packing, entries), THREADS, 0, stream}, pack_kernel<Entry>,
                       packing, sinogram, most, static_cast<Entry *>(line), unit);
}

SinoStatus sino_cone_pack_cuda(cudaStream_t stream, const SinoConePacking *packing, const float *sinogram,
                               void *scratch, void *line, float *unit)
{
    const Packing of = packing_of(packing);
    unsigned *const most = static_cast<unsigned *>(scratch);
    if (of.angle_count == 0) return NULL;
    if (packing->lines->precision != SINO_MIXED) return launch<float>(stream, of, sinogram, most, line, unit);
    SINO_TRY(sino_clear(stream, most, static_cast<size_t>(of.angle_count) * sizeof *most));
    if (of.row_count > 0)
        SINO_TRY(
            sino_launch(SinoLaunch{"cone_largest", blocks_for(of, of.column_count * of.row_count), THREADS, 0, stream},
                        largest_kernel, of, sinogram, most));
    return launch<short>(stream, of, sinogram, most, line, unit);
}
