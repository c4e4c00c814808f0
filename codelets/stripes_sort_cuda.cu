/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes on a GPU, algorithm 3 of Vo et al.: a block sorts a column by a bitonic network in shared memory; a thread
 * walks along the columns with the values of one rank.
 *
 * An element is a value's bits in the order of values, above the value's angle, so that all elements differ and equal
 * values are in the order of their angles, as on cores. A thread takes up to eight elements at a time to registers,
 * which are three steps of the network between two barriers. */
#include "panel_cuda.cuh"

#include "stripes_key_cuda.cuh"
#include "stripes_network_cuda.cuh"

typedef SinoElement Element;

enum {
    EACH = SINO_NETWORK_EACH, /* elements of a thread, where shared memory holds the column */
    LONG_THREADS = 1024,
    WALK_THREADS = 128,
    SEGMENT = 128 /* columns of a walk */
};

static __device__ __forceinline__ Element element_of(float value, int angle)
{
    return static_cast<Element>(sino_stripes_key(value)) << 32 | static_cast<unsigned>(angle);
}

static __device__ __forceinline__ float value_of(Element element)
{
    return sino_stripes_value(static_cast<unsigned>(element >> 32));
}

static __device__ __forceinline__ int angle_of(Element element)
{
    return static_cast<int>(element & 0xffffffffu);
}

/* Elements of a column; behind its end those that are above all others. */
static __device__ __forceinline__ void load_column(const float *column, int angle_count, int count, Element *elements)
{
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        elements[sino_network_slot(i)] = i < angle_count ? element_of(column[i], i) : ~Element(0);
    __syncthreads();
}

/* A block of count / EACH threads per column; grid x: columns, y: slices. Once the sorted values are written, the ranks
 * take the places of their angles in shared memory, so that they are written in the order of the angles. */
static __global__ void __launch_bounds__(SINO_STRIPES_SHARED_MOST / EACH) sort_kernel(SinoStripesGathered at, int count)
{
    SINO_SHARED_DYNAMIC(memory);
    Element *const elements = reinterpret_cast<Element *>(memory);
    const int me = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int64_t first = blockIdx.y * at.slice_values + blockIdx.x * at.pitch;
    uint16_t *const ranks = static_cast<uint16_t *>(at.ranks) + first;
    int angle[EACH];
    load_column(at.values + first, at.angle_count, count, elements);
    sino_network_sort(count, elements);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int rank = me + e * threads;
        const Element element = elements[sino_network_slot(rank)];
        angle[e] = angle_of(element);
        if (rank < at.angle_count) at.values[first + rank] = value_of(element);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (me + e * threads < at.angle_count)
            elements[sino_network_slot(angle[e])] = static_cast<Element>(me + e * threads);
    __syncthreads();
    for (int k = me; k < at.angle_count; k += threads) ranks[k] = static_cast<uint16_t>(elements[sino_network_slot(k)]);
}

/* The same for columns that shared memory does not hold: SINO_STRIPES_SORTERS blocks have elements of their own. */
static __global__ void __launch_bounds__(LONG_THREADS) sort_long_kernel(SinoStripesGathered at, int count)
{
    Element *const elements = at.elements + blockIdx.x * static_cast<int64_t>(count);
    const int me = static_cast<int>(threadIdx.x);
    for (int64_t c = blockIdx.x; c < static_cast<int64_t>(at.slice_count) * at.column_count; c += gridDim.x) {
        const int64_t first = c / at.column_count * at.slice_values + c % at.column_count * at.pitch;
        uint32_t *const ranks = static_cast<uint32_t *>(at.ranks) + first;
        load_column(at.values + first, at.angle_count, count, elements);
        sino_network_sort(count, elements);
        for (int rank = me; rank < at.angle_count; rank += LONG_THREADS) {
            const Element element = elements[sino_network_slot(rank)];
            at.values[first + rank] = value_of(element);
            ranks[angle_of(element)] = static_cast<uint32_t>(rank);
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

static SinoStatus sort_columns(cudaStream_t stream, const SinoStripesGathered *at)
{
    const int count = static_cast<int>(sino_stripes_elements(at->angle_count));
    const unsigned columns = static_cast<unsigned>(at->column_count), slices = static_cast<unsigned>(at->slice_count);
    if (at->angle_count > SINO_STRIPES_SHARED_MOST)
        return sino_launch(SinoLaunch{"stripes_sort_long", SINO_STRIPES_SORTERS, LONG_THREADS, 0, stream},
                           sort_long_kernel, *at, count);
    return sino_launch(SinoLaunch{"stripes_sort", dim3(columns, slices), static_cast<unsigned>(count / EACH),
                                  static_cast<size_t>(count) * sizeof(Element), stream},
                       sort_kernel, *at, count);
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
