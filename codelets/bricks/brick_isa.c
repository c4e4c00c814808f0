/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks of one instruction set: SINO_ISA names it, SINO_VECTOR_BYTES is the width of its registers. */
#include "brick_isa.h"

#include "half.h"
#include "vector.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
/* Zeros, into which masked instructions merge. On a Zen 5 an expansion or compression with zero-masking has a false
 * dependency on its destination register, so that bricks are decoded one after another; one that merges into this
 * register has none. The empty assembly keeps compilers from making it zero-masking again. */
SINO_INLINE __m512i no_bits(void)
{
    __m512i zero = _mm512_setzero_si512();
    __asm__("" : "+v"(zero));
    return zero;
}
#endif

#define UNROLL _Pragma("GCC unroll 8")

enum { LINE = 64 /* bytes of a cache line */ };

/* 2^−s of the shift s of a segment. */
static const float shift_factor[] = {1, 0x1p-1F, 0x1p-2F, 0x1p-3F, 0x1p-4F, 0x1p-5F, 0x1p-6F, 0x1p-7F};

/* Where a kernel is in a band. */
typedef struct Reader {
    SinoBrickArrays at; /* of what comes next */
    int64_t visits;     /* that are left */
    float unit[SINO_BRICK_ROWS];
} Reader;

/* Where a kernel is in a group of bands. */
typedef struct Walk {
    Reader reader[SINO_BRICK_GROUP];
    const char *ahead;
    int64_t lines; /* of `ahead` for each segment */
} Walk;

static void begin(const SinoBrickWork *work, Walk *walk)
{
    const SinoBrickHead *head = work->head;
    int64_t segments = 1;
    for (int64_t b = 0; b < work->band_count; b++) {
        const SinoBrickBand *band = work->band[b];
        Reader *const reader = &walk->reader[b];
        reader->visits = band ? band->visit_count : 0;
        for (int row = 0; row < SINO_BRICK_ROWS; row++) reader->unit[row] = 1;
        if (!band) continue;
        (void)sino_brick_band_arrays(band, head->lanes, head->precision, &reader->at);
        segments += band->segment_count;
        const float *unit = reader->at.unit;
        for (int row = 0; row < SINO_BRICK_ROWS && head->precision == SINO_MIXED; row++)
            reader->unit[row] = band->rows >> row & 1 ? *unit++ : 0;
    }
    walk->ahead = work->ahead;
    walk->lines = sino_ceil_divide(work->ahead_bytes, LINE * segments);
}

/* The band whose next visit comes next; −1: no visits are left. */
SINO_INLINE int next_band(const SinoBrickWork *work, const Walk *walk)
{
    int next = -1;
    uint32_t first = UINT32_MAX;
    for (int b = 0; b < work->band_count; b++) {
        const Reader *reader = &walk->reader[b];
        if (reader->visits == 0 || *reader->at.first >= first) continue;
        next = b;
        first = *reader->at.first;
    }
    return next;
}

/* A visit, behind which the reader goes on. */
typedef struct Visit {
    int64_t first; /* brick */
    int segments;
} Visit;

SINO_INLINE Visit next_visit(Reader *reader)
{
    reader->visits--;
    return (Visit){*reader->at.first++, *reader->at.segments++ + 1};
}

SINO_INLINE void fetch_ahead(Walk *walk)
{
    for (int64_t i = 0; i < walk->lines; i++, walk->ahead += LINE) __builtin_prefetch(walk->ahead, 0, 2);
}

enum { LIST_PADDING = 8 };

/* A segment as a list of nonzeros, for kernels whose lanes are slices. Behind its `count` nonzeros the list has
 * LIST_PADDING more, of value 0 and the visit's first voxel, so that a kernel may take up to LIST_PADDING at a time. */
typedef struct List {
    int row; /* of the band */
    float factor;
    int64_t count;
    /* Each voxel's row after the visit's first one, times 2^shift. The kernel chooses the shift so that the processor
     * scales the number to an address within the load, without an instruction of its own. */
    uint16_t voxel[SINO_BRICK_TILE * SINO_BRICK_LANES + 32];
    float value[SINO_BRICK_TILE * SINO_BRICK_LANES + 32]; /* in units of `factor` */
} List;

#if defined __AVX2__ && !defined __AVX512VBMI2__
/* Tables of all bytes b. SET_BEFORE: how many bits of b are set before bit j. */
#define SET_BEFORE(b, j) __builtin_popcount((b) & ((1 << (j)) - 1))
#define FOUR(f, b)       f(b), f((b) + 1), f((b) + 2), f((b) + 3)
#define SIXTEEN(f, b)    FOUR(f, b), FOUR(f, (b) + 4), FOUR(f, (b) + 8), FOUR(f, (b) + 12)
#define SIXTY_FOUR(f, b) SIXTEEN(f, b), SIXTEEN(f, (b) + 16), SIXTEEN(f, (b) + 32), SIXTEEN(f, (b) + 48)
#define EACH_BYTE(f)     SIXTY_FOUR(f, 0), SIXTY_FOUR(f, 64), SIXTY_FOUR(f, 128), SIXTY_FOUR(f, 192)

/* The places of the set bits of a byte, one after another: bit j has the place j, or in interleaved lanes that of
 * sino_brick_lane_row. */
#define PLACE(b, j, place) ((b) >> (j)&1 ? (uint64_t)(place) << 8 * SET_BEFORE(b, j) : 0)
#define PLAIN(b)                                                                                                       \
    (PLACE(b, 0, 0) | PLACE(b, 1, 1) | PLACE(b, 2, 2) | PLACE(b, 3, 3) | PLACE(b, 4, 4) | PLACE(b, 5, 5) |             \
     PLACE(b, 6, 6) | PLACE(b, 7, 7))
#define PAIRED(b)                                                                                                      \
    (PLACE(b, 0, 0) | PLACE(b, 1, 16) | PLACE(b, 2, 1) | PLACE(b, 3, 17) | PLACE(b, 4, 2) | PLACE(b, 5, 18) |          \
     PLACE(b, 6, 3) | PLACE(b, 7, 19))

static const uint64_t plain_places[] = {EACH_BYTE(PLAIN)}, paired_places[] = {EACH_BYTE(PAIRED)};
#endif

/* Appends the voxels of the set bits of a mask, of a brick whose first voxel is `first`, times 2^shift. May write 32
 * numbers. */
#if defined __AVX512VBMI2__
SINO_INLINE void list_mask(bool interleaved, int shift, uint32_t mask, int64_t first, uint16_t *voxel)
{
    static const uint16_t plain[SINO_BRICK_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    static const uint16_t paired[SINO_BRICK_LANES] = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                                      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i lanes = _mm512_slli_epi16(_mm512_loadu_si512(interleaved ? paired : plain), (unsigned)shift);
    const __m512i all = _mm512_add_epi16(lanes, _mm512_set1_epi16((short)(first << shift)));
    _mm512_storeu_si512(voxel, _mm512_mask_compress_epi16(no_bits(), mask, all));
}
#elif defined __AVX2__
SINO_INLINE void list_mask(bool interleaved, int shift, uint32_t mask, int64_t first, uint16_t *voxel)
{
    const uint64_t *const places = interleaved ? paired_places : plain_places;
    UNROLL for (int64_t byte = 0; byte < 4; byte++)
    {
        const uint32_t bits = mask >> 8 * byte & 0xff;
        const __m128i lanes = _mm_cvtepu8_epi16(_mm_cvtsi64_si128((int64_t)places[bits]));
        const __m128i begin = _mm_set1_epi16((short)(first + byte * (interleaved ? 4 : 8)));
        _mm_storeu_si128((__m128i *)(void *)voxel, _mm_slli_epi16(_mm_add_epi16(lanes, begin), shift));
        voxel += __builtin_popcount(bits);
    }
}
#else
SINO_INLINE void list_mask(bool interleaved, int shift, uint32_t mask, int64_t first, uint16_t *voxel)
{
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        *voxel++ = (uint16_t)((first + (interleaved ? lane / 2 + lane % 2 * 16 : lane)) << shift);
    }
}
#endif

SINO_INLINE void list_values(int64_t precision, int64_t count, const void *from, float *to)
{
    if (precision == SINO_SINGLE)
        memcpy(to, from, (size_t)count * sizeof *to);
    else
        for (int64_t i = 0; i < count; i++) to[i] = ((const uint16_t *)from)[i];
}

/* Lists the voxels of consecutive bricks. Returns their number. */
SINO_INLINE int64_t list_bricks(int lanes, bool interleaved, int shift, int bricks, SinoBrickArrays at, uint16_t *voxel)
{
    int64_t count = 0;
    for (int i = 0; i < bricks; i++) {
        const uint32_t mask = lanes == 32 ? ((const uint32_t *)at.mask)[i] : ((const uint16_t *)at.mask)[i];
        list_mask(interleaved, shift, mask, (int64_t)at.brick[i] * lanes, voxel + count);
        count += __builtin_popcount(mask);
    }
    return count;
}

static int64_t list_voxels(const SinoBrickHead *head, int shift, int bricks, const SinoBrickArrays *at, uint16_t *voxel)
{
    if (head->lanes == 16) return list_bricks(16, false, shift, bricks, *at, voxel);
    if (head->precision == SINO_MIXED) return list_bricks(32, true, shift, bricks, *at, voxel);
    return list_bricks(32, false, shift, bricks, *at, voxel);
}

static void list_segment(const SinoBrickHead *head, int shift, Reader *reader, List *list)
{
    SinoBrickArrays *const at = &reader->at;
    const int segment = *at->segment++, bricks = (segment & 0xff) + 1;
    list->row = segment >> 8 & (SINO_BRICK_ROWS - 1);
    list->factor = reader->unit[list->row] * shift_factor[segment >> 13];
    const int64_t count = list_voxels(head, shift, bricks, at, list->voxel);
    list_values(head->precision, count, at->value, list->value);
    memset(list->voxel + count, 0, LIST_PADDING * sizeof *list->voxel);
    memset(list->value + count, 0, LIST_PADDING * sizeof *list->value);
    list->count = count;
    at->brick += bricks;
    at->mask = (char *)at->mask + (ptrdiff_t)bricks * (head->lanes / 8);
    at->value = (char *)at->value + count * (head->precision == SINO_SINGLE ? 4 : 2);
}

#define JOIN(a, b)     a##b
#define WIDE(a, width) JOIN(a, width)
#define NAME(a)        WIDE(a, WIDTH)

/* ---- one slice ---- */

#ifdef __AVX2__
/* What a kernel needs of a segment, beside its bricks. */
typedef struct Segment {
    int row, bricks;
    float factor;
} Segment;

SINO_INLINE Segment next_segment(Reader *reader)
{
    const int segment = *reader->at.segment++;
    return (Segment){segment >> 8 & (SINO_BRICK_ROWS - 1), (segment & 0xff) + 1, shift_factor[segment >> 13]};
}

SINO_INLINE uint32_t mask_of(int lanes, const SinoBrickArrays *at, int i)
{
    return lanes == 32 ? ((const uint32_t *)at->mask)[i] : ((const uint16_t *)at->mask)[i];
}

/* Goes on behind the bricks of a segment, of which the values end at `value`. */
SINO_INLINE void pass(int lanes, int bricks, const void *value, Reader *reader)
{
    reader->at.brick += bricks;
    reader->at.mask = (char *)reader->at.mask + (ptrdiff_t)bricks * (lanes / 8);
    reader->at.value = (void *)(uintptr_t)value;
}

#ifdef __AVX512F__
#include "brick_avx512_tmpl.c"
#else
#include "brick_avx2_tmpl.c"
#endif

SINO_INLINE void project_lanes(int lanes, bool mixed, const SinoBrickWork *work, const float *x, float *y)
{
    Sum sum[SINO_BRICK_GROUP_ROWS];
    Walk walk;
    begin(work, &walk);
    for (int64_t row = 0; row < work->band_count * SINO_BRICK_ROWS; row++) sum[row] = no_sum();
    for (int band = next_band(work, &walk); band >= 0; band = next_band(work, &walk)) {
        Reader *const reader = &walk.reader[band];
        const Visit visit = next_visit(reader);
        const float *const tile = x + visit.first * lanes;
        for (int i = 0; i < visit.segments; i++) {
            const Segment segment = next_segment(reader);
            Sum *const to = &sum[band * SINO_BRICK_ROWS + segment.row];
            const Sum part = gather_segment(lanes, mixed, segment.bricks, tile, reader);
            *to = add_part(*to, part, segment.factor);
            fetch_ahead(&walk);
        }
    }
    for (int64_t row = 0; row < work->band_count * SINO_BRICK_ROWS; row++)
        y[row] = walk.reader[row / SINO_BRICK_ROWS].unit[row % SINO_BRICK_ROWS] * total_of(sum[row]);
}

SINO_INLINE void backproject_lanes(int lanes, bool mixed, const SinoBrickWork *work, const float *y, float *x)
{
    Walk walk;
    begin(work, &walk);
    for (int64_t row = 0; row < work->band_count * SINO_BRICK_ROWS; row++)
        /* `begin` has set the units of every band. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        walk.reader[row / SINO_BRICK_ROWS].unit[row % SINO_BRICK_ROWS] *= y[row];
    for (int band = next_band(work, &walk); band >= 0; band = next_band(work, &walk)) {
        Reader *const reader = &walk.reader[band];
        const Visit visit = next_visit(reader);
        float *const tile = x + visit.first * lanes;
        for (int i = 0; i < visit.segments; i++) {
            const Segment segment = next_segment(reader);
            const float weight = reader->unit[segment.row] * segment.factor;
            scatter_segment(lanes, mixed, segment.bricks, weight, tile, reader);
            fetch_ahead(&walk);
        }
    }
}

static void project_1(const SinoBrickWork *work, const float *x, float *y)
{
    const bool mixed = work->head->precision == SINO_MIXED;
    if (work->head->lanes == 32 && mixed)
        project_lanes(32, true, work, x, y);
    else if (work->head->lanes == 32)
        project_lanes(32, false, work, x, y);
    else if (mixed)
        project_lanes(16, true, work, x, y);
    else
        project_lanes(16, false, work, x, y);
}

static void backproject_1(const SinoBrickWork *work, const float *y, float *x)
{
    const bool mixed = work->head->precision == SINO_MIXED;
    if (work->head->lanes == 32 && mixed)
        backproject_lanes(32, true, work, y, x);
    else if (work->head->lanes == 32)
        backproject_lanes(32, false, work, y, x);
    else if (mixed)
        backproject_lanes(16, true, work, y, x);
    else
        backproject_lanes(16, false, work, y, x);
}

#else
#define WIDTH 1
#include "brick_width_tmpl.c"
#endif

/* ---- several slices ---- */

#define WIDTH 2
#include "brick_width_tmpl.c"
#define WIDTH 4
#include "brick_width_tmpl.c"
#define WIDTH 8
#include "brick_width_tmpl.c"
#define WIDTH 16
#include "brick_width_tmpl.c"
#define WIDTH 32
#include "brick_width_tmpl.c"

static void project(const SinoBrickWork *work, int64_t width, const float *x, float *y)
{
    memset(y, 0, (size_t)sino_times(work->band_count * SINO_BRICK_ROWS, width) * sizeof *y);
    switch (width) {
    case 1:
        project_1(work, x, y);
        break;
    case 2:
        project_2(work, x, y);
        break;
    case 4:
        project_4(work, x, y);
        break;
    case 8:
        project_8(work, x, y);
        break;
    case 16:
        project_16(work, x, y);
        break;
    default:
        project_32(work, x, y);
        break;
    }
}

static void backproject(const SinoBrickWork *work, int64_t width, const float *y, float *x)
{
    switch (width) {
    case 1:
        backproject_1(work, y, x);
        break;
    case 2:
        backproject_2(work, y, x);
        break;
    case 4:
        backproject_4(work, y, x);
        break;
    case 8:
        backproject_8(work, y, x);
        break;
    case 16:
        backproject_16(work, y, x);
        break;
    default:
        backproject_32(work, y, x);
        break;
    }
}

#include "brick_turn_tmpl.c"

/* ---- comparison ---- */

/* ln y of y > 0: ln m + e · ln 2 with m in [√½, √2), and ln m = 2 artanh s, s = (m − 1)/(m + 1), as a series up to s¹⁵.
 */
SINO_INLINE double log_of(float y)
{
    const bool small = y < 0x1p-126F;
    const int32_t bits = (int32_t)sino_float_bits(small ? y * 0x1p24F : y);
    const int32_t exponent = (bits - 0x3f3504f3) >> 23; /* of y/√½ */
    const double m = (double)sino_float_of_bits((uint32_t)(bits - exponent * (1 << 23)));
    const double s = (m - 1) / (m + 1), q = s * s;
    const double series =
        1 + q * (1. / 3 + q * (1. / 5 + q * (1. / 7 + q * (1. / 9 + q * (1. / 11 + q * (1. / 13 + q * (1. / 15)))))));
    return (double)(exponent - (small ? 24 : 0)) * 0.69314718055994530942 + 2 * s * series;
}

enum { ELEMENTS = SINO_BRICK_ROWS * SINO_PANEL_MAX };

/* Terms of the sums of a band: [row][slice], 0 behind its last row. */
typedef struct Terms {
    double log[ELEMENTS], expected[ELEMENTS], lost[ELEMENTS], squared[ELEMENTS];
} Terms;

/* Adds up rows pairwise: the sums are in the first row. */
SINO_INLINE void add_rows(int64_t width, double *term)
{
    for (int64_t step = SINO_BRICK_ROWS / 2 * width; step >= width; step /= 2)
        /* Callers have set every row. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        for (int64_t i = 0; i < step; i++) term[i] += term[i + step];
}

/* factor[row][slice]: n of the row. */
static void repeat_rows(const SinoBrickComparison *with, float *factor)
{
    for (int64_t row = 0; row < with->row_count; row++)
        for (int64_t f = 0; f < with->width; f++)
            factor[row * with->width + f] = with->multiplicative ? with->multiplicative[row] : 1;
}

/* Rows without nonzeros and additive counts: what is expected is 0, and every count is lost. The same sums as below. */
static void add_lost(const SinoBrickComparison *with, SinoBrickSums *sums)
{
    const int64_t width = with->width, elements = with->row_count * width, all = SINO_BRICK_ROWS * width;
    double lost[ELEMENTS], squared[ELEMENTS];
    for (int64_t i = 0; i < elements; i++) {
        lost[i] = (double)with->counts[i];
        squared[i] = lost[i] * lost[i];
    }
    for (int64_t i = elements; i < all; i++) lost[i] = squared[i] = 0;
    add_rows(width, lost);
    add_rows(width, squared);
    for (int64_t f = 0; f < width; f++) {
        /* The loops above have set every term. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        sums[f].lost += lost[f];
        sums[f].squared += squared[f];
    }
}

static void compare(const SinoBrickComparison *with, float *y, SinoBrickSums *sums)
{
    if (with->empty && !with->additive) {
        add_lost(with, sums);
        return;
    }
    static const float none[ELEMENTS];
    const int64_t width = with->width, elements = with->row_count * width, all = SINO_BRICK_ROWS * width;
    const float *const counts = with->counts, *const additive = with->additive ? with->additive : none;
    float factor[ELEMENTS];
    Terms term;
    repeat_rows(with, factor);
    for (int64_t i = 0; i < elements; i++) {
        /* `repeat_rows` has set the factors. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        const float n = factor[i], g = counts[i], ybar = n * y[i] + additive[i];
        const bool seen = ybar > 0;
        const float divisor = seen ? ybar : 1, ratio = g / divisor;
        const double difference = (double)ybar - (double)g;
        y[i] = seen ? n * (ratio < 0x1p96F ? ratio : 0x1p96F) : 0;
        term.log[i] = seen ? (double)g * log_of(divisor) - (double)ybar : 0;
        term.expected[i] = (double)ybar;
        term.lost[i] = seen ? 0 : (double)g;
        term.squared[i] = difference * difference;
    }
    for (int64_t i = elements; i < all; i++) term.log[i] = term.expected[i] = term.lost[i] = term.squared[i] = 0;
    add_rows(width, term.log);
    add_rows(width, term.expected);
    add_rows(width, term.lost);
    add_rows(width, term.squared);
    for (int64_t f = 0; f < width; f++) {
        /* The loops above have set every term. NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        sums[f].log_likelihood += term.log[f];
        sums[f].expected += term.expected[f];
        sums[f].lost += term.lost[f];
        sums[f].squared += term.squared[f];
    }
}

const SinoBrickIsa SINO_ISA_OBJECT(sino_brick, SINO_ISA) = {
    .name = SINO_ISA_TEXT(SINO_ISA), .project = project, .backproject = backproject, .compare = compare, .turn = turn};
