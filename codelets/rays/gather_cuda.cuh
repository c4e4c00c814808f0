/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, for CUDA kernels: how a thread block goes through the visits of a chain (gather.h).
 *
 * Shared memory holds the rows of inputs, the bundles and the slots of a visit in two stages. Most warps, the *adders*,
 * gather from one stage. The other warps, the *fetchers*, copy the next visit's data into the other stage by cp.async,
 * so that the adders do not wait for addresses. Shared memory also holds the sums of outputs for as long as the chain
 * needs them. The sums of a tile stay to the end of the chain. The sum of a ray is added to y when the ray leaves the
 * chain's span. Each length is read once, straight into registers.
 *
 * spmm_cuda.cu and spmm_tensor_cuda.cu gather differently. The difference is the parameter K of the templates:
 *
 *     K::From, Length, Sum, To   types of the inputs, the lengths, the sums and the outputs
 *     K::SLICES                  slices that a block works on: a power of two, at least 16 bytes of From
 *     K::BACK                    true: backprojection
 *     K::SPREADS                 rows of inputs and of sums are swizzled, for fragments of 8 × 8
 *     K::gather(product, at, stage)   adds the products of a visit's bundles to the sums */
#pragma once

#include "panel_cuda.cuh"

extern "C" {
#include "gather.h"
#include "spmm_cuda.h"
}

enum {
    SINO_WARP = 32,
    SINO_ADDERS = 16,  /* warps */
    SINO_FETCHERS = 4, /* warps */
    SINO_GATHER_WARPS = SINO_ADDERS + SINO_FETCHERS,
    SINO_GATHER_THREADS = SINO_GATHER_WARPS * SINO_WARP
};

/* Arguments of the kernels. The tables are those of the lists, on the device. */
struct SinoGatherProduct {
    SinoGatherHeader header;
    const char *lists;
    const SinoGatherChain *chain;
    const SinoGatherVisit *visit;
    const SinoGatherSource *source;
    const int32_t *tile;
    const SinoGatherSpan *span;
    const SinoGatherPart *part;
    const void *from;
    void *to;
    const float *unit;
    int64_t from_rows, to_rows;
    int64_t first_unit; /* first unit of the launch: a part of a chain in one orientation, or a tile of the image */
    int first;          /* first slice of the panels of this launch, which all have one width */
    int width;          /* width of these panels */
    int slices;         /* slices of a block, at most K::SLICES */
    int chunks;         /* blocks per unit; they are neighbours in the grid and share lists in L2 */
};

/* Position of a block: a visit in one orientation. */
struct SinoGatherAt {
    int visit, end; /* −1: past the last visit */
    int source;
    int orientation, number; /* number: rank of the orientation among the visit's orientations */
};

/* Addresses in a block's shared memory. */
template <class K> struct SinoGatherStage {
    char *rows;              /* for each slot of the inputs, K::SLICES elements of From */
    char *index;             /* bundles and slots */
    SinoGatherSpan *leaving; /* for each angle, two runs of rows that leave the span after the visit */
    typename K::Sum *sums;
};

template <class K> SINO_INLINE int64_t sino_gather_stage_bytes(const SinoGatherHeader &header)
{
    const int64_t rays = static_cast<int64_t>(header.angles) * header.columns;
    const int64_t row_bytes = K::SLICES * static_cast<int64_t>(sizeof(typename K::From));
    return sino_block_align((K::BACK ? rays : static_cast<int64_t>(SINO_TILE_VOXELS)) * row_bytes, 128) +
           sino_block_align(header.index_bytes, 128);
}

template <class K> SINO_INLINE int64_t sino_gather_sums(const SinoGatherHeader &header)
{
    const int64_t rays = static_cast<int64_t>(header.angles) * header.columns;
    return (K::BACK ? static_cast<int64_t>(SINO_TILE_VOXELS) : rays) * K::SLICES;
}

template <class K> SINO_INLINE int64_t sino_gather_leaving_bytes(const SinoGatherHeader &header)
{
    return K::BACK ? 0 : sino_block_align(2 * header.angles * static_cast<int64_t>(sizeof(SinoGatherSpan)), 128);
}

template <class K> SINO_INLINE int64_t sino_gather_shared_bytes(const SinoGatherHeader &header)
{
    return 2 * sino_gather_stage_bytes<K>(header) + sino_gather_leaving_bytes<K>(header) +
           sino_gather_sums<K>(header) * static_cast<int64_t>(sizeof(typename K::Sum));
}

template <class K>
static __device__ __forceinline__ SinoGatherStage<K> sino_gather_stage(const SinoGatherProduct &product, char *shared,
                                                                       int which)
{
    const int64_t bytes = sino_gather_stage_bytes<K>(product.header);
    SinoGatherStage<K> stage;
    stage.rows = shared + which * bytes;
    stage.index = shared + (which + 1) * bytes - sino_block_align(product.header.index_bytes, 128);
    stage.leaving = reinterpret_cast<SinoGatherSpan *>(shared + 2 * bytes);
    stage.sums = reinterpret_cast<typename K::Sum *>(shared + 2 * bytes + sino_gather_leaving_bytes<K>(product.header));
    return stage;
}

/* The lists of a visit as the adders read them: bundles and slots in shared memory. */
template <class K> struct SinoGatherIndex {
    int bundle_count;
    const SinoGatherBundle *bundle;
    const uint16_t *slot;
    const typename K::Length *length;
};

template <class K>
static __device__ __forceinline__ SinoGatherIndex<K>
sino_gather_index(const SinoGatherProduct &product, const SinoGatherAt &at, const SinoGatherStage<K> &stage)
{
    const SinoGatherVisit visit = product.visit[at.visit];
    const int64_t lengths = visit.offset + sino_gather_lengths_at(product.header.outputs, &visit);
    SinoGatherIndex<K> index;
    index.bundle_count = visit.bundle_count;
    index.bundle = reinterpret_cast<const SinoGatherBundle *>(stage.index);
    index.slot = reinterpret_cast<const uint16_t *>(stage.index + sino_gather_slots_at(&visit));
    index.length = reinterpret_cast<const typename K::Length *>(product.lists + lengths);
    return index;
}

/* The place of pack number `pack` (16 bytes) of an input's row. Eight rows that differ in sino_gather_bank have this
 * pack in eight different banks. */
template <class K> static __device__ __forceinline__ int sino_gather_pack_at(int slot, int pack)
{
    constexpr int row_bytes = K::SLICES * static_cast<int>(sizeof(typename K::From)), packs = row_bytes / 16;
    return slot * row_bytes + (K::SPREADS ? pack ^ (sino_gather_bank(slot) & (packs - 1)) : pack) * 16;
}

/* Likewise the place of slice f of an output's sums, in groups of eight slices. */
template <class K> static __device__ __forceinline__ int sino_gather_sum_at(int slot, int slice)
{
    constexpr int groups = K::SLICES / 8;
    const int at = K::SPREADS ? (slice / 8 ^ (slot & (groups - 1))) * 8 + slice % 8 : slice;
    return slot * K::SLICES + at;
}

/* ---- from visit to visit ---- */

/* Moves to the next source that has visits. */
static __device__ __forceinline__ bool sino_gather_open(const SinoGatherProduct &product, int unit, SinoGatherAt *at)
{
    if (at->source == SINO_ORIENTATIONS) return false;
    const SinoGatherSource source = product.source[unit * static_cast<int64_t>(SINO_ORIENTATIONS) + at->source];
    if (source.tile < 0) return false;
    const SinoGatherChain chain = product.chain[source.tile];
    at->source++;
    at->orientation = source.orientation;
    at->visit = chain.first_visit;
    at->end = chain.first_visit + chain.visit_count;
    return true;
}

/* Moves to the next visit, from at->visit on, that serves the orientation. */
template <bool BACK>
static __device__ __forceinline__ void sino_gather_settle(const SinoGatherProduct &product, int unit, SinoGatherAt *at)
{
    while (BACK) {
        for (; at->visit < at->end; at->visit++) {
            const uint32_t orientations = product.visit[at->visit].orientations;
            at->number = __popc(orientations & ((1u << at->orientation) - 1));
            if (orientations >> at->orientation & 1) return;
        }
        if (!sino_gather_open(product, unit, at)) break;
    }
    if (BACK || at->visit == at->end) at->visit = -1;
}

template <bool BACK>
static __device__ __forceinline__ SinoGatherAt sino_gather_begin(const SinoGatherProduct &product, int unit)
{
    SinoGatherAt at = {0, 0, 0, 0, 0};
    if (!BACK) {
        int low = 0, high = product.header.part_count; /* search the part that contains the unit */
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (product.part[middle].first_unit <= unit)
                low = middle;
            else
                high = middle;
        }
        const SinoGatherPart part = product.part[low];
        const SinoGatherChain chain = product.chain[part.chain];
        uint32_t orientations = chain.orientations;
        at.number = unit - part.first_unit;
        for (int i = 0; i < at.number; i++) orientations &= orientations - 1;
        at.orientation = __ffs(static_cast<int>(orientations)) - 1;
        at.visit = part.first_visit;
        at.end = part.first_visit + part.visit_count;
    }
    sino_gather_settle<BACK>(product, unit, &at);
    return at;
}

template <bool BACK>
static __device__ __forceinline__ SinoGatherAt sino_gather_next(const SinoGatherProduct &product, int unit,
                                                                SinoGatherAt at)
{
    at.visit++;
    sino_gather_settle<BACK>(product, unit, &at);
    return at;
}

/* ---- fetching ---- */

/* Index of element (row, product.first + slice) of a vector in panels. */
SINO_INLINE int64_t sino_gather_element(const SinoGatherProduct &product, int64_t rows, int64_t row, int slice)
{
    const int64_t panel = slice & ~(product.width - 1);
    return (product.first + panel) * rows + row * product.width + (slice - panel);
}

/* Copies 16 bytes of a slot's row, from slice `slice` of the block on. Slices beyond those of the block become 0. */
template <class K>
static __device__ __forceinline__ void sino_gather_fetch(const SinoGatherProduct &product, int64_t row, int slice,
                                                         char *to)
{
    typedef typename K::From From;
    constexpr int elements = 16 / static_cast<int>(sizeof(From));
    const int begin = static_cast<int>(blockIdx.x) % product.chunks * product.slices + slice;
    const From *const from =
        static_cast<const From *>(product.from) + sino_gather_element(product, product.from_rows, row, begin);
    if (slice + elements <= product.slices && product.width >= elements) {
        sino_copy_async_16(to, from);
        return;
    }
    SinoPack<From, elements> pack;
    memset(&pack, 0, sizeof pack);
    for (int i = 0; i < elements && slice + i < product.slices; i++)
        pack.value[i] =
            static_cast<const From *>(product.from)[sino_gather_element(product, product.from_rows, row, begin + i)];
    sino_pack_store(reinterpret_cast<From *>(to), pack);
}

/* Fetches the rows of a tile. Its slots are voxels in the stored orientation. */
template <class K>
static __device__ __forceinline__ void sino_gather_fetch_tile(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                              int fetcher, char *rows)
{
    constexpr int elements = 16 / static_cast<int>(sizeof(typename K::From)), packs = K::SLICES / elements;
    const int64_t stored = product.visit[at.visit].tile;
    const int64_t tile = product.tile[stored * SINO_ORIENTATIONS + at.orientation];
    for (int i = fetcher; i < SINO_TILE_VOXELS * packs; i += SINO_FETCHERS * SINO_WARP) {
        const int slot = i / packs, pack = i % packs;
        const int64_t row = tile * SINO_TILE_VOXELS + sino_gather_voxel(at.orientation, slot);
        sino_gather_fetch<K>(product, row, pack * elements, rows + sino_gather_pack_at<K>(slot, pack));
    }
}

/* Fetches the rays of the visit's spans, one angle at a time. */
template <class K>
static __device__ __forceinline__ void sino_gather_fetch_rays(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                              int fetcher, char *rows)
{
    constexpr int elements = 16 / static_cast<int>(sizeof(typename K::From)), packs = K::SLICES / elements;
    const SinoGatherSpan *const span = product.span + static_cast<int64_t>(at.visit) * product.header.angles;
    const int64_t ahead = at.number * product.visit[at.visit].step;
    const int columns = product.header.columns;
    for (int angle = fetcher / SINO_WARP; angle < product.header.angles; angle += SINO_FETCHERS) {
        const SinoGatherSpan rays = span[angle];
        const int first = static_cast<int>(rays.first % static_cast<unsigned>(columns));
        for (int i = fetcher % SINO_WARP; i < static_cast<int>(rays.count) * packs; i += SINO_WARP) {
            const int place = first + i / packs;
            const int slot = angle * columns + (place < columns ? place : place - columns);
            sino_gather_fetch<K>(product, ahead + rays.first + i / packs, i % packs * elements,
                                 rows + sino_gather_pack_at<K>(slot, i % packs));
        }
    }
}

template <class K>
static __device__ __forceinline__ void sino_gather_fetch_visit(const SinoGatherProduct &product, const SinoGatherAt &at,
                                                               int fetcher, const SinoGatherStage<K> &stage)
{
    const SinoGatherVisit visit = product.visit[at.visit];
    const int bytes = static_cast<int>(sino_gather_lengths_at(product.header.outputs, &visit));
    for (int i = fetcher * 16; i < bytes; i += SINO_FETCHERS * SINO_WARP * 16)
        sino_copy_async_16(stage.index + i, product.lists + visit.offset + i);
    /* Prefetch the lengths into L2 before the adders read them. */
    const int64_t lengths = static_cast<int64_t>(visit.step_count) * sino_gather_step_lengths(product.header.outputs) *
                            static_cast<int64_t>(sizeof(typename K::Length));
    for (int64_t i = fetcher * 128; i < lengths; i += SINO_FETCHERS * SINO_WARP * 128)
        sino_prefetch_l2(product.lists + visit.offset + bytes + i);
    if (K::BACK)
        sino_gather_fetch_rays<K>(product, at, fetcher, stage.rows);
    else
        sino_gather_fetch_tile<K>(product, at, fetcher, stage.rows);
}

/* ---- sums ---- */

/* No other block adds to this element during the launch, so the block alone determines the order of the sum. An atomic
 * addition does not wait for the value that it discards. */
static __device__ __forceinline__ void sino_gather_add(float *to, float value)
{
    atomicAdd(to, value);
}

static __device__ __forceinline__ void sino_gather_add(double *to, double value)
{
    atomicAdd(to, value);
}

static __device__ __forceinline__ void sino_gather_add(__half *to, float value)
{
    *to = __float2half_rn(__half2float(*to) + value);
}

static __device__ __forceinline__ void sino_gather_store(float *to, float value)
{
    *to = value;
}

static __device__ __forceinline__ void sino_gather_store(double *to, double value)
{
    *to = value;
}

static __device__ __forceinline__ void sino_gather_store(__half *to, float value)
{
    *to = __float2half_rn(value);
}

template <class K>
static __device__ __forceinline__ typename K::Sum sino_gather_unit(const SinoGatherProduct &product, int slice)
{
    return product.unit ? static_cast<typename K::Sum>(product.unit[product.first + slice]) : 1;
}

/* Finds the rows that the chain drops after the visit: those before and those behind the rows that the next visit
 * keeps. */
template <class K>
static __device__ __forceinline__ void sino_gather_find_leaving(const SinoGatherProduct &product,
                                                                const SinoGatherAt &at, const SinoGatherAt &next,
                                                                int fetcher, SinoGatherSpan *leaving)
{
    const int64_t angles = product.header.angles;
    for (int angle = fetcher; angle < angles; angle += SINO_FETCHERS * SINO_WARP) {
        const SinoGatherSpan held = product.span[at.visit * angles + angle];
        const unsigned end = held.first + held.count;
        SinoGatherSpan kept = {end, 0};
        if (next.visit >= 0) kept = product.span[next.visit * angles + angle];
        if (kept.count == 0) kept.first = end;
        const unsigned low_end = max(held.first, min(end, kept.first));
        const unsigned high = min(end, max(held.first, kept.first + kept.count));
        leaving[2 * angle] = {held.first, low_end - held.first};
        leaving[2 * angle + 1] = {high, end - high};
    }
}

/* Adds the sums of the leaving rows to y and clears them. */
template <class K>
static __device__ __forceinline__ void sino_gather_leave(const SinoGatherProduct &product, int64_t ahead,
                                                         const SinoGatherStage<K> &stage)
{
    const int columns = product.header.columns, lane = static_cast<int>(threadIdx.x) % SINO_WARP;
    const int begin = static_cast<int>(blockIdx.x) % product.chunks * product.slices;
    for (int run = static_cast<int>(threadIdx.x) / SINO_WARP; run < 2 * product.header.angles;
         run += SINO_GATHER_WARPS) {
        const SinoGatherSpan rows = stage.leaving[run];
        for (int i = lane; i < static_cast<int>(rows.count) * K::SLICES; i += SINO_WARP) {
            const int slice = i % K::SLICES;
            const unsigned row = rows.first + static_cast<unsigned>(i / K::SLICES);
            const int slot = run / 2 * columns + static_cast<int>(row % static_cast<unsigned>(columns));
            typename K::Sum *const sum = stage.sums + sino_gather_sum_at<K>(slot, slice);
            if (slice < product.slices)
                sino_gather_add(static_cast<typename K::To *>(product.to) +
                                    sino_gather_element(product, product.to_rows, ahead + row, begin + slice),
                                *sum * sino_gather_unit<K>(product, begin + slice));
            *sum = 0;
        }
    }
}

/* Stores the sums of the tile that the block owns. */
template <class K>
static __device__ __forceinline__ void sino_gather_store_tile(const SinoGatherProduct &product, int unit,
                                                              const typename K::Sum *sums)
{
    const int begin = static_cast<int>(blockIdx.x) % product.chunks * product.slices;
    for (int i = static_cast<int>(threadIdx.x); i < SINO_TILE_VOXELS * K::SLICES; i += SINO_GATHER_THREADS) {
        const int voxel = i / K::SLICES, slice = i % K::SLICES;
        if (slice >= product.slices) continue;
        const int64_t row = unit * static_cast<int64_t>(SINO_TILE_VOXELS) + voxel;
        sino_gather_store(static_cast<typename K::To *>(product.to) +
                              sino_gather_element(product, product.to_rows, row, begin + slice),
                          sums[sino_gather_sum_at<K>(voxel, slice)] * sino_gather_unit<K>(product, begin + slice));
    }
}

/* ---- the kernel ---- */

template <class K>
static __global__ void __launch_bounds__(SINO_GATHER_THREADS, 1) sino_gather(SinoGatherProduct product)
{
    SINO_SHARED_DYNAMIC(shared);
    const int unit = static_cast<int>(product.first_unit) + static_cast<int>(blockIdx.x) / product.chunks;
    const int fetcher = static_cast<int>(threadIdx.x) - SINO_ADDERS * SINO_WARP;
    typename K::Sum *const sums = sino_gather_stage<K>(product, shared, 0).sums;
    SinoGatherAt at = sino_gather_begin<K::BACK>(product, unit);
    for (int i = static_cast<int>(threadIdx.x); i < sino_gather_sums<K>(product.header); i += SINO_GATHER_THREADS)
        sums[i] = 0;
    if (fetcher >= 0 && at.visit >= 0)
        sino_gather_fetch_visit<K>(product, at, fetcher, sino_gather_stage<K>(product, shared, 0));
    sino_copy_async_commit();
    sino_copy_async_wait<0>();
    __syncthreads();
    for (int which = 0; at.visit >= 0; which ^= 1) {
        const SinoGatherStage<K> stage = sino_gather_stage<K>(product, shared, which);
        /* Adders look for the next visit after gathering, when its tables have long been in L1. */
        if (fetcher < 0) K::gather(product, at, stage);
        const SinoGatherAt next = sino_gather_next<K::BACK>(product, unit, at);
        if (fetcher >= 0) {
            if (next.visit >= 0)
                sino_gather_fetch_visit<K>(product, next, fetcher, sino_gather_stage<K>(product, shared, which ^ 1));
            sino_copy_async_commit();
            if (!K::BACK) sino_gather_find_leaving<K>(product, at, next, fetcher, stage.leaving);
            sino_copy_async_wait<0>();
        }
        __syncthreads();
        if (!K::BACK) {
            sino_gather_leave<K>(product, at.number * product.visit[at.visit].step, stage);
            __syncthreads();
        }
        at = next;
    }
    if (K::BACK) sino_gather_store_tile<K>(product, unit, sums);
}

/* ---- launches ---- */

/* Address of a table of the lists on the device. */
template <class Table>
static inline const Table *sino_gather_on_device(const SinoSpmmProductCuda *product, const Table *table)
{
    return reinterpret_cast<const Table *>(
        static_cast<const char *>(product->lists) +
        (reinterpret_cast<const char *>(table) - reinterpret_cast<const char *>(&product->header)));
}

static inline SinoGatherProduct sino_gather_product(const SinoSpmmProductCuda *product, const void *from, void *to)
{
    const SinoGatherHeader *const header = &product->header;
    const int64_t voxels = header->tile_count * SINO_TILE_VOXELS;
    SinoGatherProduct of = {};
    of.header = *header;
    of.lists = static_cast<const char *>(product->lists);
    of.chain = sino_gather_on_device(product, sino_gather_chains(header));
    of.visit = sino_gather_on_device(product, sino_gather_visits(header));
    of.source = sino_gather_on_device(product, sino_gather_sources(header));
    of.tile = sino_gather_on_device(product, sino_gather_tiles(header));
    of.span = sino_gather_on_device(product, sino_gather_spans(header));
    of.part = sino_gather_on_device(product, sino_gather_parts(header));
    of.from = from;
    of.to = to;
    of.unit = header->precision == SINO_MIXED ? product->unit : NULL;
    of.from_rows = header->back ? header->ray_count : voxels;
    of.to_rows = header->back ? voxels : header->ray_count;
    return of;
}

/* An entry of a table of kernels. */
struct SinoGatherKernel {
    const char *name;
    int slices, visit_time;
    void (*kernel)(SinoGatherProduct);
    int64_t (*shared_bytes)(const SinoGatherHeader &header);
};

enum { SINO_GATHER_WIDTHS = 3 /* kernels of a table */ };

template <class K> static int64_t sino_gather_shared_of(const SinoGatherHeader &header)
{
    return sino_gather_shared_bytes<K>(header);
}

/* A visit takes the time of 16 slices, in single, beside that of its slices: barriers, and what does not depend on
 * them. */
template <class K> static constexpr int sino_gather_visit_time()
{
    return 16 + static_cast<int>(K::SLICES * sizeof(typename K::Sum) / sizeof(float));
}

#define SINO_GATHER_KERNEL(name, ...)                                                                                  \
    {                                                                                                                  \
        name, __VA_ARGS__::SLICES, sino_gather_visit_time<__VA_ARGS__>(), sino_gather<__VA_ARGS__>,                    \
            sino_gather_shared_of<__VA_ARGS__>                                                                         \
    }

/* The best kernel for the `slices` slices that are left; NULL: none fits the device's shared memory. */
static inline const SinoGatherKernel *sino_gather_best(const SinoSpmmProductCuda *product,
                                                       const SinoGatherKernel *kernels, SinoGatherLoad load, int slices)
{
    SinoGatherWidth width[SINO_GATHER_WIDTHS];
    for (int i = 0; i < SINO_GATHER_WIDTHS; i++)
        width[i] = {kernels[i].slices, kernels[i].visit_time, kernels[i].shared_bytes(product->header)};
    const int best = sino_gather_choose(&product->device, load, width, SINO_GATHER_WIDTHS, slices);
    return best < 0 ? NULL : &kernels[best];
}

/* Launches some units for slices first … end − 1, whose panels have one width. */
static inline SinoStatus sino_gather_launch_panels(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                                   const SinoGatherKernel *kernels, SinoGatherProduct of,
                                                   SinoGatherLoad load, int end)
{
    if (load.unit_count == 0) return NULL;
    while (of.first < end) {
        const int left = end - of.first;
        const SinoGatherKernel *const chosen = sino_gather_best(product, kernels, load, left);
        SINO_CHECK(chosen, SINO_FAILED,
                   "a product with %d rays of a batch needs %lld bytes of a block's shared memory; the device has %lld",
                   of.header.angles * of.header.columns,
                   static_cast<long long>(kernels[SINO_GATHER_WIDTHS - 1].shared_bytes(product->header)),
                   static_cast<long long>(product->device.shared_bytes));
        of.slices = left < chosen->slices ? left : chosen->slices;
        of.chunks = left / of.slices;
        const dim3 blocks(static_cast<unsigned>(load.unit_count) * static_cast<unsigned>(of.chunks));
        SINO_TRY(sino_launch(SinoLaunch{chosen->name, blocks, SINO_GATHER_THREADS,
                                        static_cast<size_t>(chosen->shared_bytes(product->header)), stream},
                             chosen->kernel, of));
        of.first += of.chunks * of.slices;
    }
    return NULL;
}

/* Launches some units for all slices: whole panels first, then the last panel if it is narrower. */
static inline SinoStatus sino_gather_launch_units(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                                  const SinoGatherKernel *kernels, SinoGatherProduct of,
                                                  SinoGatherLoad load)
{
    const int stride = static_cast<int>(product->stride), width = static_cast<int>(product->panel_width);
    const int whole = stride / width * width;
    of.width = width;
    SINO_TRY(sino_gather_launch_panels(stream, product, kernels, of, load, whole));
    of.first = whole;
    of.width = stride - whole;
    return sino_gather_launch_panels(stream, product, kernels, of, load, stride);
}

/* Launches the whole product. In projection the parts of even number come first, then the parts between them. */
static inline SinoStatus sino_gather_launch(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                            const SinoGatherKernel *kernels, const void *from, void *to)
{
    const SinoGatherHeader *const header = &product->header;
    const int64_t units = header->back ? header->unit_count : header->part_unit_count;
    const int64_t early = header->back ? units : header->early_unit_count;
    SinoGatherProduct of = sino_gather_product(product, from, to);
    SINO_TRY(sino_gather_launch_units(stream, product, kernels, of, {early, header->whole_units[0]}));
    of.first_unit = early;
    return sino_gather_launch_units(stream, product, kernels, of, {units - early, header->whole_units[1]});
}

/* The product on tensor cores (spmm_tensor_cuda.cu). */
SinoStatus sino_spmm_tensor(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *from, void *to);
