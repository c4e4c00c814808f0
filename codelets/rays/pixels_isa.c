/* SPDX-License-Identifier: BSD-3-Clause */
/* Pixels of one instruction set, which SINO_ISA names.
 *
 * The pixels of a vector are neighbours in a row, and at most one column apart on the detector: they see a window of a
 * line, which is loaded whole and permuted in registers, so that nothing is gathered. The sums of a tile, or of a part
 * of it, stay in registers while all angles of the block are added. */
#include "pixels_isa.h"

#include "vector.h"

#include <math.h>
#include <string.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 16")

/* ---- vectors of LANES pixels ---- */

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

SINO_INLINE Pixels all(float value)
{
    return VECTOR(set1_ps)(value);
}

SINO_INLINE Pixels sum_of(Pixels a, Pixels b)
{
    return VECTOR(add_ps)(a, b);
}

SINO_INLINE Pixels difference(Pixels a, Pixels b)
{
    return VECTOR(sub_ps)(a, b);
}

SINO_INLINE Pixels smaller(Pixels a, Pixels b)
{
    return VECTOR(min_ps)(a, b);
}

SINO_INLINE Pixels larger(Pixels a, Pixels b)
{
    return VECTOR(max_ps)(a, b);
}

/* sum + a·b */
SINO_INLINE Pixels plus(Pixels sum, Pixels a, Pixels b)
{
    return VECTOR(fmadd_ps)(a, b, sum);
}

/* sum − a·b */
SINO_INLINE Pixels minus(Pixels sum, Pixels a, Pixels b)
{
    return VECTOR(fnmadd_ps)(a, b, sum);
}

SINO_INLINE Entries whole(Pixels at)
{
    return VECTOR(cvttps_epi32)(at);
}

SINO_INLINE Pixels values(Entries entry)
{
    return VECTOR(cvtepi32_ps)(entry);
}

/* The values of a window `further` than the entries. */
SINO_INLINE Pixels value_at(const float *window, Entries entry, int further)
{
    if (further != 0) entry = VECTOR(add_epi32)(entry, VECTOR(set1_epi32)(further));
    return pick(load(window), load(window + LANES), entry);
}

#else

/* gcc takes 25 s to compile structures of arrays, and 4 s to compile vectors. */
enum { LANES = 16, ROWS = 1, BYTES = 4 * LANES };
typedef float Pixels __attribute__((vector_size(BYTES), aligned(4)));
typedef int32_t Entries __attribute__((vector_size(BYTES), aligned(4)));

SINO_INLINE Pixels load(const float *from)
{
    Pixels pixels;
    memcpy(&pixels, from, sizeof pixels);
    return pixels;
}

SINO_INLINE void store(float *to, Pixels pixels)
{
    memcpy(to, &pixels, sizeof pixels);
}

SINO_INLINE Pixels all(float value)
{
    return value - (Pixels){0};
}

SINO_INLINE Pixels sum_of(Pixels a, Pixels b)
{
    return a + b;
}

SINO_INLINE Pixels difference(Pixels a, Pixels b)
{
    return a - b;
}

SINO_INLINE Pixels choose(Entries condition, Pixels a, Pixels b)
{
    return (Pixels)((condition & (Entries)a) | (~condition & (Entries)b));
}

SINO_INLINE Pixels smaller(Pixels a, Pixels b)
{
    return choose(a < b, a, b);
}

SINO_INLINE Pixels larger(Pixels a, Pixels b)
{
    return choose(a > b, a, b);
}

SINO_INLINE Pixels plus(Pixels sum, Pixels a, Pixels b)
{
    return sum + a * b;
}

SINO_INLINE Pixels minus(Pixels sum, Pixels a, Pixels b)
{
    return sum - a * b;
}

SINO_INLINE Entries whole(Pixels at)
{
    return __builtin_convertvector(at, Entries);
}

SINO_INLINE Pixels values(Entries entry)
{
    return __builtin_convertvector(entry, Pixels);
}

SINO_INLINE Pixels value_at(const float *window, Entries entry, int further)
{
    Pixels result = {0};
    UNROLL for (int i = 0; i < LANES; i++) result[i] = window[entry[i] + further];
    return result;
}

#endif

/* ---- weights of neighbours ---- */

/* The left neighbours of places in a line, and how far the places are from them. */
typedef struct Seen {
    Entries left;
    Pixels share;
} Seen;

/* Of the places `lane + first`. */
SINO_INLINE Seen see(Pixels lane, float first)
{
    const Pixels at = sum_of(lane, all(first));
    const Entries left = whole(at);
    return (Seen){left, difference(at, values(left))};
}

/* Adds the values at such places of the line from `window`, linearly between neighbours. */
SINO_INLINE Pixels take(Pixels sum, Seen seen, const float *window)
{
    const Pixels left = value_at(window, seen.left, 0);
    return plus(sum_of(sum, left), seen.share, difference(value_at(window, seen.left, 1), left));
}

/* The length of a ray in a pixel at a distance: reach − slope·distance, in 0 … 1. It is 1 up to a distance `flat`, and
 * 0 from `end` on; `most` is its integral from 0 on. half: of the width of a column. */
typedef struct Footprint {
    float reach, slope, flat, end, most, half;
} Footprint;

SINO_INLINE Footprint footprint_of(float reach, float slope, float half)
{
    const float flat = (reach - 1) / slope, end = reach / slope;
    return (Footprint){reach, slope, flat, end, (flat + end) / 2, half};
}

/* Neighbours of a place have weights: LENGTHS, the two rays or pixels around it; COLUMNS, the three columns that see a
 * pixel, of which the left one is the first; CROSSED, the four pixels of a row that a column can see, likewise. */
typedef enum Neighbours { LINEAR, LENGTHS, COLUMNS, CROSSED } Neighbours;
enum { NEIGHBOURS_MOST = 4 };

typedef struct Weights {
    Pixels of[NEIGHBOURS_MOST];
} Weights;

SINO_INLINE int count_of(Neighbours kind)
{
    return kind == CROSSED ? 4 : kind == COLUMNS ? 3 : 2;
}

SINO_INLINE Pixels within(Pixels distance, float low, float high)
{
    return smaller(larger(distance, all(low)), all(high));
}

SINO_INLINE Weights lengths_of(Seen seen, Footprint print)
{
    const Pixels slope = all(print.slope);
    return (Weights){{within(minus(all(print.reach), seen.share, slope), 0, 1),
                      within(plus(all(print.reach - print.slope), seen.share, slope), 0, 1)}};
}

/* The integral of the length from 0 to a distance. */
SINO_INLINE Pixels integral(Pixels distance, Footprint print)
{
    const Pixels in = within(distance, -print.end, print.end);
    const Pixels over = difference(in, within(in, -print.flat, print.flat));
    const Pixels size = larger(over, difference(all(0), over));
    return minus(in, plus(all(0), over, size), all(print.slope / 2));
}

/* The same of a distance from −flat on. */
SINO_INLINE Pixels integral_of_far(Pixels distance, Footprint print)
{
    const Pixels in = smaller(distance, all(print.end));
    const Pixels over = larger(difference(in, all(print.flat)), all(0));
    return minus(in, plus(all(0), over, over), all(print.slope / 2));
}

/* The borders between the columns are `share` before and 1 − share behind the pixel's middle. */
SINO_INLINE Weights columns_of(Seen seen, Footprint print)
{
    const Pixels before = integral_of_far(seen.share, print);
    const Pixels behind = integral_of_far(difference(all(1), seen.share), print);
    return (Weights){
        {difference(all(print.most), before), sum_of(before, behind), difference(all(print.most), behind)}};
}

/* Of a pixel around the column's middle. */
SINO_INLINE Pixels inner(Pixels distance, Footprint print)
{
    const Pixels half = all(print.half);
    return sum_of(integral_of_far(sum_of(half, distance), print), integral(difference(half, distance), print));
}

/* Of the pixel beyond, which ends less than a place from its middle: only the nearer border of the column matters. */
SINO_INLINE Pixels outer(Pixels distance, Footprint print)
{
    return difference(all(print.most), integral_of_far(sum_of(distance, all(1 - print.half)), print));
}

SINO_INLINE Weights crossed_of(Seen seen, Footprint print)
{
    const Pixels left = seen.share, right = difference(all(1), left); /* of the second and the third */
    return (Weights){{outer(left, print), inner(left, print), inner(right, print), outer(right, print)}};
}

SINO_INLINE Weights weights_of(Neighbours kind, Seen seen, Footprint print)
{
    return kind == LENGTHS   ? lengths_of(seen, print)
           : kind == COLUMNS ? columns_of(seen, print)
                             : crossed_of(seen, print);
}

/* Adds the neighbours in the line from `window`. */
SINO_INLINE Pixels take_all(Pixels sum, Neighbours kind, Seen seen, Weights weights, const float *window)
{
    UNROLL for (int i = 0; i < count_of(kind); i++) sum = plus(sum, weights.of[i], value_at(window, seen.left, i));
    return sum;
}

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

/* Vector `number` of a row of a slice's tile. */
SINO_INLINE float *vector_of(float *sum, ptrdiff_t slice, ptrdiff_t row, ptrdiff_t number)
{
    return sum + slice * SINO_TILE_VOXELS + row * SINO_TILE + number * LANES;
}

/* The loop over angles, whose sums are `rows` rows of every slice. */
SINO_INLINE void add_slices(const SinoPixelsLines *lines, Neighbours kind, int slices, const Places *places, float *sum)
{
    const int rows = ROWS / slices > 0 ? ROWS / slices : 1;
    for (int first = 0; first < SINO_TILE; first += rows) {
        Pixels pixels[SINO_PIXELS_SLICES * ROWS][VECTORS]; /* of row i of slice s: s·rows + i */
        UNROLL for (int i = 0; i < slices * rows; i++) UNROLL for (int v = 0; v < VECTORS; v++) pixels[i][v] =
            load(vector_of(sum, i / rows, first + i % rows, v));
        for (int64_t k = 0; k < lines->angle_count; k++) {
            const Pixels lane = load(places->lane[k]);
            const Footprint print = footprint_of(lines->reach[k], lines->slope[k], 0.5F);
            UNROLL for (int i = 0; i < rows; i++) UNROLL for (int v = 0; v < VECTORS; v++)
            {
                const Seen seen = see(lane, places->rest[k][v][first + i]);
                const Weights weights = weights_of(kind, seen, print);
                UNROLL for (int s = 0; s < slices; s++)
                {
                    Pixels *const at = &pixels[s * rows + i][v];
                    const float *const window = lines->line[s][k] + places->entry[k][v][first + i];
                    *at = kind == LINEAR ? take(*at, seen, window) : take_all(*at, kind, seen, weights, window);
                }
            }
        }
        UNROLL for (int i = 0; i < slices * rows; i++) UNROLL for (int v = 0; v < VECTORS; v++)
            store(vector_of(sum, i / rows, first + i % rows, v), pixels[i][v]);
    }
}

SINO_INLINE void add_with(const SinoPixelsLines *lines, Neighbours kind, int row, int column, float *sum)
{
    Places places;
    place(lines, row, column, &places);
    switch (lines->slice_count) {
    case 1:
        add_slices(lines, kind, 1, &places, sum);
        break;
    case 2:
        add_slices(lines, kind, 2, &places, sum);
        break;
    default:
        add_slices(lines, kind, SINO_PIXELS_SLICES, &places, sum);
    }
}

static void add_linear(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, LINEAR, row, column, sum);
}

static void add_lengths(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, LENGTHS, row, column, sum);
}

static void add_strips(const SinoPixelsLines *lines, int row, int column, float *sum)
{
    add_with(lines, COLUMNS, row, column, sum);
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

SINO_INLINE void project_slices(const SinoPixelsImage *image, Neighbours kind, int slices, SinoPixelsRays *rays)
{
    const Footprint print = footprint_of(rays->reach, rays->slope, rays->half);
    const double before = rays->ray < 0 ? (LANES - 1) * rays->ray : 0;
    float of_lane[LANES], rest[SINO_PIXELS_SIDE];
    int32_t
        entry[SINO_PIXELS_SIDE]; /* of each row: where the window begins, and how far the least place is from there */
    for (int i = 0; i < LANES; i++) of_lane[i] = (float)(i * rays->ray - before);
    const Pixels lane = load(of_lane);
    for (int64_t v = 0; v < rays->count; v += LANES) {
        const double least = rays->first + (double)v * rays->ray + before;
        const int more = kind == CROSSED; /* pixels on either side */
        const Rows rows = rows_of(least - more, (LANES - 1) * fabs(rays->ray) + 1 + 2 * more, rays->row);
        Pixels sum[SINO_PIXELS_SLICES];
        UNROLL for (int s = 0; s < slices; s++) sum[s] = all(0);
        for (int r = rows.first; r < rows.end; r++) {
            const double at = SINO_PIXELS_ROOM + least + r * rays->row;
            entry[r] = (int32_t)at - more;
            rest[r] = (float)(at - more - entry[r]);
        }
        for (int r = rows.first; r < rows.end; r++) {
            const Seen seen = see(lane, rest[r]);
            const Weights weights = weights_of(kind, seen, print);
            UNROLL for (int s = 0; s < slices; s++) sum[s] =
                take_all(sum[s], kind, seen, weights, image[s][r] + entry[r]);
        }
        UNROLL for (int s = 0; s < slices; s++) store(rays->sum[s] + v, sum[s]);
    }
}

SINO_INLINE void project_with(const SinoPixelsImage *image, Neighbours kind, SinoPixelsRays *rays)
{
    switch (rays->slice_count) {
    case 1:
        project_slices(image, kind, 1, rays);
        break;
    case 2:
        project_slices(image, kind, 2, rays);
        break;
    default:
        project_slices(image, kind, SINO_PIXELS_SLICES, rays);
    }
}

static void project_lengths(const SinoPixelsImage *image, SinoPixelsRays *rays)
{
    project_with(image, LENGTHS, rays);
}

static void project_strips(const SinoPixelsImage *image, SinoPixelsRays *rays)
{
    project_with(image, CROSSED, rays);
}

const SinoPixelsIsa SINO_ISA_OBJECT(sino_pixels, SINO_ISA) = {
    .name = SINO_ISA_TEXT(SINO_ISA),
    .add = {[SINO_PIXELS_LINEAR] = add_linear, [SINO_PIXELS_LENGTHS] = add_lengths, [SINO_PIXELS_STRIPS] = add_strips},
    .project = {[SINO_PIXELS_LENGTHS] = project_lengths, [SINO_PIXELS_STRIPS] = project_strips}};
