/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone windows in registers of 256 bits, which cone_isa.c includes: 8 voxels of single precision; of 16-bit entries 4
 * in each half of a register. */

enum { PASS_SINGLE = 4, PASS_MIXED = 4, TWIN_PASS_SINGLE = 2, TWIN_PASS_MIXED = 4 };
enum { SHARE_BITS = 14, SHARE_WHOLE = (1 << SHARE_BITS) - 1 };
enum { WINDOW_SINGLE = 8, WINDOW_MIXED = 4, VOXELS_MIXED = 8 };
static const double widest_single = 13.0 / 7, widest_mixed = 5.0 / 3; /* 7·step + 2 ≤ 15, 3·step + 2 ≤ 7 */

/* ---- single ---- */

typedef __m256 Voxels;
typedef struct Place {
    __m256i left;
    __m256 of_left, of_right;
} Place;

/* 1e-5: more than 7 rounded steps are longer than true ones. */
SINO_INLINE Span span_of(double least_step, double most_step)
{
    if (most_step <= 1) return SPAN_ONE;
    return least_step >= 1 && most_step <= 8.0 / 7 - 1e-5 ? SPAN_NEXT : SPAN_TWO;
}

SINO_INLINE int granule_of(double most_step)
{
    (void)most_step;
    return 1;
}

typedef __m256i StepsSingle;

SINO_INLINE StepsSingle steps_single(uint32_t step)
{
    return _mm256_mullo_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32((int)step));
}

SINO_INLINE Place place_single(StepsSingle steps, uint32_t start, Span span)
{
    const __m256i at = _mm256_add_epi32(steps, _mm256_set1_epi32((int)start));
    const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(at, PLACE_BITS - 23), _mm256_set1_epi32(0x7fffff));
    const __m256 and_one = _mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_set1_epi32(0x3f800000)));
    Place place;
    place.left = _mm256_srli_epi32(at, PLACE_BITS);
    if (span == SPAN_NEXT) place.left = _mm256_sub_epi32(place.left, _mm256_set1_epi32(1));
    place.of_right = _mm256_sub_ps(and_one, _mm256_set1_ps(1));
    place.of_left = _mm256_sub_ps(_mm256_set1_ps(2), and_one);
    return place;
}

SINO_INLINE __m256 pick(const float *window, __m256i index, Span span)
{
    const __m256 first = _mm256_loadu_ps(window);
    if (span == SPAN_ONE) return _mm256_permutevar8x32_ps(first, index);
    if (span == SPAN_NEXT)
        return _mm256_blend_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(window + 1), index), first, 1);
    const __m256 late = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(first, index),
                            _mm256_permutevar8x32_ps(_mm256_loadu_ps(window + 8), index), late);
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place, Span span)
{
    sum = _mm256_fmadd_ps(place->of_left, pick(window, place->left, span), sum);
    const __m256i right = span == SPAN_TWO ? _mm256_add_epi32(place->left, _mm256_set1_epi32(1)) : place->left;
    return _mm256_fmadd_ps(place->of_right, pick(window + (span == SPAN_TWO ? 0 : 1), right, span), sum);
}

SINO_INLINE Voxels load_voxels(const float *from)
{
    return _mm256_loadu_ps(from);
}

SINO_INLINE void store_voxels(float *to, Voxels voxels)
{
    _mm256_storeu_ps(to, voxels);
}

SINO_INLINE void blend_single(const float *a, const float *b, float share_a, float share_b, Range range, float *line)
{
    const __m256 of_a = _mm256_set1_ps(share_a), of_b = _mm256_set1_ps(share_b);
    for (int64_t i = range.first; i < range.end; i += 8) {
        const __m256 right = _mm256_mul_ps(of_b, _mm256_loadu_ps(b + i));
        _mm256_storeu_ps(line + i, _mm256_fmadd_ps(of_a, _mm256_loadu_ps(a + i), right));
    }
}

/* ---- mixed ---- */

typedef __m256i Sums;
typedef __m256i StepsMixed;
typedef struct Pairs {
    __m256i index, share;
} Pairs;

SINO_INLINE StepsMixed steps_mixed(int32_t step)
{
    return _mm256_mullo_epi32(_mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0), _mm256_set1_epi32(step));
}

SINO_INLINE Pairs place_mixed(StepsMixed steps, const int32_t *share)
{
    const __m256i first = _mm256_blend_epi32(_mm256_set1_epi32(share[0]), _mm256_set1_epi32(share[PASS_MIXED]), 0xf0);
    const __m256i at = _mm256_add_epi32(steps, first);
    const __m256i bytes = _mm256_set_epi32(0x0e0e0e0e, 0x0a0a0a0a, 0x06060606, 0x02020202, 0x0e0e0e0e, 0x0a0a0a0a,
                                           0x06060606, 0x02020202);
    const __m256i entry = _mm256_shuffle_epi8(at, bytes);
    const __m256i low = _mm256_xor_si256(_mm256_srli_epi32(at, 16 - SHARE_BITS), _mm256_set1_epi32(SHARE_WHOLE));
    const __m256i either = _mm256_blend_epi16(low, _mm256_slli_epi32(at, SHARE_BITS), 0xaa);
    Pairs pairs;
    pairs.index = _mm256_add_epi8(_mm256_add_epi8(entry, entry), _mm256_set1_epi32(0x03020100));
    pairs.share = _mm256_and_si256(either, _mm256_set1_epi32(SHARE_WHOLE * 0x10001));
    return pairs;
}

SINO_INLINE Sums take_mixed(Sums sums, const int16_t *const *from, int64_t offset, const Pairs *pairs)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(from[0] + offset));
    const __m128i b = _mm_loadu_si128((const __m128i *)(from[1] + offset));
    const __m256i window = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    return _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_shuffle_epi8(window, pairs->index), pairs->share));
}

SINO_INLINE Sums no_sums(void)
{
    return _mm256_setzero_si256();
}

SINO_INLINE void add_sums(float *voxels, Sums sums, float unit)
{
    _mm256_storeu_ps(voxels, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), _mm256_set1_ps(unit), _mm256_loadu_ps(voxels)));
}

SINO_INLINE void blend_mixed(const int16_t *a, const int16_t *b, int share_a, int share_b, Range range, int16_t *line)
{
    const __m256i of_a = _mm256_set1_epi16((short)share_a), of_b = _mm256_set1_epi16((short)share_b);
    for (int64_t i = range.first; i < range.end; i += 16) {
        const __m256i left = _mm256_mulhrs_epi16(of_a, _mm256_loadu_si256((const __m256i *)(a + i)));
        const __m256i right = _mm256_mulhrs_epi16(of_b, _mm256_loadu_si256((const __m256i *)(b + i)));
        _mm256_storeu_si256((__m256i *)(line + i), _mm256_add_epi16(left, right));
    }
}
