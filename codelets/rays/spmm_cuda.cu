/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM on a GPU's multiply-add units, and the choice of the kernel for a product.
 *
 * A row of 32 singles is 8 lanes × 16 bytes, so a warp works on the four groups of a bundle at once. Each lane reads
 * its share of an input's row by one access to shared memory, and four lengths by one access to L1. Both serve 16
 * multiply-adds. If a row has fewer bytes, more groups share a warp. M. Hidayetoğlu et al., "Petascale XCT", SC 2020,
 * Listing 1, reuses a length for all slices. Here a row is reused for R outputs as well, and sums stay in shared memory
 * as long as they are needed. */
#include "gather_cuda.cuh"

template <class From_, class Length_, class Sum_, class To_, int SLICES_, bool BACK_> struct SinoMultiplyAdd {
    typedef From_ From;
    typedef Length_ Length;
    typedef Sum_ Sum;
    typedef To_ To;
    enum {
        SLICES = SLICES_,
        BACK = BACK_,
        SPREADS = 0,
        R = SINO_GROUP_RAYS,
        LANE_SLICES = 16 / sizeof(Sum), /* slices of a lane */
        LANES = SLICES / LANE_SLICES,   /* lanes of a group */
        WARP_GROUPS = SINO_WARP / LANES
    };
    static __device__ __forceinline__ void gather(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                  const SinoGatherStage<SinoMultiplyAdd> &stage);
};

static __device__ __forceinline__ float sino_widen(float value)
{
    return value;
}

static __device__ __forceinline__ double sino_widen(double value)
{
    return value;
}

static __device__ __forceinline__ float sino_widen(__half value)
{
    return __half2float(value);
}

/* Adds one input to a group: R sums += R lengths · the lane's slices of the input's row. */
template <class K>
static __device__ __forceinline__ void multiply_add(const SinoPack<typename K::Length, K::R> &length, const char *row,
                                                    typename K::Sum (&sum)[K::R][K::LANE_SLICES])
{
    const SinoPack<typename K::From, K::LANE_SLICES> from =
        sino_pack_load<typename K::From, K::LANE_SLICES>(reinterpret_cast<const typename K::From *>(row));
#pragma unroll
    for (int r = 0; r < K::R; r++)
#pragma unroll
        for (int f = 0; f < K::LANE_SLICES; f++) sum[r][f] += sino_widen(length.value[r]) * sino_widen(from.value[f]);
}

/* Two steps of a group, as they are needed to multiply: lengths, and places of rows. */
template <class K> struct SinoStepPair {
    SinoPack<typename K::Length, K::R> length[2];
    int row[2];
};

/* The lists of group q of a bundle. */
template <class K> struct SinoGroupLists {
    const SinoPack<typename K::Length, K::R> *length; /* [step][SINO_BUNDLE_GROUPS] */
    const uint4 *slot;                                /* [pair of steps][step][group] */
    int q;
};

template <class K>
static __device__ __forceinline__ SinoStepPair<K> read_pair(const SinoGroupLists<K> &lists, unsigned pair)
{
    enum { ROW = K::SLICES * sizeof(typename K::From) };
    const uint4 slots = lists.slot[pair];
    const int shift = lists.q % 2 * 16;
    SinoStepPair<K> read;
#pragma unroll
    for (int i = 0; i < 2; i++) read.length[i] = lists.length[(2 * pair + i) * SINO_BUNDLE_GROUPS];
    read.row[0] = static_cast<int>((lists.q < 2 ? slots.x : slots.y) >> shift & 0xffff) * ROW;
    read.row[1] = static_cast<int>((lists.q < 2 ? slots.z : slots.w) >> shift & 0xffff) * ROW;
    return read;
}

template <class K>
static __device__ __forceinline__ void multiply_pair(const SinoStepPair<K> &pair, const char *rows,
                                                     typename K::Sum (&sum)[K::R][K::LANE_SLICES])
{
#pragma unroll
    for (int i = 0; i < 2; i++) multiply_add<K>(pair.length[i], rows + pair.row[i], sum);
}

/* Sums group q of the bundle for the lane's slices. Two steps are read while the two before them are multiplied. The
 * loop has no way out in its middle, past which the compiler would put what is read ahead. */
template <class K>
static __device__ __forceinline__ void gather_group(const SinoGatherBundle &bundle, int q, const uint16_t *slots,
                                                    const typename K::Length *lengths, const char *rows,
                                                    typename K::Sum (&sum)[K::R][K::LANE_SLICES])
{
    const unsigned pairs = bundle.count / 2;
    const SinoGroupLists<K> lists = {reinterpret_cast<const SinoPack<typename K::Length, K::R> *>(lengths) +
                                         bundle.first * SINO_BUNDLE_GROUPS + q,
                                     reinterpret_cast<const uint4 *>(slots + bundle.first * SINO_BUNDLE_GROUPS), q};
    SinoStepPair<K> even = read_pair<K>(lists, 0);
    if (pairs % 2 != 0) {
        const SinoStepPair<K> next = read_pair<K>(lists, min(1u, pairs - 1));
        multiply_pair<K>(even, rows, sum);
        even = next;
    }
#pragma unroll 1
    for (unsigned i = pairs % 2; i < pairs; i += 2) {
        const SinoStepPair<K> odd = read_pair<K>(lists, i + 1);
        multiply_pair<K>(even, rows, sum);
        even = read_pair<K>(lists, min(i + 2, pairs - 1));
        multiply_pair<K>(odd, rows, sum);
    }
}

template <class From, class Length, class Sum, class To, int SLICES_, bool BACK_>
__device__ __forceinline__ void
SinoMultiplyAdd<From, Length, Sum, To, SLICES_, BACK_>::gather(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                               const SinoGatherStage<SinoMultiplyAdd> &stage)
{
    typedef SinoMultiplyAdd K;
    const SinoGatherIndex<K> index = sino_gather_index(product, at, stage);
    const int warp = static_cast<int>(threadIdx.x) / SINO_WARP, lane = static_cast<int>(threadIdx.x) % SINO_WARP;
    const int slice = lane % K::LANES * K::LANE_SLICES;
    for (int group = warp * K::WARP_GROUPS + lane / K::LANES; group < index.bundle_count * SINO_BUNDLE_GROUPS;
         group += SINO_ADDERS * K::WARP_GROUPS) {
        const SinoGatherBundle &bundle = index.bundle[group / SINO_BUNDLE_GROUPS];
        const int q = group % SINO_BUNDLE_GROUPS;
        Sum sum[K::R][K::LANE_SLICES] = {};
        gather_group<K>(bundle, q, index.slot, index.length, stage.rows + slice * sizeof(From), sum);
#pragma unroll
        for (int r = 0; r < K::R; r++) {
            const int output = bundle.output[q * K::R + r];
            if (output == SINO_GATHER_NONE) continue;
            const int slot = K::BACK ? sino_gather_voxel(at.orientation, output) : output;
            Sum *const to = stage.sums + sino_gather_sum_at<K>(slot, slice);
            SinoPack<Sum, K::LANE_SLICES> pack = sino_pack_load<Sum, K::LANE_SLICES>(to);
#pragma unroll
            for (int f = 0; f < K::LANE_SLICES; f++) pack.value[f] += sum[r][f];
            sino_pack_store(to, pack);
        }
    }
}

#define KERNEL(direction, precision, slices, back, ...)                                                                \
    SINO_GATHER_KERNEL("spmm_" direction " " precision ", " #slices " slices",                                         \
                       SinoMultiplyAdd<__VA_ARGS__, slices, back>)
#define KERNELS(direction, precision, most, middle, least, back, ...)                                                  \
    {                                                                                                                  \
        KERNEL(direction, precision, most, back, __VA_ARGS__),                                                         \
            KERNEL(direction, precision, middle, back, __VA_ARGS__),                                                   \
            KERNEL(direction, precision, least, back, __VA_ARGS__),                                                    \
    }

/* [back][precision][kernels] */
static const SinoGatherKernel kernels[2][SINO_PRECISIONS][SINO_GATHER_WIDTHS] = {
    {
        KERNELS("project", "single", 32, 16, 8, false, float, float, float, float),
        KERNELS("project", "double", 16, 8, 4, false, double, double, double, double),
        KERNELS("project", "half", 32, 16, 8, false, __half, __half, float, __half),
        KERNELS("project", "mixed", 32, 16, 8, false, __half, __half, float, float),
    },
    {
        KERNELS("backproject", "single", 32, 16, 8, true, float, float, float, float),
        KERNELS("backproject", "double", 16, 8, 4, true, double, double, double, double),
        KERNELS("backproject", "half", 32, 16, 8, true, __half, __half, float, __half),
        KERNELS("backproject", "mixed", 32, 16, 8, true, __half, __half, float, float),
    },
};

static SinoStatus multiply(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *from, void *to)
{
    const SinoGatherHeader *const header = &product->header;
    if (header->outputs == SINO_BUNDLE_OUTPUTS) return sino_spmm_tensor(stream, product, from, to);
    return sino_gather_launch(stream, product, kernels[header->back != 0][header->precision], from, to);
}

SinoStatus sino_spmm_project_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *x, void *y)
{
    const SinoGatherHeader *const header = &product->header;
    const size_t bytes = header->precision == SINO_DOUBLE ? sizeof(double)
                         : header->precision == SINO_HALF ? sizeof(__half)
                                                          : sizeof(float);
    SINO_TRY(sino_clear(stream, y, static_cast<size_t>(header->ray_count * product->stride) * bytes));
    return multiply(stream, product, x, y);
}

SinoStatus sino_spmm_backproject_cuda(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *y, void *x)
{
    return multiply(stream, product, y, x);
}

SinoStatus sino_spmm_cuda_device(SinoSpmmDevice *device)
{
    int number = 0, shared_bytes = 0, multiprocessors = 0;
    cudaError_t error = cudaGetDevice(&number);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number);
    SINO_CHECK(error == cudaSuccess, SINO_FAILED, "CUDA does not tell the GPU's shared memory: %s",
               cudaGetErrorString(error));
    *device = {shared_bytes, multiprocessors};
    return NULL;
}
