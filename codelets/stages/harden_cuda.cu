/* SPDX-License-Identifier: BSD-3-Clause */
/* Harden on a GPU: Horner's scheme in double. Panels have no gaps between their rows, so that a sinogram is one run of
 * values, of which a thread reads and writes 16 bytes at a time. */
#include "panel_cuda.cuh"

extern "C" {
#include "harden.h"
#include "undefined.h"
}

enum { THREADS = 256, BLOCKS_MAX = 4096 };

/* Undefined values, −0, stay; every other zero is +0. */
template <class Real> static __device__ __forceinline__ Real harden(const SinoHardening &hardening, Real value)
{
    const double p = static_cast<double>(value);
    double sum = 0;
#pragma unroll
    for (int j = SINO_HARDEN_MOST - 1; j >= 0; j--)
        if (j < hardening.count) sum = (sum + hardening.coefficient[j]) * p;
    return sino_is_undefined(value) ? value : static_cast<Real>(sum) + Real(0);
}

template <class Real>
static __global__ void __launch_bounds__(THREADS) harden_kernel(SinoHardening hardening, int64_t count, Real *values)
{
    constexpr int full = SinoPackWidth<Real>::ELEMENTS;
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS, packs = count / full;
    const int64_t me = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    for (int64_t i = me; i < packs; i += step) {
        SinoPack<Real, full> pack = sino_pack_load<Real, full>(values + i * full);
        for (int e = 0; e < full; e++) pack.value[e] = harden(hardening, pack.value[e]);
        sino_pack_store(values + i * full, pack);
    }
    for (int64_t i = packs * full + me; i < count; i += step) values[i] = harden(hardening, values[i]);
}

template <class Real>
static SinoStatus launch(cudaStream_t stream, const SinoHardening *hardening, int64_t count, void *sinogram)
{
    const unsigned blocks = sino_blocks_for(count, THREADS * SinoPackWidth<Real>::ELEMENTS, BLOCKS_MAX);
    return sino_launch(SinoLaunch{"harden", blocks, THREADS, 0, stream}, harden_kernel<Real>, *hardening, count,
                       static_cast<Real *>(sinogram));
}

SinoStatus sino_harden_cuda(cudaStream_t stream, const SinoHardening *hardening, int64_t ray_count, SinoSlices slices,
                            void *sinogram)
{
    const int64_t count = ray_count * slices.stride;
    assert(hardening->count >= 1 && hardening->count <= SINO_HARDEN_MOST);
    return slices.precision == SINO_DOUBLE ? launch<double>(stream, hardening, count, sinogram)
                                           : launch<float>(stream, hardening, count, sinogram);
}
