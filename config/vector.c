/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector: which instruction set the processor has. */
#include "vector.h"

int64_t sino_vector_bytes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) return 32;
#endif
    return 16;
}
