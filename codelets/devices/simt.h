/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT: every .cu file includes this header in place of CUDA's own headers.
 *
 * Under nvcc the names are CUDA's own, plus the wrappers below. Under a C++ compiler with SINO_SIMT_HOST, <simt_host.h>
 * of the tests defines the same names for the host, so that the logic of kernels is tested without a GPU.
 *
 *     __shared__ memory     SINO_SHARED(type, name, count); SINO_SHARED_DYNAMIC(name): char *name, 128-byte aligned
 *     launches              sino_launch(SinoLaunch, kernel, arguments …); sino_clear(stream, memory, bytes): to 0
 *     asynchronous copies   sino_copy_async_16(to shared, from global), of 16 bytes; sino_copy_async_commit(),
 *                           sino_copy_async_wait<groups that may stay pending>(); __syncthreads() before other threads
 *                           read the copies; sino_prefetch_l2(global): brings its line of 128 bytes to L2
 *     tensor cores          sino_ldmatrix_x4 and …_trans, sino_mma_16816 (PTX ISA, "Matrix fragments for
 *                           mma.m16n8k16"); on every architecture, by shuffles where the hardware has none
 *     floats                sino_rsqrt: 1/√value to 2⁻²²
 *     integers              sino_dot_low, sino_dot_high: products of pairs of 16-bit integers and bytes (dp2a)
 *     halves                __half, __half2 and their conversions, as in cuda_fp16.h
 *
 * All threads of a block must reach every __syncthreads() together; none may have returned before. All threads that a
 * mask names must reach a warp function together. The host version reports violations. */
#pragma once

#include <stddef.h>

#ifdef SINO_SIMT_HOST
#include <simt_host.h>
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif

extern "C" {
#ifndef SINO_SIMT_HOST
#include "launch_cuda.h"
#endif
#include "status.h"
}

/* A launch: the kernel's name for error texts, its sizes, and its stream. */
struct SinoLaunch {
    const char *name;
    dim3 blocks, threads;
    size_t shared_bytes; /* size of SINO_SHARED_DYNAMIC */
    cudaStream_t stream;
};

#ifndef SINO_SIMT_HOST

#define SINO_SHARED(type, name, count) __shared__ type name[count]
#define SINO_SHARED_DYNAMIC(name)      extern __shared__ __align__(128) char name[]

template <class... Parameters, class... Arguments>
static inline SinoStatus sino_launch(const SinoLaunch &at, void (*kernel)(Parameters...), Arguments... arguments)
{
    cudaError_t error = sino_launch_prepare(reinterpret_cast<const void *>(kernel), at.shared_bytes);
    if (error == cudaSuccess) {
        kernel<<<at.blocks, at.threads, at.shared_bytes, at.stream>>>(arguments...);
        error = cudaGetLastError();
    }
    SINO_CHECK(error == cudaSuccess, SINO_FAILED,
               "kernel %s, %u x %u x %u blocks of %u x %u x %u threads with %llu bytes of shared memory: %s", at.name,
               at.blocks.x, at.blocks.y, at.blocks.z, at.threads.x, at.threads.y, at.threads.z,
               static_cast<unsigned long long>(at.shared_bytes), cudaGetErrorString(error));
    return NULL;
}

static inline SinoStatus sino_clear(cudaStream_t stream, void *memory, size_t bytes)
{
    const cudaError_t error = cudaMemsetAsync(memory, 0, bytes, stream);
    SINO_CHECK(error == cudaSuccess, SINO_FAILED, "clearing %llu bytes of the device's memory: %s",
               static_cast<unsigned long long>(bytes), cudaGetErrorString(error));
    return NULL;
}

static __device__ __forceinline__ unsigned sino_shared_address(const void *shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/* Bypasses L1. */
static __device__ __forceinline__ void sino_copy_async_16(void *shared, const void *global)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sino_shared_address(shared)), "l"(global)
                 : "memory");
#else
    *static_cast<uint4 *>(shared) = *static_cast<const uint4 *>(global);
#endif
}

/* Brings the line of 128 bytes to L2 for a later read. */
static __device__ __forceinline__ void sino_prefetch_l2(const void *global)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(global));
}

/* sum + the products of the two 16-bit integers of a pair and the first two, or the last two, of four bytes, which have
 * no sign. */
#define SINO_DOT(name, which)                                                                                          \
    static __device__ __forceinline__ int name(unsigned pair, unsigned bytes, int sum)                                 \
    {                                                                                                                  \
        int result;                                                                                                    \
        asm("dp2a." which ".s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(bytes), "r"(sum));                \
        return result;                                                                                                 \
    }
SINO_DOT(sino_dot_low, "lo")
SINO_DOT(sino_dot_high, "hi")
#undef SINO_DOT

static __device__ __forceinline__ float sino_rsqrt(float value)
{
    float result;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
}

/* Makes the copies that this thread has issued since the last commit one group. */
static __device__ __forceinline__ void sino_copy_async_commit()
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all groups of this thread except the last LEFT have arrived. */
template <int LEFT> static __device__ __forceinline__ void sino_copy_async_wait()
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

#endif

/* Fragments by shuffles, for hardware without the instructions and as a reference for the tests. Lane l holds row l/4,
 * columns 2·(l%4) and + 1 of an 8 × 8 matrix of halves; transposed: rows 2·(l%4) and + 1 of column l/4. */
template <bool TRANSPOSED>
static __device__ __forceinline__ void sino_ldmatrix_by_shuffles(unsigned (&fragment)[4], const void *row)
{
    const int lane = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    for (int m = 0; m < 4; m++) {
        const unsigned short *rows[2];
        for (int i = 0; i < 2; i++) {
            const int of = TRANSPOSED ? 2 * (lane % 4) + i : lane / 4;
            rows[i] = reinterpret_cast<const unsigned short *>(
                __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(row), 8 * m + of));
        }
        const int column = TRANSPOSED ? lane / 4 : 2 * (lane % 4);
        fragment[m] = rows[0][column] | static_cast<unsigned>(rows[1][column + !TRANSPOSED]) << 16;
    }
}

static __device__ __forceinline__ float sino_half_of_pair(unsigned pair, int which)
{
    return __half2float(__ushort_as_half(static_cast<unsigned short>(pair >> 16 * which)));
}

/* c += A B: A is 16 × 16, B 16 × 8, c 16 × 8. */
static __device__ __forceinline__ void sino_mma_16816_by_shuffles(float (&c)[4], const unsigned (&a)[4],
                                                                  const unsigned (&b)[2])
{
    const int lane = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
    const int row = lane / 4, column = 2 * (lane % 4);
    for (int k = 0; k < 16; k += 2) { /* A(row, k), A(row, k + 1) share a register, and so do B(k, n), B(k + 1, n) */
        const int holder = k % 8 / 2, upper = k / 8;
        const unsigned top = __shfl_sync(0xffffffffu, upper ? a[2] : a[0], 4 * row + holder);
        const unsigned bottom = __shfl_sync(0xffffffffu, upper ? a[3] : a[1], 4 * row + holder);
        for (int n = 0; n < 2; n++) {
            const unsigned right = __shfl_sync(0xffffffffu, upper ? b[1] : b[0], 4 * (column + n) + holder);
            for (int i = 0; i < 2; i++) {
                const float factor = sino_half_of_pair(right, i);
                c[n] += sino_half_of_pair(top, i) * factor;
                c[2 + n] += sino_half_of_pair(bottom, i) * factor;
            }
        }
    }
}

#ifndef SINO_SIMT_HOST

/* Lanes 8·m … 8·m + 7 provide the addresses of the eight rows of matrix m, 16 bytes each in shared memory. */
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 750
#define SINO_LDMATRIX(name, transposed, qualifier)                                                                     \
    static __device__ __forceinline__ void name(unsigned(&fragment)[4], const void *row)                               \
    {                                                                                                                  \
        asm volatile("ldmatrix.sync.aligned.m8n8.x4" qualifier ".shared.b16 {%0, %1, %2, %3}, [%4];"                   \
                     : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])                      \
                     : "r"(sino_shared_address(row))                                                                   \
                     : "memory");                                                                                      \
    }
#else
#define SINO_LDMATRIX(name, transposed, qualifier)                                                                     \
    static __device__ __forceinline__ void name(unsigned(&fragment)[4], const void *row)                               \
    {                                                                                                                  \
        sino_ldmatrix_by_shuffles<transposed>(fragment, row);                                                          \
    }
#endif
SINO_LDMATRIX(sino_ldmatrix_x4, false, "")
SINO_LDMATRIX(sino_ldmatrix_x4_trans, true, ".trans")
#undef SINO_LDMATRIX

/* c += A B with fragments of mma.m16n8k16: products of halves, sums in single. Turing needs two steps of k8. */
static __device__ __forceinline__ void sino_mma_16816(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
    for (int k = 0; k < 2; k++)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[2 * k]), "r"(a[2 * k + 1]), "r"(b[k]));
#else
    sino_mma_16816_by_shuffles(c, a, b);
#endif
}

#endif
