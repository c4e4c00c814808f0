/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, for CUDA kernels: how a thread block goes through the visits of a chain (gather.h).
 *
 * Rows of inputs, and a visit's bundles and slots, lie in shared memory in two stages: while most warps, the *adders*,
 * gather from one, the others, the *fetchers*, copy the next visit's into the other by cp.async, so that nobody waits
 * for their addresses. Sums of outputs lie in shared memory, too, for as long as the chain needs them: a tile's to the
 * end; those of a ray until it leaves the chain's span, when they are added to y. Lengths are read once, straight into
 * registers.
 *
 * What gathers differs (spmm_cuda.cu, spmm_tensor_cuda.cu) and is a parameter K of templates:
 *
 *     K::From, Length, Sum, To   types of what is read, of lengths, of sums, and of what is written
 *     K::SLICES                  a power of two: slices that a block works on, 16 bytes of From at least
 *     K::BACK                    backprojects
 *     K::SPREADS                 rows of inputs and of sums are swizzled, for fragments of 8 × 8
 *     K::gather(product, at, stage)   adds what a visit's bundles gather to the sums */
#ifndef SINO_GATHER_CUDA_CUH
#define SINO_GATHER_CUDA_CUH

#include "panel_cuda.cuh"

extern "C" {
#include "gather.h"
#include "spmm_cuda.h"
}

enum {
    SINO_WARP = 32,
    SINO_ADDERS = 16,  /* warps */
    SINO_FETCHERS = 4, /* likewise */
    SINO_GATHER_WARPS = SINO_ADDERS + SINO_FETCHERS,
    SINO_GATHER_THREADS = SINO_GATHER_WARPS * SINO_WARP
};

/* What kernels get. Tables are those of the lists, on the device. */
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
    int64_t first_unit; /* of the launch: a part of a chain in one orientation, or a tile of the image */
    int first;          /* slice of the panels at hand, which are all of one width */
    int width;          /* theirs */
    int slices;         /* of a block, of which K::SLICES may be more */
    int chunks;         /* blocks of a unit, side by side: they share lists in L2 */
};

/* Where a block is: a visit in one orientation. */
struct SinoGatherAt {
    int visit, end; /* −1: past the last */
    int source;
    int orientation, number; /* number: of the visit's orientations */
};

/* A block's shared memory. */
template <class K> struct SinoGatherStage {
    char *rows;              /* K::SLICES of From for each slot of the inputs */
    char *index;             /* bundles and slots */
    SinoGatherSpan *leaving; /* for each angle two runs of rows that leave with the visit */
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

/* A visit's lists for those who gather: bundles and slots in shared memory. */
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

/* Where 16 bytes number `pack` of an input's row are: eight rows that differ in sino_gather_bank have theirs in
 * different banks. */
template <class K> static __device__ __forceinline__ int sino_gather_pack_at(int slot, int pack)
{
    constexpr int row_bytes = K::SLICES * static_cast<int>(sizeof(typename K::From)), packs = row_bytes / 16;
    return slot * row_bytes + (K::SPREADS ? pack ^ (sino_gather_bank(slot) & (packs - 1)) : pack) * 16;
}

/* Likewise slice f of an output's sums: groups of eight slices. */
template <class K> static __device__ __forceinline__ int sino_gather_sum_at(int slot, int slice)
{
    constexpr int groups = K::SLICES / 8;
    const int at = K::SPREADS ? (slice / 8 ^ (slot & (groups - 1))) * 8 + slice % 8 : slice;
    return slot * K::SLICES + at;
}

/* ---- from visit to visit ---- */

/* The next source whose visits there are. */
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

/* From at->visit on, the next one that serves the orientation. */
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
        int low = 0, high = product.header.part_count; /* the part has the unit */
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

/* Element (row, first slice of the block + f) of a vector in panels. */
SINO_INLINE int64_t sino_gather_element(const SinoGatherProduct &product, int64_t rows, int64_t row, int slice)
{
    const int64_t panel = slice & ~(product.width - 1);
    return (product.first + panel) * rows + row * product.width + (slice - panel);
}

/* 16 bytes of the row of a slot, from slice f of the block on; what is no slice of the block is 0. */
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

/* A tile's rows: slots are voxels in the stored orientation. */
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

/* Rays of the visit's spans, an angle at a time. */
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
    /* Lengths are on their way to L2 before anybody needs them. */
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

/* Nobody else adds to the element, so the order of sums is the block's own; an atomic addition does not wait for the
 * value that it does not return. */
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

/* What the chain does not hold any longer after the visit: the rows before those it keeps, and those behind. */
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

/* Their sums go to y and become 0. */
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

/* The sums of the tile that the block owns. */
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
        /* Those who gather look for the next visit afterwards, when it has been in L1 for long. */
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

/* A table of the lists as it lies on the device. */
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

/* A kernel of a table: the most slices first. */
struct SinoGatherKernel {
    const char *name;
    int slices;
    void (*kernel)(SinoGatherProduct);
    int64_t (*shared_bytes)(const SinoGatherHeader &header);
};

template <class K> static int64_t sino_gather_shared_of(const SinoGatherHeader &header)
{
    return sino_gather_shared_bytes<K>(header);
}

#define SINO_GATHER_KERNEL(name, ...)                                                                                  \
    {                                                                                                                  \
        name, __VA_ARGS__::SLICES, sino_gather<__VA_ARGS__>, sino_gather_shared_of<__VA_ARGS__>                        \
    }

/* The kernel for `slices` slices that are left: of those that fit, the narrowest that takes all, or the widest; a
 * narrower one where there are fewer blocks than multiprocessors, down to 16 slices. */
static inline const SinoGatherKernel *sino_gather_choose(const SinoSpmmProductCuda *product,
                                                         const SinoGatherKernel *kernels, int count, int64_t units,
                                                         int slices)
{
    const SinoGatherKernel *chosen = NULL;
    for (int i = 0; i < count; i++) {
        if (kernels[i].shared_bytes(product->header) > product->device.shared_bytes) continue;
        const bool takes_all = kernels[i].slices >= slices;
        const int64_t chunks = chosen ? (slices + chosen->slices - 1) / chosen->slices : 0;
        const bool too_few = chosen && kernels[i].slices >= 16 && units * chunks < product->device.multiprocessor_count;
        if (!chosen || takes_all || too_few) chosen = &kernels[i];
    }
    return chosen;
}

/* Some units, and slices first … end − 1, whose panels have one width. */
static inline SinoStatus sino_gather_launch_panels(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                                   const SinoGatherKernel *kernels, int count, SinoGatherProduct of,
                                                   int64_t units, int end)
{
    if (units == 0) return NULL;
    while (of.first < end) {
        const int left = end - of.first;
        const SinoGatherKernel *const chosen = sino_gather_choose(product, kernels, count, units, left);
        SINO_CHECK(chosen, SINO_FAILED,
                   "a product with %d rays of a batch needs %lld bytes of a block's shared memory; the device has %lld",
                   of.header.angles * of.header.columns,
                   static_cast<long long>(kernels[count - 1].shared_bytes(product->header)),
                   static_cast<long long>(product->device.shared_bytes));
        of.slices = left < chosen->slices ? left : chosen->slices;
        of.chunks = left / of.slices;
        const dim3 blocks(static_cast<unsigned>(units) * static_cast<unsigned>(of.chunks));
        SINO_TRY(sino_launch(SinoLaunch{chosen->name, blocks, SINO_GATHER_THREADS,
                                        static_cast<size_t>(chosen->shared_bytes(product->header)), stream},
                             chosen->kernel, of));
        of.first += of.chunks * of.slices;
    }
    return NULL;
}

/* Some units and all slices: whole panels, then the last one where it is narrower. */
static inline SinoStatus sino_gather_launch_units(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                                  const SinoGatherKernel *kernels, int count, SinoGatherProduct of,
                                                  int64_t units)
{
    const int stride = static_cast<int>(product->stride), width = static_cast<int>(product->panel_width);
    const int whole = stride / width * width;
    of.width = width;
    SINO_TRY(sino_gather_launch_panels(stream, product, kernels, count, of, units, whole));
    of.first = whole;
    of.width = stride - whole;
    return sino_gather_launch_panels(stream, product, kernels, count, of, units, stride);
}

/* All of it; projecting, the parts that come first, then those between them. */
static inline SinoStatus sino_gather_launch(cudaStream_t stream, const SinoSpmmProductCuda *product,
                                            const SinoGatherKernel *kernels, int count, const void *from, void *to)
{
    const SinoGatherHeader *const header = &product->header;
    const int64_t units = header->back ? header->unit_count : header->part_unit_count;
    const int64_t early = header->back ? units : header->early_unit_count;
    SinoGatherProduct of = sino_gather_product(product, from, to);
    SINO_TRY(sino_gather_launch_units(stream, product, kernels, count, of, early));
    of.first_unit = early;
    return sino_gather_launch_units(stream, product, kernels, count, of, units - early);
}

/* Tensor cores' (spmm_tensor_cuda.cu). */
SinoStatus sino_spmm_tensor(cudaStream_t stream, const SinoSpmmProductCuda *product, const void *from, void *to);

#endif
