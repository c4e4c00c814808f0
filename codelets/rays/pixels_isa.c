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

/* Of the neighbours of a place: reach − slope·distance, in 0 … 1. */
typedef struct Weights {
    float reach, slope;
} Weights;

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
    Entries left, right;
    Pixels share;
} Seen;

/* Of the places `lane + first`. */
SINO_INLINE Seen see(Pixels lane, float first)
{
    const Pixels at = VECTOR(add_ps)(lane, VECTOR(set1_ps)(first));
    const Entries left = VECTOR(cvttps_epi32)(at);
    return (Seen){left, VECTOR(add_epi32)(left, VECTOR(set1_epi32)(1)), VECTOR(sub_ps)(at, VECTOR(cvtepi32_ps)(left))};
}

/* Adds the values at such places of the line from `window`, linearly between neighbours. */
SINO_INLINE Pixels take(Pixels sum, Seen seen, const float *window)
{
    const Pixels a = load(window), b = load(window + LANES), left = pick(a, b, seen.left);
    const Pixels rise = VECTOR(sub_ps)(pick(a, b, seen.right), left);
    return VECTOR(fmadd_ps)(seen.share, rise, VECTOR(add_ps)(sum, left));
}

/* Lengths in the pixels of the rays of both neighbours. */
typedef struct Lengths {
    Pixels left, right;
} Lengths;

SINO_INLINE Pixels clamp(Pixels weight)
{
    return VECTOR(min_ps)(VECTOR(max_ps)(weight, zero()), VECTOR(set1_ps)(1));
}

SINO_INLINE Lengths lengths_of(Seen seen, Weights weights)
{
    const Pixels slope = VECTOR(set1_ps)(weights.slope);
    return (Lengths){clamp(VECTOR(fnmadd_ps)(seen.share, slope, VECTOR(set1_ps)(weights.reach))),
                     clamp(VECTOR(fmadd_ps)(seen.share, slope, VECTOR(set1_ps)(weights.reach - weights.slope)))};
}

/* Adds both neighbours, with lengths as weights. */
SINO_INLINE Pixels take_lengths(Pixels sum, Seen seen, Lengths lengths, const float *window)
{
    const Pixels a = load(window), b = load(window + LANES);
    sum = VECTOR(fmadd_ps)(lengths.left, pick(a, b, seen.left), sum);
    return VECTOR(fmadd_ps)(lengths.right, pick(a, b, seen.right), sum);
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

SINO_INLINE Pixels zero(void)
{
    return (Pixels){{0}};
}

typedef struct Seen {
    int left[LANES];
    float share[LANES];
} Seen;

SINO_INLINE Seen see(Pixels lane, float first)
{
    Seen seen;
    for (int i = 0; i < LANES; i++) {
        seen.left[i] = (int)(lane.at[i] + first);
        seen.share[i] = lane.at[i] + first - (float)seen.left[i];
    }
    return seen;
}

SINO_INLINE Pixels take(Pixels sum, Seen seen, const float *window)
{
    for (int i = 0; i < LANES; i++) {
        const float *const left = window + seen.left[i];
        sum.at[i] += left[0] + seen.share[i] * (left[1] - left[0]);
    }
    return sum;
}

typedef struct Lengths {
    float left[LANES], right[LANES];
} Lengths;

SINO_INLINE float clamp(float weight)
{
    return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

SINO_INLINE Lengths lengths_of(Seen seen, Weights weights)
{
    Lengths lengths;
    for (int i = 0; i < LANES; i++) {
        lengths.left[i] = clamp(weights.reach - weights.slope * seen.share[i]);
        lengths.right[i] = clamp(weights.reach - weights.slope + weights.slope * seen.share[i]);
    }
    return lengths;
}

SINO_INLINE Pixels take_lengths(Pixels sum, Seen seen, Lengths lengths, const float *window)
{
    for (int i = 0; i < LANES; i++) {
        sum.at[i] += lengths.left[i] * window[seen.left[i]];
        sum.at[i] += lengths.right[i] * window[seen.left[i] + 1];
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

/* The loop over angles, whose sums are `rows` rows of every slice. */
SINO_INLINE void add_slices(const SinoPixelsLines *lines, bool lengths, int slices, const Places *places, float *sum)
{
    const int rows = ROWS / slices > 0 ? ROWS / slices : 1;
    for (int first = 0; first < SINO_TILE; first += rows) {
        Pixels pixels[SINO_PIXELS_SLICES * ROWS][VECTORS]; /* of row i of slice s: s·rows + i */
        UNROLL for (int i = 0; i < slices * rows; i++) UNROLL for (int v = 0; v < VECTORS; v++) pixels[i][v] =
            load(sum + i / rows * SINO_TILE_VOXELS + (first + i % rows) * SINO_TILE + v * LANES);
        for (int64_t k = 0; k < lines->angle_count; k++) {
            const Pixels lane = load(places->lane[k]);
            const Weights weights = {lines->reach[k], lines->slope[k]};
            UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < VECTORS; v++)
            {
                const Seen seen = see(lane, places->rest[k][v][first + i]);
                const Lengths of = lengths_of(seen, weights);
                UNROLL for (int s = 0; s < slices; s++)
                {
                    Pixels *const at = &pixels[s * rows + i][v];
                    const float *const window = lines->line[s][k] + places->entry[k][v][first + i];
                    *at = lengths ? take_lengths(*at, seen, of, window) : take(*at, seen, window);
                }
            }
        }
        UNROLL for (int i = 0; i < slices * rows; i++) UNROLL for (int v = 0; v < VECTORS; v++)
            store(sum + i / rows * SINO_TILE_VOXELS + (first + i % rows) * SINO_TILE + v * LANES, pixels[i][v]);
    }
}

SINO_INLINE void add_with(const SinoPixelsLines *lines, bool lengths, int row, int column, float *sum)
{
    Places places;
    place(lines, row, column, &places);
    switch (lines->slice_count) {
    case 1:
        add_slices(lines, lengths, 1, &places, sum);
        break;
    case 2:
        add_slices(lines, lengths, 2, &places, sum);
        break;
    default:
        add_slices(lines, lengths, SINO_PIXELS_SLICES, &places, sum);
    }
}

static void add(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, false, row, column, sum);
}

static void add_lengths(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, true, row, column, sum);
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

SINO_INLINE void project_slices(const SinoPixelsImage *image, int slices, SinoPixelsRays *rays)
{
    const Weights weights = {rays->reach, rays->slope};
    const double before = rays->ray < 0 ? (LANES - 1) * rays->ray : 0;
    float of_lane[LANES], rest[SINO_PIXELS_SIDE];
    int32_t
        entry[SINO_PIXELS_SIDE]; /* of each row: where the window begins, and how far the least place is from there */
    for (int i = 0; i < LANES; i++) of_lane[i] = (float)(i * rays->ray - before);
    const Pixels lane = load(of_lane);
    for (int64_t v = 0; v < rays->count; v += LANES) {
        const double least = rays->first + (double)v * rays->ray + before;
        const Rows rows = rows_of(least, (LANES - 1) * fabs(rays->ray) + 1, rays->row);
        Pixels sum[SINO_PIXELS_SLICES];
        UNROLL for (int s = 0; s < slices; s++) sum[s] = zero();
        for (int r = rows.first; r < rows.end; r++) {
            const double at = SINO_PIXELS_ROOM + least + r * rays->row;
            entry[r] = (int32_t)at;
            rest[r] = (float)(at - entry[r]);
        }
        for (int r = rows.first; r < rows.end; r++) {
            const Seen seen = see(lane, rest[r]);
            const Lengths lengths = lengths_of(seen, weights);
            UNROLL for (int s = 0; s < slices; s++) sum[s] =
                take_lengths(sum[s], seen, lengths, image[s][r] + entry[r]);
        }
        UNROLL for (int s = 0; s < slices; s++) store(rays->sum[s] + v, sum[s]);
    }
}

static void project(const SinoPixelsImage *image, SinoPixelsRays *rays)
{
    switch (rays->slice_count) {
    case 1:
        project_slices(image, 1, rays);
        break;
    case 2:
        project_slices(image, 2, rays);
        break;
    default:
        project_slices(image, SINO_PIXELS_SLICES, rays);
    }
}

#define TEXT(name)       #name
#define ISA_TEXT(name)   TEXT(name)
#define PASTE(a, b)      a##b
#define ISA_OBJECT(name) PASTE(sino_pixels_, name)

const SinoPixelsIsa ISA_OBJECT(SINO_ISA) = {
    .name = ISA_TEXT(SINO_ISA), .add = add, .add_lengths = add_lengths, .project = project};
