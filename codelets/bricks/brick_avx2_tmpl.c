/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a band for one slice with AVX2. Tables say for each byte of a mask which of the next values goes to which
 * of 8 lanes: for numbers of 16 bits as vpshufb reads it, which also clears the lanes without a value, and does so for
 * 16 lanes at once; for floats as vpermps reads it. brick_isa.c includes this. */

/* The number of the value of bit j of byte b, times two bytes; negative bytes: the bit is not set. */
#define WORD(b, j) ((uint64_t)((b) >> (j)&1 ? 0x0100 + 0x0202 * SET_BEFORE(b, j) : 0x8080))
#define EIGHT_WORDS(b)                                                                                                 \
    {                                                                                                                  \
        WORD(b, 0) | WORD(b, 1) << 16 | WORD(b, 2) << 32 | WORD(b, 3) << 48,                                           \
            WORD(b, 4) | WORD(b, 5) << 16 | WORD(b, 6) << 32 | WORD(b, 7) << 48                                        \
    }

/* The number of the value of bit j of byte b; negative: the bit is not set. */
#define RANK(b, j)     ((uint64_t)((b) >> (j)&1 ? SET_BEFORE(b, j) : 0x80))
#define RANKS(b, j, k) (RANK(b, j) | RANK(b, k) << 8)
#define EIGHT_RANKS(b) (RANKS(b, 0, 1) | RANKS(b, 2, 3) << 16 | RANKS(b, 4, 5) << 32 | RANKS(b, 6, 7) << 48)

static const uint64_t word_places[][2] __attribute__((aligned(64))) = {EACH_BYTE(EIGHT_WORDS)};
static const uint64_t ranks[] = {EACH_BYTE(EIGHT_RANKS)};

/* Two halves of a register from memory. */
SINO_INLINE __m256i load_halves(const void *low, const void *high)
{
    return _mm256_set_m128i(_mm_loadu_si128((const __m128i *)high), _mm_loadu_si128((const __m128i *)low));
}

/* How many values come before lane `lane` of a brick. */
SINO_INLINE size_t values_before(uint32_t mask, int lane)
{
    return (size_t)(unsigned)__builtin_popcount(mask & ((1U << lane) - 1));
}

/* The numbers of 16 lanes from `lane` on, of a brick with the values `value`. */
SINO_INLINE __m256i expand_words(uint32_t mask, int lane, const uint16_t *value)
{
    const __m256i packed = load_halves(value + values_before(mask, lane), value + values_before(mask, lane + 8));
    return _mm256_shuffle_epi8(packed,
                               load_halves(word_places[mask >> lane & 0xff], word_places[mask >> (lane + 8) & 0xff]));
}

/* The values of 8 lanes from `lane` on. */
SINO_INLINE __m256 expand_floats(uint32_t mask, int lane, const float *value)
{
    const __m256i rank = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((int64_t)ranks[mask >> lane & 0xff]));
    const __m256 packed = _mm256_loadu_ps(value + values_before(mask, lane));
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(rank, 31)), _mm256_permutevar8x32_ps(packed, rank));
}

/* The values of a brick in the order of its rows, 8 in each vector: 4 vectors, or 2 if it has 16 lanes. */
typedef struct Lanes {
    __m256 eight[4];
} Lanes;

SINO_INLINE Lanes expand(int lanes, bool mixed, uint32_t mask, const void *value)
{
    Lanes to;
    if (!mixed)
        UNROLL for (int i = 0; i < lanes / 8; i++) to.eight[i] = expand_floats(mask, 8 * i, value);
    else if (lanes == 16) {
        const __m256i words = expand_words(mask, 0, value);
        to.eight[0] = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(words)));
        to.eight[1] = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm256_extracti128_si256(words, 1)));
    } else
        UNROLL for (int i = 0; i < 2; i++)
        {
            const __m256i words = expand_words(mask, 16 * i, value);
            to.eight[i] = _mm256_cvtepi32_ps(_mm256_and_si256(words, _mm256_set1_epi32(0xffff)));
            to.eight[i + 2] = _mm256_cvtepi32_ps(_mm256_srli_epi32(words, 16));
        }
    return to;
}

/* Sums of the products of a row, lane by lane. */
typedef __m256 Sum;

SINO_INLINE Sum no_sum(void)
{
    return _mm256_setzero_ps();
}

SINO_INLINE Sum add_part(Sum sum, Sum part, float factor)
{
    return _mm256_fmadd_ps(part, _mm256_set1_ps(factor), sum);
}

SINO_INLINE float total_of(Sum sum)
{
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/* The sum over the bricks of a segment. */
SINO_INLINE Sum gather_segment(int lanes, bool mixed, int bricks, const float *x, Reader *reader)
{
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    __m256 sum[4];
    for (int i = 0; i < 4; i++) sum[i] = _mm256_setzero_ps();
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        const float *const voxel = x + (int64_t)at.brick[i] * lanes;
        const Lanes values = expand(lanes, mixed, mask, value);
        UNROLL for (int j = 0; j < lanes / 8; j++) sum[j] =
            _mm256_fmadd_ps(values.eight[j], _mm256_loadu_ps(voxel + 8 * j), sum[j]);
        value += (size_t)(unsigned)__builtin_popcount(mask) * (mixed ? sizeof(uint16_t) : sizeof(float));
    }
    pass(lanes, bricks, value, reader);
    return _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3]));
}

/* Adds the values of the bricks of a segment times `weight` to the voxels. */
SINO_INLINE void scatter_segment(int lanes, bool mixed, int bricks, float weight, float *x, Reader *reader)
{
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    const __m256 weights = _mm256_set1_ps(weight);
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        float *const voxel = x + (int64_t)at.brick[i] * lanes;
        const Lanes values = expand(lanes, mixed, mask, value);
        UNROLL for (int j = 0; j < lanes / 8; j++)
            _mm256_storeu_ps(voxel + 8 * j, _mm256_fmadd_ps(values.eight[j], weights, _mm256_loadu_ps(voxel + 8 * j)));
        value += (size_t)(unsigned)__builtin_popcount(mask) * (mixed ? sizeof(uint16_t) : sizeof(float));
    }
    pass(lanes, bricks, value, reader);
}
