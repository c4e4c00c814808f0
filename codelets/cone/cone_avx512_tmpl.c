/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone windows in registers of 512 bits, which cone_isa.c includes: 16 voxels of single precision, or of 16-bit
 * entries; with VNNI and VBMI, or without. */

enum { PASS_SINGLE = 4, PASS_MIXED = 8, TWIN_PASS_SINGLE = 2, TWIN_PASS_MIXED = 4 };
enum { SHARE_BITS = 13, SHARE_WHOLE = (1 << SHARE_BITS) - 1 };
enum { WINDOW_SINGLE = 16, WINDOW_MIXED = 16, VOXELS_MIXED = 16 };
static const double widest_single = 29.0 / 15, widest_mixed = 29.0 / 15; /* 15·step + 2 ≤ 31 */

/* ---- single ---- */

typedef __m512 Voxels;
typedef struct Place {
    __m512i left, right;
    __m512 of_left, of_right;
} Place;

SINO_INLINE Span span_of(double least_step, double most_step)
{
    (void)least_step;
    (void)most_step;
    return SPAN_TWO;
}

/* A window begins at less than its granule in the 32 entries of two registers, the last of which is the right one of
 * its last voxel at most. 1e-5: more than 15 rounded steps are longer than true ones. */
SINO_INLINE int granule_of(double most_step)
{
    return most_step <= 1 ? 16 : most_step <= 23.0 / 15 - 1e-5 ? 8 : 1;
}

typedef __m512i StepsSingle;

SINO_INLINE StepsSingle steps_single(uint32_t step)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)step));
}

SINO_INLINE Place place_single(StepsSingle steps, uint32_t start, Span span)
{
    const __m512i at = _mm512_add_epi32(steps, _mm512_set1_epi32((int)start));
    /* The bits after the point as those of a float from 1 to 2: (a & b) | c. */
    const __m512 and_one = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_srli_epi32(at, PLACE_BITS - 23), _mm512_set1_epi32(0x7fffff), _mm512_set1_epi32(0x3f800000), 0xea));
    Place place;
    (void)span;
    place.left = _mm512_srli_epi32(at, PLACE_BITS);
    place.right = _mm512_add_epi32(place.left, _mm512_set1_epi32(1));
    place.of_right = _mm512_sub_ps(and_one, _mm512_set1_ps(1));
    place.of_left = _mm512_sub_ps(_mm512_set1_ps(2), and_one);
    return place;
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place, Span span)
{
    const __m512 a = _mm512_loadu_ps(window), b = _mm512_loadu_ps(window + 16);
    (void)span;
    sum = _mm512_fmadd_ps(place->of_left, _mm512_permutex2var_ps(a, place->left, b), sum);
    return _mm512_fmadd_ps(place->of_right, _mm512_permutex2var_ps(a, place->right, b), sum);
}

SINO_INLINE Voxels load_voxels(const float *from)
{
    return _mm512_loadu_ps(from);
}

SINO_INLINE void store_voxels(float *to, Voxels voxels)
{
    _mm512_storeu_ps(to, voxels);
}

SINO_INLINE void blend_single(const float *a, const float *b, float share_a, float share_b, Range range, float *line)
{
    const __m512 of_a = _mm512_set1_ps(share_a), of_b = _mm512_set1_ps(share_b);
    for (int64_t i = range.first; i < range.end; i += 16) {
        const __m512 right = _mm512_mul_ps(of_b, _mm512_loadu_ps(b + i));
        _mm512_storeu_ps(line + i, _mm512_fmadd_ps(of_a, _mm512_loadu_ps(a + i), right));
    }
}

/* ---- mixed ---- */

typedef __m512i Sums;
typedef __m512i StepsMixed;
typedef struct Pairs {
    __m512i index; /* of the two entries of each voxel */
    __m512i share; /* of the two, in units of 1/SHARE_WHOLE */
} Pairs;

SINO_INLINE StepsMixed steps_mixed(int32_t step)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_mullo_epi32(lane, _mm512_set1_epi32(step));
}

SINO_INLINE Pairs place_mixed(StepsMixed steps, const int32_t *share)
{
    const __m512i at = _mm512_add_epi32(steps, _mm512_set1_epi32(*share));
    Pairs pairs;
#if defined __AVX512VBMI__ && defined __AVX512VNNI__
    const __m512i bytes = _mm512_set4_epi32(0x0e0e0e0e, 0x0a0a0a0a, 0x06060606, 0x02020202);
    const __m512i entry = _mm512_shuffle_epi8(at, bytes), bits = _mm512_set1_epi64(0x2b232b230b030b03);
    pairs.index = _mm512_add_epi8(_mm512_add_epi8(entry, entry), _mm512_set1_epi32(0x03020100));
    pairs.share = _mm512_ternarylogic_epi32(_mm512_multishift_epi64_epi8(bits, at), _mm512_set1_epi32(SHARE_WHOLE),
                                            _mm512_set1_epi32(SHARE_WHOLE * 0x10001), 0x28); /* (a ^ b) & c */
#else
    const __m512i words = _mm512_set4_epi32((int)0x800e800e, (int)0x800a800a, (int)0x80068006, (int)0x80028002);
    const __m512i low = _mm512_xor_si512(_mm512_srli_epi32(at, 16 - SHARE_BITS), _mm512_set1_epi32(SHARE_WHOLE));
    const __m512i either = _mm512_mask_mov_epi16(low, 0xaaaaaaaa, _mm512_slli_epi32(at, SHARE_BITS));
    pairs.index = _mm512_add_epi32(_mm512_shuffle_epi8(at, words), _mm512_set1_epi32(0x10000));
    pairs.share = _mm512_and_si512(either, _mm512_set1_epi32(SHARE_WHOLE * 0x10001));
#endif
    return pairs;
}

SINO_INLINE Sums take_mixed(Sums sums, const int16_t *const *from, int64_t offset, const Pairs *pairs)
{
    const __m512i window = _mm512_loadu_si512(*from + offset);
#if defined __AVX512VBMI__ && defined __AVX512VNNI__
    return _mm512_dpwssd_epi32(sums, _mm512_permutexvar_epi8(pairs->index, window), pairs->share);
#else
    return _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_permutexvar_epi16(pairs->index, window), pairs->share));
#endif
}

SINO_INLINE Sums no_sums(void)
{
    return _mm512_setzero_si512();
}

SINO_INLINE void add_sums(float *voxels, Sums sums, float unit)
{
    _mm512_storeu_ps(voxels, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), _mm512_set1_ps(unit), _mm512_loadu_ps(voxels)));
}

SINO_INLINE void blend_mixed(const int16_t *a, const int16_t *b, int share_a, int share_b, Range range, int16_t *line)
{
    const __m512i of_a = _mm512_set1_epi16((short)share_a), of_b = _mm512_set1_epi16((short)share_b);
    for (int64_t i = range.first; i < range.end; i += 32) {
        const __m512i left = _mm512_mulhrs_epi16(of_a, _mm512_loadu_si512(a + i));
        const __m512i right = _mm512_mulhrs_epi16(of_b, _mm512_loadu_si512(b + i));
        _mm512_storeu_si512(line + i, _mm512_add_epi16(left, right));
    }
}
