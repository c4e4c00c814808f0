/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU: sinograms between panels and methods. A few slices are gathered together as [slice][column][angle],
 * by tiles that are transposed in shared memory, so that both sides are read and written by whole sectors. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"
#include "stripes_wavelet_cuda.cuh"

extern "C" {
#include "stripes.h"
#include "undefined.h"
}

enum {
    ANGLES = 32, /* of a tile */
    COLUMNS = 8, /* likewise */
    THREADS = 256,
    PITCH = ANGLES + 1,
    TILE = SINO_STRIPES_SLICES * COLUMNS * PITCH,
    GRID_MAX = 65535
};

/* The slices of a panel that are gathered. */
template <class Real> struct Panel {
    Real *first; /* of ray 0, the first of these slices */
    int width;   /* slices of the panel */
    int lanes;   /* least power of two that is not less than the slices */
    const int64_t *place;
};

/* What thread i of a tile's values reads of a panel, neighbours in a panel's order, and its place in shared memory. */
struct Place {
    int slice, column, angle, in_tile;
};

static __device__ __forceinline__ Place place_of(int i, int lanes)
{
    const int shift = __ffs(lanes) - 1, slice = i & (lanes - 1), column = (i >> shift) & (COLUMNS - 1);
    const int angle = (i >> shift) / COLUMNS;
    return {slice, column, angle, (slice * COLUMNS + column) * PITCH + angle};
}

template <class Real>
static __device__ __forceinline__ Real *value_of(const SinoStripesGathered &at, const Panel<Real> &panel, int angle,
                                                 int column, int slice)
{
    const int64_t place = panel.place ? panel.place[angle] : static_cast<int64_t>(angle);
    return panel.first + (place * at.column_count + column) * panel.width + slice;
}

static __device__ __forceinline__ int64_t gathered_at(const SinoStripesGathered &at, int slice, int column, int angle)
{
    return slice * at.slice_values + column * at.pitch + angle;
}

/* Grid x: tiles of columns, y: tiles of angles. */
template <class Real>
static __global__ void __launch_bounds__(THREADS) gather_kernel(SinoStripesGathered at, Panel<Real> panel)
{
    SINO_SHARED(float, tile, TILE);
    const int me = static_cast<int>(threadIdx.x), first_column = static_cast<int>(blockIdx.x) * COLUMNS;
    for (int first = static_cast<int>(blockIdx.y) * ANGLES; first < at.angle_count;
         first += static_cast<int>(gridDim.y) * ANGLES) {
        for (int i = me; i < ANGLES * COLUMNS * panel.lanes; i += THREADS) {
            const Place to = place_of(i, panel.lanes);
            const int angle = first + to.angle, column = first_column + to.column;
            if (angle >= at.angle_count || column >= at.column_count || to.slice >= at.slice_count) continue;
            const float value = static_cast<float>(*value_of(at, panel, angle, column, to.slice));
            if (sino_is_undefined(value)) at.has_undefined[to.slice] = 1;
            tile[to.in_tile] = value;
        }
        __syncthreads();
        for (int i = me; i < ANGLES * COLUMNS * at.slice_count; i += THREADS) {
            const int angle = i % ANGLES, column = i / ANGLES % COLUMNS, slice = i / ANGLES / COLUMNS;
            if (first + angle < at.angle_count && first_column + column < at.column_count)
                at.values[gathered_at(at, slice, first_column + column, first + angle)] =
                    tile[(slice * COLUMNS + column) * PITCH + angle];
        }
        __syncthreads();
    }
}

/* A thread interpolates the undefined values of one angle between the nearest defined columns, in slices that have any.
 * Grid x: angles, y: slices. */
static __global__ void __launch_bounds__(THREADS) fill_kernel(SinoStripesGathered at)
{
    const int angle = static_cast<int>(blockIdx.x * THREADS + threadIdx.x), slice = static_cast<int>(blockIdx.y);
    if (angle >= at.angle_count || !at.has_undefined[slice]) return;
    float *const row = at.values + gathered_at(at, slice, 0, angle);
    int left = -1;
    for (int c = 0; c < at.column_count; c++) {
        const float here = row[c * at.pitch];
        if (sino_is_undefined(here)) continue;
        for (int i = left + 1; i < c; i++) {
            const float share = left < 0 ? 1.0F : static_cast<float>(i - left) / static_cast<float>(c - left);
            row[i * at.pitch] = left < 0 ? here : sino_stripes_between(row[left * at.pitch], here, share);
        }
        left = c;
    }
    for (int i = left + 1; left >= 0 && i < at.column_count; i++) row[i * at.pitch] = row[left * at.pitch];
    at.is_empty[slice * at.pitch + angle] = left < 0;
}

/* The nearest angle before that has a defined value, else the nearest one after; −1: there is none. */
static __device__ int nearest_defined(const unsigned char *is_empty, int count, int angle)
{
    for (int k = angle - 1; k >= 0; k--)
        if (!is_empty[k]) return k;
    for (int k = angle + 1; k < count; k++)
        if (!is_empty[k]) return k;
    return -1;
}

/* Angles without a defined value get those of another angle. */
static __global__ void __launch_bounds__(THREADS) copy_kernel(SinoStripesGathered at)
{
    const int angle = static_cast<int>(blockIdx.x * THREADS + threadIdx.x), slice = static_cast<int>(blockIdx.y);
    if (angle >= at.angle_count || !at.has_undefined[slice] || !at.is_empty[slice * at.pitch + angle]) return;
    const int from = nearest_defined(at.is_empty + slice * at.pitch, at.angle_count, angle);
    float *const row = at.values + gathered_at(at, slice, 0, 0);
    for (int c = 0; c < at.column_count; c++) row[c * at.pitch + angle] = from < 0 ? 0.0F : row[c * at.pitch + from];
}

/* The results of sorting: of each value the median of its rank. */
template <class Rank> struct MedianOfRank {
    static __device__ __forceinline__ float result(const SinoStripesGathered &at, int slice, int column, int angle,
                                                   float)
    {
        const int64_t of_column = gathered_at(at, slice, column, 0);
        return at.medians[of_column + static_cast<const Rank *>(at.ranks)[of_column + angle]];
    }
};

/* The results of Titarenko's method: the root of each product and a multiple of the least one. */
struct RootOfProduct {
    static __device__ __forceinline__ float result(const SinoStripesGathered &at, int slice, int column, int angle,
                                                   float alpha)
    {
        const float offset = alpha * fabsf(sino_stripes_least(at.least[slice]));
        return sqrtf(at.values[gathered_at(at, slice, column, angle)] + offset);
    }
};

/* The results of the Fourier-wavelet method: what is removed is made whole along the angles, and subtracted. */
struct LessRemoved {
    static __device__ __forceinline__ float result(const SinoStripesGathered &at, int slice, int column, int angle,
                                                   float)
    {
        const int row = angle + at.angle_count / 8 / 2; /* of the sinogram with zeros before and after */
        const float *const half = at.half + slice * at.half_values + column * at.half_pitch + row / 2;
        return at.values[gathered_at(at, slice, column, angle)] - sino_stripes_join(half, 1, row % 2);
    }
};

/* Writes a method's results. −0 stays; zeros of the result are +0. Grid as of gather_kernel. */
template <class Method, class Real>
static __global__ void __launch_bounds__(THREADS, 4)
    scatter_kernel(SinoStripesGathered at, Panel<Real> panel, float alpha)
{
    SINO_SHARED(float, tile, TILE);
    const int me = static_cast<int>(threadIdx.x), first_column = static_cast<int>(blockIdx.x) * COLUMNS;
    for (int first = static_cast<int>(blockIdx.y) * ANGLES; first < at.angle_count;
         first += static_cast<int>(gridDim.y) * ANGLES) {
        for (int i = me; i < ANGLES * COLUMNS * at.slice_count; i += THREADS) {
            const int angle = i % ANGLES, column = i / ANGLES % COLUMNS, slice = i / ANGLES / COLUMNS;
            if (first + angle >= at.angle_count || first_column + column >= at.column_count) continue;
            tile[(slice * COLUMNS + column) * PITCH + angle] =
                Method::result(at, slice, first_column + column, first + angle, alpha);
        }
        __syncthreads();
        for (int i = me; i < ANGLES * COLUMNS * panel.lanes; i += THREADS) {
            const Place from = place_of(i, panel.lanes);
            const int angle = first + from.angle, column = first_column + from.column;
            if (angle >= at.angle_count || column >= at.column_count || from.slice >= at.slice_count) continue;
            Real *const to = value_of(at, panel, angle, column, from.slice);
            if (at.marks_dead && at.dead[from.slice * at.column_count + column]) *to = -Real(0);
            if ((at.marks_dead || at.has_undefined[from.slice]) && sino_is_undefined(*to)) continue;
            *to = static_cast<Real>(tile[from.in_tile]) + Real(0);
        }
        __syncthreads();
    }
}

/* Gives undefined values some value that makes no stripe. */
static SinoStatus fill(cudaStream_t stream, const SinoStripesGathered &at)
{
    const dim3 blocks(sino_blocks_for(at.angle_count, THREADS, INT32_MAX), static_cast<unsigned>(at.slice_count));
    SINO_TRY(sino_launch(SinoLaunch{"stripes_fill", blocks, THREADS, 0, stream}, fill_kernel, at));
    return sino_launch(SinoLaunch{"stripes_copy", blocks, THREADS, 0, stream}, copy_kernel, at);
}

static dim3 tiles_of(const SinoStripesGathered &at)
{
    return dim3(sino_blocks_for(at.column_count, COLUMNS, INT32_MAX),
                sino_blocks_for(at.angle_count, ANGLES, GRID_MAX));
}

/* Runs the method on gathered slices, and writes its results. */
template <class Real>
static SinoStatus run_method(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at,
                             const Panel<Real> &panel)
{
    const SinoLaunch scatter = {"stripes_scatter", tiles_of(at), THREADS, 0, stream};
    const float alpha = static_cast<float>(options->ti_alpha);
    const int64_t size = sino_stripes_fitting(sino_stripes_sorting_size(options), options->column_count);
    if (options->method == SINO_STRIPES_TI) {
        SINO_TRY(sino_stripes_ti_cuda(stream, options, &at));
        return sino_launch(scatter, scatter_kernel<RootOfProduct, Real>, at, panel, alpha);
    }
    if (options->method == SINO_STRIPES_FW) {
        SINO_TRY(sino_stripes_fw_cuda(stream, options, &at));
        return sino_launch(scatter, scatter_kernel<LessRemoved, Real>, at, panel, alpha);
    }
    if (options->method == SINO_STRIPES_VO_ALL) SINO_TRY(sino_stripes_vo_cuda(stream, options, &at));
    SINO_TRY(sino_stripes_sort_cuda(stream, &at, static_cast<int>(size)));
    if (at.angle_count > SINO_STRIPES_SHARED_MOST)
        return sino_launch(scatter, scatter_kernel<MedianOfRank<uint32_t>, Real>, at, panel, alpha);
    return sino_launch(scatter, scatter_kernel<MedianOfRank<uint16_t>, Real>, at, panel, alpha);
}

template <class Real>
static SinoStatus run_together(cudaStream_t stream, const SinoStripesOptions *options, const SinoStripesGathered &at,
                               const Panel<Real> &panel)
{
    const SinoLaunch gather = {"stripes_gather", tiles_of(at), THREADS, 0, stream};
    SINO_TRY(sino_clear(stream, at.has_undefined, SINO_STRIPES_SLICES * sizeof *at.has_undefined));
    SINO_TRY(sino_launch(gather, gather_kernel<Real>, at, panel));
    SINO_TRY(fill(stream, at));
    return run_method(stream, options, at, panel);
}

template <class Real>
static SinoStatus run(cudaStream_t stream, const SinoStripesOptions *options, SinoSlices slices, const int64_t *place,
                      bool marked, void *scratch, Real *sinogram)
{
    const int64_t rays = options->angle_count * options->column_count;
    int64_t bytes;
    SinoStripesGathered at = sino_stripes_gathered(options, scratch, &bytes);
    at.marks_dead = marked && options->method == SINO_STRIPES_VO_ALL;
    for (SinoPanel of = sino_panel_at(slices, 0); of.first < slices.slice_count; of = sino_panel_next(slices, of))
        for (int64_t f = 0; f < of.slices.slice_count; f += SINO_STRIPES_SLICES) {
            const int64_t left = of.slices.slice_count - f;
            Panel<Real> panel = {sinogram + of.first * rays + f, static_cast<int>(of.slices.stride), 1, place};
            at.slice_count = static_cast<int>(left < SINO_STRIPES_SLICES ? left : int64_t(SINO_STRIPES_SLICES));
            while (panel.lanes < at.slice_count) panel.lanes *= 2;
            SINO_TRY(run_together(stream, options, at, panel));
        }
    return NULL;
}

SinoStatus sino_stripes_run_cuda(cudaStream_t stream, const SinoStripesOptions *options, SinoSlices slices,
                                 const int64_t *place, bool marked, void *scratch, void *sinogram)
{
    if (options->method == SINO_STRIPES_NONE) return NULL;
    return slices.precision == SINO_DOUBLE
               ? run(stream, options, slices, place, marked, scratch, static_cast<double *>(sinogram))
               : run(stream, options, slices, place, marked, scratch, static_cast<float *>(sinogram));
}
