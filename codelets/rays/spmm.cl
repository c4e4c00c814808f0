/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM from gather lists with groups of 4 outputs (codelets/rays/gather.h defines them). A work item computes one slice of
 * the outputs that a unit owns. No other work item adds to these outputs, so the order of each sum is fixed. */

enum { TILE_VOXELS = 256, ORIENTATIONS = 8, GROUP = 4, NONE = 0xffff };

/* SinoPrecision of config/base/panel.h. */
enum { SINGLE, DOUBLE, HALF, MIXED };

/* The same structs as in gather.h, without the prefix SinoGather. */
typedef struct Header {
    long bytes, tile_count, ray_count, nonzero_count, stored_nonzero_count, stored_count, index_bytes;
    int precision, back, outputs, chain_count, visit_count, angles, columns, unit_count, part_count, part_unit_count;
    long early_unit_count, whole_units[2];
} Header;

typedef struct Chain {
    int first_visit, visit_count, first_unit;
    uint orientations;
    long step;
} Chain;

typedef struct Visit {
    long offset, step;
    int tile, bundle_count, step_count;
    uint orientations;
} Visit;

typedef struct Source {
    int tile, orientation;
} Source;

typedef struct Span {
    uint first, count;
} Span;

typedef struct Bundle {
    uint first, count;
    ushort output[GROUP * GROUP];
} Bundle;

/* Addresses of the tables of the lists. */
typedef struct Tables {
    __global const Chain *chain;
    __global const Visit *visit;
    __global const Source *source;
    __global const int *tile;
    __global const Span *span;
} Tables;

/* The lists of one visit. */
typedef struct Lists {
    __global const Bundle *bundle;
    __global const ushort *slot;
    __global const void *length;
} Lists;

static Tables tables_of(__global const Header *header)
{
    Tables tables;
    tables.chain = (__global const Chain *)(header + 1);
    tables.visit = (__global const Visit *)(tables.chain + header->chain_count);
    tables.source = (__global const Source *)(tables.visit + header->visit_count);
    tables.tile = (__global const int *)(tables.source + header->tile_count * ORIENTATIONS);
    tables.span = (__global const Span *)(tables.tile + header->tile_count * ORIENTATIONS);
    return tables;
}

static long align(long bytes, long to)
{
    return (bytes + to - 1) / to * to;
}

static Lists lists_of(__global const Header *header, __global const Visit *visit)
{
    __global const uchar *base = (__global const uchar *)header + visit->offset;
    const long bundles = align(visit->bundle_count * (long)sizeof(Bundle), 32);
    const long slots = visit->step_count * (long)(GROUP * sizeof(ushort));
    Lists lists;
    lists.bundle = (__global const Bundle *)base;
    lists.slot = (__global const ushort *)(base + bundles);
    lists.length = base + align(bundles + slots, 128);
    return lists;
}

/* Reads one element of an array of halves or of REALs. */
static REAL take(int is_half, __global const void *array, size_t at)
{
    return is_half ? (REAL)vload_half(at, (__global const half *)array) : ((__global const REAL *)array)[at];
}

static void put(int is_half, REAL value, __global void *array, size_t at)
{
    if (is_half)
        vstore_half_rte((float)value, at, (__global half *)array);
    else
        ((__global REAL *)array)[at] = value;
}

static void add(int is_half, REAL value, __global void *array, size_t at)
{
    put(is_half, take(is_half, array, at) + value, array, at);
}

static int is_narrow(int precision)
{
    return precision == HALF || precision == MIXED;
}

/* The factor for a sum before it is stored: the unit of slice f in mixed precision, else 1. In mixed precision x holds
 * multiples of the unit. In half precision the stored result does, too, so its factor is 1. */
static REAL scale_of(int precision, __global const Units *units, int f)
{
    return precision == MIXED && units ? (REAL)units->unit[f] : 1;
}

/* The row in the footprint of the ray in `slot`, in the stored orientation. */
static long row_of(__global const Span *span, int columns, int slot)
{
    const Span angle = span[slot / columns];
    const int ahead = slot % columns - (int)(angle.first % (uint)columns);
    return (long)angle.first + (ahead < 0 ? ahead + columns : ahead);
}

/* The place of voxel v of a tile in orientation g; equals sino_gather_voxel. */
static int voxel_of(int g, int v)
{
    const int backwards = (int)(0xfff0000f0ffff000UL >> (8 * g) & 0xff);
    return (g % 2 == 0 ? v : (v << 4 | v >> 4) & 0xff) ^ backwards;
}

/* The rank of bit g: the number of set bits below it. */
static int number_of(uint bits, int g)
{
    return popcount(bits & ((1u << g) - 1));
}

static int bit_number(uint bits, int number)
{
    int g = 0;
    while (!(bits >> g & 1) || number-- > 0) g++;
    return g;
}

__kernel void spmm_clear(Slices slices, int precision, long rows, __global void *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f < slices.stride && i < rows) put(precision == HALF, 0, to, element(slices, rows, i, f));
}

/* Adds lengths times inputs to the sums of group q of a bundle. */
static void gather(Lists lists, Bundle bundle, int q, int narrow, Column input, long first_row, int turn,
                   __global const Span *span, int columns, __global const void *from, REAL sum[GROUP])
{
    for (int r = 0; r < GROUP; r++) sum[r] = 0;
    for (uint s = bundle.first; s < bundle.first + bundle.count; s++) {
        const int slot = lists.slot[s * GROUP + q];
        const long row = first_row + (span ? row_of(span, columns, slot) : voxel_of(turn, slot));
        const REAL value = take(narrow, from, in_column(input, row));
        for (int r = 0; r < GROUP; r++) sum[r] += take(narrow, lists.length, (s * GROUP + q) * GROUP + r) * value;
    }
}

/* One work item computes one slice of one unit, which is a chain in one orientation. y is 0 before the launch. */
__kernel void spmm_project(Slices slices, __global const Header *header, __global const void *x,
                           __global const Units *units, __global void *y)
{
    const int f = get_global_id(0), unit = get_global_id(1);
    if (f >= slices.stride || unit >= header->unit_count) return;
    const Tables tables = tables_of(header);
    const int narrow = is_narrow(header->precision), to_half = header->precision == HALF;
    const Column input = column_of(slices, header->tile_count * TILE_VOXELS, f);
    const Column output = column_of(slices, header->ray_count, f);
    const REAL scale = scale_of(header->precision, units, f);
    int c = 0;
    while (c + 1 < header->chain_count && tables.chain[c + 1].first_unit <= unit) c++;
    const Chain chain = tables.chain[c];
    const int g = bit_number(chain.orientations, unit - chain.first_unit);
    for (int v = chain.first_visit; v < chain.first_visit + chain.visit_count; v++) {
        const Visit visit = tables.visit[v];
        const Lists lists = lists_of(header, &tables.visit[v]);
        const long tile = tables.tile[visit.tile * ORIENTATIONS + g];
        __global const Span *span = tables.span + (long)v * header->angles;
        for (int b = 0; b < visit.bundle_count; b++) {
            const Bundle bundle = lists.bundle[b];
            for (int q = 0; q < GROUP; q++) {
                REAL sum[GROUP];
                gather(lists, bundle, q, narrow, input, tile * TILE_VOXELS, g, 0, 0, x, sum);
                for (int r = 0; r < GROUP; r++) {
                    const int slot = bundle.output[q * GROUP + r];
                    if (slot == NONE) continue;
                    const long row = row_of(span, header->columns, slot) + (unit - chain.first_unit) * chain.step;
                    add(to_half, sum[r] * scale, y, in_column(output, row));
                }
            }
        }
    }
}

/* One work item computes one slice of one tile. x is 0 before the launch. */
__kernel void spmm_backproject(Slices slices, __global const Header *header, __global const void *y,
                               __global const Units *units, __global void *x)
{
    const int f = get_global_id(0), tile = get_global_id(1);
    if (f >= slices.stride || tile >= header->tile_count) return;
    const Tables tables = tables_of(header);
    const int narrow = is_narrow(header->precision), to_half = header->precision == HALF;
    const Column input = column_of(slices, header->ray_count, f);
    const Column output = column_of(slices, header->tile_count * TILE_VOXELS, f);
    const REAL scale = scale_of(header->precision, units, f);
    for (int i = 0; i < ORIENTATIONS; i++) {
        const Source source = tables.source[(long)tile * ORIENTATIONS + i];
        if (source.tile < 0) break;
        const Chain chain = tables.chain[source.tile];
        const int g = source.orientation;
        for (int v = chain.first_visit; v < chain.first_visit + chain.visit_count; v++) {
            const Visit visit = tables.visit[v];
            if (!(visit.orientations >> g & 1)) continue;
            const Lists lists = lists_of(header, &tables.visit[v]);
            const long moved = number_of(visit.orientations, g) * visit.step;
            __global const Span *span = tables.span + (long)v * header->angles;
            for (int b = 0; b < visit.bundle_count; b++) {
                const Bundle bundle = lists.bundle[b];
                for (int q = 0; q < GROUP; q++) {
                    REAL sum[GROUP];
                    gather(lists, bundle, q, narrow, input, moved, g, span, header->columns, y, sum);
                    for (int r = 0; r < GROUP; r++) {
                        const int slot = bundle.output[q * GROUP + r];
                        if (slot == NONE) continue;
                        const long row = (long)tile * TILE_VOXELS + voxel_of(g, slot);
                        add(to_half, sum[r] * scale, x, in_column(output, row));
                    }
                }
            }
        }
    }
}
