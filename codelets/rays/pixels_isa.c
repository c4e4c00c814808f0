/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels of one instruction set, which SINO_ISA names.
 *
 * The pixels of a vector are neighbours in a row, and at most one column apart on the detector: they see a window of a
 * line, which is loaded whole and permuted in registers, so that nothing is gathered. The sums of a tile, or of a part
 * of it, stay in registers while all angles of the block are added. */
#include "pixels_isa.h"

#include "vector.h"

#include <math.h>
#include <stdbool.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 16")

/* ---- vectors of LANES pixels ---- */

/* The length at a distance: reach − slope·distance, in 0 … 1. It is 1 up to a distance `flat`, and 0 from `end` on. Of
 * strips: half the width of a column. */
typedef struct Weights {
    float reach, slope, half, flat, end;
} Weights;

SINO_INLINE Weights weights_of(float reach, float slope, float half)
{
    return (Weights){reach, slope, half, (reach - 1) / slope, reach / slope};
}

#if defined __AVX2__

#if defined __AVX512F__

enum { LANES = 16, ROWS = 16 /* of a tile, whose sums are in registers at a time */ };
typedef __m512 Pixels;
typedef __m512i Entries;
#define VECTOR(name) _mm512_##name

/* Entries 0 … 2·LANES − 1 of a window of two vectors. */
SINO_INLINE Pixels pick(Pixels a, Pixels b, Entries entry)
{
    return _mm512_permutex2var_ps(a, entry, b);
}

#else

enum { LANES = 8, ROWS = 4 };
typedef __m256 Pixels;
typedef __m256i Entries;
#define VECTOR(name) _mm256_##name

SINO_INLINE Pixels pick(Pixels a, Pixels b, Entries entry)
{
    const Pixels late = _mm256_castsi256_ps(_mm256_cmpgt_epi32(entry, _mm256_set1_epi32(7)));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, entry), _mm256_permutevar8x32_ps(b, entry), late);
}

#endif

SINO_INLINE Pixels load(const float *from)
{
    return VECTOR(loadu_ps)(from);
}

SINO_INLINE void store(float *to, Pixels pixels)
{
    VECTOR(storeu_ps)(to, pixels);
}

SINO_INLINE Pixels zero(void)
{
    return VECTOR(setzero_ps)();
}

/* The neighbours of places in a line, and how far the places are from the left ones. */
typedef struct Seen {
    Pixels left, right, share;
    Entries entry; /* of the left ones in the window */
} Seen;

/* The values `further` entries from the left ones. */
SINO_INLINE Pixels pick_at(Seen seen, int further, const float *window)
{
    return pick(load(window), load(window + LANES), VECTOR(add_epi32)(seen.entry, VECTOR(set1_epi32)(further)));
}

/* Of the places `lane + first` in the line from `window`. */
SINO_INLINE Seen see(Pixels lane, float first, const float *window)
{
    const Pixels a = load(window), b = load(window + LANES), at = VECTOR(add_ps)(lane, VECTOR(set1_ps)(first));
    const Entries left = VECTOR(cvttps_epi32)(at), right = VECTOR(add_epi32)(left, VECTOR(set1_epi32)(1));
    return (Seen){pick(a, b, left), pick(a, b, right), VECTOR(sub_ps)(at, VECTOR(cvtepi32_ps)(left)), left};
}

/* Adds the values at such places, linearly between neighbours. */
SINO_INLINE Pixels take(Pixels sum, Pixels lane, float first, const float *window)
{
    const Seen seen = see(lane, first, window);
    return VECTOR(fmadd_ps)(seen.share, VECTOR(sub_ps)(seen.right, seen.left), VECTOR(add_ps)(sum, seen.left));
}

SINO_INLINE Pixels clamp(Pixels weight)
{
    return VECTOR(min_ps)(VECTOR(max_ps)(weight, zero()), VECTOR(set1_ps)(1));
}

/* Adds both neighbours, with lengths as weights. */
SINO_INLINE Pixels take_lengths(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    const Seen seen = see(lane, first, window);
    const Pixels slope = VECTOR(set1_ps)(weights.slope);
    const Pixels of_left = clamp(VECTOR(fnmadd_ps)(seen.share, slope, VECTOR(set1_ps)(weights.reach)));
    const Pixels of_right = clamp(VECTOR(fmadd_ps)(seen.share, slope, VECTOR(set1_ps)(weights.reach - weights.slope)));
    return VECTOR(fmadd_ps)(of_right, seen.right, VECTOR(fmadd_ps)(of_left, seen.left, sum));
}

SINO_INLINE Pixels within(Pixels distance, float most)
{
    return VECTOR(min_ps)(VECTOR(max_ps)(distance, VECTOR(set1_ps)(-most)), VECTOR(set1_ps)(most));
}

/* The integral of the length from 0 to a distance. */
SINO_INLINE Pixels integral(Pixels distance, Weights weights)
{
    const Pixels in = within(distance, weights.end), over = VECTOR(sub_ps)(in, within(in, weights.flat));
    const Pixels size = VECTOR(max_ps)(over, VECTOR(sub_ps)(zero(), over));
    return VECTOR(fnmadd_ps)(VECTOR(mul_ps)(over, size), VECTOR(set1_ps)(weights.slope / 2), in);
}

/* The same of a distance from −flat on. */
SINO_INLINE Pixels integral_of_far(Pixels distance, Weights weights)
{
    const Pixels in = VECTOR(min_ps)(distance, VECTOR(set1_ps)(weights.end));
    const Pixels over = VECTOR(max_ps)(VECTOR(sub_ps)(in, VECTOR(set1_ps)(weights.flat)), zero());
    return VECTOR(fnmadd_ps)(VECTOR(mul_ps)(over, over), VECTOR(set1_ps)(weights.slope / 2), in);
}

/* Adds the three columns that see a pixel, of which `left` is the first: the borders between them are `share` before
 * and 1 − share behind the pixel's middle. */
SINO_INLINE Pixels take_strips(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    const Seen seen = see(lane, first, window);
    const Pixels a = integral_of_far(seen.share, weights);
    const Pixels b = integral_of_far(VECTOR(sub_ps)(VECTOR(set1_ps)(1), seen.share), weights);
    const Pixels last = pick_at(seen, 2, window);
    const Pixels all = VECTOR(set1_ps)((weights.end + weights.flat) / 2);
    sum = VECTOR(fmadd_ps)(all, VECTOR(add_ps)(seen.left, last), sum);
    sum = VECTOR(fmadd_ps)(a, VECTOR(sub_ps)(seen.right, seen.left), sum);
    return VECTOR(fmadd_ps)(b, VECTOR(sub_ps)(seen.right, last), sum);
}

/* Adds the four pixels of a row that a column can see, of which `left` is the second. No pixel that is seen ends more
 * than one place from its middle, so that of the outer ones only the nearer border of the column matters. */
SINO_INLINE Pixels cross_strips(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    const Seen seen = see(lane, first, window);
    const Pixels half = VECTOR(set1_ps)(weights.half), one = VECTOR(set1_ps)(1);
    const Pixels all = VECTOR(set1_ps)((weights.end + weights.flat) / 2);
    const Pixels a = seen.share, b = VECTOR(sub_ps)(one, a); /* distances of left and right */
    const Pixels w = VECTOR(sub_ps)(all, integral_of_far(VECTOR(add_ps)(a, VECTOR(sub_ps)(one, half)), weights));
    const Pixels x =
        VECTOR(add_ps)(integral_of_far(VECTOR(add_ps)(half, a), weights), integral(VECTOR(sub_ps)(half, a), weights));
    const Pixels y =
        VECTOR(add_ps)(integral_of_far(VECTOR(add_ps)(half, b), weights), integral(VECTOR(sub_ps)(half, b), weights));
    const Pixels z = VECTOR(sub_ps)(all, integral_of_far(VECTOR(add_ps)(b, VECTOR(sub_ps)(one, half)), weights));
    sum = VECTOR(fmadd_ps)(w, pick_at(seen, -1, window), VECTOR(fmadd_ps)(x, seen.left, sum));
    return VECTOR(fmadd_ps)(y, seen.right, VECTOR(fmadd_ps)(z, pick_at(seen, 2, window), sum));
}

#else

enum { LANES = 16, ROWS = 1 };
typedef struct Pixels {
    float at[LANES];
} Pixels;

SINO_INLINE Pixels load(const float *from)
{
    Pixels pixels;
    for (int i = 0; i < LANES; i++) pixels.at[i] = from[i];
    return pixels;
}

SINO_INLINE void store(float *to, Pixels pixels)
{
    for (int i = 0; i < LANES; i++) to[i] = pixels.at[i];
}

SINO_INLINE Pixels take(Pixels sum, Pixels lane, float first, const float *window)
{
    for (int i = 0; i < LANES; i++) {
        const float at = lane.at[i] + first;
        const int left = (int)at;
        sum.at[i] += window[left] + (at - (float)left) * (window[left + 1] - window[left]);
    }
    return sum;
}

SINO_INLINE Pixels zero(void)
{
    return (Pixels){{0}};
}

SINO_INLINE float clamp(float weight)
{
    return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

SINO_INLINE Pixels take_lengths(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    for (int i = 0; i < LANES; i++) {
        const float at = lane.at[i] + first;
        const int left = (int)at;
        const float share = at - (float)left;
        sum.at[i] += clamp(weights.reach - weights.slope * share) * window[left];
        sum.at[i] += clamp(weights.reach - weights.slope + weights.slope * share) * window[left + 1];
    }
    return sum;
}

SINO_INLINE float within(float distance, float most)
{
    return distance < -most ? -most : distance > most ? most : distance;
}

/* The integral of the length from 0 to a distance. */
SINO_INLINE float integral(float distance, Weights weights)
{
    const float in = within(distance, weights.end), over = in - within(in, weights.flat);
    return in - weights.slope / 2 * over * (over < 0 ? -over : over);
}

/* Adds the three columns that see a pixel, of which `left` is the first: the borders between them are `share` before
 * and 1 − share behind the pixel's middle. */
SINO_INLINE Pixels take_strips(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    const float all = (weights.end + weights.flat) / 2;
    for (int i = 0; i < LANES; i++) {
        const float at = lane.at[i] + first;
        const float *const left = window + (int)at;
        const float share = at - (float)(int)at;
        sum.at[i] += all * (left[0] + left[2]) + integral(share, weights) * (left[1] - left[0]) +
                     integral(1 - share, weights) * (left[1] - left[2]);
    }
    return sum;
}

/* Adds the four pixels of a row that a column can see, of which `left` is the second. */
SINO_INLINE Pixels cross_strips(Pixels sum, Pixels lane, float first, const float *window, Weights weights)
{
    for (int i = 0; i < LANES; i++) {
        const float at = lane.at[i] + first;
        const int left = (int)at;
        for (int j = left - 1; j <= left + 2; j++) {
            const float distance = (float)j - at;
            sum.at[i] +=
                window[j] * (integral(distance + weights.half, weights) - integral(distance - weights.half, weights));
        }
    }
    return sum;
}

#endif

enum { VECTORS = SINO_TILE / LANES /* of a row of the tile */ };

/* Where the vectors of a tile's rows begin on the lines: the entry of the first pixel or, where the cosine is negative,
 * of the last one, and the rest. */
typedef struct Places {
    int32_t entry[SINO_PIXELS_ANGLES][VECTORS][SINO_TILE];
    float rest[SINO_PIXELS_ANGLES][VECTORS][SINO_TILE];
    float lane[SINO_PIXELS_ANGLES][LANES]; /* of each pixel of a vector, from there */
} Places;

static void place(const SinoPixelsLines *lines, int row, int column, Places *places)
{
    for (int64_t k = 0; k < lines->angle_count; k++) {
        const float c = lines->cosine[k], s = lines->sine[k], before = c < 0 ? (LANES - 1) * c : 0;
        for (int i = 0; i < LANES; i++) places->lane[k][i] = (float)i * c - before;
        for (int v = 0; v < VECTORS; v++) {
            const float first = lines->first[k] + (float)(column * SINO_TILE + v * LANES) * c + before;
            for (int i = 0; i < SINO_TILE; i++) {
                const float at = first - (float)(row * SINO_TILE + i) * s;
                const int32_t entry = (int32_t)at;
                places->entry[k][v][i] = entry;
                places->rest[k][v][i] = at - (float)entry;
            }
        }
    }
}

SINO_INLINE void add_with(const SinoPixelsLines *lines, SinoPixelWeights kind, int row, int column, float *sum)
{
    Places places;
    place(lines, row, column, &places);
    for (int first = 0; first < SINO_TILE; first += ROWS) {
        Pixels pixels[ROWS][VECTORS];
        float *const at = sum + (ptrdiff_t)first * SINO_TILE;
        UNROLL for (int i = 0; i < ROWS * VECTORS; i++) pixels[i / VECTORS][i % VECTORS] =
            load(at + (ptrdiff_t)i * LANES);
        for (int64_t k = 0; k < lines->angle_count; k++) {
            const Pixels lane = load(places.lane[k]);
            const Weights weights = weights_of(lines->reach[k], lines->slope[k], 0.5F);
            UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int v = 0; v < VECTORS; v++)
            {
                const float rest = places.rest[k][v][first + i];
                const float *const window = lines->line[k] + places.entry[k][v][first + i];
                pixels[i][v] = kind == SINO_PIXELS_LINEAR    ? take(pixels[i][v], lane, rest, window)
                               : kind == SINO_PIXELS_LENGTHS ? take_lengths(pixels[i][v], lane, rest, window, weights)
                                                             : take_strips(pixels[i][v], lane, rest, window, weights);
            }
        }
        UNROLL for (int i = 0; i < ROWS * VECTORS; i++)
            store(at + (ptrdiff_t)i * LANES, pixels[i / VECTORS][i % VECTORS]);
    }
}

static void add_linear(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, SINO_PIXELS_LINEAR, row, column, sum);
}

static void add_lengths(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, SINO_PIXELS_LENGTHS, row, column, sum);
}

static void add_strips(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, SINO_PIXELS_STRIPS, row, column, sum);
}

/* ---- projection ---- */

/* Rows first … end − 1 of an image. */
typedef struct Rows {
    int first, end;
} Rows;

/* The rows that rays meet whose places in row 0 are `least` and up to `span` more, and at most two others: their
 * windows begin within the row's zeros. */
static Rows rows_of(double least, double span, double row)
{
    const double low = -span, high = SINO_PIXELS_SIDE; /* of the place that is least */
    if (fabs(row) * SINO_PIXELS_SIDE < 1e-3)
        return (Rows){0, least > low - 1 && least < high + 1 ? SINO_PIXELS_SIDE : 0};
    const double a = (low - least) / row, b = (high - least) / row;
    const double first = fmax(0, floor(fmin(a, b))), end = fmin(SINO_PIXELS_SIDE, ceil(fmax(a, b)) + 1);
    return end > first ? (Rows){(int)first, (int)end} : (Rows){0};
}

SINO_INLINE void project_with(const SinoPixelsImage image, bool strips, SinoPixelsRays *rays)
{
    const Weights weights = weights_of(rays->reach, rays->slope, rays->half);
    const double before = rays->ray < 0 ? (LANES - 1) * rays->ray : 0;
    float of_lane[LANES], rest[SINO_PIXELS_SIDE];
    int32_t
        entry[SINO_PIXELS_SIDE]; /* of each row: where the window begins, and how far the least place is from there */
    for (int i = 0; i < LANES; i++) of_lane[i] = (float)(i * rays->ray - before);
    const Pixels lane = load(of_lane);
    for (int64_t v = 0; v < rays->count; v += LANES) {
        const double least = rays->first + (double)v * rays->ray + before;
        /* A column sees a pixel more on either side. */
        const double span = (LANES - 1) * fabs(rays->ray) + 1;
        const Rows rows = strips ? rows_of(least - 1, span + 2, rays->row) : rows_of(least, span, rays->row);
        Pixels sum = zero();
        for (int r = rows.first; r < rows.end; r++) {
            const double at = SINO_PIXELS_ROOM + least + r * rays->row;
            entry[r] = (int32_t)at - strips;
            rest[r] = (float)(at - entry[r]);
        }
        for (int r = rows.first; r < rows.end; r++) {
            const float *const window = image[r] + entry[r];
            sum = strips ? cross_strips(sum, lane, rest[r], window, weights)
                         : take_lengths(sum, lane, rest[r], window, weights);
        }
        store(rays->sum + v, sum);
    }
}

static void project_lengths(const SinoPixelsImage image, SinoPixelsRays *rays)
{
    project_with(image, false, rays);
}

static void project_strips(const SinoPixelsImage image, SinoPixelsRays *rays)
{
    project_with(image, true, rays);
}

#define TEXT(name)       #name
#define ISA_TEXT(name)   TEXT(name)
#define PASTE(a, b)      a##b
#define ISA_OBJECT(name) PASTE(sino_pixels_, name)

const SinoPixelsIsa ISA_OBJECT(SINO_ISA) = {
    .name = ISA_TEXT(SINO_ISA),
    .add = {[SINO_PIXELS_LINEAR] = add_linear, [SINO_PIXELS_LENGTHS] = add_lengths, [SINO_PIXELS_STRIPS] = add_strips},
    .project = {[SINO_PIXELS_LENGTHS] = project_lengths, [SINO_PIXELS_STRIPS] = project_strips}};
