/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT host: CUDA's names for a host compiler, as far as kernels here use them (codelets/devices/simt.h). What they
 * mean is in CUDA's documentation; simt_control.h says how the host runs them and what it checks.
 *
 * Shared memory begins each block with NaN in every float. Data of asynchronous copies are NaN until they are waited
 * for. Tensor cores add in double and round once, which is closer than hardware does. */
#pragma once

#include "simt_control.h"
#include "simt_stream.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

extern "C" {
#include "cuda_stream.h"
#include "half.h"
#include "status.h"
}

#if defined __SANITIZE_ADDRESS__
#define SIMT_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

/* Vectors and indices. */

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

struct uint3 {
    unsigned x, y, z;
};

#define SIMT_VECTORS(type, name)                                                                                       \
    struct __align__(2 * sizeof(type)) name##2                                                                         \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3                                                                                                     \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    static inline name##2 make_##name##2(type x, type y)                                                               \
    {                                                                                                                  \
        return {x, y};                                                                                                 \
    }
#define SIMT_VECTOR_4(type, name)                                                                                      \
    struct __align__(4 * sizeof(type)) name##4                                                                         \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    static inline name##4 make_##name##4(type x, type y, type z, type w)                                               \
    {                                                                                                                  \
        return {x, y, z, w};                                                                                           \
    }
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)
SIMT_VECTORS(int, int)
SIMT_VECTORS(long long, longlong)
SIMT_VECTORS(unsigned short, ushort)
SIMT_VECTOR_4(float, float)
SIMT_VECTOR_4(int, int)
SIMT_VECTOR_4(unsigned, uint)
SIMT_VECTOR_4(unsigned short, ushort)
SIMT_VECTOR_4(unsigned char, uchar)
struct __align__(8) uint2
{
    unsigned x, y;
};
#undef SIMT_VECTORS
#undef SIMT_VECTOR_4

/* Of the thread that runs; set by the scheduler. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static const int warpSize = 32;

/* Launches and shared memory. */

/* NULL, or what went wrong, valid until the next launch. */
const char *simt_run(dim3 blocks, dim3 threads, size_t shared_bytes, void (*thread)(void *closure), void *closure);

char *simt_dynamic_shared();
void simt_begin_shared(uint64_t *block, void *memory, size_t bytes); /* NaN everywhere, once per block */

#define SINO_SHARED(type, name, count)                                                                                 \
    __align__(128) static type name[count];                                                                            \
    static uint64_t name##_block;                                                                                      \
    simt_begin_shared(&name##_block, name, sizeof name)
#define SINO_SHARED_DYNAMIC(name) char *const name = simt_dynamic_shared()

struct SinoLaunch;

template <class Call> static void simt_call(void *closure)
{
    (*static_cast<Call *>(closure))();
}

/* Padding, whose bytes could look like anything, becomes 0; a compiler that cannot do this has only pointers checked.
 */
template <class Argument> static inline const void *simt_look_for_host(Argument argument)
{
#if defined __has_builtin && __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&argument);
    return simt_host_address(&argument, sizeof argument);
#else
    return std::is_pointer<Argument>::value ? simt_host_address(&argument, sizeof argument) : NULL;
#endif
}

/* Arguments are kept until the kernel runs. */
template <class Launch, class... Parameters, class... Arguments>
static inline SinoStatus sino_launch(const Launch &at, void (*kernel)(Parameters...), Arguments... arguments)
{
    auto call = [=] { kernel(static_cast<Parameters>(arguments)...); };
    const dim3 blocks = at.blocks, threads = at.threads;
    const size_t shared_bytes = at.shared_bytes;
    const void *reached = NULL;
    ((reached = reached ? reached : simt_look_for_host(arguments)), ...);
    SINO_CHECK(!reached, SINO_FAILED, "kernel %s is given %p, which is in the host's memory", at.name, reached);
    const char *fault = simt_submit(
        at.stream, [=]() mutable { return simt_run(blocks, threads, shared_bytes, simt_call<decltype(call)>, &call); });
    SINO_CHECK(!fault, SINO_FAILED,
               "kernel %s, %u x %u x %u blocks of %u x %u x %u threads with %llu bytes of shared memory: %s", at.name,
               at.blocks.x, at.blocks.y, at.blocks.z, at.threads.x, at.threads.y, at.threads.z,
               static_cast<unsigned long long>(at.shared_bytes), fault);
    return NULL;
}

static inline SinoStatus sino_clear(cudaStream_t stream, void *memory, size_t bytes)
{
    simt_submit(stream, [=] {
        memset(memory, 0, bytes);
        return static_cast<const char *>(NULL);
    });
    return NULL;
}

/* Memory, for what is made once, and what a device is; numbers are CUDA's. */
extern "C" {
typedef enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 } cudaMemcpyKind;
typedef enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
} cudaDeviceAttr;
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDeviceCount(int *count);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
}

/* Barriers and what a warp does together. */

void __syncthreads(int line = __builtin_LINE());
int __syncthreads_or(int predicate, int line = __builtin_LINE());

/* All lanes of the mask arrive with data of their own; `resolve` then does the work of all, lanes not in it NULL. */
enum { SIMT_WARP = 32 };
void simt_together(uint32_t mask, void *mine, void (*resolve)(void *const *lane_data));

static inline void simt_nothing(void *const *)
{
}

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    simt_together(mask, NULL, simt_nothing);
}

template <class T> struct SimtShuffle {
    T value, result;
    int from;
};

template <class T> static void simt_shuffle(void *const *lane_data)
{
    for (int lane = 0; lane < SIMT_WARP; lane++) {
        SimtShuffle<T> *const mine = static_cast<SimtShuffle<T> *>(lane_data[lane]);
        if (!mine) continue;
        const SimtShuffle<T> *const other = static_cast<const SimtShuffle<T> *>(lane_data[mine->from]);
        if (other)
            mine->result = other->value;
        else
            memset(&mine->result, 0xff, sizeof mine->result); /* undefined: no lane of the mask */
    }
}

int simt_lane();

/* `from` counts within segments of `width` lanes; out of its segment a lane keeps its own. */
template <class T> static inline T simt_shuffle_from(unsigned mask, T value, int from, int width, bool wraps)
{
    const int lane = simt_lane(), segment = lane / width * width;
    const bool inside = from >= 0 && from < width;
    SimtShuffle<T> mine = {value, value, inside ? segment + from : wraps ? segment + from % width : lane};
    simt_together(mask, &mine, simt_shuffle<T>);
    return mine.result;
}

template <class T> static inline T __shfl_sync(unsigned mask, T value, int from, int width = SIMT_WARP)
{
    return simt_shuffle_from(mask, value, from & (width - 1), width, true);
}

template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = SIMT_WARP)
{
    return simt_shuffle_from(mask, value, (simt_lane() % width) ^ bits, width, false);
}

template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = SIMT_WARP)
{
    return simt_shuffle_from(mask, value, simt_lane() % width + static_cast<int>(by), width, false);
}

template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = SIMT_WARP)
{
    return simt_shuffle_from(mask, value, simt_lane() % width - static_cast<int>(by), width, false);
}

unsigned __ballot_sync(unsigned mask, int predicate);

static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}

/* Asynchronous copies. */

void simt_copy_async(void *shared, const void *global, size_t bytes);
void sino_copy_async_commit();
void simt_copy_async_wait(int left);

static inline void sino_copy_async_16(void *shared, const void *global)
{
    simt_copy_async(shared, global, 16);
}

template <int LEFT> static inline void sino_copy_async_wait()
{
    simt_copy_async_wait(LEFT);
}

static inline void sino_prefetch_l2(const void *)
{
}

/* Tensor cores. */

void simt_ldmatrix(unsigned *fragment, bool transposed, const void *row);
void sino_mma_16816(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

static inline void sino_ldmatrix_x4(unsigned (&fragment)[4], const void *row)
{
    simt_ldmatrix(fragment, false, row);
}

static inline void sino_ldmatrix_x4_trans(unsigned (&fragment)[4], const void *row)
{
    simt_ldmatrix(fragment, true, row);
}

/* Atomics: threads take turns, so plain operations are atomic. */

template <class T> static inline T simt_exchange(T *at, T value)
{
    const T old = *at;
    *at = value;
    return old;
}

#define SIMT_ATOMIC(type)                                                                                              \
    static inline type atomicAdd(type *at, type value)                                                                 \
    {                                                                                                                  \
        return simt_exchange(at, static_cast<type>(*at + value));                                                      \
    }                                                                                                                  \
    static inline type atomicExch(type *at, type value)                                                                \
    {                                                                                                                  \
        return simt_exchange(at, value);                                                                               \
    }                                                                                                                  \
    static inline type atomicMax(type *at, type value)                                                                 \
    {                                                                                                                  \
        return simt_exchange(at, value > *at ? value : *at);                                                           \
    }                                                                                                                  \
    static inline type atomicMin(type *at, type value)                                                                 \
    {                                                                                                                  \
        return simt_exchange(at, value < *at ? value : *at);                                                           \
    }                                                                                                                  \
    static inline type atomicCAS(type *at, type expected, type value)                                                  \
    {                                                                                                                  \
        return simt_exchange(at, *at == expected ? value : *at);                                                       \
    }                                                                                                                  \
    static inline type atomicOr(type *at, type value)                                                                  \
    {                                                                                                                  \
        return simt_exchange(at, static_cast<type>(*at | value));                                                      \
    }                                                                                                                  \
    static inline type atomicAnd(type *at, type value)                                                                 \
    {                                                                                                                  \
        return simt_exchange(at, static_cast<type>(*at & value));                                                      \
    }
SIMT_ATOMIC(int)
SIMT_ATOMIC(unsigned)
SIMT_ATOMIC(unsigned long long)
#undef SIMT_ATOMIC

/* On a GPU an atomic sum in global memory takes numbers too small to be normal for 0. */
static inline float simt_flush(float value)
{
    return value > -FLT_MIN && value < FLT_MIN ? 0 * value : value;
}

static inline float atomicAdd(float *at, float value)
{
    return simt_exchange(at, simt_flush(simt_flush(*at) + simt_flush(value)));
}

static inline double atomicAdd(double *at, double value)
{
    return simt_exchange(at, *at + value);
}

/* Bits, loads, arithmetic. */

template <class T> static inline T __ldg(const T *from)
{
    return *from;
}

template <class T> static inline T __ldcs(const T *from)
{
    return *from;
}

template <class To, class From> static inline To simt_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

static inline unsigned __float_as_uint(float value)
{
    return simt_bits<unsigned>(value);
}

static inline int __float_as_int(float value)
{
    return simt_bits<int>(value);
}

static inline void sincospif(float x, float *sine, float *cosine)
{
    const double pi = 3.14159265358979323846;
    *sine = static_cast<float>(sin(pi * static_cast<double>(x)));
    *cosine = static_cast<float>(cos(pi * static_cast<double>(x)));
}

static inline long long __double_as_longlong(double value)
{
    return simt_bits<long long>(value);
}

static inline double __longlong_as_double(long long bits)
{
    return simt_bits<double>(bits);
}

static inline float __uint_as_float(unsigned bits)
{
    return simt_bits<float>(bits);
}

static inline float __int2float_rn(int value)
{
    return static_cast<float>(value);
}

static inline float sino_rsqrt(float value)
{
    return 1 / sqrtf(value);
}

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

static inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

static inline int __clz(int bits)
{
    return bits ? __builtin_clz(static_cast<unsigned>(bits)) : 32;
}

template <class T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> static inline T max(T a, T b)
{
    return a < b ? b : a;
}

/* Rounded as written, never contracted. */
static inline double __dadd_rn(double a, double b)
{
    volatile double sum = a + b;
    return sum;
}

static inline float __fadd_rn(float a, float b)
{
    volatile float sum = a + b;
    return sum;
}

static inline float __fmul_rn(float a, float b)
{
    volatile float product = a * b;
    return product;
}

static inline float __fdividef(float a, float b)
{
    return a / b;
}

static inline double __dmul_rn(double a, double b)
{
    volatile double product = a * b;
    return product;
}

/* Rounded downwards. */
static inline float __fadd_rd(float a, float b)
{
    const double sum = static_cast<double>(a) + static_cast<double>(b);
    const float near = static_cast<float>(sum);
    return static_cast<double>(near) > sum ? nextafterf(near, -INFINITY) : near;
}

/* Byte i of the result is the byte of y:x that digit i of the selector names. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

/* Products of two 16-bit integers and two of four bytes without a sign: the first ones, or the last ones. */
static inline int simt_dot(unsigned pair, unsigned bytes, int sum)
{
    const int16_t first = static_cast<int16_t>(pair & 0xffff), second = static_cast<int16_t>(pair >> 16);
    return sum + first * static_cast<int>(bytes & 0xff) + second * static_cast<int>(bytes >> 8 & 0xff);
}

static inline int sino_dot_low(unsigned pair, unsigned bytes, int sum)
{
    return simt_dot(pair, bytes, sum);
}

static inline int sino_dot_high(unsigned pair, unsigned bytes, int sum)
{
    return simt_dot(pair, bytes >> 16, sum);
}

/* Halves. */

struct __half {
    unsigned short bits;
};

struct __align__(4) __half2
{
    __half x, y;
};

static inline __half __ushort_as_half(unsigned short bits)
{
    return {bits};
}

static inline unsigned short __half_as_ushort(__half value)
{
    return value.bits;
}

static inline float __half2float(__half value)
{
    return sino_half_value(value.bits);
}

static inline __half __float2half_rn(float value)
{
    return {sino_half(value)};
}

static inline float2 __half22float2(__half2 pair)
{
    return {__half2float(pair.x), __half2float(pair.y)};
}

static inline __half2 __floats2half2_rn(float low, float high)
{
    return {__float2half_rn(low), __float2half_rn(high)};
}

static inline float __high2float(__half2 pair)
{
    return __half2float(pair.y);
}
