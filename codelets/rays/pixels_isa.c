/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels of one instruction set, which SINO_ISA names.
 *
 * The pixels of a vector are neighbours in a row, and at most one column apart on the detector: they see a window of a
 * line, which is loaded whole and permuted in registers, so that nothing is gathered. The sums of a tile, or of a part
 * of it, stay in registers while all angles of the block are added. */
#include "pixels_isa.h"

#include "vector.h"

#include <math.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 16")

/* ---- vectors of LANES pixels ---- */

#if defined __AVX512F__

enum { LANES = 16, ROWS = 16 /* of a tile, whose sums are in registers at a time */ };
typedef __m512 Pixels;

SINO_INLINE Pixels load(const float *from)
{
    return _mm512_loadu_ps(from);
}

SINO_INLINE void store(float *to, Pixels pixels)
{
    _mm512_storeu_ps(to, pixels);
}

/* Adds what pixels see at `lane + first` in the line from `window`. */
SINO_INLINE Pixels take(Pixels sum, Pixels lane, float first, const float *window)
{
    const Pixels a = load(window), b = load(window + 16), at = _mm512_add_ps(lane, _mm512_set1_ps(first));
    const __m512i left = _mm512_cvttps_epi32(at), right = _mm512_add_epi32(left, _mm512_set1_epi32(1));
    const Pixels of_left = _mm512_permutex2var_ps(a, left, b), of_right = _mm512_permutex2var_ps(a, right, b);
    const Pixels share = _mm512_sub_ps(at, _mm512_cvtepi32_ps(left));
    return _mm512_fmadd_ps(share, _mm512_sub_ps(of_right, of_left), _mm512_add_ps(sum, of_left));
}

#elif defined __AVX2__

enum { LANES = 8, ROWS = 4 };
typedef __m256 Pixels;

SINO_INLINE Pixels load(const float *from)
{
    return _mm256_loadu_ps(from);
}

SINO_INLINE void store(float *to, Pixels pixels)
{
    _mm256_storeu_ps(to, pixels);
}

SINO_INLINE Pixels pick(Pixels a, Pixels b, __m256i entry)
{
    const Pixels late = _mm256_castsi256_ps(_mm256_cmpgt_epi32(entry, _mm256_set1_epi32(7)));
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, entry), _mm256_permutevar8x32_ps(b, entry), late);
}

SINO_INLINE Pixels take(Pixels sum, Pixels lane, float first, const float *window)
{
    const Pixels a = load(window), b = load(window + 8), at = _mm256_add_ps(lane, _mm256_set1_ps(first));
    const __m256i left = _mm256_cvttps_epi32(at), right = _mm256_add_epi32(left, _mm256_set1_epi32(1));
    const Pixels of_left = pick(a, b, left), of_right = pick(a, b, right);
    const Pixels share = _mm256_sub_ps(at, _mm256_cvtepi32_ps(left));
    return _mm256_fmadd_ps(share, _mm256_sub_ps(of_right, of_left), _mm256_add_ps(sum, of_left));
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

static void add(const SinoPixelsLines *lines, int row, int column, float *sum)
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
            UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int v = 0; v < VECTORS; v++) pixels[i][v] =
                take(pixels[i][v], lane, places.rest[k][v][first + i], lines->line[k] + places.entry[k][v][first + i]);
        }
        UNROLL for (int i = 0; i < ROWS * VECTORS; i++)
            store(at + (ptrdiff_t)i * LANES, pixels[i / VECTORS][i % VECTORS]);
    }
}

#define TEXT(name)       #name
#define ISA_TEXT(name)   TEXT(name)
#define PASTE(a, b)      a##b
#define ISA_OBJECT(name) PASTE(sino_pixels_, name)

const SinoPixelsIsa ISA_OBJECT(SINO_ISA) = {.name = ISA_TEXT(SINO_ISA), .add = add};
