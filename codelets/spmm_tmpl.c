/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM in one type: REAL computes, LANES of them fill a register, NAME(x) are the function names. Included by
 * spmm_isa.c.
 *
 * A visit is one section in one orientation for one panel of slices: its x rows are a tile's, contiguous and small
 * enough for L1, its lengths stay in L2 from visit to visit. A group keeps its R × vectors sums (project) or rows
 * (backproject) in registers. */

typedef struct NAME(Visit) {
    int64_t group_count;
    const uint32_t *ray;
    const uint8_t *count, *voxel;
    const REAL *length;
    REAL *x;          /* rows of the tile */
    void *y;          /* rows of the footprint */
    const REAL *unit; /* of each slice: what a stored half stands for */
    const char *next; /* the tile of the next visit, to be prefetched, and how much of it per group */
    int64_t next_step;
} NAME(Visit);

/* Rows of groups ahead, and a part of the next tile. */
SINO_INLINE void NAME(prefetch)(const NAME(Visit) * visit, int64_t group, int64_t row_bytes)
{
    const uint32_t *ahead = visit->ray + (group + SINO_GROUPS_AHEAD) * SINO_GROUP_RAYS;
    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) for (int64_t line = 0; line < row_bytes; line += LINE)
        __builtin_prefetch((const char *)visit->y + ahead[r] * row_bytes + line);
    const char *next = visit->next + group * visit->next_step;
    for (int64_t line = 0; line < visit->next_step; line += LINE) __builtin_prefetch(next + line);
}

/* Where the group's rows of the footprint are: known before the first of them is written. */
SINO_INLINE void NAME(find_rows)(const NAME(Visit) * visit, int64_t group, int64_t row_bytes, char **row)
{
    const uint32_t *ray = visit->ray + group * SINO_GROUP_RAYS;
    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) row[r] = (char *)visit->y + ray[r] * row_bytes;
}

/* A panel of `vectors` vectors of `lanes` slices. Projecting: rays are sums over the union's voxels; with one vector a
 * second set of sums, for every other voxel, hides the latency of an addition. Backprojecting: each voxel of the union
 * receives every ray. */
#define DEFINE_PANEL(panel, lanes, vectors)                                                                            \
    typedef REAL NAME(panel##_vector)                                                                                  \
        __attribute__((vector_size((lanes) * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));                        \
    SINO_INLINE NAME(panel##_vector) NAME(load_##panel)(const void *row, int at, const REAL *unit, bool y_half)        \
    {                                                                                                                  \
        if (!y_half) return *(const NAME(panel##_vector) *)((const REAL *)row + at);                                   \
        NAME(panel##_vector) value;                                                                                    \
        expand_lanes(lanes, (const SinoHalf *)row + at, &value);                                                       \
        if (unit) value *= *(const NAME(panel##_vector) *)unit;                                                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    SINO_INLINE void NAME(add_##panel)(void *row, int at, NAME(panel##_vector) sum, bool y_half)                       \
    {                                                                                                                  \
        const NAME(panel##_vector) value = NAME(load_##panel)(row, at, NULL, y_half) + sum;                            \
        if (y_half)                                                                                                    \
            narrow_lanes(lanes, &value, (SinoHalf *)row + at);                                                         \
        else                                                                                                           \
            *(NAME(panel##_vector) *)((REAL *)row + at) = value;                                                       \
    }                                                                                                                  \
    SINO_INLINE void NAME(project_##panel)(const NAME(Visit) * visit, bool y_half)                                     \
    {                                                                                                                  \
        typedef NAME(panel##_vector) Vector;                                                                           \
        enum { WIDTH = (lanes) * (vectors), SETS = (vectors) == 1 ? 2 : 1 };                                           \
        const uint8_t *voxel = visit->voxel;                                                                           \
        const REAL *length = visit->length, *const x = visit->x;                                                       \
        const int64_t row_bytes = WIDTH * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL));                         \
        for (int64_t g = 0; g < visit->group_count; g++) {                                                             \
            char *row[SINO_GROUP_RAYS];                                                                                \
            const uint8_t *const end = voxel + visit->count[g];                                                        \
            Vector sum[SETS][SINO_GROUP_RAYS][vectors];                                                                \
            NAME(prefetch)(visit, g, row_bytes);                                                                       \
            NAME(find_rows)(visit, g, row_bytes, row);                                                                 \
            UNROLL for (int s = 0; s < SETS; s++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)                     \
                UNROLL for (int v = 0; v < (vectors); v++) sum[s][r][v] = (Vector){0};                                 \
            do {                                                                                                       \
                UNROLL for (int i = 0; i < 2; i++)                                                                     \
                {                                                                                                      \
                    const Vector *from = (const Vector *)(x + (int64_t)voxel[i] * WIDTH);                              \
                    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++)        \
                        sum[i % SETS][r][v] += from[v] * length[i * SINO_GROUP_RAYS + r];                              \
                }                                                                                                      \
                voxel += 2;                                                                                            \
                length += 2 * SINO_GROUP_RAYS;                                                                         \
            } while (voxel < end);                                                                                     \
            UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++)                \
            {                                                                                                          \
                if (SETS == 2) sum[0][r][v] += sum[SETS - 1][r][v];                                                    \
                NAME(add_##panel)(row[r], v * (lanes), sum[0][r][v], y_half);                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    SINO_INLINE void NAME(backproject_##panel)(const NAME(Visit) * visit, bool y_half)                                 \
    {                                                                                                                  \
        typedef NAME(panel##_vector) Vector;                                                                           \
        enum { WIDTH = (lanes) * (vectors) };                                                                          \
        const uint8_t *voxel = visit->voxel;                                                                           \
        const REAL *length = visit->length;                                                                            \
        REAL *const x = visit->x;                                                                                      \
        const int64_t row_bytes = WIDTH * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL));                         \
        for (int64_t g = 0; g < visit->group_count; g++) {                                                             \
            char *row[SINO_GROUP_RAYS];                                                                                \
            const uint8_t *const end = voxel + visit->count[g];                                                        \
            Vector value[SINO_GROUP_RAYS][vectors];                                                                    \
            NAME(prefetch)(visit, g, row_bytes);                                                                       \
            NAME(find_rows)(visit, g, row_bytes, row);                                                                 \
            UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++) value[r][v] =  \
                NAME(load_##panel)(row[r], v * (lanes), y_half ? visit->unit + v * (lanes) : NULL, y_half);            \
            do {                                                                                                       \
                UNROLL for (int i = 0; i < 2; i++)                                                                     \
                {                                                                                                      \
                    Vector *to = (Vector *)(x + (int64_t)voxel[i] * WIDTH);                                            \
                    Vector sum[vectors];                                                                               \
                    UNROLL for (int v = 0; v < (vectors); v++) sum[v] = to[v];                                         \
                    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++)        \
                        sum[v] += value[r][v] * length[i * SINO_GROUP_RAYS + r];                                       \
                    UNROLL for (int v = 0; v < (vectors); v++) to[v] = sum[v];                                         \
                }                                                                                                      \
                voxel += 2;                                                                                            \
                length += 2 * SINO_GROUP_RAYS;                                                                         \
            } while (voxel < end);                                                                                     \
        }                                                                                                              \
    }

/* One or two slices: too few for a vector, so the group's rays are its lanes instead. */
typedef REAL NAME(RayVector)
    __attribute__((vector_size(SINO_GROUP_RAYS * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

_Static_assert(SINO_GROUP_RAYS == 4, "the narrow panels name each ray of a group");

SINO_INLINE REAL NAME(load_one)(const void *y, int64_t at, const REAL *unit, bool y_half)
{
    if (!y_half) return ((const REAL *)y)[at];
    return (REAL)half_value(((const SinoHalf *)y)[at]) * (unit ? *unit : 1);
}

#define DEFINE_NARROW(panel, slices)                                                                                   \
    SINO_INLINE void NAME(project_##panel)(const NAME(Visit) * visit, bool y_half)                                     \
    {                                                                                                                  \
        typedef NAME(RayVector) Vector;                                                                                \
        const uint8_t *voxel = visit->voxel;                                                                           \
        const Vector *length = (const Vector *)visit->length;                                                          \
        const REAL *const x = visit->x;                                                                                \
        for (int64_t g = 0; g < visit->group_count; g++) {                                                             \
            const uint32_t *ray = visit->ray + g * SINO_GROUP_RAYS;                                                    \
            const uint8_t *const end = voxel + visit->count[g];                                                        \
            Vector sum[2][slices];                                                                                     \
            NAME(prefetch)(visit, g, (slices) * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL)));                  \
            UNROLL for (int f = 0; f < (slices); f++) sum[0][f] = sum[1][f] = (Vector){0};                             \
            for (; voxel < end; voxel += 2, length += 2)                                                               \
                UNROLL for (int i = 0; i < 2; i++) UNROLL for (int f = 0; f < (slices); f++) sum[i][f] +=              \
                    length[i] * x[(int64_t)voxel[i] * (slices) + f];                                                   \
            UNROLL for (int f = 0; f < (slices); f++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)                 \
            {                                                                                                          \
                const int64_t at = ray[r] * (int64_t)(slices) + f;                                                     \
                const REAL value = NAME(load_one)(visit->y, at, NULL, y_half) + (sum[0][f][r] + sum[1][f][r]);         \
                if (y_half)                                                                                            \
                    ((SinoHalf *)visit->y)[at] = sino_half((float)value);                                              \
                else                                                                                                   \
                    ((REAL *)visit->y)[at] = value;                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    SINO_INLINE void NAME(backproject_##panel)(const NAME(Visit) * visit, bool y_half)                                 \
    {                                                                                                                  \
        typedef NAME(RayVector) Vector;                                                                                \
        const uint8_t *voxel = visit->voxel;                                                                           \
        const Vector *length = (const Vector *)visit->length;                                                          \
        REAL *const x = visit->x;                                                                                      \
        for (int64_t g = 0; g < visit->group_count; g++) {                                                             \
            const uint32_t *ray = visit->ray + g * SINO_GROUP_RAYS;                                                    \
            const uint8_t *const end = voxel + visit->count[g];                                                        \
            Vector row[slices];                                                                                        \
            NAME(prefetch)(visit, g, (slices) * (int64_t)(y_half ? sizeof(SinoHalf) : sizeof(REAL)));                  \
            REAL value[slices][SINO_GROUP_RAYS];                                                                       \
            UNROLL for (int f = 0; f < (slices); f++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) value[f][r] =   \
                NAME(load_one)(visit->y, ray[r] * (int64_t)(slices) + f, y_half ? visit->unit + f : NULL, y_half);     \
            UNROLL for (int f = 0; f < (slices); f++) row[f] = *(const Vector *)value[f];                              \
            for (; voxel < end; voxel++, length++) UNROLL for (int f = 0; f < (slices); f++)                           \
                {                                                                                                      \
                    const Vector product = row[f] * *length;                                                           \
                    x[(int64_t)*voxel * (slices) + f] += (product[0] + product[2]) + (product[1] + product[3]);        \
                }                                                                                                      \
        }                                                                                                              \
    }

DEFINE_PANEL(pair, LANES, 2)
DEFINE_PANEL(full, LANES, 1)
#if LANES >= 8
DEFINE_PANEL(half, LANES / 2, 1)
#endif
#if LANES >= 16
DEFINE_PANEL(quarter, LANES / 4, 1)
#endif
#if LANES > 2
DEFINE_NARROW(two, 2)
#endif
DEFINE_NARROW(one, 1)

#undef DEFINE_PANEL
#undef DEFINE_NARROW

#define DEFINE_VISIT(direction, suffix, y_half)                                                                        \
    static void NAME(direction##suffix)(const NAME(Visit) * visit, int64_t width)                                      \
    {                                                                                                                  \
        if (width == 2 * LANES) {                                                                                      \
            NAME(direction##_pair)(visit, y_half);                                                                     \
            return;                                                                                                    \
        }                                                                                                              \
        if (width == LANES) {                                                                                          \
            NAME(direction##_full)(visit, y_half);                                                                     \
            return;                                                                                                    \
        }                                                                                                              \
        TAKE_HALF(direction, y_half)                                                                                   \
        TAKE_QUARTER(direction, y_half)                                                                                \
        TAKE_TWO(direction, y_half)                                                                                    \
        NAME(direction##_one)(visit, y_half);                                                                          \
    }

#define TAKE(direction, panel, panel_width, y_half)                                                                    \
    if (width == (panel_width)) {                                                                                      \
        NAME(direction##_##panel)(visit, y_half);                                                                      \
        return;                                                                                                        \
    }
#if LANES >= 8
#define TAKE_HALF(direction, y_half) TAKE(direction, half, LANES / 2, y_half)
#else
#define TAKE_HALF(direction, y_half)
#endif
#if LANES >= 16
#define TAKE_QUARTER(direction, y_half) TAKE(direction, quarter, LANES / 4, y_half)
#else
#define TAKE_QUARTER(direction, y_half)
#endif
#if LANES > 2
#define TAKE_TWO(direction, y_half) TAKE(direction, two, 2, y_half)
#else
#define TAKE_TWO(direction, y_half)
#endif

DEFINE_VISIT(project, _visit, false)
DEFINE_VISIT(backproject, _visit, false)
#if REAL_BYTES == 4
DEFINE_VISIT(project, _visit_half, true)
DEFINE_VISIT(backproject, _visit_half, true)
#endif

#undef DEFINE_VISIT
#undef TAKE
#undef TAKE_HALF
#undef TAKE_QUARTER
#undef TAKE_TWO

/* Walks through a block: every section, in each of its orientations, for each panel. */
typedef struct NAME(Walk) {
    SinoSpmmProduct product;
    const SinoBlockHeader *header;
    const SinoSectionHeader *section;
    const char *piece_end;
    SinoSection array;
    NAME(Visit) visit;
} NAME(Walk);

/* The section's lengths in REAL: where they are, or in the scratch. */
SINO_INLINE void NAME(open_section)(NAME(Walk) * walk, const SinoSectionHeader *section)
{
    const SinoPrecision precision = (SinoPrecision)walk->header->precision;
    walk->section = section;
    sino_section_arrays(section, precision, &walk->array);
    walk->visit.length = walk->array.length;
#if REAL_BYTES == 4
    if (precision != SINO_SINGLE) {
        expand((int64_t)section->voxel_count * SINO_GROUP_RAYS, walk->array.length, walk->product.scratch->length);
        walk->visit.length = walk->product.scratch->length;
    }
#endif
    walk->visit.group_count = section->group_count;
    walk->visit.ray = walk->array.ray;
    walk->visit.count = walk->array.count;
}

/* Slices of the panel that begins with slice `first`, as in panel.h. */
SINO_INLINE int64_t NAME(panel_width)(int64_t stride, int64_t first)
{
    return stride - first < 2 * LANES ? stride - first : 2 * LANES;
}

/* Where a tile's rows are in a panel that begins with slice `first`. */
SINO_INLINE char *NAME(tile_rows)(const NAME(Walk) * walk, int64_t first, int64_t width, int32_t tile, size_t x_bytes)
{
    const int64_t rows = walk->header->tile_count * SINO_TILE_VOXELS;
    return (char *)walk->product.x + (size_t)(first * rows + tile * (int64_t)SINO_TILE_VOXELS * width) * x_bytes;
}

/* The tile of the next section; of this one at the end of a piece. */
SINO_INLINE int32_t NAME(next_section_tile)(const NAME(Walk) * walk)
{
    const SinoSectionHeader *next = (const void *)((const char *)walk->section + walk->section->bytes);
    return (const char *)next >= walk->piece_end ? walk->section->tile : next->tile;
}

SINO_INLINE void NAME(visit_panel)(NAME(Walk) * walk, int64_t first, int64_t width, int32_t tile, int64_t orientation,
                                   const char *next, SinoSpmmFlags flags)
{
    NAME(Visit) *visit = &walk->visit;
    const SinoSpmmProduct *product = &walk->product;
    const size_t x_bytes = flags.x_half ? sizeof(SinoHalf) : sizeof(REAL);
    const size_t y_bytes = flags.y_half ? sizeof(SinoHalf) : sizeof(REAL);
    const int64_t elements = SINO_TILE_VOXELS * width;
    char *rows = NAME(tile_rows)(walk, first, width, tile, x_bytes);
    const int64_t lines = (elements * (int64_t)x_bytes + LINE - 1) / LINE;
    visit->next = next;
    visit->next_step = (lines + visit->group_count - 1) / visit->group_count * LINE;
    visit->y = (char *)product->y +
               (size_t)(first * walk->header->ray_count + orientation * walk->section->step * width) * y_bytes;
    visit->x = (REAL *)(void *)rows;
    visit->unit = NULL;
#if REAL_BYTES == 4
    visit->unit = product->unit + first;
    if (flags.x_half) {
        visit->x = product->scratch->tile;
        expand_rows(SINO_TILE_VOXELS, width, (const SinoHalf *)(const void *)rows, visit->unit, visit->x);
    }
    if (flags.y_half && flags.back)
        NAME(backproject_visit_half)(visit, width);
    else if (flags.y_half)
        NAME(project_visit_half)(visit, width);
    else
#endif
        if (flags.back)
        NAME(backproject_visit)(visit, width);
    else
        NAME(project_visit)(visit, width);
#if REAL_BYTES == 4
    if (flags.x_half && flags.back) narrow(elements, visit->x, (SinoHalf *)(void *)rows);
#endif
}

SINO_INLINE void NAME(visit_section)(NAME(Walk) * walk, const SinoSectionHeader *section, SinoSpmmFlags flags)
{
    const size_t x_bytes = flags.x_half ? sizeof(SinoHalf) : sizeof(REAL);
    const int32_t *tiles = sino_block_tiles(walk->header) + (int64_t)section->tile * SINO_ORIENTATIONS;
    const int64_t stride = walk->product.stride;
    int64_t number = 0;
    NAME(open_section)(walk, section);
    for (uint32_t rest = section->orientations; rest; rest &= rest - 1, number++) {
        const int g = __builtin_ctz(rest);
        const uint32_t after = rest & (rest - 1);
        const int32_t tile = tiles[g];
        const int32_t next_tile = after ? tiles[__builtin_ctz(after)] : NAME(next_section_tile)(walk);
        walk->visit.voxel = walk->array.voxel;
        if (g > 0) {
            orient_voxels(g, section->voxel_count, walk->array.voxel, walk->product.scratch->voxel);
            walk->visit.voxel = walk->product.scratch->voxel;
        }
        for (int64_t first = 0, width; first < stride; first += width) {
            width = NAME(panel_width)(stride, first);
            const bool last = first + width == stride;
            const int64_t next_first = last ? 0 : first + width;
            const char *next = NAME(tile_rows)(walk, next_first, NAME(panel_width)(stride, next_first),
                                               last ? next_tile : tile, x_bytes);
            NAME(visit_panel)(walk, first, width, tile, number, next, flags);
        }
    }
}

SINO_INLINE void NAME(run)(const SinoBlockHeader *header, const SinoSpmmProduct *product, SinoSpmmFlags flags)
{
    NAME(Walk) walk = {.product = *product, .header = header};
    const SinoBlockPiece *piece = sino_block_pieces(header);
    for (int64_t i = 0; i < header->piece_count; i++) {
        const char *at = (const char *)header + piece[i].offset;
        walk.piece_end = at + piece[i].bytes;
        while (at < walk.piece_end) {
            const SinoSectionHeader *section = (const void *)at;
            NAME(visit_section)(&walk, section, flags);
            at += section->bytes;
        }
    }
}
