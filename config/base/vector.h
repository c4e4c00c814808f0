/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector: compiles a kernel for several instruction sets in one binary; the loader chooses the best one. */
#pragma once

#include <stdint.h>

/* x86-64-v4 is AVX-512; x86-64-v3 is AVX2 with FMA and F16C. Other compilers and machines compile for their default
 * only, and so does gcc under its address sanitizer: each set has the same accesses, and takes as long to compile. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define SINO_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SINO_VECTORISED
#endif

/* Bytes of the vector registers that kernels use on this processor: 16, 32 (AVX2, FMA and F16C) or 64 (AVX-512). */
int64_t sino_vector_bytes(void);

/* A source NAME_isa.c is compiled once per instruction set, which SINO_ISA names: plain, avx2, avx512, or one beyond.
 * It defines a table of its functions: the object SINO_ISA_OBJECT(sino_NAME, SINO_ISA), and in it
 * SINO_ISA_TEXT(SINO_ISA). */
#define SINO_ISA_OBJECT(stem, isa) SINO_ISA_PASTED(stem, isa)
#define SINO_ISA_PASTED(stem, isa) stem##_##isa
#define SINO_ISA_TEXT(isa)         SINO_ISA_QUOTED(isa)
#define SINO_ISA_QUOTED(isa)       #isa

/* The address of the table for the registers of this processor. */
#ifdef __x86_64__
#define SINO_BEST_ISA(stem)                                                                                            \
    (sino_vector_bytes() == 64 ? &stem##_avx512 : sino_vector_bytes() == 32 ? &stem##_avx2 : &stem##_plain)
#else
#define SINO_BEST_ISA(stem) (&stem##_plain)
#endif

/* Helpers of vectorised kernels must be inlined, so that they are compiled for the same instruction set. In CUDA C++
 * they are host and device functions. */
#ifdef __CUDACC__
#define SINO_INLINE static inline __host__ __device__ __attribute__((always_inline))
#else
#define SINO_INLINE static inline __attribute__((always_inline))
#endif
