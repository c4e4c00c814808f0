/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project of one instruction set, which SINO_ISA names.
 *
 * The image is divided into tiles, whose voxels stay in the second-level cache while the rays of all angles pass. A
 * detector column's rays take *steps* through a tile: from plane to plane, each between two runs of voxels along z. To
 * project, a step blends the two runs into a *line* of voxels, which the rows read at equal distances; to backproject,
 * the voxels of a line read the rows at equal distances, and the line is added to the two runs.
 *
 * Neighbours that read a line at equal distances see a window of it. If the window fits two registers, it is permuted
 * there; else, and without AVX2, its entries are gathered. */
#include "cone_project_isa.h"
#include "arithmetic.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

static const double FAR = 1e9; /* entries: beyond every line */

enum { TILE = 16, FAN_TILE = 128 /* voxels of it fit the first-level cache twice */ };
enum { BORDER = SINO_CONE_BORDER, STEPS = SINO_CONE_STEPS };
#if defined __AVX2__ && !defined __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 16 };
#endif
_Static_assert((int)LANES >= (int)SINO_CONE_LANES_LEAST && (int)LANES <= (int)SINO_CONE_LANES, "work memory");

/* ---- vectors of LANES floats ---- */

#if defined __AVX512F__

typedef __m512 Floats;
typedef __m512i Entries;
#define ADD         _mm512_add_ps
#define SUB         _mm512_sub_ps
#define FMA         _mm512_fmadd_ps
#define LESSER      _mm512_min_ps
#define GREATER     _mm512_max_ps
#define ALL         _mm512_set1_ps
#define LOAD        _mm512_loadu_ps
#define STORE       _mm512_storeu_ps
#define FLOOR       _mm512_cvttps_epi32 /* of values of 0 and more */
#define WHOLE       _mm512_cvtepi32_ps
#define NEXT(at)    _mm512_add_epi32(at, _mm512_set1_epi32(1))
#define LANE_OF     _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TAKE(w, at) _mm512_permutex2var_ps((w).a, at, (w).b)
typedef __mmask16 Some; /* the first lanes of a vector */
#define SOME(count)              ((__mmask16)((1u << (count)) - 1))
#define LOAD_SOME(from, some)    _mm512_maskz_loadu_ps(some, from)
#define STORE_SOME(to, some, of) _mm512_mask_storeu_ps(to, some, of)

#elif defined __AVX2__

typedef __m256 Floats;
typedef __m256i Entries;
#define ADD      _mm256_add_ps
#define SUB      _mm256_sub_ps
#define FMA      _mm256_fmadd_ps
#define LESSER   _mm256_min_ps
#define GREATER  _mm256_max_ps
#define ALL      _mm256_set1_ps
#define LOAD     _mm256_loadu_ps
#define STORE    _mm256_storeu_ps
#define FLOOR    _mm256_cvttps_epi32
#define WHOLE    _mm256_cvtepi32_ps
#define NEXT(at) _mm256_add_epi32(at, _mm256_set1_epi32(1))
#define LANE_OF  _mm256_set_ps(7, 6, 5, 4, 3, 2, 1, 0)
#define TAKE(w, at)                                                                                                    \
    _mm256_blendv_ps(_mm256_permutevar8x32_ps((w).a, at), _mm256_permutevar8x32_ps((w).b, at),                         \
                     _mm256_castsi256_ps(_mm256_cmpgt_epi32(at, _mm256_set1_epi32(7))))
typedef __m256i Some;
#define SOME(count)              _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(count)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define LOAD_SOME(from, some)    _mm256_maskload_ps(from, some)
#define STORE_SOME(to, some, of) _mm256_maskstore_ps(to, some, of)

#endif

#if defined __AVX2__

/* Entries 0 … 2·LANES − 1 of a window. */
typedef struct Window {
    Floats a, b;
} Window;

SINO_INLINE Window window_at(const float *from)
{
    return (Window){LOAD(from), LOAD(from + LANES)};
}

#endif

/* ---- the paths of rays ---- */

/* A square of runs: columns first_x … of the image, rows first_y … of it. */
typedef struct Tile {
    int64_t first_x, first_y, x_count, y_count;
} Tile;

/* The rays of a detector column, or of one of several in a column of pixels, which lie in an upright plane. They pass
 * plane p, a column of the image (along_x) or a row of it, at start + slope·p rows or columns. With t = (p −
 * from)·pace, row r is there at z + rise·t along z, and apart + spread·t further with each row. The length of a ray
 * from plane to plane is √(flat + (climb + climbs·r)²) voxels. A pixel has the mean of its rays, `rows` of which are
 * rows of the path. */
typedef struct Path {
    bool along_x, flipped; /* rows are counted from the last one, so that they go up */
    double start, slope;
    double from, pace, z, rise, apart, spread;
    float flat, climb, climbs;
    int64_t rows;
    float share; /* of a ray in its pixel */
} Path;

/* Turns the rows of an upright view so that they go up. */
static bool flip(const SinoCone *cone, SinoView *view)
{
    if (view->row[2] > 0) return false;
    view->first[2] += (double)(cone->row_count - 1) * view->row[2];
    view->row[2] = -view->row[2];
    return true;
}

/* Of a split cone. */
static Path path_of(const SinoCone *cone, const SinoView *view, SinoPixelRays rays, bool flipped, int64_t column)
{
    double from[3], ray[3];
    for (int i = 0; i < 3; i++) {
        const double pixel = view->first[i] + (double)column * view->column[i];
        from[i] = view->parallel ? pixel : view->source[i];
        ray[i] = view->parallel ? view->source[i] : pixel - view->source[i];
    }
    const bool along_x = fabs(ray[0]) > fabs(ray[1]);
    const int along = along_x ? 0 : 1;
    const double height = view->row[2], pace = 1 / ray[along], slope = ray[1 - along] * pace;
    Path path = {.along_x = along_x,
                 .flipped = flipped,
                 .start = from[1 - along] - slope * from[along],
                 .slope = slope,
                 .from = from[along],
                 .pace = pace,
                 .z = from[2],
                 .rise = ray[2],
                 .apart = view->parallel ? height : 0,
                 .spread = view->parallel ? 0 : height,
                 .flat = (float)(1 + slope * slope),
                 .climb = (float)(ray[2] * pace),
                 .climbs = view->parallel ? 0 : (float)(height * pace),
                 .rows = rays.up,
                 .share = 1 / (float)(rays.across * rays.up)};
    if (!cone->fans) return path;
    path.z = sino_cone_plane_slice(cone) - cone->center_row;
    path.apart = 1;
    path.rise = path.spread = 0;
    path.climb = path.climbs = 0;
    return path;
}

/* A step: between voxels `lower` and lower + 1 across, of which the upper one has the share `upper`. Row r sees entry
 * offset + spread·r along z. */
typedef struct Step {
    int64_t run[2];  /* the two runs, as numbers in the band; −1: outside the tile */
    float weight[2]; /* of them */
    double offset, spread;
} Step;

/* The planes of a tile that rays of a path may pass inside it. */
static SinoConeAngles planes_of(const Path *path, const Tile *tile)
{
    const int64_t first = path->along_x ? tile->first_x : tile->first_y;
    const int64_t count = path->along_x ? tile->x_count : tile->y_count;
    const int64_t across = path->along_x ? tile->first_y : tile->first_x;
    const int64_t width = path->along_x ? tile->y_count : tile->x_count;
    const double slope = fabs(path->slope) > 1e-9 ? path->slope : 1e-9;
    const double low = ((double)(across - 1) - path->start) / slope,
                 high = ((double)(across + width) - path->start) / slope;
    const double least = fmax(floor(fmin(low, high)) - 1, (double)first);
    const double most = fmin(ceil(fmax(low, high)) + 1, (double)(first + count - 1));
    if (!(least <= most)) return (SinoConeAngles){first, 0};
    return (SinoConeAngles){(int64_t)least, (int64_t)most - (int64_t)least + 1};
}

/* Writes the steps of a path in the tile; returns their number, at most TILE. A step has at least one run inside. */
static int64_t take_steps(const SinoCone *cone, const Path *path, const Tile *tile, SinoConeBand band, Step step[TILE])
{
    const SinoConeAngles planes = planes_of(path, tile);
    const int64_t along = path->along_x ? 1 : cone->x_count, across = path->along_x ? cone->x_count : 1;
    const int64_t first = path->along_x ? tile->first_y : tile->first_x;
    const int64_t width = path->along_x ? tile->y_count : tile->x_count;
    double below[TILE], upper[TILE], part[TILE];
    int64_t count = 0;
    for (int i = 0; i < TILE; i++) {
        const double plane = (double)(planes.first + i), at = path->start + path->slope * plane;
        below[i] = floor(at);
        upper[i] = at - below[i];
        part[i] = (plane - path->from) * path->pace;
    }
    for (int64_t i = 0; i < planes.count; i++) {
        const int64_t lower = (int64_t)below[i];
        const int64_t run = (planes.first + i) * along + lower * across - band.first_row * cone->x_count;
        const float weight[2] = {1 - (float)upper[i], (float)upper[i]};
        const bool has_first = lower >= first && lower < first + width && weight[0] > 0;
        const bool has_second = lower + 1 >= first && lower + 1 < first + width && weight[1] > 0;
        step[count] = (Step){.run = {has_first ? run : -1, has_second ? run + across : -1},
                             .weight = {weight[0], weight[1]},
                             .offset = path->z + path->rise * part[i],
                             .spread = path->apart + path->spread * part[i]};
        count += (has_first || has_second) && step[count].spread > 0;
    }
    return count;
}

/* ---- windows ---- */

/* Group g of a line of lanes reads the entries from first + step·LANES·g on. A group whose window fits registers, and
 * which begins more than a border before entry 0, or after the last one, reads zeros only. Such a group is moved into
 * the border. */
static void place_groups(const SinoConeWork *work, int number, double first, double step, SinoConeAngles groups,
                         double least, double most)
{
    float *share = work->share + number * work->group_count;
    int32_t *base = work->base + number * work->group_count;
    const double stride = step * (double)LANES;
#if defined __AVX512F__
    const __m512d low = _mm512_set1_pd(least), high = _mm512_set1_pd(most), eight = _mm512_set1_pd(8 * stride);
    __m512d at = _mm512_fmadd_pd(_mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_pd(stride),
                                 _mm512_set1_pd(first + stride * (double)groups.first));
    for (int64_t g = groups.first; g < groups.first + groups.count; g += 8, at = _mm512_add_pd(at, eight)) {
        const __m512d inside = _mm512_min_pd(_mm512_max_pd(at, low), high), entry = _mm512_floor_pd(inside);
        _mm256_storeu_si256((__m256i *)(base + g), _mm512_cvtpd_epi32(entry));
        _mm256_storeu_ps(share + g, _mm512_cvtpd_ps(_mm512_sub_pd(inside, entry)));
    }
#elif defined __AVX2__
    const __m256d low = _mm256_set1_pd(least), high = _mm256_set1_pd(most), four = _mm256_set1_pd(4 * stride);
    __m256d at = _mm256_fmadd_pd(_mm256_set_pd(3, 2, 1, 0), _mm256_set1_pd(stride),
                                 _mm256_set1_pd(first + stride * (double)groups.first));
    for (int64_t g = groups.first; g < groups.first + groups.count; g += 4, at = _mm256_add_pd(at, four)) {
        const __m256d inside = _mm256_min_pd(_mm256_max_pd(at, low), high), entry = _mm256_floor_pd(inside);
        _mm_storeu_si128((__m128i *)(base + g), _mm256_cvtpd_epi32(entry));
        _mm_storeu_ps(share + g, _mm256_cvtpd_ps(_mm256_sub_pd(inside, entry)));
    }
#else
    for (int64_t g = groups.first; g < groups.first + groups.count; g++) {
        const double at = first + stride * (double)g;
        const double inside = at > least ? (at < most ? at : most) : least, entry = floor(inside);
        base[g] = (int32_t)entry;
        share[g] = (float)(inside - entry);
    }
#endif
}

/* The groups of lanes of which some are between `low` and `high`. */
static SinoConeAngles groups_between(double low, double high, int64_t lane_count)
{
    const double first = fmax(floor(low), 0), last = fmin(ceil(high), (double)(lane_count - 1));
    if (!(first <= last)) return (SinoConeAngles){0, 0};
    const int64_t from = (int64_t)first / LANES;
    return (SinoConeAngles){from, (int64_t)last / LANES + 1 - from};
}

/* The place of a lane in its group. A lane that is further away than any line is long stays outside of it, although the
 * group's first lane may have been moved to FAR. */
SINO_INLINE float not_far(float place)
{
    return place < (float)FAR / 2 ? place : (float)FAR / 2;
}

/* An entry of a line with borders; beyond them lie zeros as well. */
SINO_INLINE float entry_of(const float *line, int32_t entry, int32_t entry_count)
{
    const int32_t least = -BORDER, most = entry_count + BORDER - 1;
    return line[entry < least ? least : entry > most ? most : entry];
}

/* ---- rows that see one slice each: fans above each other ---- */

#if defined __AVX2__

static bool has_levels(const SinoCone *cone, const Path *path)
{
    return cone->row_count == cone->z_count && path->z == 0 && path->rise == 0 && path->apart == 1 && path->spread == 0;
}

SINO_INLINE Floats load_group(const float *from, int64_t count)
{
    return count >= LANES ? LOAD(from) : LOAD_SOME(from, SOME(count));
}

/* Adds a group of so many lanes to a run. */
SINO_INLINE void add_group(Floats weight, Floats sum, int64_t count, float *run)
{
    const Floats more = FMA(weight, sum, load_group(run, count));
    if (count >= LANES)
        STORE(run, more);
    else
        STORE_SOME(run, SOME(count), more);
}

/* Adds the blended runs of the steps to the sums of the rows. */
static void add_levels(const SinoCone *cone, const SinoConeWork *work, const Step *step, int64_t count,
                       const float *band)
{
    for (int64_t z = 0; z < cone->z_count; z += LANES) {
        const int64_t left = cone->z_count - z;
        Floats sum = LOAD(work->sum + z);
        for (int64_t s = 0; s < count; s++)
            for (int i = 1; i >= 0; i--)
                if (step[s].run[i] >= 0)
                    sum = FMA(ALL(step[s].weight[i]), load_group(band + step[s].run[i] * cone->z_count + z, left), sum);
        STORE(work->sum + z, sum);
    }
}

/* Adds the rows to the runs of the steps. */
static void spread_levels(const SinoCone *cone, const SinoConeWork *work, const Step *step, int64_t count, float *band)
{
    for (int64_t z = 0; z < cone->z_count; z += LANES) {
        const Floats row = LOAD(work->row + z);
        for (int64_t s = 0; s < count; s++)
            for (int i = 0; i < 2; i++)
                if (step[s].run[i] >= 0)
                    add_group(ALL(step[s].weight[i]), row, cone->z_count - z,
                              band + step[s].run[i] * cone->z_count + z);
    }
}

#else

static bool has_levels(const SinoCone *cone, const Path *path)
{
    (void)cone, (void)path;
    return false;
}

static void add_levels(const SinoCone *cone, const SinoConeWork *work, const Step *step, int64_t count,
                       const float *band)
{
    (void)cone, (void)work, (void)step, (void)count, (void)band;
}

static void spread_levels(const SinoCone *cone, const SinoConeWork *work, const Step *step, int64_t count, float *band)
{
    (void)cone, (void)work, (void)step, (void)count, (void)band;
}

#endif

/* ---- project ---- */

/* Reads the lines of `count` steps, number by number, and adds what the rows of the groups see. */
static void read_lines_gather(const SinoConeWork *work, const Step *step, int count, SinoConeAngles groups,
                              int32_t voxel_count)
{
    for (int k = 0; k < count; k++) {
        const float *line = work->line + k * work->line_stride, spread = (float)step[k].spread;
        for (int64_t g = groups.first; g < groups.first + groups.count; g++) {
            const float share = work->share[k * work->group_count + g];
            const int32_t base = work->base[k * work->group_count + g];
            float *restrict sum = work->sum + g * LANES;
            for (int i = 0; i < LANES; i++) {
                const float at = not_far(share + (float)i * spread);
                const int32_t entry = (int32_t)at;
                const float low = entry_of(line, base + entry, voxel_count);
                const float high = entry_of(line, base + entry + 1, voxel_count);
                sum[i] += low + (at - (float)entry) * (high - low);
            }
        }
    }
}

#if defined __AVX2__

static void read_lines_permute(const SinoConeWork *work, const Step *step, int count, SinoConeAngles groups)
{
    const Floats lane = LANE_OF;
    for (int64_t g = groups.first; g < groups.first + groups.count; g++) {
        Floats sum = LOAD(work->sum + g * LANES);
        for (int k = 0; k < count; k++) {
            const int64_t place = k * work->group_count + g;
            const Window window = window_at(work->line + k * work->line_stride + work->base[place]);
            const Floats at = FMA(lane, ALL((float)step[k].spread), ALL(work->share[place]));
            const Entries entry = FLOOR(at), next = NEXT(entry);
            const Floats low = TAKE(window, entry), high = TAKE(window, next);
            sum = FMA(SUB(at, WHOLE(entry)), SUB(high, low), ADD(sum, low));
        }
        STORE(work->sum + g * LANES, sum);
    }
}

/* The last lane is at most at 1 + (LANES − 1)·spread; a little less for rounding. */
static bool fits_project(double spread)
{
    return (LANES - 1) * spread < 2 * LANES - 3;
}

#else

static void read_lines_permute(const SinoConeWork *work, const Step *step, int count, SinoConeAngles groups)
{
    (void)work, (void)step, (void)count, (void)groups;
}

static bool fits_project(double spread)
{
    (void)spread;
    return false;
}

#endif

static void blend_runs(const Step *step, const float *band, int64_t voxel_count, float *restrict line)
{
    const float a = step->weight[0], b = step->weight[1];
    if (step->run[0] < 0 || step->run[1] < 0) {
        const float *only = band + (step->run[0] < 0 ? step->run[1] : step->run[0]) * voxel_count;
        const float weight = step->run[0] < 0 ? b : a;
        for (int64_t z = 0; z < voxel_count; z++) line[z] = weight * only[z];
        return;
    }
    const float *low = band + step->run[0] * voxel_count, *high = band + step->run[1] * voxel_count;
    for (int64_t z = 0; z < voxel_count; z++) line[z] = a * low[z] + b * high[z];
}

/* Adds at most STEPS steps to the sums of the rows; returns the groups of rows that see voxels. */
static SinoConeAngles add_steps(const SinoCone *cone, const SinoConeWork *work, const Step *step, int count,
                                const float *band)
{
    double low = INFINITY, high = -INFINITY;
    bool fits = true;
    for (int k = 0; k < count; k++) {
        const double inverse = 1 / step[k].spread;
        const double least = (-1 - step[k].offset) * inverse, most = ((double)cone->z_count - step[k].offset) * inverse;
        low = least < low ? least : low;
        high = most > high ? most : high;
        fits &= fits_project(step[k].spread);
    }
    const SinoConeAngles groups = groups_between(low, high, cone->row_count);
    for (int k = 0; k < count && groups.count > 0; k++) {
        blend_runs(&step[k], band, cone->z_count, work->line + k * work->line_stride);
        place_groups(work, k, step[k].offset, step[k].spread, groups, fits ? -BORDER : -FAR,
                     fits ? (double)cone->z_count : FAR);
    }
    if (fits)
        read_lines_permute(work, step, count, groups);
    else
        read_lines_gather(work, step, count, groups, (int32_t)cone->z_count);
    return groups;
}

/* The length from plane to plane of the ray of a row, times its share. */
SINO_INLINE float length_of(const Path *path, int32_t row)
{
    const float climb = path->climb + path->climbs * (float)row;
    return path->share * sqrtf(path->flat + climb * climb);
}

/* Adds the rows' sums to `count` pixels; those outside first … end − 1 are 0. */
static void add_rows(const Path *path, int64_t first, int64_t end, float *restrict sum, int64_t count,
                     float *restrict rays)
{
    for (int32_t r = (int32_t)first; r < end; r++) sum[r] *= length_of(path, r);
    for (int64_t p = first / path->rows; p < sino_ceil_divide(end, path->rows); p++)
        for (int64_t r = p * path->rows; r < (p + 1) * path->rows; r++)
            rays[path->flipped ? count - 1 - p : p] += sum[r];
}

static void take_rows(const Path *path, const float *restrict rays, int64_t count, float *restrict row)
{
    for (int64_t p = 0; p < count; p++)
        for (int64_t r = p * path->rows; r < (p + 1) * path->rows; r++)
            row[r] = rays[path->flipped ? count - 1 - p : p];
    for (int32_t r = 0; r < count * path->rows; r++) row[r] *= length_of(path, r);
}

static void project_path(const SinoCone *cone, const SinoConeWork *work, const Path *path, const Tile *tile,
                         SinoConeBand band, const float *voxels, float *rays)
{
    Step step[TILE];
    const int64_t count = take_steps(cone, path, tile, band, step);
    const bool levels = has_levels(cone, path);
    int64_t first = levels ? 0 : cone->row_count, end = levels ? cone->row_count : 0;
    if (count == 0) return;
    memset(work->sum, 0, (size_t)cone->row_count * sizeof *work->sum);
    if (levels) add_levels(cone, work, step, count, voxels);
    for (int64_t s = 0; s < count && !levels; s += STEPS) {
        const SinoConeAngles groups = add_steps(cone, work, step + s, (int)sino_smaller(STEPS, count - s), voxels);
        if (groups.count == 0) continue;
        first = sino_smaller(first, groups.first * LANES);
        end = sino_larger(end, (groups.first + groups.count) * LANES);
    }
    end = sino_smaller(end, cone->row_count);
    const float *restrict sum = work->sum;
    float *restrict last = rays + cone->row_count - 1;
    if (path->rows > 1)
        add_rows(path, first, end, work->sum, cone->row_count / path->rows, rays);
    else if (path->flipped)
        for (int32_t r = (int32_t)first; r < end; r++) last[-r] += length_of(path, r) * sum[r];
    else
        for (int32_t r = (int32_t)first; r < end; r++) rays[r] += length_of(path, r) * sum[r];
}

/* ---- backproject ---- */

/* What the lines of a step are added to: the two runs; NULL: outside the tile. */
typedef struct Runs {
    float *run[2];
    float weight[2];
} Runs;

/* Voxel z gets Σ max(0, 1 − |offset + spread·r − z|)·row r. The first such row is the one after (z − 1 −
 * offset)/spread; there are at most ⌈2/spread⌉. */
static void read_rows_gather(const SinoCone *cone, const SinoConeWork *work, double spread, SinoConeAngles groups)
{
    const float along = (float)spread, step = (float)(1 / spread);
    const int32_t most = (int32_t)ceil(2 / spread);
    for (int64_t g = groups.first; g < groups.first + groups.count; g++) {
        float *restrict line = work->line + g * LANES;
        for (int i = 0; i < LANES; i++) line[i] = 0;
        for (int32_t j = 1; j <= most; j++)
            for (int i = 0; i < LANES; i++) {
                const float at = not_far(work->share[g] + (float)i * step);
                const int32_t row = (int32_t)at;
                const float up = along * ((float)j - (at - (float)row)), down = 2 - up, weight = up < down ? up : down;
                line[i] +=
                    (weight > 0 ? weight : 0) * entry_of(work->row, work->base[g] + row + j, (int32_t)cone->row_count);
            }
    }
}

#if defined __AVX2__

/* The weight of the j-th of `most` rows, 1 − |up − 1| where that is positive. With two rows or three, which are at
 * least half a voxel apart, some rows can only be before the voxel, or after it, and some never too far from it. */
SINO_INLINE Floats row_weight(Floats up, int j, int most)
{
    const bool few = most == 2 || most == 3, before = most == 3 && j == 1, after = few && j == most;
    const Floats down = SUB(ALL(2), up), weight = before ? up : after ? down : LESSER(up, down);
    return few && !after ? weight : GREATER(weight, ALL(0));
}

/* With a constant number of rows, the loop over them is unrolled. */
SINO_INLINE void read_rows(const SinoConeWork *work, double spread, SinoConeAngles groups, int64_t voxel_count,
                           const Runs *to, int most)
{
    const Floats lane = LANE_OF, along = ALL((float)spread), step = ALL((float)(1 / spread));
    const Floats weight[2] = {ALL(to->weight[0]), ALL(to->weight[1])};
    for (int64_t g = groups.first; g < groups.first + groups.count; g++) {
        const Window window = window_at(work->row + work->base[g] + 1);
        const Floats at = FMA(lane, step, ALL(work->share[g]));
        Entries row = FLOOR(at);
        Floats up = SUB(along, SUB(at, WHOLE(row)) * along), sum = ALL(0);
        for (int j = 1; j <= most; j++) {
            sum = FMA(row_weight(up, j, most), TAKE(window, row), sum);
            row = NEXT(row);
            up = ADD(up, along);
        }
        for (int i = 0; i < 2; i++)
            if (to->run[i]) add_group(weight[i], sum, voxel_count - g * LANES, to->run[i] + g * LANES);
    }
}

static void read_rows_permute(const SinoConeWork *work, double spread, SinoConeAngles groups, int64_t voxel_count,
                              const Runs *to)
{
    const int most = (int)ceil(2 / spread);
    switch (most) {
    case 2:
        read_rows(work, spread, groups, voxel_count, to, 2);
        break;
    case 3:
        read_rows(work, spread, groups, voxel_count, to, 3);
        break;
    default:
        read_rows(work, spread, groups, voxel_count, to, most);
    }
}

/* The last lane begins at most at 1 + (LANES − 1)/spread. */
static bool fits_back(double spread)
{
    return spread < 1e6 && (LANES - 1) / spread + 1 + ceil(2 / spread) < 2 * LANES - 1;
}

#else

static void read_rows_permute(const SinoConeWork *work, double spread, SinoConeAngles groups, int64_t voxel_count,
                              const Runs *to)
{
    (void)work, (void)spread, (void)groups, (void)voxel_count, (void)to;
}

static bool fits_back(double spread)
{
    (void)spread;
    return false;
}

#endif

static void add_line(const float *restrict line, float weight, int64_t first, int64_t end, float *restrict run)
{
    for (int64_t z = first; z < end; z++) run[z] += weight * line[z];
}

static void spread_step(const SinoCone *cone, const SinoConeWork *work, const Step *step, float *band)
{
    const double rows = (double)cone->row_count;
    const bool fits = fits_back(step->spread); // NOLINT(clang-analyzer-core.CallAndMessage): of a step that was taken
    const SinoConeAngles groups =
        groups_between(step->offset - step->spread, step->offset + step->spread * rows, cone->z_count);
    Runs to = {.weight = {step->weight[0], step->weight[1]}};
    for (int i = 0; i < 2; i++) to.run[i] = step->run[i] >= 0 ? band + step->run[i] * cone->z_count : NULL;
    if (groups.count == 0) return;
    place_groups(work, 0, (-1 - step->offset) / step->spread, 1 / step->spread, groups, fits ? -BORDER : -FAR,
                 fits ? rows : FAR);
    if (fits) {
        read_rows_permute(work, step->spread, groups, cone->z_count, &to);
        return;
    }
    const int64_t first = groups.first * LANES;
    const int64_t end = sino_smaller(first + groups.count * LANES, cone->z_count);
    read_rows_gather(cone, work, step->spread, groups);
    for (int i = 0; i < 2; i++)
        if (to.run[i]) add_line(work->line, to.weight[i], first, end, to.run[i]);
}

static void spread_path(const SinoCone *cone, const SinoConeWork *work, const Path *path, const Tile *tile,
                        SinoConeBand band, const float *rays, float *voxels)
{
    Step step[TILE];
    const int64_t count = take_steps(cone, path, tile, band, step);
    if (count == 0) return;
    const float *last = rays + cone->row_count - 1;
    float *restrict row = work->row;
    if (path->rows > 1)
        take_rows(path, rays, cone->row_count / path->rows, row);
    else if (path->flipped)
        for (int32_t r = 0; r < cone->row_count; r++) row[r] = length_of(path, r) * last[-r];
    else
        for (int32_t r = 0; r < cone->row_count; r++) row[r] = length_of(path, r) * rays[r];
    memset(row + cone->row_count, 0, BORDER * sizeof *row); /* the projection before may have had more rows */
    if (has_levels(cone, path)) {
        spread_levels(cone, work, step, count, voxels);
        return;
    }
    for (int64_t s = 0; s < count; s++) spread_step(cone, work, &step[s], voxels);
}

/* ---- fan beams: one row, one slice ---- */

/* What a step in x and y means for the only row and slice. The runs are single voxels. */
typedef struct FanStep {
    int64_t first, second; /* voxels in the band; those outside the tile have no weight */
    float first_weight, second_weight;
} FanStep;

/* The steps of a path from plane to plane of a tile. */
typedef struct FanPath {
    double start, slope, z, rise;                /* the ray is at z + rise·p along z */
    int64_t across, width;                       /* of the tile */
    int64_t along_stride, across_stride, origin; /* voxels of the band */
} FanPath;

static FanPath fan_path_of(const SinoCone *cone, const Path *path, const Tile *tile, SinoConeBand band)
{
    return (FanPath){.start = path->start,
                     .slope = path->slope,
                     .z = path->z - path->rise * path->from * path->pace,
                     .rise = path->rise * path->pace,
                     .across = path->along_x ? tile->first_y : tile->first_x,
                     .width = path->along_x ? tile->y_count : tile->x_count,
                     .along_stride = path->along_x ? 1 : cone->x_count,
                     .across_stride = path->along_x ? cone->x_count : 1,
                     .origin = -band.first_row * cone->x_count};
}

SINO_INLINE FanStep take_fan_step(const FanPath *path, int64_t plane)
{
    const double at = path->start + path->slope * (double)plane, below = floor(at);
    const int64_t lower = (int64_t)below - path->across;
    const double height = fabs(path->z + path->rise * (double)plane);
    const float upper = (float)(at - below), seen = height < 1 ? (float)(1 - height) : 0;
    const bool has_first = lower >= 0 && lower < path->width, has_second = lower >= -1 && lower < path->width - 1;
    const int64_t voxel = path->origin + plane * path->along_stride + (lower + path->across) * path->across_stride;
    FanStep step;
    step.first_weight = has_first ? seen * (1 - upper) : 0;
    step.second_weight = has_second ? seen * upper : 0;
    step.first = has_first || !has_second ? voxel : voxel + path->across_stride;
    step.second = has_second ? voxel + path->across_stride : step.first;
    return step;
}

static void project_fan(const SinoCone *cone, const Path *path, const Tile *tile, SinoConeBand band,
                        const float *voxels, float *ray)
{
    const SinoConeAngles planes = planes_of(path, tile);
    const FanPath fan = fan_path_of(cone, path, tile, band);
    float sum = 0;
    for (int64_t p = planes.first; p < planes.first + planes.count; p++) {
        const FanStep step = take_fan_step(&fan, p);
        if (step.first_weight + step.second_weight > 0)
            sum += step.first_weight * voxels[step.first] + step.second_weight * voxels[step.second];
    }
    *ray += length_of(path, 0) * sum;
}

static void spread_fan(const SinoCone *cone, const Path *path, const Tile *tile, SinoConeBand band, const float *ray,
                       float *voxels)
{
    const SinoConeAngles planes = planes_of(path, tile);
    const FanPath fan = fan_path_of(cone, path, tile, band);
    const float value = length_of(path, 0) * *ray;
    for (int64_t p = planes.first; p < planes.first + planes.count; p++) {
        const FanStep step = take_fan_step(&fan, p);
        if (!(step.first_weight + step.second_weight > 0)) continue;
        voxels[step.first] += step.first_weight * value;
        voxels[step.second] += step.second_weight * value;
    }
}

/* ---- tiles ---- */

/* The detector columns that may see the tile: those of its corners, a voxel further out. */
static SinoConeAngles columns_of(const SinoCone *cone, const SinoViewPlanes *planes, const Tile *tile)
{
    double low = INFINITY, high = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        const double point[3] = {(double)(corner & 1 ? tile->first_x + tile->x_count : tile->first_x - 1),
                                 (double)(corner & 2 ? tile->first_y + tile->y_count : tile->first_y - 1), 0};
        const double depth = sino_view_value(planes, 0, point);
        if (!(depth > 0)) return (SinoConeAngles){0, cone->column_count};
        const double column = sino_view_value(planes, 1, point) / depth;
        low = fmin(low, column);
        high = fmax(high, column);
    }
    low = fmax(floor(low), 0);
    high = fmin(ceil(high), (double)(cone->column_count - 1));
    if (!(low <= high)) return (SinoConeAngles){0, 0};
    return (SinoConeAngles){(int64_t)low, (int64_t)high - (int64_t)low + 1};
}

static void pass_tile(const SinoCone *cone, const Tile *tile, SinoConeBand band, SinoConeAngles angles,
                      const SinoConeWork *work, bool back, const float *from, float *to)
{
    for (int64_t k = 0; k < angles.count; k++) {
        SinoView view = sino_cone_grid_view(cone, angles.first + k);
        if (!sino_cone_stand_up(cone, &view)) continue;
        const SinoPixelRays rays = sino_cone_pixel_rays(cone, angles.first + k);
        const SinoCone split = sino_cone_split(cone, rays, &view);
        const bool flipped = flip(&split, &view);
        const SinoViewPlanes planes = sino_view_planes(&view);
        const SinoConeAngles columns = columns_of(&split, &planes, tile);
        for (int64_t c = columns.first; c < columns.first + columns.count; c++) {
            const Path path = path_of(&split, &view, rays, flipped, c);
            const int64_t ray = (k * cone->column_count + c / rays.across) * cone->row_count;
            if (sino_cone_is_fan(cone) && back)
                spread_fan(cone, &path, tile, band, from + ray, to);
            else if (sino_cone_is_fan(cone))
                project_fan(cone, &path, tile, band, from, to + ray);
            else if (back)
                spread_path(&split, work, &path, tile, band, from + ray, to);
            else
                project_path(&split, work, &path, tile, band, from, to + ray);
        }
    }
}

#include "cone_boxes_tmpl.c"

static void pass_band(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const SinoConeWork *work,
                      bool back, const float *from, float *to)
{
    const int64_t end = band.first_row + band.row_count, side = sino_cone_is_fan(cone) ? FAN_TILE : TILE;
    SinoCone part = *cone;
    part.angle_count = angles.count;
    part.view = cone->view ? cone->view + angles.first : NULL;
    const int64_t leaning = sino_cone_leaning_count(&part);
    for (int64_t y = band.first_row; y < end && leaning < angles.count; y += side)
        for (int64_t x = 0; x < cone->x_count; x += side) {
            const Tile tile = {x, y, sino_smaller(side, cone->x_count - x), sino_smaller(side, end - y)};
            pass_tile(cone, &tile, band, angles, work, back, from, to);
        }
    if (leaning > 0) pass_boxes(cone, band, angles, work, back, from, to);
}

static void project(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const SinoConeWork *work,
                    const float *from, float *to)
{
    pass_band(cone, band, angles, work, false, from, to);
}

static void back(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const SinoConeWork *work,
                 const float *from, float *to)
{
    pass_band(cone, band, angles, work, true, from, to);
}

const SinoConeProjectIsa SINO_ISA_OBJECT(sino_cone_project, SINO_ISA) = {
    .name = SINO_ISA_TEXT(SINO_ISA), .project = project, .back = back};
