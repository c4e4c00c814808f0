/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided: arrays of a caller from and to vectors in panels, line by line, on a CPU core. */
#include "strided.h"

#include "vector.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <float.h>
#include <math.h>
#include <string.h>

/* Cells of a line that are turned together: those of one slice fill a cache line of the array. */
enum { CELLS = 16 };

/* What is longer than CACHED_BYTES has left the second-level cache before it is read. It is written past the caches,
 * PAST bytes at a time, which halves the time of a copy: lines that are overwritten need not be read before. */
enum { CACHED_BYTES = 1 << 20, PAST = 16 };

SINO_INLINE void write_past(const void *from, void *to, int64_t bytes)
{
#ifdef __SSE2__
    for (int64_t i = 0; i < bytes; i += PAST)
        _mm_stream_si128((__m128i *)(void *)((char *)to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)((const char *)from + i)));
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

/* Rows that are read ahead of their use: the processor foresees neither that a vector goes on after a row, nor where
 * the next row of a tile is. */
enum { AHEAD_BYTES = 1024, CACHE_LINE = 64 };

/* Slices whose cells are fetched ahead where slices are apart. More of them may lie in one set of a cache. */
enum { SLICES_AHEAD = 8 };

SINO_INLINE void fetch(const char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += CACHE_LINE) __builtin_prefetch(from + i);
}

/* What was written past the caches comes before what is written now. */
static void end_past(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* to[j][i] = from[i][j] of four lines of four, whose lengths are in elements. A compiler makes shuffles of registers of
 * it, which it does not find in loops. */
#define DEFINE_TURN(name, real)                                                                                        \
    typedef real name##_row __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));          \
    SINO_INLINE void name(const real *from, int64_t from_line, real *to, int64_t to_line)                              \
    {                                                                                                                  \
        const name##_row a = *(const name##_row *)(const void *)from;                                                  \
        const name##_row b = *(const name##_row *)(const void *)(from + from_line);                                    \
        const name##_row c = *(const name##_row *)(const void *)(from + 2 * from_line);                                \
        const name##_row d = *(const name##_row *)(const void *)(from + 3 * from_line);                                \
        const name##_row ac = __builtin_shufflevector(a, c, 0, 4, 1, 5),                                               \
                         bd = __builtin_shufflevector(b, d, 0, 4, 1, 5);                                               \
        const name##_row ca = __builtin_shufflevector(a, c, 2, 6, 3, 7),                                               \
                         db = __builtin_shufflevector(b, d, 2, 6, 3, 7);                                               \
        *(name##_row *)(void *)to = __builtin_shufflevector(ac, bd, 0, 4, 1, 5);                                       \
        *(name##_row *)(void *)(to + to_line) = __builtin_shufflevector(ac, bd, 2, 6, 3, 7);                           \
        *(name##_row *)(void *)(to + 2 * to_line) = __builtin_shufflevector(ca, db, 0, 4, 1, 5);                       \
        *(name##_row *)(void *)(to + 3 * to_line) = __builtin_shufflevector(ca, db, 2, 6, 3, 7);                       \
    }
DEFINE_TURN(turn_floats, float)
DEFINE_TURN(turn_doubles, double)

#define TURN_FOUR turn_floats
#define LARGEST   FLT_MAX
#define MAGNITUDE fabsf
#define REAL      float
#define VALUE     float
#define NAME(x)   x##_single_float32
#include "strided_tmpl.c"
#undef VALUE
#undef NAME

#define VALUE   double
#define NAME(x) x##_single_float64
#include "strided_tmpl.c"
#undef VALUE
#undef NAME
#undef REAL
#undef LARGEST
#undef MAGNITUDE
#undef TURN_FOUR

#define TURN_FOUR turn_doubles
#define LARGEST   DBL_MAX
#define MAGNITUDE fabs
#define REAL      double
#define VALUE     float
#define NAME(x)   x##_double_float32
#include "strided_tmpl.c"
#undef VALUE
#undef NAME

#define VALUE   double
#define NAME(x) x##_double_float64
#include "strided_tmpl.c"
#undef VALUE
#undef NAME
#undef REAL
#undef LARGEST
#undef MAGNITUDE
#undef TURN_FOUR

/* Ways to copy a line: the slices of a cell follow each other in the array; and past the caches. */
enum { APART, APART_PAST, FOLLOWING, FOLLOWING_PAST, WAYS };

typedef struct Functions {
    bool (*take[WAYS])(SinoSlices slices, int64_t count, SinoStrided line, void *x);
    void (*give[WAYS])(SinoSlices slices, int64_t count, SinoStrided line, const void *x);
} Functions;

/* Functions whose vector is untyped. */
#define OF_TYPES(types, real)                                                                                          \
    static bool take_line_##types(SinoSlices slices, int64_t count, SinoStrided line, void *x)                         \
    {                                                                                                                  \
        return take_##types(slices, count, line, (real *)x);                                                           \
    }                                                                                                                  \
    static bool take_cells_line_##types(SinoSlices slices, int64_t count, SinoStrided line, void *x)                   \
    {                                                                                                                  \
        return take_cells_##types(slices, count, line, (real *)x);                                                     \
    }                                                                                                                  \
    static bool take_turned_past_line_##types(SinoSlices slices, int64_t count, SinoStrided line, void *x)             \
    {                                                                                                                  \
        return take_turned_past_##types(slices, count, line, (real *)x);                                               \
    }                                                                                                                  \
    static bool take_past_line_##types(SinoSlices slices, int64_t count, SinoStrided line, void *x)                    \
    {                                                                                                                  \
        return take_past_##types(slices, count, line, (real *)x);                                                      \
    }                                                                                                                  \
    static void give_past_line_##types(SinoSlices slices, int64_t count, SinoStrided line, const void *x)              \
    {                                                                                                                  \
        give_past_##types(slices, count, line, (const real *)x);                                                       \
    }                                                                                                                  \
    static void give_line_##types(SinoSlices slices, int64_t count, SinoStrided line, const void *x)                   \
    {                                                                                                                  \
        give_##types(slices, count, line, (const real *)x);                                                            \
    }                                                                                                                  \
    static void give_cells_line_##types(SinoSlices slices, int64_t count, SinoStrided line, const void *x)             \
    {                                                                                                                  \
        give_cells_##types(slices, count, line, (const real *)x);                                                      \
    }
OF_TYPES(single_float32, float)
OF_TYPES(single_float64, float)
OF_TYPES(double_float32, double)
OF_TYPES(double_float64, double)

/* Of an array whose slices are apart, lines of a slice are too short to be written past the caches. */
#define FUNCTIONS(types)                                                                                               \
    {                                                                                                                  \
        {take_line_##types, take_turned_past_line_##types, take_cells_line_##types, take_past_line_##types},           \
        {                                                                                                              \
            give_line_##types, give_line_##types, give_cells_line_##types, give_past_line_##types                      \
        }                                                                                                              \
    }

/* [vector in double][type of the array] */
static const Functions functions[2][2] = {{FUNCTIONS(single_float32), FUNCTIONS(single_float64)},
                                          {FUNCTIONS(double_float32), FUNCTIONS(double_float64)}};

/* The array from element (i, j, k) on. */
static SinoStrided from_element(SinoStrided array, int64_t i, int64_t j, int64_t k)
{
    const int64_t bytes = array.type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    array.first = (char *)array.first + (i * array.step[0] + j * array.step[1] + k * array.step[2]) * bytes;
    return array;
}

static void *row_of(SinoSlices slices, int64_t row, const void *x)
{
    return (char *)x + (size_t)(row * slices.stride) * sino_precision_bytes(slices.precision);
}

/* Whether rows of a line can be written past the caches: those of the array, or of the vector. */
static bool is_aligned(bool give, SinoSlices slices, const SinoStrided *line, const void *x)
{
    const int64_t element = line->type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    const int64_t own = (int64_t)sino_precision_bytes(slices.precision), bytes = give ? element : own;
    const uintptr_t first = (uintptr_t)(give ? line->first : x);
    return first % PAST == 0 && slices.stride * bytes % PAST == 0 && (!give || line->step[2] * bytes % PAST == 0);
}

/* One line of a panel: gives it to the array, or takes it; `past`: of what is longer than the caches. True: all values
 * are finite. */
static bool move(bool give, bool past, SinoSlices slices, int64_t count, SinoStrided line, void *x)
{
    const Functions *of = &functions[slices.precision == SINO_DOUBLE][line.type];
    const bool follow = line.step[0] == 1, whole = slices.slice_count == slices.stride;
    const bool aligned = past && (whole || !follow) && is_aligned(give, slices, &line, x);
    const int way = (follow ? FOLLOWING : APART) + aligned;
    if (!give) return of->take[way](slices, count, line, x);
    of->give[way](slices, count, line, x);
    return true;
}

static bool is_past(SinoSlices slices, int64_t rows)
{
    return rows * slices.stride * (int64_t)sino_precision_bytes(slices.precision) > CACHED_BYTES;
}

/* Fetches a line of the array: cells whose slices follow each other, or slices whose cells do. */
static void fetch_line(SinoSlices slices, int64_t count, const SinoStrided *line)
{
    const int64_t element = line->type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    const bool follow = line->step[0] == 1;
    const int64_t pieces = follow ? count : slices.slice_count, values = follow ? slices.slice_count : count;
    const int64_t step = line->step[follow ? 2 : 0] * element;
    for (int64_t i = 0; i < pieces; i++) fetch((const char *)line->first + i * step, values * element);
}

/* One panel of tiles beside each other, which have the rows of the grid `down`. */
typedef struct TileRun {
    const SinoStridedTiles *tiles;
    SinoPanel at;
    const SinoTilePlace *tile;
    int64_t count;
    SinoTileRange down;
    void *x; /* first row of the first tile */
} TileRun;

/* Where row r of tile t is in the array, and in x; the number of its voxels in the grid. */
static int64_t row_of_tile(const TileRun *run, int64_t r, int64_t t, SinoStrided *line, void **x)
{
    const int64_t size = run->tiles->grid_size;
    const SinoTilePlace tile = run->tile[t];
    const SinoTileRange across = sino_tile_range(size, tile.column);
    *line = from_element(run->tiles->image, run->at.first, sino_tile_first_voxel(size, tile.row) + r,
                         sino_tile_first_voxel(size, tile.column) + across.first);
    *x = row_of(run->at.slices, t * SINO_TILE_VOXELS + r * SINO_TILE + across.first, run->x);
    return across.count;
}

static void fetch_row(const TileRun *run, int64_t r)
{
    for (int64_t t = 0; t < run->count; t++) {
        SinoStrided line;
        void *x;
        const int64_t count = row_of_tile(run, r, t, &line, &x);
        if (count > 0) fetch_line(run->at.slices, count, &line);
    }
}

/* Row after row of all tiles, since the array has these beside each other. */
static bool move_run(bool give, bool past, bool ahead, const TileRun *run)
{
    bool finite = true;
    for (int64_t r = run->down.first; r < run->down.first + run->down.count; r++) {
        if (ahead && r + 1 < run->down.first + run->down.count) fetch_row(run, r + 1);
        for (int64_t t = 0; t < run->count; t++) {
            SinoStrided line;
            void *x;
            const int64_t count = row_of_tile(run, r, t, &line, &x);
            if (count > 0) finite &= move(give, past, run->at.slices, count, line, x);
        }
    }
    return finite;
}

/* Whether tile t lies to the right of the tile before. */
static bool is_beside(const SinoTilePlace *tile, int64_t t)
{
    return tile[t].row == tile[t - 1].row && tile[t].column == tile[t - 1].column + 1;
}

static bool is_inside(int64_t size, SinoTilePlace tile)
{
    return sino_tile_range(size, tile.row).count == SINO_TILE && sino_tile_range(size, tile.column).count == SINO_TILE;
}

static bool move_panel_of_tiles(bool give, const SinoStridedTiles *tiles, SinoPanel at, void *panel)
{
    const bool near = !tiles->cached && !is_past(tiles->slices, tiles->tile_count * SINO_TILE_VOXELS);
    const bool past = tiles->cached ? give : !near, ahead = !give && !near && tiles->image.step[0] == 1;
    const size_t tile_bytes = (size_t)(SINO_TILE_VOXELS * at.slices.stride) * sino_precision_bytes(at.slices.precision);
    bool finite = true;
    for (int64_t t = 0, end; t < tiles->tile_count; t = end) {
        for (end = t + 1; end < tiles->tile_count && is_beside(tiles->tile, end);) end++;
        const TileRun run = {.tiles = tiles,
                             .at = at,
                             .tile = tiles->tile + t,
                             .count = end - t,
                             .down = sino_tile_range(tiles->grid_size, tiles->tile[t].row),
                             .x = row_of(at.slices, t * SINO_TILE_VOXELS, panel)};
        for (int64_t i = t; i < end && !give; i++)
            if (!is_inside(tiles->grid_size, tiles->tile[i]))
                memset(row_of(at.slices, i * SINO_TILE_VOXELS, panel), 0, tile_bytes);
        finite &= move_run(give, past, ahead, &run);
    }
    return finite;
}

static bool move_tiles(bool give, const SinoStridedTiles *tiles, void *x)
{
    const int64_t rows = tiles->tile_count * SINO_TILE_VOXELS;
    bool finite = true;
    for (SinoPanel at = sino_panel_at(tiles->slices, 0); at.first < tiles->slices.stride;
         at = sino_panel_next(tiles->slices, at))
        finite &= move_panel_of_tiles(give, tiles, at, sino_panel_to(at, rows, x));
    end_past();
    return finite;
}

/* Line k of one panel of the rays. */
static bool move_line(bool give, bool past, const SinoStridedRays *rays, SinoPanel at, int64_t k, void *panel)
{
    const int64_t columns = rays->column_count, place = rays->place ? rays->place[k] : k;
    const int64_t line = rays->place ? k : rays->line[k];
    void *row = row_of(at.slices, rays->first_row + place * columns, panel);
    if (line >= 0) {
        const int64_t number = rays->place ? k : (line - rays->line_first) / rays->line_step;
        return move(give, past, at.slices, columns, from_element(rays->projections, at.first, number, 0), row);
    }
    if (!give) memset(row, 0, (size_t)(columns * at.slices.stride) * sino_precision_bytes(at.slices.precision));
    return true;
}

static bool move_rays(bool give, bool past, const SinoStridedRays *rays, void *y)
{
    const int64_t rows = rays->vector_rows ? rays->vector_rows : rays->angle_count * rays->column_count;
    bool finite = true;
    for (SinoPanel at = sino_panel_at(rays->slices, 0); at.first < rays->slices.stride;
         at = sino_panel_next(rays->slices, at)) {
        void *panel = sino_panel_to(at, rows, y);
        for (int64_t k = rays->first_angle; k < rays->last_angle; k++)
            finite &= move_line(give, past, rays, at, k, panel);
    }
    end_past();
    return finite;
}

static bool rays_are_past(const SinoStridedRays *rays)
{
    return is_past(rays->slices, rays->angle_count * rays->column_count);
}

void sino_strided_give_sums(const SinoStridedRays *rays, const SinoPartials *partials, void *scratch)
{
    static const int64_t only = 0;
    SinoStridedRays line = *rays;
    line.angle_count = line.last_angle = 1;
    line.first_angle = line.first_row = line.vector_rows = 0;
    line.place = &only;
    for (int64_t k = rays->first_angle; k < rays->last_angle; k++) {
        const int64_t row = rays->first_row + rays->place[k] * rays->column_count;
        line.projections = from_element(rays->projections, 0, k, 0);
        sino_reduce_add_rows(rays->slices, partials->count, partials->map, partials->vector, row, rays->column_count,
                             scratch);
        (void)move_rays(true, rays_are_past(rays), &line, scratch);
    }
}

bool sino_strided_take_tiles(const SinoStridedTiles *tiles, void *x)
{
    return move_tiles(false, tiles, x);
}

bool sino_strided_take_rays(const SinoStridedRays *rays, void *y)
{
    return move_rays(false, rays_are_past(rays), rays, y);
}

/* The vectors are read only: one function walks in both directions. */
void sino_strided_give_tiles(const SinoStridedTiles *tiles, const void *x)
{
    (void)move_tiles(true, tiles, (void *)x);
}

void sino_strided_give_rays(const SinoStridedRays *rays, const void *y)
{
    (void)move_rays(true, rays_are_past(rays), rays, (void *)y);
}
