/* SPDX-License-Identifier: BSD-3-Clause */
/* Zingers on a GPU: a thread walks along the angles of one column and slice, three times: for the noise, for the noise
 * without what is far above it, and to replace. Neighbouring threads have neighbouring slices and columns, which are
 * adjacent in memory. Three angles stay in registers while the next ones arrive. */
#include "panel_cuda.cuh"

extern "C" {
#include "undefined.h"
#include "zingers.h"
}

enum { THREADS = 128, AHEAD = 8 /* angles that are loaded at a time */ };

/* Those of zingers_cpu.c. */
static constexpr double mean_distance = 0.5641895835477563;
static constexpr float usual_most = 6;

/* The fields of SinoZingers that the kernel reads, and its counts. */
struct Columns {
    SinoPanels panels;
    int slice_count, angle_count;
    int64_t column_count, uncounted;
    double level, least;
    bool marked;
    const int64_t *place, *order;
    unsigned long long *undefined, *by_angle, *by_column;
};

/* The values of one column and slice. */
template <class Real> struct Values {
    Real *first;
    int64_t step; /* between angles in their order of places */
    const int64_t *place, *order;

    /* The number of the angle that is k-th in order. */
    __device__ __forceinline__ int64_t angle(int k) const
    {
        return order ? order[k] : static_cast<int64_t>(k);
    }

    __device__ __forceinline__ Real *at(int k) const
    {
        return first + (place ? place[angle(k)] : angle(k)) * step;
    }
};

/* Three angles of a walk, and the one before them. */
template <class Real> struct Three {
    Real second, before, here;
    bool no_before, no_here; /* undefined */

    /* visit(k, before, here, after, whether all three are defined), and on to the next angle. */
    template <class Visit> __device__ __forceinline__ void visit(int k, Real after, const Visit &visit)
    {
        const bool no_after = sino_is_undefined(after);
        visit(k, before, here, after, !(no_before | no_here | no_after));
        second = before;
        before = here;
        here = after;
        no_before = no_here;
        no_here = no_after;
    }
};

/* visit(…) for each angle in order: its original value, and those of the angles beside it; at an end those of the two
 * next to it. What `visit` writes to angle k changes none of the values that it gets later. */
template <class Real, class Visit>
static __device__ __forceinline__ void walk(const Values<Real> &values, int count, const Visit &visit)
{
    Real before = *values.at(2), here = *values.at(0);
    Three<Real> at = {Real(0), before, here, sino_is_undefined(before), sino_is_undefined(here)};
    int k = 0;
    for (; k + AHEAD < count; k += AHEAD) {
        Real next[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) next[j] = *values.at(k + j + 1);
#pragma unroll
        for (int j = 0; j < AHEAD; j++) at.visit(k + j, next[j], visit);
    }
#pragma unroll 1
    for (; k + 1 < count; k++) at.visit(k, *values.at(k + 1), visit);
    at.visit(k, at.second, visit); /* after the last angle: the one two before it */
}

template <class Real> static __device__ __forceinline__ Real median(Real a, Real b, Real c)
{
    const Real low = a < b ? a : b, high = a < b ? b : a, middle = high < c ? high : c;
    return low > middle ? low : middle;
}

struct Noise {
    float sum, number;
};

/* The distances from medians that are at most `limit`, added in the order of the angles. */
template <class Real>
static __device__ __forceinline__ Noise measure(const Values<Real> &values, int count, float limit)
{
    Noise noise = {0, 0};
    walk(values, count, [&](int, Real before, Real here, Real after, bool defined) {
        const Real middle = median(before, here, after);
        const float distance = static_cast<float>(here < middle ? middle - here : here - middle);
        const bool counts = defined & (distance <= limit);
        noise.sum += counts ? distance : 0.0F;
        noise.number += counts ? 1.0F : 0.0F;
    });
    return noise;
}

template <class Real>
static __device__ __forceinline__ float find_threshold(const Values<Real> &values, const Columns &columns)
{
    Noise noise = measure(values, columns.angle_count, INFINITY);
    noise = measure(values, columns.angle_count, usual_most * noise.sum / fmaxf(noise.number, 1.0F));
    const double number = fmax(static_cast<double>(noise.number), 1.0);
    const double deviation = static_cast<double>(noise.sum) / number / mean_distance;
    return static_cast<float>(fmax(columns.level * deviation, columns.least));
}

static __device__ __forceinline__ void count_zinger(const Columns &columns, int64_t slice, int64_t angle,
                                                    int64_t column)
{
    if (slice < columns.uncounted) return;
    atomicAdd(&columns.undefined[slice], 1ull);
    atomicAdd(&columns.by_angle[angle], 1ull);
    atomicAdd(&columns.by_column[column], 1ull);
}

/* Grid x: columns and slices of a panel, y: panels. */
template <class Real> static __global__ void __launch_bounds__(THREADS) zingers_kernel(Columns columns, Real *sinogram)
{
    const int width = sino_panel_slices(columns.panels), first = sino_panel_first(columns.panels);
    const int64_t lanes = columns.column_count * width, step = static_cast<int64_t>(gridDim.x) * THREADS;
    Real *const panel = sinogram + static_cast<int64_t>(first) * columns.angle_count * columns.column_count;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x; i < lanes; i += step) {
        const int64_t column = i / width, slice = first + i % width;
        if (slice >= columns.slice_count) continue;
        const Values<Real> values = {panel + i, lanes, columns.place, columns.order};
        const Real threshold = static_cast<Real>(find_threshold(values, columns));
        walk(values, columns.angle_count, [&](int k, Real before, Real here, Real after, bool defined) {
            const Real middle = median(before, here, after);
            if (!defined || !(middle - here > threshold)) return;
            *values.at(k) = columns.marked ? -Real(0) : middle;
            if (columns.marked) count_zinger(columns, slice, values.angle(k), column);
        });
    }
}

template <class Real> static SinoStatus launch(cudaStream_t stream, const Columns &columns, void *sinogram)
{
    const int width = columns.panels.stride < columns.panels.width ? columns.panels.stride : columns.panels.width;
    const dim3 blocks(sino_blocks_for(columns.column_count * width, THREADS, INT32_MAX),
                      sino_panels_count(columns.panels));
    return sino_launch(SinoLaunch{"zingers", blocks, THREADS, 0, stream}, zingers_kernel<Real>, columns,
                       static_cast<Real *>(sinogram));
}

static unsigned long long *counts_of(int64_t *counts)
{
    return reinterpret_cast<unsigned long long *>(counts);
}

SinoStatus sino_zingers_remove_cuda(cudaStream_t stream, const SinoZingers *zingers, SinoSlices slices,
                                    const int64_t *place, void *sinogram, int64_t *undefined, int64_t *by_angle,
                                    int64_t *by_column)
{
    const Columns columns = {sino_panels_of(slices),
                             static_cast<int>(slices.slice_count),
                             static_cast<int>(zingers->angle_count),
                             zingers->column_count,
                             zingers->uncounted,
                             zingers->level,
                             zingers->least,
                             zingers->marked,
                             place,
                             zingers->order,
                             counts_of(undefined),
                             counts_of(by_angle),
                             counts_of(by_column)};
    if (zingers->angle_count < 3) return NULL;
    return slices.precision == SINO_DOUBLE ? launch<double>(stream, columns, sinogram)
                                           : launch<float>(stream, columns, sinogram);
}
