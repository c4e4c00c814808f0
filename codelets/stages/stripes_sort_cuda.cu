/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, algorithm 3 of Vo et al.: a block sorts a column by digits in shared memory; a thread walks along
 * the columns with the values of one rank.
 *
 * A key is a value's bits in the order of values. What is moved are words: 16 bits of a key, the lower ones before the
 * upper ones, above the value's angle. Keys stay where they are, and equal ones in the order of their angles, as on
 * cores. A digit that all keys of a column share takes no pass. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"
#include "stripes_radix_cuda.cuh"

typedef SinoElement Element;

enum {
    WARP = SINO_RADIX_WARP,
    FEW = 512, /* angles of columns that a thread holds 4 words of, not 16 */
    ANGLE_BITS = 16,
    LONG_THREADS = 512,
    WALK_THREADS = 128,
    SEGMENT = 128 /* columns of a walk */
};
static_assert(SINO_STRIPES_SHARED_MOST <= 1 << ANGLE_BITS, "angles have 16 bits");
static_assert(sizeof(SinoRadixCounts) <= 4 * WARP * sizeof(unsigned), "counts take no more than words");

static __device__ __forceinline__ int angle_of(unsigned word)
{
    return static_cast<int>(word & ((1u << ANGLE_BITS) - 1));
}

/* A word of the upper half of a key. */
static __device__ __forceinline__ unsigned upper_word(const unsigned *keys, int angle)
{
    return (keys[angle] & ~((1u << ANGLE_BITS) - 1)) | static_cast<unsigned>(angle);
}

/* keys: of a column, and behind its end the largest ones. word: those of lower halves. Result: the bits in which the
 * thread's keys differ from the column's first one. */
template <int EACH>
static __device__ __forceinline__ unsigned load_column(const float *column, int angle_count, unsigned *keys,
                                                       unsigned (&word)[EACH])
{
    const unsigned first = sino_stripes_key(column[0]);
    unsigned differing = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int i = sino_radix_index<EACH>(e);
        const unsigned key = i < angle_count ? sino_stripes_key(column[i]) : ~0u;
        if (i < angle_count) differing |= key ^ first;
        keys[i] = key;
        word[e] = key << ANGLE_BITS | static_cast<unsigned>(i);
    }
    return differing;
}

/* Sorts the block's words by a digit; `shared` holds them all. */
template <int EACH> static __device__ __forceinline__ void sort_words(int bit, unsigned *shared, unsigned (&word)[EACH])
{
    int place[EACH];
    sino_radix_rank(
        EACH, [&](int e) { return word[e] >> bit & (SINO_RADIX_DIGITS - 1); },
        reinterpret_cast<SinoRadixCounts *>(shared), place);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) shared[place[e]] = word[e];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) word[e] = shared[sino_radix_index<EACH>(e)];
}

/* Writes sorted values, then ranks in the order of angles, for which they take the place of keys; two at a time, since
 * columns are an even number of values apart. */
template <int EACH>
static __device__ __forceinline__ void store_column(const SinoStripesGathered &at, int64_t first, unsigned *keys,
                                                    const unsigned (&word)[EACH])
{
    uint16_t *const ranks = reinterpret_cast<uint16_t *>(keys);
    unsigned *const pairs = reinterpret_cast<unsigned *>(static_cast<uint16_t *>(at.ranks) + first);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int rank = sino_radix_index<EACH>(e);
        if (rank < at.angle_count) at.values[first + rank] = sino_stripes_value(keys[angle_of(word[e])]);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++) ranks[angle_of(word[e])] = static_cast<uint16_t>(sino_radix_index<EACH>(e));
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); 2 * i < at.angle_count; i += static_cast<int>(blockDim.x))
        pairs[i] = keys[i];
}

/* A block of up to THREADS threads per column; grid x: columns, y: slices. */
template <int EACH, int THREADS> static __global__ void __launch_bounds__(THREADS) sort_kernel(SinoStripesGathered at)
{
    SINO_SHARED_DYNAMIC(memory);
    unsigned *const keys = reinterpret_cast<unsigned *>(memory);
    unsigned *const words = keys + EACH * static_cast<int>(blockDim.x);
    const int64_t first = blockIdx.y * at.slice_values + blockIdx.x * at.pitch;
    unsigned word[EACH];
    const unsigned differing = load_column(at.values + first, at.angle_count, keys, word);
#pragma unroll 1
    for (int bit = 0; bit < 32; bit += 8) {
        const bool is_shared = !__syncthreads_or((differing >> bit & (SINO_RADIX_DIGITS - 1)) != 0);
        if (bit == ANGLE_BITS)
#pragma unroll
            for (int e = 0; e < EACH; e++) word[e] = upper_word(keys, angle_of(word[e]));
        if (!is_shared) sort_words(ANGLE_BITS + bit % ANGLE_BITS, words, word);
    }
    store_column(at, first, keys, word);
}

/* The same for columns that shared memory does not hold: SINO_STRIPES_SORTERS blocks have elements of their own, keys
 * above angles. */
static __global__ void __launch_bounds__(LONG_THREADS, 2) sort_long_kernel(SinoStripesGathered at)
{
    const int me = static_cast<int>(threadIdx.x), count = at.angle_count;
    Element *const elements = at.elements + 2 * static_cast<int64_t>(blockIdx.x) * count;
    for (int64_t c = blockIdx.x; c < static_cast<int64_t>(at.slice_count) * at.column_count; c += gridDim.x) {
        const int64_t first = c / at.column_count * at.slice_values + c % at.column_count * at.pitch;
        float *const values = at.values + first;
        uint32_t *const ranks = static_cast<uint32_t *>(at.ranks) + first;
        for (int k = me; k < count; k += LONG_THREADS)
            elements[k] = static_cast<Element>(sino_stripes_key(values[k])) << 32 | static_cast<unsigned>(k);
        __syncthreads();
        sino_radix_sort<LONG_THREADS, 32>(count, elements, elements + count);
        for (int rank = me; rank < count; rank += LONG_THREADS) {
            values[rank] = sino_stripes_value(static_cast<unsigned>(elements[rank] >> 32));
            ranks[static_cast<uint32_t>(elements[rank])] = static_cast<uint32_t>(rank);
        }
        __syncthreads();
    }
}

/* Puts a value into an ascending window whose last one is +∞. */
template <int SLOTS> static __device__ __forceinline__ void put(float value, float (&window)[SLOTS])
{
#pragma unroll
    for (int w = SLOTS - 1; w > 0; w--) window[w] = fmaxf(window[w - 1], fminf(window[w], value));
    window[0] = fminf(window[0], value);
}

/* Takes `before` out of an ascending window, and puts `after` in. */
template <int SLOTS> static __device__ __forceinline__ void replace(float before, float after, float (&window)[SLOTS])
{
    float last = -INFINITY;
#pragma unroll
    for (int w = 0; w < SLOTS; w++) {
        const float next = w + 1 < SLOTS ? window[w + 1] : INFINITY;
        const float here = window[w] < before ? window[w] : next; /* without `before` */
        window[w] = fmaxf(last, fminf(after, here));
        last = here;
    }
}

/* A thread walks along SEGMENT columns with the values of one rank; their medians go to at.medians. The window has −∞
 * at its front, so that the median is always its middle. Grid x: ranks, y: slices, z: segments. */
template <int SLOTS>
static __global__ void __launch_bounds__(WALK_THREADS, 4) median_kernel(SinoStripesGathered at, int size)
{
    const int rank = static_cast<int>(blockIdx.x * WALK_THREADS + threadIdx.x), columns = at.column_count;
    const int first = static_cast<int>(blockIdx.z) * SEGMENT, end = min(first + SEGMENT, columns);
    const int64_t from = blockIdx.y * at.slice_values + rank;
    const float *__restrict__ const values = at.values + from;
    float *__restrict__ const medians = at.medians + from;
    float window[SLOTS];
    if (rank >= at.angle_count) return;
#pragma unroll
    for (int w = 0; w < SLOTS; w++) window[w] = w < SLOTS / 2 - size / 2 ? -INFINITY : INFINITY;
    for (int w = 0; w < size; w++)
        put(values[sino_stripes_mirrored_once(first - size / 2 + w, columns) * at.pitch], window);
    for (int c = first; c < end; c++) {
        medians[c * at.pitch] = window[SLOTS / 2];
        if (c + 1 < end)
            replace(values[sino_stripes_mirrored_once(c - size / 2, columns) * at.pitch],
                    values[sino_stripes_mirrored_once(c - size / 2 + size, columns) * at.pitch], window);
    }
}

/* The same for windows that registers do not hold. Grid as of median_kernel. */
static __global__ void __launch_bounds__(WALK_THREADS) wide_median_kernel(SinoStripesGathered at, int size)
{
    const int rank = static_cast<int>(blockIdx.x * WALK_THREADS + threadIdx.x), columns = at.column_count;
    const int first = static_cast<int>(blockIdx.z) * SEGMENT, end = min(first + SEGMENT, columns);
    const int64_t from = blockIdx.y * at.slice_values + rank;
    if (rank >= at.angle_count) return;
    for (int c = first; c < end; c++)
        at.medians[from + c * at.pitch] = sino_stripes_bit_median(size, [&](int w) {
            return at.values[from + sino_stripes_mirrored_once(c - size / 2 + w, columns) * at.pitch];
        });
}

template <int EACH, int MOST> static SinoStatus sort_shared(cudaStream_t stream, const SinoStripesGathered *at)
{
    const int64_t threads = sino_ceil_multiple(sino_ceil_divide(at->angle_count, EACH), WARP);
    const size_t bytes = static_cast<size_t>(threads) * EACH * 2 * sizeof(unsigned);
    const dim3 blocks(static_cast<unsigned>(at->column_count), static_cast<unsigned>(at->slice_count));
    return sino_launch(SinoLaunch{"stripes_sort", blocks, static_cast<unsigned>(threads), bytes, stream},
                       sort_kernel<EACH, MOST / EACH>, *at);
}

static SinoStatus sort_columns(cudaStream_t stream, const SinoStripesGathered *at)
{
    const SinoLaunch sort_long = {"stripes_sort_long", SINO_STRIPES_SORTERS, LONG_THREADS, 0, stream};
    if (at->angle_count <= FEW) return sort_shared<4, FEW>(stream, at);
    if (at->angle_count <= SINO_STRIPES_SHARED_MOST) return sort_shared<16, SINO_STRIPES_SHARED_MOST>(stream, at);
    return sino_launch(sort_long, sort_long_kernel, *at);
}

SinoStatus sino_stripes_sort_cuda(cudaStream_t stream, const SinoStripesGathered *at, int size)
{
    const dim3 blocks(sino_blocks_for(at->angle_count, WALK_THREADS, INT32_MAX), static_cast<unsigned>(at->slice_count),
                      sino_blocks_for(at->column_count, SEGMENT, 65535));
    const SinoLaunch walk = {"stripes_median", blocks, WALK_THREADS, 0, stream};
    SINO_TRY(sort_columns(stream, at));
    if (size < 8) return sino_launch(walk, median_kernel<8>, *at, size);
    if (size < 16) return sino_launch(walk, median_kernel<16>, *at, size);
    if (size < 24) return sino_launch(walk, median_kernel<24>, *at, size);
    if (size < 64) return sino_launch(walk, median_kernel<64>, *at, size);
    return sino_launch(walk, wide_median_kernel, *at, size);
}
