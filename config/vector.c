/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector: which instruction set the processor has. */
#include "vector.h"

int64_t sino_vector_bytes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64;
    /* Every processor with AVX2 has F16C; not every compiler knows its name here. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
    return 16;
}
