/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on tensor cores: half and mixed precision, lists of R = 16.
 *
 * A step of a bundle is the product of a matrix of 16 outputs × 16 inputs and a matrix of 16 inputs × the slices. The
 * lists store lengths in the order in which the lanes of a warp need them, 16 bytes per lane. The instruction ldmatrix
 * gathers the rows of inputs: each lane gives the address of a row of 8 slices, and the instruction transposes.
 * Products of halves are exact in single, and sums are single, as on the CPU. */
#include "gather_cuda.cuh"

template <class To_, int SLICES_, bool BACK_> struct SinoMatrix {
    typedef __half From;
    typedef __half Length;
    typedef float Sum;
    typedef To_ To;
    enum {
        SLICES = SLICES_,
        BACK = BACK_,
        SPREADS = 1,
        TILES = SLICES / 8, /* products of 16 × 8 */
        STEP = 16           /* inputs of a step */
    };
    static __device__ __forceinline__ void gather(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                  const SinoGatherStage<SinoMatrix> &stage);
};

/* sum += the step's lengths · rows of its inputs. A lane holds the slot of input lane mod 16. */
template <class K>
static __device__ __forceinline__ void multiply_step(uint4 lengths, int slot, const char *rows,
                                                     float (&sum)[K::TILES][4])
{
    const int lane = static_cast<int>(threadIdx.x) % SINO_WARP;
    const unsigned a[4] = {lengths.x, lengths.y, lengths.z, lengths.w};
#pragma unroll
    for (int tile = 0; tile < K::TILES; tile += 2) {
        unsigned inputs[4];
        sino_ldmatrix_x4_trans(inputs, rows + sino_gather_pack_at<K>(slot, tile + lane / K::STEP));
        const unsigned left[2] = {inputs[0], inputs[1]}, right[2] = {inputs[2], inputs[3]};
        sino_mma_16816(sum[tile], a, left);
        sino_mma_16816(sum[tile + 1], a, right);
    }
}

/* Adds half a fragment of sums, which belongs to one output, to that output's sums in shared memory. */
template <class K>
static __device__ __forceinline__ void add_output(int output, int orientation, const float (&sum)[K::TILES][4],
                                                  int half, float *sums)
{
    const int slice = static_cast<int>(threadIdx.x) % 4 * 2;
    if (output == SINO_GATHER_NONE) return;
    const int slot = K::BACK ? sino_gather_voxel(orientation, output) : output;
#pragma unroll
    for (int tile = 0; tile < K::TILES; tile++) {
        float2 *const to = reinterpret_cast<float2 *>(sums + sino_gather_sum_at<K>(slot, tile * 8 + slice));
        const float2 before = *to;
        *to = make_float2(before.x + sum[tile][2 * half], before.y + sum[tile][2 * half + 1]);
    }
}

template <class To, int SLICES_, bool BACK_>
__device__ __forceinline__ void SinoMatrix<To, SLICES_, BACK_>::gather(const SinoGatherProduct &product,
                                                                       const SinoGatherAt &at,
                                                                       const SinoGatherStage<SinoMatrix> &stage)
{
    typedef SinoMatrix K;
    const SinoGatherIndex<K> index = sino_gather_index(product, at, stage);
    const int warp = static_cast<int>(threadIdx.x) / SINO_WARP, lane = static_cast<int>(threadIdx.x) % SINO_WARP;
    for (int b = warp; b < index.bundle_count; b += SINO_ADDERS) {
        const unsigned first = index.bundle[b].first, count = index.bundle[b].count;
        const uint4 *const length = reinterpret_cast<const uint4 *>(index.length) + first * SINO_WARP + lane;
        const uint16_t *const slot = index.slot + first * K::STEP + lane % K::STEP;
        float sum[K::TILES][4] = {};
        uint4 next = length[0];
#pragma unroll 1
        for (unsigned i = 0; i < count; i++) {
            const uint4 now = next;
            if (i + 1 < count) next = length[(i + 1) * SINO_WARP];
            multiply_step<K>(now, slot[i * K::STEP], stage.rows, sum);
        }
        add_output<K>(index.bundle[b].output[lane / 4], at.orientation, sum, 0, stage.sums);
        add_output<K>(index.bundle[b].output[lane / 4 + 8], at.orientation, sum, 1, stage.sums);
    }
}

#define KERNEL(direction, precision, slices, to, back)                                                                 \
    SINO_GATHER_KERNEL("spmm_" direction " " precision " on tensor cores, " #slices " slices",                         \
                       SinoMatrix<to, slices, back>)
#define KERNELS(direction, precision, to, back)                                                                        \
    {                                                                                                                  \
        KERNEL(direction, precision, 64, to, back), KERNEL(direction, precision, 32, to, back),                        \
            KERNEL(direction, precision, 16, to, back),                                                                \
    }

/* [back][mixed][kernels] */
static const SinoGatherKernel kernels[2][2][SINO_GATHER_WIDTHS] = {
    {KERNELS("project", "half", __half, false), KERNELS("project", "mixed", float, false)},
    {KERNELS("backproject", "half", __half, true), KERNELS("backproject", "mixed", float, true)},
};

SinoStatus sino_spmm_tensor(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *from, void *to)
{
    const bool mixed = product->header.precision == SINO_MIXED;
    return sino_gather_launch(stream, product, kernels[product->header.back != 0][mixed], from, to);
}
