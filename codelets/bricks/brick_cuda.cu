/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on a GPU.
 *
 *     forward     A warp owns a row of y, and walks over the row's entries (brick_lists.h).
 *                 Voxels come through L1, which the rows of a block, half a band, share.
 *     backward    A warp owns a brick of x, and walks over its entries in a wave.
 *                 The sums of its voxels stay in registers; x is read and written once per wave.
 *
 * A warp stages 32 entries in shared memory at a time, one per lane, and then takes several at once: a thread has
 * VOXELS neighbouring lanes of a brick. How many bits of the mask are below its own ones tells where its values are.
 * Threads add up what they have in a fixed order at the end. A thread has up to SETS count sets; wider panels take
 * several blocks, which the grid's y counts. Products and sums are fused explicitly, so that their bits do not depend
 * on the number of sets. docs/bricks.md has the model of both. */
#include "panel_cuda.cuh"

#include <math.h>

#include <type_traits>

extern "C" {
#include "brick_cuda.h"
}

enum {
    WARP = 32,
    VOXELS = 2,           /* of a stored brick that a thread has */
    SETS = 8,             /* count sets of a thread, at most */
    FORWARD_WARPS = 16,   /* rows of a block */
    BACKWARD_WARPS = 8,   /* runs of a block */
    FINISH_THREADS = 256, /* a power of two */
    WEIGH_THREADS = 256,
    WEIGH_BLOCKS_MAX = 4096,
    SUMS = 4 /* in SinoBrickSums */
};

/* What is stored: lanes of a brick, and precision. */
template <int LANES_, bool MIXED_> struct Format {
    enum {
        LANES = LANES_,
        PAIRED = MIXED_ && LANES == 32, /* sino_brick_lane_row */
        STEP = PAIRED ? 16 : 1,         /* rows between the voxels of a thread */
        THREADS = LANES / VOXELS,       /* of a brick */
        BRICKS = WARP / THREADS         /* of a warp at a time */
    };
    typedef typename std::conditional<MIXED_, uint16_t, float>::type Value;
    typedef typename std::conditional<LANES_ == 32, uint32_t, uint16_t>::type Mask;
};

static_assert(VOXELS == 2 && SINO_BRICK_ROWS % FORWARD_WARPS == 0, "values are chosen by hand; blocks end with bands");

/* Entries in device memory. `at`: bricks of rows, or codes of runs. */
template <class K, class At> struct Entries {
    const uint32_t *value;
    const typename K::Mask *mask;
    const At *at;
};

/* An entry in shared memory. */
struct __align__(16) Staged
{
    unsigned mask, value;
    unsigned at;  /* first row of x, or row of the wave */
    float factor; /* 2^−shift; backward, one set: times the row's weight */
};

static __device__ __forceinline__ int lane_of_warp()
{
    return static_cast<int>(threadIdx.x) % WARP;
}

static __device__ __forceinline__ int warp_of_block()
{
    return static_cast<int>(threadIdx.x) / WARP;
}

/* The thread's place in its brick, and its brick's among those of the warp. */
template <class K> static __device__ __forceinline__ int place_of_thread()
{
    return lane_of_warp() % K::THREADS;
}

template <class K> static __device__ __forceinline__ int brick_of_thread()
{
    return lane_of_warp() / K::THREADS;
}

/* 2^−shift for 0 … 7. */
static __device__ __forceinline__ float factor_of(unsigned shift)
{
    return __uint_as_float((127 - shift) << 23);
}

/* The row in its brick of the thread's first voxel; the others follow at K::STEP. */
template <class K> static __device__ __forceinline__ int first_voxel()
{
    return place_of_thread<K>() * (K::PAIRED ? 1 : VOXELS);
}

/* The width of a panel, as a constant where S determines it. */
template <int S> static __device__ __forceinline__ int width_of(int width)
{
    return S < SETS ? S : width;
}

/* The first set of this block: a narrow panel has one block for all its sets. */
template <int S> static __device__ __forceinline__ int first_set_of()
{
    return S < SETS ? 0 : static_cast<int>(blockIdx.y) * S;
}

/* S floats, by as few accesses as there can be. */
template <int S> static __device__ __forceinline__ void load_sets(const float *from, float (&to)[S])
{
    constexpr int pack = S < 4 ? S : 4;
#pragma unroll
    for (int f = 0; f < S; f += pack) {
        const SinoPack<float, pack> part = sino_pack_load<float, pack>(from + f);
#pragma unroll
        for (int i = 0; i < pack; i++) to[f + i] = part.value[i];
    }
}

template <int S> static __device__ __forceinline__ void store_sets(float *to, const float (&from)[S])
{
    constexpr int pack = S < 4 ? S : 4;
#pragma unroll
    for (int f = 0; f < S; f += pack) {
        SinoPack<float, pack> part;
#pragma unroll
        for (int i = 0; i < pack; i++) part.value[i] = from[f + i];
        sino_pack_store(to + f, part);
    }
}

/* By the instruction for 32 bits, which is faster than that for 16. */
static __device__ __forceinline__ float widen(uint16_t value)
{
    return __int2float_rn(value);
}

static __device__ __forceinline__ float widen(float value)
{
    return value;
}

/* The thread's bits of the entry's mask, and its values, 0 where a bit is not set. Two values are read in any case:
 * behind the last one lies the block's tail. */
template <class K>
static __device__ __forceinline__ unsigned load_values(const Staged &entry, const typename K::Value *value,
                                                       float (&to)[VOXELS])
{
    const int first = VOXELS * place_of_thread<K>();
    const unsigned bits = entry.mask >> first;
    const typename K::Value *const own = value + (entry.value + __popc(entry.mask & ((1U << first) - 1)));
    const float here = widen(__ldg(own)), next = widen(__ldg(own + 1)), second = bits & 1 ? next : here;
    to[0] = bits & 1 ? here : 0;
    to[1] = bits & 2 ? second : 0;
    return bits;
}

/* ---- forward ---- */

/* sum += an entry's products. x: from the first set on. */
template <class K, int S>
static __device__ __forceinline__ void add_products(const Staged &entry, const typename K::Value *value, const float *x,
                                                    int width, float (&sum)[S])
{
    float values[VOXELS], voxel[VOXELS][S] = {};
    const unsigned bits = load_values<K>(entry, value, values);
    const uint32_t row = entry.at + static_cast<uint32_t>(first_voxel<K>());
    const float *const from = x + static_cast<uint64_t>(row) * static_cast<uint64_t>(width_of<S>(width));
    if (S == 1 && !K::PAIRED) {
        const SinoPack<float, VOXELS> both = sino_pack_load<float, VOXELS>(from);
        for (int v = 0; v < VOXELS; v++) voxel[v][0] = both.value[v];
    } else {
#pragma unroll
        for (int v = 0; v < VOXELS; v++)
            if (S == 1 || (bits >> v & 1)) load_sets(from + v * K::STEP * width_of<S>(width), voxel[v]);
    }
#pragma unroll
    for (int f = 0; f < S; f++)
        sum[f] = fmaf(fmaf(values[1], voxel[1][f], values[0] * voxel[0][f]), entry.factor, sum[f]);
}

/* What a forward launch reads: the block, its rows, and their entries. */
template <class K> struct Source {
    const char *block;
    const SinoBrickListRow *row;
    Entries<K, uint32_t> entries;
};

/* Entries are read once, and should not take the place of values in L2. */
template <class K>
static __device__ __forceinline__ Staged stage_of_row(const Entries<K, uint32_t> &entries, uint32_t i)
{
    const uint32_t brick = __ldcs(entries.at + i);
    return {__ldcs(entries.mask + i), __ldcs(entries.value + i), (brick & 0xfffffff) * K::LANES,
            factor_of(brick >> 29)};
}

/* sum = the products of the row's values and voxels. All threads of the warp get it. x: from the first set on. */
template <class K, int S>
static __device__ __forceinline__ void project_row(const Source<K> &source, int64_t row, const float *x, int width,
                                                   Staged *staged, float (&sum)[S])
{
    typedef typename K::Value Value;
    const int64_t *const offset = reinterpret_cast<const int64_t *>(source.block + sizeof(SinoBrickHead));
    const Value *const value = reinterpret_cast<const Value *>(source.block + offset[row / SINO_BRICK_ROWS]);
    const uint32_t end = source.row[row + 1].entry;
    for (uint32_t first = source.row[row].entry; first < end; first += min(end - first, WARP + 0U)) {
        const uint32_t mine = first + lane_of_warp();
        __syncwarp();
        staged[lane_of_warp()] = mine - first < end - first ? stage_of_row(source.entries, mine) : Staged{0, 0, 0, 0};
        __syncwarp();
        const int count = static_cast<int>(min(end - first, WARP + 0U));
        for (int i = 0; i < count; i += K::BRICKS)
            add_products<K, S>(staged[i + brick_of_thread<K>()], value, x, width, sum);
    }
#pragma unroll
    for (int f = 0; f < S; f++) {
        for (int by = WARP / 2; by > 0; by /= 2) sum[f] += __shfl_xor_sync(0xffffffffU, sum[f], by);
        sum[f] *= source.row[row].unit;
    }
}

/* What the rows of A x become. NULL: nothing. */
struct Forward {
    float *y;                                /* A x */
    const float *counts, *factor, *additive; /* SinoBrickCounts */
    float *weight;                           /* n · ratio · the row's unit */
    SinoBrickSums *sums;                     /* [block][set of the panel] */
};

/* The weight of an element, and its terms of the sums. */
static __device__ float compare(const Forward &to, float ax, int64_t row, int64_t element, double (&term)[SUMS])
{
    const float n = to.factor ? to.factor[row] : 1, g = to.counts[element];
    const float ybar = fmaf(n, ax, to.additive ? to.additive[element] : 0);
    const double expected = static_cast<double>(ybar), count = static_cast<double>(g), off = expected - count;
    const bool seen = ybar > 0;
    const float ratio = g / (seen ? ybar : 1);
    term[0] = seen ? fma(count, log(expected), -expected) : 0;
    term[1] = expected;
    term[2] = seen ? 0 : count;
    term[3] = off * off;
    return seen ? n * fminf(ratio, 7.9228162514264338e28F /* 2⁹⁶ */) : 0;
}

/* Adds the terms of the rows of a block in order. */
template <int S>
static __device__ __forceinline__ void keep_sums(const double *term, int width, int first_set, SinoBrickSums *sums)
{
    const int me = static_cast<int>(threadIdx.x), set = me / SUMS;
    if (set >= S) return;
    double sum = 0;
    for (int w = 0; w < FORWARD_WARPS; w++) sum += term[w * S * SUMS + me];
    reinterpret_cast<double *>(sums + static_cast<int64_t>(blockIdx.x) * width + first_set + set)[me % SUMS] = sum;
}

/* Rows first_row … first_row + row_count − 1. */
template <class K, int S>
static __global__ void __launch_bounds__(FORWARD_WARPS *WARP, 2)
    forward_kernel(Source<K> source, int64_t first_row, int64_t row_count, int width, const float *x, Forward to)
{
    SINO_SHARED(double, term, FORWARD_WARPS *S *SUMS);
    SINO_SHARED(Staged, staged, FORWARD_WARPS * WARP);
    const int warp = warp_of_block(), lane = lane_of_warp(), first_set = first_set_of<S>();
    const int64_t at = static_cast<int64_t>(blockIdx.x) * FORWARD_WARPS + warp, row = first_row + at;
    double terms[SUMS] = {};
    if (at < row_count) {
        float sum[S] = {}, mine = 0;
        project_row<K, S>(source, row, x + first_set, width, staged + warp * WARP, sum);
#pragma unroll
        for (int f = 0; f < S; f++) mine = lane == f ? sum[f] : mine;
        const int64_t element = row * width + first_set + lane;
        if (lane < S && to.y) to.y[element] = mine;
        if (lane < S && to.counts) to.weight[element] = compare(to, mine, row, element, terms) * source.row[row].unit;
    }
    if (!to.counts) return;
    for (int i = 0; i < SUMS && lane < S; i++) term[(warp * S + lane) * SUMS + i] = terms[i];
    __syncthreads();
    keep_sums<S>(term, width, first_set, to.sums);
}

/* Adds up the sums of all blocks for the set of this block: each thread every FINISH_THREADS-th, then pairwise. */
static __global__ void __launch_bounds__(FINISH_THREADS)
    finish_kernel(int64_t block_count, int width, const SinoBrickSums *from, SinoBrickSums *sums)
{
    SINO_SHARED(double, tree, FINISH_THREADS *SUMS);
    const int me = static_cast<int>(threadIdx.x), set = static_cast<int>(blockIdx.x);
    double sum[SUMS] = {};
    for (int64_t i = me; i < block_count; i += FINISH_THREADS)
        for (int s = 0; s < SUMS; s++) sum[s] += reinterpret_cast<const double *>(from + i * width + set)[s];
    for (int s = 0; s < SUMS; s++) tree[s * FINISH_THREADS + me] = sum[s];
    for (int half = FINISH_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int s = 0; s < SUMS && me < half; s++)
            tree[s * FINISH_THREADS + me] += tree[s * FINISH_THREADS + me + half];
    }
    if (me == 0) sums[set] = {tree[0], tree[FINISH_THREADS], tree[2 * FINISH_THREADS], tree[3 * FINISH_THREADS]};
}

/* ---- backward ---- */

/* weight[row][set] = y · the row's unit. */
static __global__ void __launch_bounds__(WEIGH_THREADS)
    weigh_kernel(const SinoBrickListRow *row, int64_t row_count, int width, const float *y, float *weight)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * WEIGH_THREADS;
    const int shift = 31 - __clz(width);
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * WEIGH_THREADS + threadIdx.x; i < row_count << shift; i += step)
        weight[i] = y[i] * row[i >> shift].unit;
}

/* A wave: its bytes of the block, its runs and their entries, and the weights of its rows. */
template <class K> struct Wave {
    const typename K::Value *value;
    const SinoBrickListRun *run;
    Entries<K, uint16_t> entries;
    const float *weight;
    int64_t run_count;
};

/* weight: from the first set on. */
template <class K, int S>
static __device__ __forceinline__ Staged stage_of_run(const Entries<K, uint16_t> &entries, uint32_t i,
                                                      const float *weight)
{
    const unsigned code = __ldcs(entries.at + i), row = code % SINO_BRICK_WAVE_ROWS;
    const float factor = factor_of(code / SINO_BRICK_WAVE_ROWS);
    return {__ldcs(entries.mask + i), __ldcs(entries.value + i), row, S == 1 ? weight[row] * factor : factor};
}

/* Adds an entry to the voxels of its brick that the thread has. */
template <class K, int S>
static __device__ __forceinline__ void add_entry(const Staged &entry, const typename K::Value *value,
                                                 const float *weight, int width, float (&sum)[VOXELS][S])
{
    float values[VOXELS], of_row[S];
    (void)load_values<K>(entry, value, values);
    if (S > 1) load_sets(weight + entry.at * static_cast<unsigned>(width_of<S>(width)), of_row);
#pragma unroll
    for (int f = 0; f < S; f++) {
        of_row[f] = S > 1 ? of_row[f] * entry.factor : entry.factor;
#pragma unroll
        for (int v = 0; v < VOXELS; v++) sum[v][f] = fmaf(values[v], of_row[f], sum[v][f]);
    }
}

/* x += sum. Threads whose brick has the number of a voxel write it. */
template <class K, int S>
static __device__ __forceinline__ void add_to_brick(const float (&sum)[VOXELS][S], int width, float *x)
{
    const int v = brick_of_thread<K>();
    float *const voxel = x + (first_voxel<K>() + v * K::STEP) * width;
    float before[S];
    if (v >= VOXELS) return;
    load_sets(voxel, before);
#pragma unroll
    for (int f = 0; f < S; f++) before[f] += v == 0 ? sum[0][f] : sum[1][f];
    store_sets(voxel, before);
}

/* Runs of a wave: x += what they have. Four blocks of a multiprocessor leave 64 registers to a thread. */
template <class K, int S>
static __global__ void __launch_bounds__(BACKWARD_WARPS *WARP, 4) backward_kernel(Wave<K> wave, int width, float *x)
{
    SINO_SHARED(Staged, all_staged, BACKWARD_WARPS * WARP);
    const int64_t number = static_cast<int64_t>(blockIdx.x) * BACKWARD_WARPS + warp_of_block();
    const int first_set = first_set_of<S>(), lane = lane_of_warp();
    Staged *const staged = all_staged + warp_of_block() * WARP;
    if (number >= wave.run_count) return;
    const SinoBrickListRun run = wave.run[number];
    const float *const weight = wave.weight + first_set;
    const uint32_t end = wave.run[number + 1].entry;
    float sum[VOXELS][S] = {};
    for (uint32_t first = run.entry; first < end; first += min(end - first, WARP + 0U)) {
        const uint32_t mine = first + lane;
        __syncwarp();
        staged[lane] = mine - first < end - first ? stage_of_run<K, S>(wave.entries, mine, weight) : Staged{0, 0, 0, 0};
        __syncwarp();
        const int count = static_cast<int>(min(end - first, WARP + 0U));
        for (int i = 0; i < count; i += K::BRICKS)
            add_entry<K, S>(staged[i + brick_of_thread<K>()], wave.value, weight, width, sum);
    }
#pragma unroll
    for (int v = 0; v < VOXELS; v++)
#pragma unroll
        for (int f = 0; f < S; f++)
            for (int by = K::THREADS; by < WARP; by *= 2) sum[v][f] += __shfl_xor_sync(0xffffffffU, sum[v][f], by);
    add_to_brick<K, S>(sum, width, x + static_cast<int64_t>(run.brick) * K::LANES * width + first_set);
}

/* ---- launches ---- */

/* What the launches of a panel share. */
struct Call {
    cudaStream_t stream;
    const SinoBrickProductCuda *product;
    int width;           /* of the panel */
    float *weight;       /* [row][set of the panel] */
    SinoBrickSums *sums; /* [block of rows][set of the panel] */
};

/* An array of the lists in device memory. */
template <class T> static const T *list_at(const Call &call, int64_t at)
{
    return reinterpret_cast<const T *>(static_cast<const char *>(call.product->device_lists) + at);
}

static int64_t weight_bytes(int64_t row_count, int64_t width)
{
    return sino_ceil_multiple(sino_times(sino_times(row_count, width), static_cast<int64_t>(sizeof(float))), 64);
}

/* Blocks end with bands, and so with waves: a wave's blocks are some of the whole matrix's. */
static int64_t blocks_of_rows(int64_t row_count)
{
    return sino_ceil_divide(row_count, FORWARD_WARPS);
}

int64_t sino_brick_cuda_work_bytes(int64_t row_count, int64_t stride)
{
    const int64_t width = sino_smaller(stride, sino_panel_width(SINO_SINGLE));
    return weight_bytes(row_count, width) +
           sino_times(sino_times(blocks_of_rows(row_count), width), static_cast<int64_t>(sizeof(SinoBrickSums)));
}

static Call call_of(cudaStream_t stream, const SinoBrickProductCuda *product, SinoPanel panel)
{
    const SinoBrickLists *lists = product->lists;
    const int64_t width = panel.slices.stride;
    Call call = {};
    call.stream = stream;
    call.product = product;
    call.width = static_cast<int>(width);
    if (!product->work) return call;
    call.weight = static_cast<float *>(product->work);
    call.sums =
        reinterpret_cast<SinoBrickSums *>(static_cast<char *>(product->work) + weight_bytes(lists->row_count, width));
    return call;
}

static dim3 grid_of(int64_t blocks, int width, int sets)
{
    return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(width / sets));
}

template <class K, int S>
static SinoStatus launch_forward(const Call &call, int64_t first_row, int64_t row_count, const float *x,
                                 const Forward &to)
{
    const SinoBrickLists *lists = call.product->lists;
    Source<K> source = {};
    source.block = static_cast<const char *>(call.product->device_block);
    source.row = list_at<SinoBrickListRow>(call, lists->row_at);
    source.entries = {list_at<uint32_t>(call, lists->row_value_at), list_at<typename K::Mask>(call, lists->row_mask_at),
                      list_at<uint32_t>(call, lists->row_brick_at)};
    const dim3 blocks = grid_of(blocks_of_rows(row_count), call.width, S);
    return sino_launch(
        SinoLaunch{to.counts ? "brick_compare" : "brick_project", blocks, FORWARD_WARPS * WARP, 0, call.stream},
        forward_kernel<K, S>, source, first_row, row_count, call.width, x, to);
}

template <class K, int S> static SinoStatus launch_backward(const Call &call, const SinoBrickWave &wave, float *x)
{
    const SinoBrickLists *lists = call.product->lists;
    if (wave.run_count == 0) return NULL;
    Wave<K> of = {};
    of.value = reinterpret_cast<const typename K::Value *>(static_cast<const char *>(call.product->device_block) +
                                                           wave.offset);
    of.run = list_at<SinoBrickListRun>(call, lists->run_at) + wave.first_run;
    of.entries = {list_at<uint32_t>(call, lists->run_value_at) + wave.first_entry,
                  list_at<typename K::Mask>(call, lists->run_mask_at) + wave.first_entry,
                  list_at<uint16_t>(call, lists->run_code_at) + wave.first_entry};
    of.weight = call.weight + wave.first_row * call.width;
    of.run_count = wave.run_count;
    const dim3 blocks = grid_of(sino_ceil_divide(wave.run_count, BACKWARD_WARPS), call.width, S);
    return sino_launch(SinoLaunch{"brick_backproject", blocks, BACKWARD_WARPS * WARP, 0, call.stream},
                       backward_kernel<K, S>, of, call.width, x);
}

/* The launchers of a format and a number of sets. */
struct Kernels {
    SinoStatus (*forward)(const Call &, int64_t first_row, int64_t row_count, const float *x, const Forward &);
    SinoStatus (*backward)(const Call &, const SinoBrickWave &, float *x);
};

#define KERNELS(sets, ...)                                                                                             \
    {                                                                                                                  \
        launch_forward<Format<__VA_ARGS__>, sets>, launch_backward<Format<__VA_ARGS__>, sets>                          \
    }
#define KERNELS_OF(...)                                                                                                \
    {                                                                                                                  \
        KERNELS(1, __VA_ARGS__), KERNELS(2, __VA_ARGS__), KERNELS(4, __VA_ARGS__), KERNELS(SETS, __VA_ARGS__)          \
    }

static const Kernels &kernels_of(const Call &call)
{
    /* [32 lanes][mixed][sets] */
    static const Kernels kernels[2][2][4] = {
        {KERNELS_OF(16, false), KERNELS_OF(16, true)},
        {KERNELS_OF(32, false), KERNELS_OF(32, true)},
    };
    const SinoBrickLists *lists = call.product->lists;
    const int width = call.width;
    return kernels[lists->lanes == 32][lists->precision == SINO_MIXED][width >= SETS ? 3 : width / 2];
}

static SinoSlices slices_of(const SinoBrickProductCuda *product)
{
    return {SINO_SINGLE, product->stride, product->stride};
}

static int64_t voxel_rows(const SinoBrickProductCuda *product)
{
    return product->lists->brick_count * product->lists->lanes;
}

static const float *panel_from(SinoPanel panel, int64_t rows, const float *vector)
{
    return static_cast<const float *>(sino_panel_from(panel, rows, vector));
}

static float *panel_to(SinoPanel panel, int64_t rows, float *vector)
{
    return static_cast<float *>(sino_panel_to(panel, rows, vector));
}

SinoStatus sino_brick_project_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *x, float *y)
{
    const SinoSlices slices = slices_of(product);
    const int64_t rows = product->lists->row_count;
    if (rows == 0) return NULL;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const Call call = call_of(stream, product, at);
        Forward to = {};
        to.y = panel_to(at, rows, y);
        SINO_TRY(kernels_of(call).forward(call, 0, rows, panel_from(at, voxel_rows(product), x), to));
    }
    return NULL;
}

static SinoStatus weigh(const Call &call, const float *y)
{
    const int64_t rows = call.product->lists->row_count;
    const unsigned blocks = sino_blocks_for(rows * call.width, WEIGH_THREADS, WEIGH_BLOCKS_MAX);
    return sino_launch(SinoLaunch{"brick_weigh", blocks, WEIGH_THREADS, 0, call.stream}, weigh_kernel,
                       list_at<SinoBrickListRow>(call, call.product->lists->row_at), rows, call.width, y, call.weight);
}

SinoStatus sino_brick_backproject_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *y,
                                       float *x)
{
    const SinoSlices slices = slices_of(product);
    const SinoBrickWave *const wave = sino_brick_list_waves(product->lists);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const Call call = call_of(stream, product, at);
        SINO_TRY(weigh(call, panel_from(at, product->lists->row_count, y)));
        for (int64_t w = 0; w < product->lists->wave_count; w++)
            SINO_TRY(kernels_of(call).backward(call, wave[w], panel_to(at, voxel_rows(product), x)));
    }
    return NULL;
}

/* Forward and backward over a wave. */
static SinoStatus sweep_wave(const Call &call, const SinoBrickWave &wave, const float *x, const Forward &of_panel,
                             float *x_sum)
{
    Forward to = of_panel;
    to.sums = call.sums + blocks_of_rows(wave.first_row) * call.width;
    SINO_TRY(kernels_of(call).forward(call, wave.first_row, wave.row_count, x, to));
    return kernels_of(call).backward(call, wave, x_sum);
}

static SinoStatus finish(const Call &call, SinoBrickSums *sums)
{
    const unsigned blocks = static_cast<unsigned>(call.width);
    return sino_launch(SinoLaunch{"brick_sums", blocks, FINISH_THREADS, 0, call.stream}, finish_kernel,
                       blocks_of_rows(call.product->lists->row_count), call.width, call.sums, sums);
}

SinoStatus sino_brick_sweep_cuda(cudaStream_t stream, const SinoBrickProductCuda *product, const float *x,
                                 const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    const SinoSlices slices = slices_of(product);
    const SinoBrickWave *const wave = sino_brick_list_waves(product->lists);
    const int64_t rows = product->lists->row_count, voxels = voxel_rows(product);
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.stride; at = sino_panel_next(slices, at)) {
        const Call call = call_of(stream, product, at);
        Forward to = {};
        to.counts = panel_from(at, rows, counts->counts);
        to.factor = counts->multiplicative;
        to.additive = counts->additive ? panel_from(at, rows, counts->additive) : NULL;
        to.weight = call.weight;
        for (int64_t w = 0; w < product->lists->wave_count; w++)
            SINO_TRY(sweep_wave(call, wave[w], panel_from(at, voxels, x), to, panel_to(at, voxels, x_sum)));
        SINO_TRY(finish(call, sums + at.first));
    }
    return NULL;
}
