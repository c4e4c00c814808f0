/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector: detects the instruction set of the processor. */
#include "vector.h"

int64_t sino_vector_bytes(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64;
    /* F16C is not tested, because not every compiler knows its name; every processor with AVX2 has it. */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
    return 16;
}
