/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM in one type. REAL is the type of the arithmetic, LANES of them fill a register, NAME(x) are the function names.
 * Included by spmm_isa.c.
 *
 * A visit is one section in one orientation for one panel of slices. Its rows of x are those of one tile, contiguous
 * and small enough for L1. Its lengths stay in L2 from visit to visit. A group keeps its R × vectors sums (project) or
 * rows (backproject) in registers. */

typedef struct NAME(Visit) {
    int64_t group_count;
    const uint32_t *ray;
    const uint8_t *count, *voxel;
    const REAL *length;
    REAL *x;          /* rows of the tile */
    void *y;          /* rows of the footprint */
    const REAL *unit; /* of each slice: the value that a stored half of 1 stands for */
    const char *next; /* the next visit's tile, and the bytes of it that each group prefetches */
    int64_t next_step;
} NAME(Visit);

/* Prefetches the footprint's rows of a later group, and a part of the next tile. */
SINO_INLINE void NAME(prefetch)(const NAME(Visit) * visit, int64_t group, int64_t row_bytes)
{
    const uint32_t *ahead = visit->ray + (group + SINO_GROUPS_AHEAD) * SINO_GROUP_RAYS;
    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) for (int64_t line = 0; line < row_bytes; line += LINE)
        __builtin_prefetch((const char *)visit->y + ahead[r] * row_bytes + line);
    const char *next = visit->next + group * visit->next_step;
    for (int64_t line = 0; line < visit->next_step; line += LINE) __builtin_prefetch(next + line);
}

/* Finds the group's rows of the footprint, before the first of them is written. */
SINO_INLINE void NAME(find_rows)(const NAME(Visit) * visit, int64_t group, int64_t row_bytes, char **row)
{
    const uint32_t *ray = visit->ray + group * SINO_GROUP_RAYS;
    UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) row[r] = (char *)visit->y + ray[r] * row_bytes;
}

#define PANEL         pair
#define PANEL_LANES   LANES
#define PANEL_VECTORS 2
#include "spmm_panel_tmpl.c"

#define PANEL         full
#define PANEL_LANES   LANES
#define PANEL_VECTORS 1
#include "spmm_panel_tmpl.c"

#if LANES >= 8
#define PANEL         half
#define PANEL_LANES   (LANES / 2)
#define PANEL_VECTORS 1
#include "spmm_panel_tmpl.c"
#endif

#if LANES >= 16
#define PANEL         quarter
#define PANEL_LANES   (LANES / 4)
#define PANEL_VECTORS 1
#include "spmm_panel_tmpl.c"
#endif

/* One or two slices are too few for a vector register, so the group's rays are its lanes. */
typedef REAL NAME(RayVector)
    __attribute__((vector_size(SINO_GROUP_RAYS * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

_Static_assert(SINO_GROUP_RAYS == 4, "the narrow panels name each ray of a group");

SINO_INLINE REAL NAME(load_one)(const void *y, int64_t at, const REAL *unit, bool y_half)
{
    if (!y_half) return ((const REAL *)y)[at];
    return (REAL)half_value(((const SinoHalf *)y)[at]) * (unit ? *unit : 1);
}

#if LANES > 2
#define PANEL       two
#define PANEL_WIDTH 2
#include "spmm_narrow_tmpl.c"
#endif

#define PANEL       one
#define PANEL_WIDTH 1
#include "spmm_narrow_tmpl.c"

/* Visits, dispatched on the panel's width. */
SINO_INLINE void NAME(project_rows)(const NAME(Visit) * visit, int64_t width, bool y_half)
{
    if (width == 2 * LANES)
        NAME(project_pair)(visit, y_half);
    else if (width == LANES)
        NAME(project_full)(visit, y_half);
#if LANES >= 8
    else if (width == LANES / 2)
        NAME(project_half)(visit, y_half);
#endif
#if LANES >= 16
    else if (width == LANES / 4)
        NAME(project_quarter)(visit, y_half);
#endif
#if LANES > 2
    else if (width == 2)
        NAME(project_two)(visit, y_half);
#endif
    else
        NAME(project_one)(visit, y_half);
}

SINO_INLINE void NAME(backproject_rows)(const NAME(Visit) * visit, int64_t width, bool y_half)
{
    if (width == 2 * LANES)
        NAME(backproject_pair)(visit, y_half);
    else if (width == LANES)
        NAME(backproject_full)(visit, y_half);
#if LANES >= 8
    else if (width == LANES / 2)
        NAME(backproject_half)(visit, y_half);
#endif
#if LANES >= 16
    else if (width == LANES / 4)
        NAME(backproject_quarter)(visit, y_half);
#endif
#if LANES > 2
    else if (width == 2)
        NAME(backproject_two)(visit, y_half);
#endif
    else
        NAME(backproject_one)(visit, y_half);
}

static void NAME(project_visit)(const NAME(Visit) * visit, int64_t width)
{
    NAME(project_rows)(visit, width, false);
}

static void NAME(backproject_visit)(const NAME(Visit) * visit, int64_t width)
{
    NAME(backproject_rows)(visit, width, false);
}

#if REAL_BYTES == 4
static void NAME(project_visit_half)(const NAME(Visit) * visit, int64_t width)
{
    NAME(project_rows)(visit, width, true);
}

static void NAME(backproject_visit_half)(const NAME(Visit) * visit, int64_t width)
{
    NAME(backproject_rows)(visit, width, true);
}
#endif

/* A walk through a block: every section, in each of its orientations, for each panel. */
typedef struct NAME(Walk) {
    SinoSpmmProduct product;
    const SinoBlockHeader *header;
    const SinoSectionHeader *section;
    const char *piece_end;
    SinoSection array;
    NAME(Visit) visit;
} NAME(Walk);

/* Finds the section's lengths as REAL: where they are, or converted into the scratch. */
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

/* Number of slices of the panel that begins with slice `first`, as in panel.h. */
SINO_INLINE int64_t NAME(panel_width)(int64_t stride, int64_t first)
{
    return stride - first < 2 * LANES ? stride - first : 2 * LANES;
}

/* Address of a tile's rows in a panel that begins with slice `first`. */
SINO_INLINE char *NAME(tile_rows)(const NAME(Walk) * walk, int64_t first, int64_t width, int32_t tile, size_t x_bytes)
{
    const SinoSpmmPart *part = &walk->product.part;
    const int64_t row = (tile - part->first_tile) * SINO_TILE_VOXELS, rows = part->tile_count * SINO_TILE_VOXELS;
    return (char *)walk->product.x + (size_t)(first * rows + row * width) * x_bytes;
}

/* The tile of the next section, or of this section at the end of a piece. */
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
    const int64_t turned = flags.back && product->row ? 0 : orientation * walk->section->step;
    visit->y = (char *)product->y + (size_t)(first * product->y_rows + turned * width) * y_bytes;
    visit->x = (REAL *)(void *)rows;
    visit->unit = NULL;
#if REAL_BYTES == 4
    visit->unit = product->unit ? product->unit + first : NULL;
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
        if (flags.back && walk->product.row) {
            find_rays(((int64_t)section->group_count + SINO_GROUPS_AHEAD) * SINO_GROUP_RAYS, walk->array.ray,
                      walk->product.row + number * section->step, walk->product.scratch->ray);
            walk->visit.ray = walk->product.scratch->ray;
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
    for (int64_t i = product->part.first_piece; i < product->part.end_piece; i++) {
        const char *at = (const char *)header + piece[i].offset;
        walk.piece_end = at + piece[i].bytes;
        while (at < walk.piece_end) {
            const SinoSectionHeader *section = (const void *)at;
            NAME(visit_section)(&walk, section, flags);
            at += section->bytes;
        }
    }
}
