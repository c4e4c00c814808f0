/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a band for one slice with AVX2: lanes hold 8 voxels of a brick; a table says for each byte of a mask
 * which of the next values goes to which lane. brick_isa.c includes this. */
/* Of bit j of byte b: how many bits are set before it; negative as a byte: it is not set. */
#define RANK(b, j)     ((uint64_t)((b) >> (j)&1 ? __builtin_popcount((b) & ((1 << (j)) - 1)) : 0x80))
#define RANKS(b, j, k) (RANK(b, j) | RANK(b, k) << 8)

/* The ranks of bits 0 … 7, and of bits 0, 2, 4, 6, 1, 3, 5, 7: lanes that are interleaved (sino_brick_lane_row). */
#define PLAIN(b)  (RANKS(b, 0, 1) | RANKS(b, 2, 3) << 16 | RANKS(b, 4, 5) << 32 | RANKS(b, 6, 7) << 48)
#define PAIRED(b) (RANKS(b, 0, 2) | RANKS(b, 4, 6) << 16 | RANKS(b, 1, 3) << 32 | RANKS(b, 5, 7) << 48)

#define FOUR(f, b)       f(b), f((b) + 1), f((b) + 2), f((b) + 3)
#define SIXTEEN(f, b)    FOUR(f, b), FOUR(f, (b) + 4), FOUR(f, (b) + 8), FOUR(f, (b) + 12)
#define SIXTY_FOUR(f, b) SIXTEEN(f, b), SIXTEEN(f, (b) + 16), SIXTEEN(f, (b) + 32), SIXTEEN(f, (b) + 48)

static const uint64_t plain_ranks[] = {SIXTY_FOUR(PLAIN, 0), SIXTY_FOUR(PLAIN, 64), SIXTY_FOUR(PLAIN, 128),
                                       SIXTY_FOUR(PLAIN, 192)};
static const uint64_t paired_ranks[] = {SIXTY_FOUR(PAIRED, 0), SIXTY_FOUR(PAIRED, 64), SIXTY_FOUR(PAIRED, 128),
                                        SIXTY_FOUR(PAIRED, 192)};

/* The values of 8 lanes of a brick. */
SINO_INLINE __m256 expand(bool mixed, uint64_t ranks, const void *value)
{
    const __m256i rank = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((int64_t)ranks));
    const __m256 packed = mixed ? _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)value)))
                                : _mm256_loadu_ps(value);
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(rank, 31)), _mm256_permutevar8x32_ps(packed, rank));
}

/* The voxels of 8 lanes of a brick, beginning with lane 8 · eight. */
SINO_INLINE __m256 load_voxels(bool paired, int eight, const float *voxel)
{
    if (!paired) return _mm256_loadu_ps(voxel + 8 * eight);
    return _mm256_set_m128(_mm_loadu_ps(voxel + 16 + 4 * eight), _mm_loadu_ps(voxel + 4 * eight));
}

SINO_INLINE void store_voxels(bool paired, int eight, __m256 values, float *voxel)
{
    if (!paired) {
        _mm256_storeu_ps(voxel + 8 * eight, values);
        return;
    }
    _mm_storeu_ps(voxel + 4 * eight, _mm256_castps256_ps128(values));
    _mm_storeu_ps(voxel + 16 + 4 * eight, _mm256_extractf128_ps(values, 1));
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
    const bool paired = mixed && lanes == 32;
    const uint64_t *const ranks = paired ? paired_ranks : plain_ranks;
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    __m256 sum[4];
    for (int i = 0; i < 4; i++) sum[i] = _mm256_setzero_ps();
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        const float *const voxel = x + (int64_t)at.brick[i] * lanes;
        UNROLL for (int eight = 0; eight < lanes / 8; eight++)
        {
            const uint32_t byte = mask >> 8 * eight & 0xff;
            sum[eight] =
                _mm256_fmadd_ps(expand(mixed, ranks[byte], value), load_voxels(paired, eight, voxel), sum[eight]);
            value += (size_t)(unsigned)__builtin_popcount(byte) * (mixed ? sizeof(uint16_t) : sizeof(float));
        }
    }
    pass(lanes, bricks, value, reader);
    return _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3]));
}

/* Adds the values of the bricks of a segment times `weight` to the voxels. */
SINO_INLINE void scatter_segment(int lanes, bool mixed, int bricks, float weight, float *x, Reader *reader)
{
    const bool paired = mixed && lanes == 32;
    const uint64_t *const ranks = paired ? paired_ranks : plain_ranks;
    const SinoBrickArrays at = reader->at;
    const char *value = at.value;
    const __m256 weights = _mm256_set1_ps(weight);
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = mask_of(lanes, &at, i);
        float *const voxel = x + (int64_t)at.brick[i] * lanes;
        UNROLL for (int eight = 0; eight < lanes / 8; eight++)
        {
            const uint32_t byte = mask >> 8 * eight & 0xff;
            const __m256 values = expand(mixed, ranks[byte], value);
            store_voxels(paired, eight, _mm256_fmadd_ps(values, weights, load_voxels(paired, eight, voxel)), voxel);
            value += (size_t)(unsigned)__builtin_popcount(byte) * (mixed ? sizeof(uint16_t) : sizeof(float));
        }
    }
    pass(lanes, bricks, value, reader);
}
