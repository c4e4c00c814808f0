/* SPDX-License-Identifier: BSD-3-Clause */
/* Band on a GPU: a block computes CHUNK elements that follow each other in rows of a band. Neighbours within the chunk
 * are in L1; those of the rows above and below were read by blocks that run at the same time. */
#include "prior_slope.cuh"

extern "C" {
#include "band.h"
}

enum { THREADS = 256, CHUNK = 1024, ROWS_MAX = 65535 };

/* The fields of SinoBand that kernels read. */
struct Band {
    int64_t row_count, length; /* rows, and elements of each */
    unsigned z_count;
    bool volume, rising;
    float least, most;
    const SinoSliceState *state;
    const float *above, *below; /* the rows beside the band; NULL: there is none */
};

static Band band_of(const SinoBand *band, const SinoSliceState *state, const float *above, const float *below)
{
    const int64_t length = band->x_count * band->z_count;
    return {band->row_count,
            length,
            static_cast<unsigned>(band->z_count),
            band->volume,
            band->rising,
            static_cast<float>(band->least),
            static_cast<float>(band->most),
            state,
            above ? above + (band->above_rows - 1) * length : NULL,
            below};
}

static SinoLaunch over_band(const char *name, cudaStream_t stream, const Band &band)
{
    const int64_t rows = band.row_count < ROWS_MAX ? band.row_count : static_cast<int64_t>(ROWS_MAX);
    const unsigned chunks = static_cast<unsigned>((band.length + CHUNK - 1) / CHUNK);
    return {name, dim3(chunks, static_cast<unsigned>(rows)), THREADS, 0, stream};
}

/* Calls `of(y, element, z)` for the elements of this thread in each of the block's rows. */
template <class Function> static __device__ __forceinline__ void each_element(const Band &band, Function of)
{
    const int64_t first = static_cast<int64_t>(blockIdx.x) * CHUNK;
    const unsigned first_z = static_cast<unsigned>(first % band.z_count);
    for (int64_t y = blockIdx.y; y < band.row_count; y += gridDim.y)
        for (unsigned i = threadIdx.x; i < CHUNK && first + i < band.length; i += THREADS)
            of(y, first + i, (first_z + i) % band.z_count);
}

static __device__ __forceinline__ double theta_of(const Band &band)
{
    return band.state->scalar[SINO_FISTA_THRESHOLD];
}

/* The value of a slice, where slice 0 has `first`, and the next one, if they rise, 2^power of it. */
static __device__ __forceinline__ float in_slice(const Band &band, float first, int power, unsigned slice)
{
    return band.rising ? ldexpf(first, power * static_cast<int>(slice)) : first;
}

static __global__ void __launch_bounds__(THREADS)
    primal_kernel(Band band, const float *z, const float *p, const float *q, const float *r, float *u)
{
    const float first = static_cast<float>(theta_of(band));
    each_element(band, [&](int64_t y, int64_t e, unsigned slice) {
        const int64_t at = y * band.length + e;
        const float theta = in_slice(band, first, 1, slice);
        const float left = e >= band.z_count ? p[at - band.z_count] : 0;
        const float upper = y > 0 ? q[at - band.length] : band.above ? band.above[e] : 0;
        float sum = p[at] - left + q[at] - upper;
        if (band.volume) sum += r[at] - (slice > 0 ? r[at - 1] : 0);
        const float value = z[at] + theta * sum;
        const float raised = value < band.least ? band.least : value;
        u[at] = raised > band.most ? band.most : raised;
    });
}

static __global__ void __launch_bounds__(THREADS) dual_kernel(Band band, const float *u, float *p, float *q, float *r)
{
    const double theta = theta_of(band);
    const float first = static_cast<float>(theta > 0 ? 1 / ((band.volume ? 12 : 8) * theta) : 0);
    each_element(band, [&](int64_t y, int64_t e, unsigned slice) {
        const int64_t at = y * band.length + e;
        const float own = u[at], sigma = in_slice(band, first, -1, slice);
        const float right = e + band.z_count < band.length ? u[at + band.z_count] : own;
        const float lower = y + 1 < band.row_count ? u[at + band.length] : band.below ? band.below[e] : own;
        const float across = p[at] + sigma * (right - own), down = q[at] + sigma * (lower - own);
        float along = 0;
        if (band.volume) along = r[at] + sigma * ((slice + 1 < band.z_count ? u[at + 1] : own) - own);
        const float size = sqrtf(across * across + down * down + along * along), shorten = 1 / (size < 1 ? 1 : size);
        p[at] = shorten * across;
        q[at] = shorten * down;
        if (band.volume) r[at] = shorten * along;
    });
}

/* Σ w φ′ of the pairs of an element with those of a row, which lie beside and, unless the row is its own, above or
 * below it. row: at the element. */
template <SinoPriorFunction FUNCTION>
static __device__ __forceinline__ float add_row(const Band &band, const float *row, int64_t e, float own, float inverse,
                                                bool same)
{
    const float side = static_cast<float>(SINO_PRIOR_SIDE_WEIGHT),
                corner = static_cast<float>(SINO_PRIOR_CORNER_WEIGHT);
    const int step = static_cast<int>(band.z_count);
    const float beside = same ? side : corner;
    float sum = same ? 0 : side * sino_prior_slope<FUNCTION>(inverse * (own - row[0]));
    if (e >= step) sum += beside * sino_prior_slope<FUNCTION>(inverse * (own - row[-step]));
    if (e + step < band.length) sum += beside * sino_prior_slope<FUNCTION>(inverse * (own - row[step]));
    return sum;
}

template <SinoPriorFunction FUNCTION>
static __global__ void __launch_bounds__(THREADS) descend_kernel(Band band, float inverse, const float *u, float *z)
{
    const float first = static_cast<float>(theta_of(band)), weight = static_cast<float>(SINO_PRIOR_SLICE_WEIGHT);
    each_element(band, [&](int64_t y, int64_t e, unsigned slice) {
        const int64_t at = y * band.length + e;
        const float own = u[at];
        const float *upper = y > 0 ? u + at - band.length : band.above ? band.above + e : NULL;
        const float *lower = y + 1 < band.row_count ? u + at + band.length : band.below ? band.below + e : NULL;
        float sum = add_row<FUNCTION>(band, u + at, e, own, inverse, true);
        if (upper) sum += add_row<FUNCTION>(band, upper, e, own, inverse, false);
        if (lower) sum += add_row<FUNCTION>(band, lower, e, own, inverse, false);
        if (band.volume && slice > 0) sum += weight * sino_prior_slope<FUNCTION>(inverse * (own - u[at - 1]));
        if (band.volume && slice + 1 < band.z_count)
            sum += weight * sino_prior_slope<FUNCTION>(inverse * (own - u[at + 1]));
        z[at] -= in_slice(band, first, 1, slice) * sum;
    });
}

static bool is_empty(const Band &band)
{
    return band.row_count == 0 || band.length == 0;
}

SinoStatus sino_band_primal_cuda(cudaStream_t stream, const SinoBand *of, const float *z, const float *p,
                                 const float *q, const float *r, const float *above, const SinoSliceState *state,
                                 float *u)
{
    const Band band = band_of(of, state, above, NULL);
    if (is_empty(band)) return NULL;
    return sino_launch(over_band("band_primal", stream, band), primal_kernel, band, z, p, q, r, u);
}

SinoStatus sino_band_dual_cuda(cudaStream_t stream, const SinoBand *of, const float *u, const float *below,
                               const SinoSliceState *state, float *p, float *q, float *r)
{
    const Band band = band_of(of, state, NULL, below);
    if (is_empty(band)) return NULL;
    return sino_launch(over_band("band_dual", stream, band), dual_kernel, band, u, p, q, r);
}

SinoStatus sino_band_descend_cuda(cudaStream_t stream, const SinoBand *of, const SinoSmoothPrior *prior, const float *u,
                                  const float *above, const float *below, const SinoSliceState *state, float *z)
{
    const Band band = band_of(of, state, above, below);
    const float inverse = static_cast<float>(1 / prior->threshold);
    if (is_empty(band)) return NULL;
    return sino_launch(over_band("band_prior", stream, band),
                       prior->function == SINO_PRIOR_HUBER ? descend_kernel<SINO_PRIOR_HUBER>
                                                           : descend_kernel<SINO_PRIOR_QGGMRF>,
                       band, inverse, u, z);
}
