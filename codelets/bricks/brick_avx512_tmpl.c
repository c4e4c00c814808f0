/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a band for one slice with AVX-512: lanes hold the voxels of a brick, and an instruction expands the
 * values of a brick into the lanes that its mask names. brick_isa.c includes this. */

/* The values of a brick in the order of its rows: rows 0 … 15, and 16 … 31 if it has 32 lanes. */
typedef struct Lanes {
    __m512 low, high;
} Lanes;

/* Keeps a compiler from expanding straight from memory, which takes longer than a load and an expansion. */
#define LOAD_FIRST(packed) __asm__("" : "+v"(packed))

SINO_INLINE __m512 expand_16_mixed(uint32_t mask, const uint16_t *value)
{
    __m256i packed = _mm256_loadu_si256((const __m256i *)(const void *)value);
    LOAD_FIRST(packed);
#ifdef __AVX512VBMI2__
    return _mm512_cvtepi32_ps(
        _mm512_cvtepu16_epi32(_mm256_mask_expand_epi16(_mm512_castsi512_si256(no_bits()), (__mmask16)mask, packed)));
#else
    return _mm512_cvtepi32_ps(_mm512_mask_expand_epi32(no_bits(), (__mmask16)mask, _mm512_cvtepu16_epi32(packed)));
#endif
}

SINO_INLINE Lanes expand_32_mixed(uint32_t mask, const uint16_t *value)
{
#ifdef __AVX512VBMI2__
    __m512i packed = _mm512_loadu_si512(value);
    LOAD_FIRST(packed);
    const __m512i both = _mm512_mask_expand_epi16(no_bits(), mask, packed);
    return (Lanes){_mm512_cvtepi32_ps(_mm512_and_si512(both, _mm512_set1_epi32(0xffff))),
                   _mm512_cvtepi32_ps(_mm512_srli_epi32(both, 16))};
#else
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512 first = expand_16_mixed(mask & 0xffff, value);
    const __m512 second = expand_16_mixed(mask >> 16, value + __builtin_popcount(mask & 0xffff));
    return (Lanes){_mm512_permutex2var_ps(first, even, second),
                   _mm512_permutex2var_ps(first, _mm512_add_epi32(even, _mm512_set1_epi32(1)), second)};
#endif
}

SINO_INLINE __m512 expand_16_single(uint32_t mask, const float *value)
{
    __m512 packed = _mm512_loadu_ps(value);
    LOAD_FIRST(packed);
    return _mm512_mask_expand_ps(_mm512_castsi512_ps(no_bits()), (__mmask16)mask, packed);
}

SINO_INLINE Lanes expand(int lanes, bool mixed, uint32_t mask, const void *value)
{
    const float *const single = value;
    if (mixed && lanes == 32) return expand_32_mixed(mask, value);
    if (mixed) return (Lanes){expand_16_mixed(mask, value), _mm512_setzero_ps()};
    const __m512 low = expand_16_single(mask & 0xffff, single);
    if (lanes == 16) return (Lanes){low, _mm512_setzero_ps()};
    const float *const rest = single + __builtin_popcount(mask & 0xffff);
    return (Lanes){low, expand_16_single(mask >> 16, rest)};
}

/* Sums of the products of a row, lane by lane. */
typedef __m512 Sum;

SINO_INLINE Sum no_sum(void)
{
    return _mm512_setzero_ps();
}

SINO_INLINE Sum add_part(Sum sum, Sum part, float factor)
{
    return _mm512_fmadd_ps(part, _mm512_set1_ps(factor), sum);
}

SINO_INLINE float total_of(Sum sum)
{
    return _mm512_reduce_add_ps(sum);
}

/* The sum over the bricks of a segment. */
SINO_INLINE Sum gather_segment(int lanes, bool mixed, int bricks, const float *x, Reader *reader)
{
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    __m512 low = _mm512_setzero_ps(), high = low;
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        const float *const voxel = x + (int64_t)at.brick[i] * lanes;
        const Lanes values = expand(lanes, mixed, mask, value);
        low = _mm512_fmadd_ps(values.low, _mm512_loadu_ps(voxel), low);
        if (lanes == 32) high = _mm512_fmadd_ps(values.high, _mm512_loadu_ps(voxel + 16), high);
        value += (size_t)(unsigned)__builtin_popcount(mask) * (mixed ? sizeof(uint16_t) : sizeof(float));
    }
    pass(lanes, bricks, value, reader);
    return lanes == 32 ? _mm512_add_ps(low, high) : low;
}

/* Adds the values of the bricks of a segment times `weight` to the voxels. */
SINO_INLINE void scatter_segment(int lanes, bool mixed, int bricks, float weight, float *x, Reader *reader)
{
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    const __m512 weights = _mm512_set1_ps(weight);
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        float *const voxel = x + (int64_t)at.brick[i] * lanes;
        const Lanes values = expand(lanes, mixed, mask, value);
        _mm512_storeu_ps(voxel, _mm512_fmadd_ps(values.low, weights, _mm512_loadu_ps(voxel)));
        if (lanes == 32)
            _mm512_storeu_ps(voxel + 16, _mm512_fmadd_ps(values.high, weights, _mm512_loadu_ps(voxel + 16)));
        value += (size_t)(unsigned)__builtin_popcount(mask) * (mixed ? sizeof(uint16_t) : sizeof(float));
    }
    pass(lanes, bricks, value, reader);
}
