/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine: multiply-adds in registers, and reading memory, on a CPU core. */
#include "machine.h"

#include "vector.h"

/* Independent chains of multiply-adds. They fill two pipelines with a latency of up to six cycles. Together with the
 * two operands they fit the sixteen registers of AVX2. */
enum { CHAINS = 12 };

/* Makes the compiler assume that the memory is read and changed here. It must compute the contents before, and cannot
 * know them afterwards. */
#define TOUCH(memory) __asm__ volatile("" : : "r"(memory) : "memory")

/* The sums stay near 1, far from numbers that slow the arithmetic down (subnormal ones). */
#define DEFINE_MULTIPLY_ADD(name, attributes, real, vector_bytes)                                                      \
    attributes static void name(int64_t rounds)                                                                        \
    {                                                                                                                  \
        typedef real Lanes __attribute__((vector_size(vector_bytes)));                                                 \
        const Lanes factor = (Lanes){0} + (real)0.999999, term = (Lanes){0} + (real)1e-6;                              \
        Lanes sum[CHAINS];                                                                                             \
        for (int i = 0; i < CHAINS; i++) sum[i] = (Lanes){0} + (real)1 + (real)i / CHAINS;                             \
        TOUCH(sum);                                                                                                    \
        for (int64_t round = 0; round < rounds; round++)                                                               \
            _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) sum[i] = sum[i] * factor + term;                 \
        TOUCH(sum);                                                                                                    \
    }

DEFINE_MULTIPLY_ADD(plain_single, , float, 16)
DEFINE_MULTIPLY_ADD(plain_double, , double, 16)
#ifdef __x86_64__
DEFINE_MULTIPLY_ADD(avx2_single, __attribute__((target("avx2,fma"))), float, 32)
DEFINE_MULTIPLY_ADD(avx2_double, __attribute__((target("avx2,fma"))), double, 32)
DEFINE_MULTIPLY_ADD(avx512_single, __attribute__((target("avx512f,fma"))), float, 64)
DEFINE_MULTIPLY_ADD(avx512_double, __attribute__((target("avx512f,fma"))), double, 64)
#endif

typedef struct Isa {
    void (*in_single)(int64_t rounds), (*in_double)(int64_t rounds);
} Isa;

static const Isa *isa(void)
{
    static const Isa plain = {plain_single, plain_double};
#ifdef __x86_64__
    static const Isa avx2 = {avx2_single, avx2_double}, avx512 = {avx512_single, avx512_double};
    if (sino_vector_bytes() == 64) return &avx512;
    if (sino_vector_bytes() == 32) return &avx2;
#endif
    return &plain;
}

void sino_machine_multiply_add(SinoPrecision precision, int64_t rounds)
{
    (precision == SINO_DOUBLE ? isa()->in_double : isa()->in_single)(rounds);
}

double sino_machine_multiply_add_flops(SinoPrecision precision, int64_t rounds)
{
    const int64_t real_bytes = precision == SINO_DOUBLE ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    const int64_t lanes = sino_vector_bytes() / real_bytes;
    return 2.0 * CHAINS * (double)lanes * (double)rounds;
}

/* Reads memory. It sums all words, so that the compiler must load each of them. */
SINO_VECTORISED void sino_machine_read(const void *memory, int64_t bytes)
{
    const uint64_t *word = memory;
    const int64_t count = bytes / (int64_t)sizeof *word;
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += word[i];
    TOUCH(&sum);
}
