/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector: how a kernel is compiled for several instruction sets in one binary, the best chosen when it is loaded. */
#ifndef SINO_VECTOR_H
#define SINO_VECTOR_H

/* x86-64-v4 is AVX-512, x86-64-v3 AVX2 with FMA and F16C. Other compilers and machines get their default. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define SINO_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SINO_VECTORISED
#endif

/* Helpers of vectorised kernels must be inlined, to be compiled for the same instruction set. */
#define SINO_INLINE static inline __attribute__((always_inline))

#endif
