/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR, a product by one instruction set, which SINO_ISA names: gathers, where there are any. */
#include "csr_isa.h"
#include "vector.h"

#if SINO_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

#if SINO_VECTOR_BYTES == 64

/* value · x of the last `count` entries, at most 16. */
static __m512 last(int64_t count, const uint32_t *column, const float *value, const float *x, __m512 sum)
{
    const __mmask16 mask = (__mmask16)((1U << count) - 1);
    const __m512i at = _mm512_maskz_loadu_epi32(mask, column);
    const __m512 gathered = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, at, x, 4);
    return _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, value), gathered, sum);
}

static float multiply_row(int64_t count, const uint32_t *column, const float *value, const float *x)
{
    __m512 a = _mm512_setzero_ps(), b = a;
    int64_t k = 0;
    for (; k + 32 <= count; k += 32) {
        const __m512i i = _mm512_loadu_si512(column + k), j = _mm512_loadu_si512(column + k + 16);
        a = _mm512_fmadd_ps(_mm512_loadu_ps(value + k), _mm512_i32gather_ps(i, x, 4), a);
        b = _mm512_fmadd_ps(_mm512_loadu_ps(value + k + 16), _mm512_i32gather_ps(j, x, 4), b);
    }
    if (count - k >= 16) {
        a = last(16, column + k, value + k, x, a);
        k += 16;
    }
    if (count > k) b = last(count - k, column + k, value + k, x, b);
    return _mm512_reduce_add_ps(_mm512_add_ps(a, b));
}

#elif SINO_VECTOR_BYTES == 32

static float multiply_row(int64_t count, const uint32_t *column, const float *value, const float *x)
{
    __m256 a = _mm256_setzero_ps();
    float sum = 0, part[8];
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        const __m256i i = _mm256_loadu_si256((const __m256i *)(const void *)(column + k));
        a = _mm256_fmadd_ps(_mm256_loadu_ps(value + k), _mm256_i32gather_ps(x, i, 4), a);
    }
    _mm256_storeu_ps(part, a);
    for (int i = 0; i < 8; i++) sum += part[i];
    for (; k < count; k++) sum += value[k] * x[column[k]];
    return sum;
}

#else

static float multiply_row(int64_t count, const uint32_t *column, const float *value, const float *x)
{
    float sum = 0;
    for (int64_t k = 0; k < count; k++) sum += value[k] * x[column[k]];
    return sum;
}

#endif

static void multiply(const SinoSparseRows *rows, const float *x, float *y)
{
    for (int64_t i = 0; i < rows->row_count; i++) {
        const int64_t first = rows->start[i];
        y[i] = multiply_row(rows->start[i + 1] - first, rows->column + first, rows->value + first, x);
    }
}

const SinoCsrIsa SINO_ISA_OBJECT(sino_csr, SINO_ISA) = {.name = SINO_ISA_TEXT(SINO_ISA), .multiply = multiply};
