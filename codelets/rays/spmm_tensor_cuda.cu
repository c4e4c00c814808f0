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

/* The lists of a visit from which a warp gathers: its lane's share. */
struct SinoMatrixLists {
    const uint4 *length;  /* [step][32] */
    const uint16_t *slot; /* [step][16]: lane l needs the slot of input l mod 16 */
    const char *rows;
};

/* What a warp has of a step before it multiplies: the lane's lengths, the place of its row, and the fragments of the
 * first two products. */
struct SinoMatrixStep {
    uint4 lengths;
    int row;
    unsigned inputs[4];
};

/* Reads the fragments of products `tile` and tile + 1. A pack's place is its number, exclusive or the row's bank. */
template <class K>
static __device__ __forceinline__ void load_inputs(const SinoMatrixLists &lists, int row, int tile,
                                                   unsigned (&inputs)[4])
{
    sino_ldmatrix_x4_trans(inputs, lists.rows + (row ^ tile * 16));
}

template <class K> static __device__ __forceinline__ int row_of_step(const SinoMatrixLists &lists, unsigned step)
{
    const int lane = static_cast<int>(threadIdx.x) % SINO_WARP;
    return sino_gather_pack_at<K>(lists.slot[step * K::STEP], lane / K::STEP);
}

/* sum += the step's lengths · rows of its inputs. Meanwhile step `ahead` becomes *step, and each fragment is read while
 * the one before it is multiplied. */
template <class K>
static __device__ __forceinline__ void multiply_step(const SinoMatrixLists &lists, unsigned ahead, SinoMatrixStep *step,
                                                     float (&sum)[K::TILES][4])
{
    const unsigned a[4] = {step->lengths.x, step->lengths.y, step->lengths.z, step->lengths.w};
    const int row = step->row;
    step->lengths = lists.length[ahead * SINO_WARP];
    step->row = row_of_step<K>(lists, ahead);
#pragma unroll
    for (int tile = 0; tile < K::TILES; tile += 2) {
        const unsigned left[2] = {step->inputs[0], step->inputs[1]}, right[2] = {step->inputs[2], step->inputs[3]};
        unsigned next[4];
        if (tile + 2 < K::TILES)
            load_inputs<K>(lists, row, tile + 2, next);
        else
            load_inputs<K>(lists, step->row, 0, next);
        sino_mma_16816(sum[tile], a, left);
        sino_mma_16816(sum[tile + 1], a, right);
#pragma unroll
        for (int i = 0; i < 4; i++) step->inputs[i] = next[i];
    }
}

/* Adds half a fragment of sums, which belongs to one output, to that output's sums in shared memory. Several sums are
 * read before the first one is written, since the compiler cannot tell that all are different. */
template <class K>
static __device__ __forceinline__ void add_output(int output, int orientation, const float (&sum)[K::TILES][4],
                                                  int half, float *sums)
{
    enum { AT_ONCE = K::TILES < 4 ? K::TILES : 4 };
    if (output == SINO_GATHER_NONE) return;
    const int slot = K::BACK ? sino_gather_voxel(orientation, output) : output;
    const int place = sino_gather_sum_at<K>(slot, static_cast<int>(threadIdx.x) % 4 * 2);
#pragma unroll
    for (int tile = 0; tile < K::TILES; tile += AT_ONCE) {
        float2 before[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) before[i] = *reinterpret_cast<float2 *>(sums + (place ^ (tile + i) * 8));
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            *reinterpret_cast<float2 *>(sums + (place ^ (tile + i) * 8)) =
                make_float2(before[i].x + sum[tile + i][2 * half], before[i].y + sum[tile + i][2 * half + 1]);
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
    const SinoMatrixLists lists = {reinterpret_cast<const uint4 *>(index.length) + lane, index.slot + lane % K::STEP,
                                   stage.rows};
    if (warp >= index.bundle_count) return;
    unsigned first = index.bundle[warp].first;
    SinoMatrixStep step = {lists.length[first * SINO_WARP], row_of_step<K>(lists, first), {}};
    load_inputs<K>(lists, step.row, 0, step.inputs);
    for (int b = warp; b < index.bundle_count; b += SINO_ADDERS) {
        const SinoGatherBundle &bundle = index.bundle[b];
        const unsigned end = first + bundle.count;
        const int output[2] = {bundle.output[lane / 4], bundle.output[lane / 4 + 8]};
        const unsigned following = index.bundle[b + SINO_ADDERS < index.bundle_count ? b + SINO_ADDERS : b].first;
        float sum[K::TILES][4] = {};
#pragma unroll 1
        for (unsigned i = first; i < end; i++) multiply_step<K>(lists, i + 1 < end ? i + 1 : following, &step, sum);
#pragma unroll
        for (int half = 0; half < 2; half++) add_output<K>(output[half], at.orientation, sum, half, stage.sums);
        first = following;
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
