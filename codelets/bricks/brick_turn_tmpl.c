/* SPDX-License-Identifier: BSD-3-Clause */
/* The update of OSEM in the bricks that have weights (brick_touch.h). brick_isa.c includes this. */

/* weight[lanes]: those of a brick, 0 where the mask has none. Kernels may read SINO_BRICK_TAIL bytes behind them. */
SINO_INLINE void expand_weights(int lanes, uint32_t mask, const float *value, float *weight)
{
#if defined __AVX512F__
    const Lanes values = expand(lanes, false, mask, value);
    _mm512_storeu_ps(weight, values.low);
    if (lanes == 32) _mm512_storeu_ps(weight + 16, values.high);
#elif defined __AVX2__
    const Lanes values = expand(lanes, false, mask, value);
    UNROLL for (int i = 0; i < lanes / 8; i++) _mm256_storeu_ps(weight + (ptrdiff_t)(8 * i), values.eight[i]);
#else
    for (int i = 0; i < lanes; i++) weight[i] = mask >> i & 1 ? *value++ : 0;
#endif
}

/* The new value of a voxel: SINO_UPDATE_VOXELS_MLEM. No branches, since weights of subsets are 0 in no pattern. */
SINO_INLINE float next_value(float x, float g, float weight, bool goes_on)
{
    const bool usable = goes_on && weight > 0;
    const float next = x * (usable ? g : 1) * (usable ? weight : 1);
    return __builtin_fabsf(next) < FLT_MIN ? 0 : next;
}

/* One set: lanes are voxels. */
SINO_INLINE void turn_voxels(int lanes, const float *restrict weight, const float *restrict mask, float *restrict g,
                             float *restrict x)
{
    for (int i = 0; i < lanes; i++) {
        x[i] = next_value(x[i], mask ? g[i] * mask[i] : g[i], weight[i], true);
        g[i] = 0;
    }
}

SINO_INLINE void turn_sets(const SinoBrickWeighing *with, int lanes, const float *restrict weight,
                           const float *restrict mask, float *restrict g, float *restrict x)
{
    for (int row = 0; row < lanes; row++)
        for (int64_t f = 0; f < with->width; f++) {
            const int64_t at = row * with->width + f;
            x[at] = next_value(x[at], g[at] * (mask ? mask[row] : 1), weight[row], with->going[f] > 0);
            g[at] = 0;
        }
}

/* Callers give constant lanes, so that the loops over a brick have no rest. */
SINO_INLINE void turn_bricks(const SinoBrickWeighing *with, int lanes, float *g, float *x)
{
    const bool voxels = with->width == 1 && with->going[0] > 0;
    const float *value = with->value;
    float weight[SINO_BRICK_LANES] __attribute__((aligned(64)));
    for (int64_t i = 0; i < with->brick_count; i++) {
        const int64_t row = (int64_t)with->brick[i] * lanes, first = row * with->width;
        const float *const mask = with->masked ? with->masked + row : NULL;
        expand_weights(lanes, with->mask[i], value, weight);
        value += __builtin_popcount(with->mask[i]);
        if (voxels && mask)
            turn_voxels(lanes, weight, mask, g + first, x + first);
        else if (voxels)
            turn_voxels(lanes, weight, NULL, g + first, x + first);
        else
            turn_sets(with, lanes, weight, mask, g + first, x + first);
    }
}

static void turn(const SinoBrickWeighing *with, float *g, float *x)
{
    if (with->lanes == 32)
        turn_bricks(with, 32, g, x);
    else
        turn_bricks(with, 16, g, x);
}
