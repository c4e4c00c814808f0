/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone windows in C, which cone_isa.c includes for processors without AVX2. */

enum { PASS_SINGLE = 2, PASS_MIXED = 4, TWIN_PASS_SINGLE = 2, TWIN_PASS_MIXED = 4 };
enum { SHARE_BITS = 14, SHARE_WHOLE = (1 << SHARE_BITS) - 1 };
enum { WINDOW_SINGLE = 16, WINDOW_MIXED = 16, VOXELS_MIXED = 16 };
static const double widest_single = 29.0 / 15, widest_mixed = 29.0 / 15;

/* ---- single ---- */

typedef struct Voxels {
    float at[WINDOW_SINGLE];
} Voxels;
typedef struct Place {
    int left[WINDOW_SINGLE];
    float of_right[WINDOW_SINGLE];
} Place;

SINO_INLINE Span span_of(double least_step, double most_step)
{
    (void)least_step;
    (void)most_step;
    return SPAN_TWO;
}

SINO_INLINE int granule_of(double most_step)
{
    (void)most_step;
    return 1;
}

typedef uint32_t StepsSingle;

SINO_INLINE StepsSingle steps_single(uint32_t step)
{
    return step;
}

SINO_INLINE Place place_single(StepsSingle steps, uint32_t start, Span span)
{
    Place place;
    (void)span;
    for (uint32_t i = 0; i < WINDOW_SINGLE; i++) {
        const uint32_t at = start + i * steps;
        place.left[i] = (int)(at >> PLACE_BITS);
        place.of_right[i] = (float)(at & ((1U << PLACE_BITS) - 1)) * 0x1p-27F;
    }
    return place;
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place, Span span)
{
    (void)span;
    for (int i = 0; i < WINDOW_SINGLE; i++) {
        const float a = window[place->left[i]], b = window[place->left[i] + 1];
        sum.at[i] += a + place->of_right[i] * (b - a);
    }
    return sum;
}

SINO_INLINE Voxels load_voxels(const float *from)
{
    Voxels voxels;
    for (int i = 0; i < WINDOW_SINGLE; i++) voxels.at[i] = from[i];
    return voxels;
}

SINO_INLINE void store_voxels(float *to, Voxels voxels)
{
    for (int i = 0; i < WINDOW_SINGLE; i++) to[i] = voxels.at[i];
}

SINO_INLINE void blend_single(const float *restrict a, const float *restrict b, float share_a, float share_b,
                              Range range, float *restrict line)
{
    for (int64_t i = range.first; i < range.end; i++) line[i] = share_a * a[i] + share_b * b[i];
}

/* ---- mixed ---- */

typedef struct Sums {
    int32_t at[VOXELS_MIXED];
} Sums;
typedef int32_t StepsMixed;
typedef struct Pairs {
    int32_t entry[VOXELS_MIXED], right[VOXELS_MIXED];
} Pairs;

SINO_INLINE StepsMixed steps_mixed(int32_t step)
{
    return step;
}

SINO_INLINE Pairs place_mixed(StepsMixed steps, const int32_t *share)
{
    Pairs pairs;
    for (int i = 0; i < VOXELS_MIXED; i++) {
        const int32_t at = i * steps + *share;
        pairs.entry[i] = at >> 16;
        pairs.right[i] = (at & 0xffff) >> (16 - SHARE_BITS);
    }
    return pairs;
}

SINO_INLINE Sums take_mixed(Sums sums, const int16_t *const *from, int64_t offset, const Pairs *pairs)
{
    const int16_t *window = *from + offset;
    for (int i = 0; i < VOXELS_MIXED; i++) {
        const int32_t a = window[pairs->entry[i]], b = window[pairs->entry[i] + 1];
        sums.at[i] += a * (SHARE_WHOLE - pairs->right[i]) + b * pairs->right[i];
    }
    return sums;
}

SINO_INLINE Sums no_sums(void)
{
    return (Sums){{0}};
}

SINO_INLINE void add_sums(float *voxels, Sums sums, float unit)
{
    for (int i = 0; i < VOXELS_MIXED; i++) voxels[i] += (float)sums.at[i] * unit;
}

SINO_INLINE void blend_mixed(const int16_t *restrict a, const int16_t *restrict b, int share_a, int share_b,
                             Range range, int16_t *restrict line)
{
    for (int64_t i = range.first; i < range.end; i++)
        line[i] = (int16_t)(((share_a * a[i] + (1 << 14)) >> 15) + ((share_b * b[i] + (1 << 14)) >> 15));
}
