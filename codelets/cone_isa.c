/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone kernels of one instruction set, which SINO_ISA names.
 *
 * For a base run and a projection, the two columns between which the run is seen are blended into one line per run
 * that shares the position, weights included. W neighbouring voxels are seen on at most W·rows_per_voxel + 1 entries of
 * a line: a *window* is loaded whole and permuted in registers, so that nothing is gathered, and indices and weights
 * are computed once for all runs that share. The projections of a pass are added in registers before the voxels are
 * written. */
#include "cone_isa.h"

#include <math.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 8")

enum { TILE = 8 /* base runs along one side of a tile, of which a pass reads neighbouring lines */ };

/* Projections that are added in one pass over a run: as many as have their places in registers. SHARE_BITS: of the
 * share of an entry in a voxel; PASS_MIXED·SINO_CONE_LARGEST·2^SHARE_BITS < 2³¹. */
#ifdef __AVX512F__
enum { PASS_SINGLE = 4, PASS_MIXED = 8, SHARE_BITS = 13 };
#else
enum { PASS_SINGLE = 2, PASS_MIXED = 4, SHARE_BITS = 14 };
#endif
_Static_assert((int)PASS_SINGLE <= (int)SINO_CONE_PASS && (int)PASS_MIXED <= (int)SINO_CONE_PASS, "work memory");

/* A base run and the projections of a pass that see it. */
typedef struct Run {
    int count;                    /* projections */
    bool wide;                    /* a window does not fit registers */
    double first[SINO_CONE_PASS]; /* entry of voxel 0 */
    double step[SINO_CONE_PASS];  /* entries from voxel to voxel */
} Run;

/* ---- windows: the entry of the first voxel of each, and its share ---- */

/* A window that begins more than a margin before the line, or after its last entry, holds zeros only. Such a window is
 * moved to the end of the margin, or to the line's end, where zeros are as well. */
static void place_windows(const SinoConePass *pass, int k, const Run *run, int window)
{
    const int64_t stride = sino_cone_run_voxels(pass->of->part), count = stride / window;
    const double first = run->first[k], step = run->step[k] * window;
    const double least = -SINO_CONE_MARGIN, most = (double)pass->of->lines->entry_count;
    float *restrict share = pass->share + k * stride;
    int32_t *restrict base = pass->base + k * stride;
    for (int64_t w = 0; w < count; w++) {
        const double at = first + step * (double)w;
        const double inside = at > least ? (at < most ? at : most) : least, entry = floor(inside);
        base[w] = (int32_t)entry;
        share[w] = (float)(inside - entry);
    }
}

/* Makes a projection that does not see the run add zeros. */
static void leave_out(const SinoConePass *pass, int k, Run *run)
{
    const int64_t stride = sino_cone_run_voxels(pass->of->part);
    run->step[k] = 0;
    for (int64_t w = 0; w < stride; w++) {
        pass->share[k * stride + w] = 0;
        pass->base[k * stride + w] = -SINO_CONE_MARGIN;
    }
}

/* ---- lines ---- */

/* Entries that a run needs, as many together as are blended at a time. */
typedef struct Range {
    int64_t first, end;
} Range;

static Range entries_of(const SinoConePass *pass, double first, double step, int together)
{
    const int64_t entries = pass->of->lines->entry_count;
    const double last = first + step * (double)(pass->of->part->voxel_count - 1);
    const double from = first > 0 ? first : 0, to = last + 2 < (double)entries ? last + 2 : (double)entries;
    if (!(from < to)) return (Range){0, 0};
    return (Range){(int64_t)from / together * together, sino_ceil_multiple((int64_t)to, together)};
}

static void blend_single(const float *restrict a, const float *restrict b, float share_a, float share_b, Range range,
                         float *restrict line)
{
    for (int64_t i = range.first; i < range.end; i++) line[i] = share_a * a[i] + share_b * b[i];
}

/* Shares are multiples of 2⁻¹⁵; each product is rounded. */
static void blend_mixed(const int16_t *a, const int16_t *b, int share_a, int share_b, Range range, int16_t *line)
{
#if defined __AVX512BW__
    const __m512i of_a = _mm512_set1_epi16((short)share_a), of_b = _mm512_set1_epi16((short)share_b);
    for (int64_t i = range.first; i < range.end; i += 32) {
        const __m512i left = _mm512_mulhrs_epi16(of_a, _mm512_loadu_si512(a + i));
        const __m512i right = _mm512_mulhrs_epi16(of_b, _mm512_loadu_si512(b + i));
        _mm512_storeu_si512(line + i, _mm512_add_epi16(left, right));
    }
#elif defined __AVX2__
    const __m256i of_a = _mm256_set1_epi16((short)share_a), of_b = _mm256_set1_epi16((short)share_b);
    for (int64_t i = range.first; i < range.end; i += 16) {
        const __m256i left = _mm256_mulhrs_epi16(of_a, _mm256_loadu_si256((const __m256i *)(a + i)));
        const __m256i right = _mm256_mulhrs_epi16(of_b, _mm256_loadu_si256((const __m256i *)(b + i)));
        _mm256_storeu_si256((__m256i *)(line + i), _mm256_add_epi16(left, right));
    }
#else
    for (int64_t i = range.first; i < range.end; i++)
        line[i] = (int16_t)(((share_a * a[i] + (1 << 14)) >> 15) + ((share_b * b[i] + (1 << 14)) >> 15));
#endif
}

/* Where a pass finds and puts the lines of one projection. */
typedef struct Blend {
    const SinoConePass *pass;
    int pass_count;     /* projections of a pass */
    int64_t projection; /* of the base run */
    int place;          /* among the projections of the pass that see the run */
    int64_t column;
    double share; /* of the column after `column` */
    double weight;
    Range range;
} Blend;

/* The projection that sees the turned run as blend->projection sees the base run. */
static int64_t turned(const Blend *blend, int turn)
{
    const int64_t projection = blend->projection + turn * blend->pass->of->lines->group_count;
    const int64_t count = sino_cone_projections(blend->pass->of->lines);
    return projection < count ? projection : projection - count;
}

static int64_t line_in_work(const Blend *blend, int turn, int half)
{
    const int64_t run = turn * blend->pass->of->lines->symmetry.halves + half;
    return (run * blend->pass_count + blend->place) * blend->pass->line_stride + SINO_CONE_MARGIN;
}

/* Entries from a line to that of the next column, which a detector of one column has not. */
static int64_t next_column(const SinoConeLines *lines)
{
    return lines->column_count > 1 ? lines->entry_count : 0;
}

static void blend_lines_single(const Blend *blend)
{
    const SinoConeLines *lines = blend->pass->of->lines;
    const int64_t next = next_column(lines);
    const float share_b = (float)(blend->weight * blend->share), share_a = (float)(blend->weight * (1 - blend->share));
    for (int t = 0; t < lines->symmetry.turns; t++) {
        const float *projection = blend->pass->of->projection[turned(blend, t)];
        for (int h = 0; h < lines->symmetry.halves; h++) {
            const float *from = projection + sino_cone_line(lines, h, blend->column);
            blend_single(from, from + next, share_a, share_b, blend->range,
                         (float *)blend->pass->line + line_in_work(blend, t, h));
        }
    }
}

static void blend_lines_mixed(const Blend *blend)
{
    const SinoConePass *pass = blend->pass;
    const SinoConeLines *lines = pass->of->lines;
    const int64_t next = next_column(lines);
    for (int t = 0; t < lines->symmetry.turns; t++) {
        const int16_t *projection = pass->of->projection[turned(blend, t)];
        const double weight = blend->weight * pass->gain[turned(blend, t)];
        const int share_b = (int)(weight * blend->share + 0.5), share_a = (int)(weight + 0.5) - share_b;
        for (int h = 0; h < lines->symmetry.halves; h++) {
            const int16_t *from = projection + sino_cone_line(lines, h, blend->column);
            blend_mixed(from, from + next, share_a, share_b, blend->range,
                        (int16_t *)pass->line + line_in_work(blend, t, h));
        }
    }
}

/* ---- single: windows of floats ---- */

#if defined __AVX512F__

enum { WINDOW_SINGLE = 16 };
static const double widest_single = 29.0 / 15; /* 15·step + 2 ≤ 31 */

typedef __m512 Voxels;
typedef struct Place {
    __m512i left, right;
    __m512 of_left, of_right;
} Place;

SINO_INLINE Place place_single(float step, float share)
{
    const __m512 lane = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512 at = _mm512_fmadd_ps(lane, _mm512_set1_ps(step), _mm512_set1_ps(share));
    Place place;
    place.left = _mm512_cvttps_epi32(at);
    place.right = _mm512_add_epi32(place.left, _mm512_set1_epi32(1));
    place.of_right = _mm512_sub_ps(at, _mm512_cvtepi32_ps(place.left));
    place.of_left = _mm512_sub_ps(_mm512_set1_ps(1), place.of_right);
    return place;
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place)
{
    const __m512 a = _mm512_loadu_ps(window), b = _mm512_loadu_ps(window + 16);
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

#elif defined __AVX2__

enum { WINDOW_SINGLE = 8 };
static const double widest_single = 13.0 / 7; /* 7·step + 2 ≤ 15 */

typedef __m256 Voxels;
typedef struct Place {
    __m256i left, right;
    __m256 left_late, right_late; /* whether the entry is in the later register */
    __m256 of_left, of_right;
} Place;

SINO_INLINE Place place_single(float step, float share)
{
    const __m256 lane = _mm256_set_ps(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256 at = _mm256_fmadd_ps(lane, _mm256_set1_ps(step), _mm256_set1_ps(share));
    Place place;
    place.left = _mm256_cvttps_epi32(at);
    place.right = _mm256_add_epi32(place.left, _mm256_set1_epi32(1));
    place.of_right = _mm256_sub_ps(at, _mm256_cvtepi32_ps(place.left));
    place.of_left = _mm256_sub_ps(_mm256_set1_ps(1), place.of_right);
    place.left_late = _mm256_castsi256_ps(_mm256_cmpgt_epi32(place.left, _mm256_set1_epi32(7)));
    place.right_late = _mm256_castsi256_ps(_mm256_cmpgt_epi32(place.right, _mm256_set1_epi32(7)));
    return place;
}

SINO_INLINE __m256 pick(__m256 a, __m256 b, __m256i index, __m256 late)
{
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, index), _mm256_permutevar8x32_ps(b, index), late);
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place)
{
    const __m256 a = _mm256_loadu_ps(window), b = _mm256_loadu_ps(window + 8);
    sum = _mm256_fmadd_ps(place->of_left, pick(a, b, place->left, place->left_late), sum);
    return _mm256_fmadd_ps(place->of_right, pick(a, b, place->right, place->right_late), sum);
}

SINO_INLINE Voxels load_voxels(const float *from)
{
    return _mm256_loadu_ps(from);
}

SINO_INLINE void store_voxels(float *to, Voxels voxels)
{
    _mm256_storeu_ps(to, voxels);
}

#else

enum { WINDOW_SINGLE = 16 };
static const double widest_single = 29.0 / 15;

typedef struct Voxels {
    float at[WINDOW_SINGLE];
} Voxels;
typedef struct Place {
    int left[WINDOW_SINGLE];
    float of_right[WINDOW_SINGLE];
} Place;

SINO_INLINE Place place_single(float step, float share)
{
    Place place;
    for (int i = 0; i < WINDOW_SINGLE; i++) {
        const float at = (float)i * step + share;
        place.left[i] = (int)at;
        place.of_right[i] = at - (float)place.left[i];
    }
    return place;
}

SINO_INLINE Voxels take_single(Voxels sum, const float *window, const Place *place)
{
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

#endif

static void add_windows_single(const SinoConePass *pass, int runs, const Run *run, float *voxels)
{
    const int64_t stride = sino_cone_run_voxels(pass->of->part), windows = stride / WINDOW_SINGLE;
    const float *const lines = (const float *)pass->line + SINO_CONE_MARGIN;
    for (int64_t w = 0; w < windows; w++) {
        Place place[PASS_SINGLE];
        const float *from[PASS_SINGLE];
        UNROLL for (int k = 0; k < PASS_SINGLE; k++)
        {
            place[k] = place_single((float)run->step[k], pass->share[k * stride + w]);
            from[k] = lines + k * pass->line_stride + pass->base[k * stride + w];
        }
        float *at = voxels + w * WINDOW_SINGLE;
        int64_t offset = 0; /* to the lines of run r: the same for all projections, so that one register holds it */
        for (int r = 0; r < runs; r++, at += stride, offset += PASS_SINGLE * pass->line_stride) {
            Voxels sum = load_voxels(at);
            UNROLL for (int k = 0; k < PASS_SINGLE; k++) sum = take_single(sum, from[k] + offset, &place[k]);
            store_voxels(at, sum);
        }
    }
}

/* ---- mixed: windows of 16-bit integers ---- */

enum { SHARE_MASK = ((1 << SHARE_BITS) - 1) << 16 };

#if defined __AVX512BW__

enum { WINDOW_MIXED = 16 };
static const double widest_mixed = 29.0 / 15;

typedef __m512i Sums;
typedef struct Pairs {
    __m512i index; /* of the two entries of each voxel */
    __m512i share; /* of the two, in units of 2^−SHARE_BITS */
} Pairs;

SINO_INLINE Pairs place_mixed(int32_t step, const float *share)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i at =
        _mm512_add_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32(step)), _mm512_set1_epi32((int)(*share * 65536)));
    const __m512i entry = _mm512_srli_epi32(at, 16);
    const __m512i right = _mm512_and_si512(_mm512_slli_epi32(at, SHARE_BITS), _mm512_set1_epi32(SHARE_MASK));
    Pairs pairs;
    pairs.share =
        _mm512_sub_epi32(_mm512_add_epi32(right, _mm512_set1_epi32(1 << SHARE_BITS)), _mm512_srli_epi32(right, 16));
#ifdef __AVX512VBMI__
    const __m512i low = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    pairs.index =
        _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_add_epi32(entry, entry), low), _mm512_set1_epi32(0x03020100));
#else
    pairs.index = _mm512_add_epi32(_mm512_or_si512(entry, _mm512_slli_epi32(entry, 16)), _mm512_set1_epi32(0x10000));
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

enum { VOXELS_MIXED = 16 };

SINO_INLINE void add_sums(float *voxels, Sums sums, float unit)
{
    _mm512_storeu_ps(voxels, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), _mm512_set1_ps(unit), _mm512_loadu_ps(voxels)));
}

#elif defined __AVX2__

/* A window fits half a register. */
enum { WINDOW_MIXED = 4, VOXELS_MIXED = 8 };
static const double widest_mixed = 5.0 / 3; /* 3·step + 2 ≤ 7 */

typedef __m256i Sums;
typedef struct Pairs {
    __m256i index, share;
} Pairs;

SINO_INLINE Pairs place_mixed(int32_t step, const float *share)
{
    const __m256i lane = _mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0);
    const __m256i first =
        _mm256_set_m128i(_mm_set1_epi32((int)(share[1] * 65536)), _mm_set1_epi32((int)(share[0] * 65536)));
    const __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32(step)), first);
    const __m256i entry = _mm256_srli_epi32(at, 16);
    const __m256i right = _mm256_and_si256(_mm256_slli_epi32(at, SHARE_BITS), _mm256_set1_epi32(SHARE_MASK));
    const __m256i low = _mm256_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0, 0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    Pairs pairs;
    pairs.share =
        _mm256_sub_epi32(_mm256_add_epi32(right, _mm256_set1_epi32(1 << SHARE_BITS)), _mm256_srli_epi32(right, 16));
    pairs.index =
        _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_add_epi32(entry, entry), low), _mm256_set1_epi32(0x03020100));
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

#else

enum { WINDOW_MIXED = 16, VOXELS_MIXED = 16 };
static const double widest_mixed = 29.0 / 15;

typedef struct Sums {
    int32_t at[VOXELS_MIXED];
} Sums;
typedef struct Pairs {
    int32_t entry[VOXELS_MIXED], right[VOXELS_MIXED];
} Pairs;

SINO_INLINE Pairs place_mixed(int32_t step, const float *share)
{
    Pairs pairs;
    for (int i = 0; i < VOXELS_MIXED; i++) {
        const int32_t at = i * step + (int32_t)(*share * 65536);
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
        sums.at[i] += a * ((1 << SHARE_BITS) - pairs->right[i]) + b * pairs->right[i];
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

#endif

/* What a blended entry of 1 adds to a voxel. */
static double unit_of_sums(const SinoConePass *pass)
{
    return (double)pass->unit_most * pass->weight_most * 32768 / 32767;
}

static void add_windows_mixed(const SinoConePass *pass, int runs, const Run *run, float *voxels)
{
    enum { STEP = VOXELS_MIXED / WINDOW_MIXED };
    const int64_t stride = sino_cone_run_voxels(pass->of->part), windows = stride / WINDOW_MIXED;
    const int16_t *const lines = (const int16_t *)pass->line + SINO_CONE_MARGIN;
    const float unit = (float)(unit_of_sums(pass) / (1 << SHARE_BITS));
    int32_t step[PASS_MIXED];
    for (int k = 0; k < PASS_MIXED; k++) step[k] = (int32_t)(run->step[k] * 65536 + 0.5);
    for (int64_t w = 0; w < windows; w += STEP) {
        Pairs pairs[PASS_MIXED];
        const int16_t *from[PASS_MIXED][STEP];
        UNROLL for (int k = 0; k < PASS_MIXED; k++)
        {
            pairs[k] = place_mixed(step[k], pass->share + k * stride + w);
            for (int i = 0; i < STEP; i++) from[k][i] = lines + k * pass->line_stride + pass->base[k * stride + w + i];
        }
        float *at = voxels + w * WINDOW_MIXED;
        int64_t offset = 0;
        for (int r = 0; r < runs; r++, at += stride, offset += PASS_MIXED * pass->line_stride) {
            Sums sums = no_sums();
            UNROLL for (int k = 0; k < PASS_MIXED; k++) sums = take_mixed(sums, from[k], offset, &pairs[k]);
            add_sums(at, sums, unit);
        }
    }
}

/* ---- voxels so much larger than rows that windows do not fit: each voxel finds its entries ---- */

#define DEFINE_ADD_WIDE(name, Entry, pass_count, unit_)                                                                \
    static void name(const SinoConePass *pass, int runs, const Run *run, float *voxels)                                \
    {                                                                                                                  \
        const int64_t stride = sino_cone_run_voxels(pass->of->part), count = pass->of->part->voxel_count;              \
        const double most = (double)pass->of->lines->entry_count, unit = unit_;                                        \
        for (int k = 0; k < run->count; k++)                                                                           \
            for (int r = 0; r < runs; r++) {                                                                           \
                const Entry *line =                                                                                    \
                    (const Entry *)pass->line + (r * (pass_count) + k) * pass->line_stride + SINO_CONE_MARGIN;         \
                for (int64_t i = 0; i < count; i++) {                                                                  \
                    const double at = run->first[k] + run->step[k] * (double)i;                                        \
                    if (!(at > -1 && at < most)) continue;                                                             \
                    const int64_t entry = (int64_t)floor(at);                                                          \
                    const double right = at - (double)entry;                                                           \
                    voxels[r * stride + i] +=                                                                          \
                        (float)(unit * ((1 - right) * (double)line[entry] + right * (double)line[entry + 1]));         \
                }                                                                                                      \
            }                                                                                                          \
    }

DEFINE_ADD_WIDE(add_wide_single, float, PASS_SINGLE, 1)
DEFINE_ADD_WIDE(add_wide_mixed, int16_t, PASS_MIXED, unit_of_sums(pass))

/* ---- passes ---- */

typedef void AddRun(const SinoConePass *pass, int runs, const Run *run, float *voxels);

/* A kernel: its constants, and its functions. */
typedef struct Kernel {
    int pass_count, window;
    int together;  /* entries that are blended at a time: a divisor of SINO_CONE_ENTRIES */
    double widest; /* rows per voxel of which a window fits registers */
    void (*blend)(const Blend *blend);
    AddRun *add_windows, *add_wide;
} Kernel;

static const Kernel single = {PASS_SINGLE,        WINDOW_SINGLE,  16, widest_single, blend_lines_single,
                              add_windows_single, add_wide_single};
static const Kernel mixed = {PASS_MIXED,        WINDOW_MIXED,  32, widest_mixed, blend_lines_mixed,
                             add_windows_mixed, add_wide_mixed};

/* The views of all projections of a pass, of which the last ones may be beyond the block. */
typedef struct Views {
    double column[SINO_CONE_PASS], step[SINO_CONE_PASS], weight[SINO_CONE_PASS];
} Views;

static void see(const SinoConePass *pass, int64_t projection, double right, double up, Views *views)
{
    const SinoCone cone = *pass->of->cone;
    const double *cosine = pass->cosine + projection, *sine = pass->sine + projection;
    for (int k = 0; k < SINO_CONE_PASS; k++) {
        const SinoConeView view = sino_cone_view(&cone, cosine[k], sine[k], right, up);
        views->column[k] = view.column;
        views->step[k] = view.rows_per_voxel;
        views->weight[k] = view.weight;
    }
}

/* Prepares lines and windows of the projections first … that see the run at (x, y) of the image. */
static Run prepare(const SinoConePass *pass, const Kernel *kernel, int64_t first_projection, int64_t x, int64_t y)
{
    const SinoCone *cone = pass->of->cone;
    const SinoConeLines *lines = pass->of->lines;
    const double right = ((double)x - 0.5 * (double)(cone->x_count - 1)) * cone->voxel_size;
    const double up = (0.5 * (double)(cone->y_count - 1) - (double)y) * cone->voxel_size;
    const double last = (double)(lines->column_count - 1);
    const int64_t left = sino_cone_projections(lines) - first_projection;
    const int count = left < kernel->pass_count ? (int)left : kernel->pass_count;
    Run run;
    Views views;
    run.count = 0;
    run.wide = false;
    see(pass, first_projection, right, up, &views);
    for (int k = 0; k < count; k++) {
        if (!(views.column[k] >= 0 && views.column[k] <= last)) continue;
        const double step = views.step[k], first = pass->offset + step * pass->slope;
        const int64_t column = sino_smaller((int64_t)views.column[k], sino_larger(lines->column_count - 2, 0));
        const Blend blend = {.pass = pass,
                             .pass_count = kernel->pass_count,
                             .projection = first_projection + k,
                             .place = run.count,
                             .column = column,
                             .share = views.column[k] - (double)column,
                             .weight = views.weight[k],
                             .range = entries_of(pass, first, step, kernel->together)};
        if (blend.range.end <= blend.range.first) continue;
        kernel->blend(&blend);
        run.first[run.count] = first;
        run.step[run.count] = step;
        run.wide |= step > kernel->widest;
        place_windows(pass, run.count, &run, kernel->window);
        run.count++;
    }
    for (int k = run.count; k < kernel->pass_count; k++) leave_out(pass, k, &run);
    return run;
}

/* A square of base runs. */
typedef struct Tile {
    int64_t left, top, x_count, y_count;
} Tile;

/* Adds a pass to the runs of a tile. Neighbours along the rays are seen in nearly the same columns, whose lines then
 * are in the first-level cache. */
static void add_tile(const SinoConePass *pass, const Kernel *kernel, int64_t projection, const Tile *tile)
{
    const SinoConePart *part = pass->of->part;
    const SinoConeSymmetry symmetry = pass->of->lines->symmetry;
    const int runs = symmetry.turns * symmetry.halves;
    const int64_t stride = sino_cone_run_voxels(part) * runs, count = tile->x_count * tile->y_count;
    const bool along_y = fabs(pass->cosine[projection]) > fabs(pass->sine[projection]);
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = tile->left + (along_y ? i / tile->y_count : i % tile->x_count);
        const int64_t y = tile->top + (along_y ? i % tile->y_count : i / tile->x_count);
        const Run run = prepare(pass, kernel, projection, part->first_x + x, part->first_y + y);
        AddRun *const add = run.wide ? kernel->add_wide : kernel->add_windows;
        if (run.count > 0) add(pass, runs, &run, pass->part + (y * part->x_count + x) * stride);
    }
}

/* Tile after tile, so that the lines that their passes read stay in the second-level cache. */
static void add_part(const SinoConePass *pass, const Kernel *kernel)
{
    const SinoConePart *part = pass->of->part;
    const int64_t projections = sino_cone_projections(pass->of->lines);
    for (int64_t top = 0; top < part->y_count; top += TILE)
        for (int64_t left = 0; left < part->x_count; left += TILE) {
            const Tile tile = {left, top, sino_smaller(TILE, part->x_count - left),
                               sino_smaller(TILE, part->y_count - top)};
            for (int64_t p = 0; p < projections; p += kernel->pass_count) add_tile(pass, kernel, p, &tile);
        }
}

static void run_single(const SinoConePass *pass)
{
    add_part(pass, &single);
}

static void run_mixed(const SinoConePass *pass)
{
    add_part(pass, &mixed);
}

#define TEXT(name)       #name
#define ISA_TEXT(name)   TEXT(name)
#define PASTE(a, b)      a##b
#define ISA_OBJECT(name) PASTE(sino_cone_, name)

const SinoConeIsa ISA_OBJECT(SINO_ISA) = {.name = ISA_TEXT(SINO_ISA), .single = run_single, .mixed = run_mixed};
