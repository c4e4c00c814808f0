/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone kernels of one instruction set, which SINO_ISA names.
 *
 * For a base run and a projection, the two columns between which the run is seen are blended into one line per run
 * that shares the position, weights included. W neighbouring voxels are seen on at most W·rows_per_voxel + 1 entries of
 * a line: a *window* is loaded whole and permuted in registers, so that nothing is gathered, and indices and weights
 * are computed once for all runs that share. The projections of a pass are added in registers before the voxels are
 * written. Positions of windows are integers, so that a voxel does not depend on the part that it is in. */
#include "cone_isa.h"

#include "vector.h"

#include <math.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 8")

enum {
    TILE = 8,                   /* base runs along one side of a tile, of which a pass reads neighbouring lines */
    TWINS = SINO_CONE_TURNS * 2 /* runs that share positions: at most */
};

/* Entries of a line: multiples of as many as are blended at a time. */
typedef struct Range {
    int64_t first, end;
} Range;

/* Which entries of a window of W are the left ones of its W voxels: SPAN_ONE: entries 0 … W − 1. SPAN_NEXT: entry 0 for
 * voxel 0, 1 … W for the others. SPAN_TWO: any of 0 … 2W − 1. */
typedef enum Span { SPAN_ONE, SPAN_NEXT, SPAN_TWO } Span;

enum { PLACE_BITS = 27 }; /* after the point, of positions in a window of less than 32 entries */

/* Registers of an instruction set, each file with the same names: PASS_…: projections that are added in one pass over a
 * run, as many as have their places in registers; TWIN_PASS_…: with all twins, whose lines stay in the first-level
 * cache; SHARE_BITS: of an entry's share in a voxel. `place_…` finds the entries and shares of a window's
 * voxels from the steps of a run (`steps_…`) and the window's start, `take_…` adds a window of one line, `blend_…`
 * makes a line of two columns; `span_of` and `granule_of` tell from the longest step how windows may be taken. */
#if defined __AVX512BW__
#include "cone_avx512_tmpl.c"
#elif defined __AVX2__
#include "cone_avx2_tmpl.c"
#else
#include "cone_plain_tmpl.c"
#endif

_Static_assert((int)PASS_SINGLE <= (int)SINO_CONE_PASS && (int)PASS_MIXED <= (int)SINO_CONE_PASS, "work memory");
_Static_assert((int64_t)PASS_MIXED *SINO_CONE_LARGEST *SHARE_WHOLE < INT32_MAX, "sums of a pass");

/* ---- the projections of a pass ---- */

/* `line`: column 0 of the lines that each twin is added from. `gain`: SinoConePass.gain of the same projection. */
typedef struct Group {
    int count; /* projections */
    double cosine[SINO_CONE_PASS], sine[SINO_CONE_PASS];
    const void *line[SINO_CONE_PASS][TWINS];
    double gain[SINO_CONE_TURNS][SINO_CONE_PASS];
} Group;

/* The twins of turn t are seen by the projection t·group_count after that of the base run. */
static void gather_group(const SinoConePass *pass, int pass_count, int64_t first, Group *group)
{
    const SinoConeLines *lines = pass->of->lines;
    const int64_t projections = sino_cone_projections(lines), bytes = sino_cone_entry_bytes(lines);
    const int halves = lines->symmetry.halves;
    group->count = (int)sino_smaller(pass_count, projections - first);
    for (int k = 0; k < pass_count; k++) {
        group->cosine[k] = pass->cosine[first + k];
        group->sine[k] = pass->sine[first + k];
        for (int t = 0; t < lines->symmetry.turns; t++) {
            const int64_t projection = (first + k + t * lines->group_count) % projections;
            group->gain[t][k] = k < group->count ? pass->gain[projection] : 0;
            for (int h = 0; h < halves && k < group->count; h++)
                group->line[k][t * halves + h] =
                    (const char *)pass->of->projection[projection] + sino_cone_line(lines, h, 0) * bytes;
        }
    }
}

/* ---- a base run, as the projections of a pass see it ---- */

typedef struct Run {
    bool seen;                                        /* by any of them */
    bool wide;                                        /* a window does not fit registers */
    Span span;                                        /* of windows */
    int granule;                                      /* windows begin at multiples of as many entries */
    bool sees[SINO_CONE_PASS];                        /* voxels of the part */
    int64_t column[SINO_CONE_PASS];                   /* the left one of the two that see the run */
    double share[SINO_CONE_PASS];                     /* of the right one */
    double weight[SINO_CONE_PASS];                    /* (D/depth)² */
    double step[SINO_CONE_PASS];                      /* entries from voxel to voxel */
    int64_t at[SINO_CONE_PASS];                       /* voxel 0, in 1/SINO_CONE_ONE of an entry */
    int64_t advance[SINO_CONE_PASS];                  /* from voxel to voxel, likewise; 0 if not seen */
    int64_t from[SINO_CONE_PASS], to[SINO_CONE_PASS]; /* entries that voxels of the part need */
} Run;

/* A run and a pass: column number of each projection. */
typedef struct Columns {
    double at[SINO_CONE_PASS];
    bool seen[SINO_CONE_PASS]; /* on the detector */
} Columns;

/* Every loop of the following functions is one over the projections, so that it becomes vectors. */
SINO_INLINE Columns see(const SinoConePass *pass, const Group *group, int count, double right, double up, Run *run)
{
    const SinoCone cone = *pass->of->cone;
    const double last = (double)(pass->of->lines->column_count - 1);
    Columns columns;
    for (int k = 0; k < count; k++) {
        const SinoConeView view = sino_cone_view(&cone, group->cosine[k], group->sine[k], right, up);
        columns.at[k] = view.column;
        run->step[k] = view.rows_per_voxel;
        run->weight[k] = view.weight;
    }
    for (int k = 0; k < count; k++)
        columns.seen[k] = (k < group->count) & (columns.at[k] >= 0) & (columns.at[k] <= last);
    /* cppcheck-suppress uninitvar; the loops set every column */
    return columns;
}

/* The columns of each projection, and the entries of them. */
SINO_INLINE void find_entries(const SinoConePass *pass, int count, const Columns *columns, Run *run)
{
    const double rounding = 0.01; /* more than positions are rounded by */
    const double entries = (double)pass->of->lines->entry_count, offset = pass->offset, slope = pass->slope;
    const double last_voxel = (double)(pass->of->part->voxel_count - 1);
    const double last_left = (double)sino_larger(pass->of->lines->column_count - 2, 0);
    double from[SINO_CONE_PASS], to[SINO_CONE_PASS];
    for (int k = 0; k < count; k++) {
        const double first = offset + run->step[k] * slope, last = first + run->step[k] * last_voxel;
        from[k] = first > rounding ? first - rounding : 0;
        to[k] = last + 2 + rounding < entries ? last + 2 + rounding : entries;
        run->sees[k] = columns->seen[k] & (from[k] < to[k]);
    }
    for (int k = 0; k < count; k++) {
        const double column = run->sees[k] ? columns->at[k] : 0, left = column < last_left ? column : last_left;
        run->column[k] = (int64_t)left;
        run->share[k] = column - (double)(int64_t)left;
        run->from[k] = run->sees[k] ? (int64_t)from[k] : 0;
        run->to[k] = run->sees[k] ? (int64_t)to[k] : 0;
    }
}

/* Positions as integers. Projections that do not see the run add zeros from before the line. */
SINO_INLINE void find_positions(const SinoConePass *pass, int count, Run *run)
{
    const int64_t origin = pass->origin, slope = pass->doubled_slope;
    for (int k = 0; k < count; k++) {
        const double step = run->step[k] < 4 ? run->step[k] : 4; /* more is wide */
        const int64_t half_step = (int64_t)(step * (0.5 * (double)SINO_CONE_ONE) + 0.5);
        run->at[k] = run->sees[k] ? origin + half_step * slope : -SINO_CONE_MARGIN * SINO_CONE_ONE;
        run->advance[k] = run->sees[k] ? 2 * half_step : 0;
    }
}

/* How windows are taken: by the steps of all projections, whether or not they see this part of the run. */
SINO_INLINE void find_windows(int count, double widest, const Columns *columns, Run *run)
{
    double least = widest, most = 0;
    bool seen = false;
    for (int k = 0; k < count; k++) {
        const double step = run->step[k];
        least = columns->seen[k] && step < least ? step : least;
        most = columns->seen[k] && step > most ? step : most;
        seen |= run->sees[k];
    }
    run->seen = seen;
    run->wide = most > widest;
    run->span = span_of(least, most);
    run->granule = granule_of(most);
}

/* ---- lines ---- */

SINO_INLINE Range range_of(const Run *run, int k, int together)
{
    return (Range){run->from[k] & -(int64_t)together, (run->to[k] + together - 1) & -(int64_t)together};
}

/* Entries from a line to that of the next column, which a detector of one column has not. */
static int64_t next_column(const SinoConeLines *lines)
{
    return lines->column_count > 1 ? lines->entry_count : 0;
}

SINO_INLINE void blend_lines_single(const SinoConePass *pass, const Group *group, int count, const Run *run)
{
    const SinoConeLines *lines = pass->of->lines;
    const int64_t next = next_column(lines), stride = pass->line_stride;
    const int runs = lines->symmetry.turns * lines->symmetry.halves;
    for (int k = 0; k < count; k++) {
        const Range range = range_of(run, k, 16);
        const int64_t column = run->column[k] * lines->entry_count;
        const float share_b = (float)(run->weight[k] * run->share[k]);
        const float share_a = (float)(run->weight[k] * (1 - run->share[k]));
        float *line = (float *)pass->line + SINO_CONE_MARGIN + k * stride;
        for (int r = 0; r < runs; r++, line += count * stride) {
            const float *from = (const float *)group->line[k][r] + column;
            if (run->sees[k]) blend_single(from, from + next, share_a, share_b, range, line);
        }
    }
}

/* Shares are multiples of 2⁻¹⁵; each product is rounded. */
SINO_INLINE void blend_lines_mixed(const SinoConePass *pass, const Group *group, int count, const Run *run)
{
    const SinoConeLines *lines = pass->of->lines;
    const int64_t next = next_column(lines), stride = pass->line_stride;
    const int turns = lines->symmetry.turns, halves = lines->symmetry.halves;
    int share_a[SINO_CONE_TURNS][PASS_MIXED], share_b[SINO_CONE_TURNS][PASS_MIXED];
    for (int t = 0; t < turns; t++)
        for (int k = 0; k < count; k++) {
            const double weight = run->weight[k] * group->gain[t][k];
            share_b[t][k] = (int)(weight * run->share[k] + 0.5);
            share_a[t][k] = (int)(weight + 0.5) - share_b[t][k];
        }
    for (int k = 0; k < count; k++) {
        const Range range = range_of(run, k, 32);
        const int64_t column = run->column[k] * lines->entry_count;
        int16_t *line = (int16_t *)pass->line + SINO_CONE_MARGIN + k * stride;
        for (int t = 0; t < turns && run->sees[k]; t++)
            for (int h = 0; h < halves; h++, line += count * stride) {
                const int16_t *from = (const int16_t *)group->line[k][t * halves + h] + column;
                blend_mixed(from, from + next, share_a[t][k], share_b[t][k], range, line);
            }
    }
}

/* ---- windows ---- */

/* A window that begins more than a margin before the line, or after its last entry, holds zeros only. Such a window is
 * moved to the end of the margin, or to the line's end, where zeros are as well. */
SINO_INLINE int64_t inside_line(int64_t at, int64_t most)
{
    const int64_t least = -SINO_CONE_MARGIN * SINO_CONE_ONE;
    return at > least ? (at < most ? at : most) : least;
}

SINO_INLINE void add_windows_spanned(const SinoConePass *pass, int count, int runs, const Run *run, float *voxels,
                                     Span span)
{
    const int64_t stride = sino_cone_run_voxels(pass->of->part), windows = stride / WINDOW_SINGLE;
    const int64_t most = pass->of->lines->entry_count * SINO_CONE_ONE, line_stride = pass->line_stride;
    const float *const lines = (const float *)pass->line + SINO_CONE_MARGIN;
    int64_t at[PASS_SINGLE], advance[PASS_SINGLE];
    StepsSingle steps[PASS_SINGLE];
    for (int k = 0; k < count; k++) {
        at[k] = run->at[k];
        advance[k] = WINDOW_SINGLE * run->advance[k];
        steps[k] = steps_single((uint32_t)((run->advance[k] + (1 << (31 - PLACE_BITS))) >> (32 - PLACE_BITS)));
    }
    for (int64_t w = 0; w < windows; w++) {
        Place place[PASS_SINGLE];
        const float *from[PASS_SINGLE];
        int64_t base[PASS_SINGLE];
        uint32_t start[PASS_SINGLE];
        for (int k = 0; k < count; k++) {
            const int64_t inside = inside_line(at[k], most);
            base[k] = (inside >> 32) & -(int64_t)run->granule;
            start[k] = (uint32_t)((inside - base[k] * SINO_CONE_ONE) >> (32 - PLACE_BITS));
            at[k] += advance[k];
        }
        UNROLL for (int k = 0; k < count; k++)
        {
            place[k] = place_single(steps[k], start[k], span);
            from[k] = lines + k * line_stride + base[k];
        }
        float *voxel = voxels + w * WINDOW_SINGLE;
        int64_t offset = 0; /* to the lines of run r: the same for all projections, so that one register holds it */
        for (int r = 0; r < runs; r++, voxel += stride, offset += count * line_stride) {
            Voxels sum = load_voxels(voxel);
            UNROLL for (int k = 0; k < count; k++) sum = take_single(sum, from[k] + offset, &place[k], span);
            store_voxels(voxel, sum);
        }
    }
}

SINO_INLINE void add_windows_single(const SinoConePass *pass, int count, int runs, const Run *run, float *voxels)
{
    if (run->span == SPAN_ONE)
        add_windows_spanned(pass, count, runs, run, voxels, SPAN_ONE);
    else if (run->span == SPAN_NEXT)
        add_windows_spanned(pass, count, runs, run, voxels, SPAN_NEXT);
    else
        add_windows_spanned(pass, count, runs, run, voxels, SPAN_TWO);
}

/* What a blended entry of 1 adds to a voxel. */
static double unit_of_sums(const SinoConePass *pass)
{
    return (double)pass->unit_most * pass->weight_most * 32768 / 32767;
}

SINO_INLINE void add_windows_mixed(const SinoConePass *pass, int count, int runs, const Run *run, float *voxels)
{
    enum { TOGETHER = VOXELS_MIXED / WINDOW_MIXED };
    const int64_t stride = sino_cone_run_voxels(pass->of->part), windows = stride / WINDOW_MIXED;
    const int64_t most = pass->of->lines->entry_count * SINO_CONE_ONE, line_stride = pass->line_stride;
    const int16_t *const lines = (const int16_t *)pass->line + SINO_CONE_MARGIN;
    const float unit = (float)(unit_of_sums(pass) / SHARE_WHOLE);
    int64_t at[PASS_MIXED], advance[PASS_MIXED];
    StepsMixed steps[PASS_MIXED];
    for (int k = 0; k < count; k++) {
        at[k] = run->at[k];
        advance[k] = WINDOW_MIXED * run->advance[k];
        steps[k] = steps_mixed((int32_t)((run->advance[k] + (1 << 15)) >> 16));
    }
    for (int64_t w = 0; w < windows; w += TOGETHER) {
        Pairs pairs[PASS_MIXED];
        const int16_t *from[PASS_MIXED][TOGETHER];
        int64_t base[TOGETHER][PASS_MIXED];
        int32_t share[TOGETHER][PASS_MIXED];
        for (int i = 0; i < TOGETHER; i++)
            for (int k = 0; k < count; k++) {
                const int64_t inside = inside_line(at[k], most);
                base[i][k] = (inside >> 32) & -(int64_t)run->granule;
                share[i][k] = (int32_t)((inside - base[i][k] * SINO_CONE_ONE) >> 16);
                at[k] += advance[k];
            }
        UNROLL for (int k = 0; k < count; k++)
        {
            pairs[k] = place_mixed(steps[k], &share[0][k]);
            for (int i = 0; i < TOGETHER; i++) from[k][i] = lines + k * line_stride + base[i][k];
        }
        float *voxel = voxels + w * WINDOW_MIXED;
        int64_t offset = 0;
        for (int r = 0; r < runs; r++, voxel += stride, offset += count * line_stride) {
            Sums sums = no_sums();
            UNROLL for (int k = 0; k < count; k++) sums = take_mixed(sums, from[k], offset, &pairs[k]);
            add_sums(voxel, sums, unit);
        }
    }
}

/* ---- voxels so much larger than rows that windows do not fit: each voxel finds its entries ---- */

#define DEFINE_ADD_WIDE(name, Entry, unit_)                                                                            \
    static void name(const SinoConePass *pass, int pass_count, int runs, const Run *run, float *voxels)                \
    {                                                                                                                  \
        const int64_t stride = sino_cone_run_voxels(pass->of->part), count = pass->of->part->voxel_count;              \
        const double most = (double)pass->of->lines->entry_count, unit = unit_;                                        \
        for (int k = 0; k < pass_count; k++)                                                                           \
            for (int r = 0; r < runs && run->sees[k]; r++) {                                                           \
                const Entry *line =                                                                                    \
                    (const Entry *)pass->line + (r * pass_count + k) * pass->line_stride + SINO_CONE_MARGIN;           \
                for (int64_t i = 0; i < count; i++) {                                                                  \
                    const double at = pass->offset + run->step[k] * (pass->slope + (double)i);                         \
                    if (!(at > -1 && at < most)) continue;                                                             \
                    const int64_t entry = (int64_t)floor(at);                                                          \
                    const double right = at - (double)entry;                                                           \
                    voxels[r * stride + i] +=                                                                          \
                        (float)(unit * ((1 - right) * (double)line[entry] + right * (double)line[entry + 1]));         \
                }                                                                                                      \
            }                                                                                                          \
    }

DEFINE_ADD_WIDE(add_wide_single, float, 1)
DEFINE_ADD_WIDE(add_wide_mixed, int16_t, unit_of_sums(pass))

/* ---- passes ---- */

/* A kernel: its constants, and its functions. */
typedef struct Kernel {
    int pass_count;
    double widest; /* rows per voxel of which a window fits registers */
    void (*blend)(const SinoConePass *pass, const Group *group, const Run *run);
    void (*add_windows)(const SinoConePass *pass, int runs, const Run *run, float *voxels);
    void (*add_wide)(const SinoConePass *pass, int pass_count, int runs, const Run *run, float *voxels);
} Kernel;

/* A square of base runs. */
typedef struct Tile {
    int64_t left, top, x_count, y_count;
} Tile;

/* Adds a pass to the runs of a tile. Neighbours along the rays are seen in nearly the same columns, whose lines then
 * are in the first-level cache. */
SINO_INLINE void add_tile(const SinoConePass *pass, Kernel kernel, int64_t projection, const Tile *tile)
{
    const SinoCone *cone = pass->of->cone;
    const SinoConePart *part = pass->of->part;
    const SinoConeSymmetry symmetry = pass->of->lines->symmetry;
    const int runs = symmetry.turns * symmetry.halves;
    const int64_t stride = sino_cone_run_voxels(part) * runs, count = tile->x_count * tile->y_count;
    const bool along_y = fabs(pass->cosine[projection]) > fabs(pass->sine[projection]);
    Group group;
    gather_group(pass, kernel.pass_count, projection, &group);
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = tile->left + (along_y ? i / tile->y_count : i % tile->x_count);
        const int64_t y = tile->top + (along_y ? i % tile->y_count : i / tile->x_count);
        const double right = ((double)(part->first_x + x) - 0.5 * (double)(cone->x_count - 1)) * cone->voxel_size;
        const double up = (0.5 * (double)(cone->y_count - 1) - (double)(part->first_y + y)) * cone->voxel_size;
        float *voxels = pass->part + (y * part->x_count + x) * stride;
        Run run;
        const Columns columns = see(pass, &group, kernel.pass_count, right, up, &run);
        find_entries(pass, kernel.pass_count, &columns, &run);
        find_positions(pass, kernel.pass_count, &run);
        find_windows(kernel.pass_count, kernel.widest, &columns, &run);
        if (!run.seen) continue;
        kernel.blend(pass, &group, &run);
        if (run.wide)
            kernel.add_wide(pass, kernel.pass_count, runs, &run, voxels);
        else
            kernel.add_windows(pass, runs, &run, voxels);
    }
}

/* Tile after tile, so that the lines that their passes read stay in the second-level cache. */
SINO_INLINE void add_part(const SinoConePass *pass, Kernel kernel)
{
    const SinoConePart *part = pass->of->part;
    const int64_t projections = sino_cone_projections(pass->of->lines);
    for (int64_t top = 0; top < part->y_count; top += TILE)
        for (int64_t left = 0; left < part->x_count; left += TILE) {
            const Tile tile = {left, top, sino_smaller(TILE, part->x_count - left),
                               sino_smaller(TILE, part->y_count - top)};
            for (int64_t p = 0; p < projections; p += kernel.pass_count) add_tile(pass, kernel, p, &tile);
        }
}

/* A kernel whose number of projections the compiler knows. */
#define DEFINE_KERNEL(name, precision, count)                                                                          \
    static void blend_##name(const SinoConePass *pass, const Group *group, const Run *run)                             \
    {                                                                                                                  \
        blend_lines_##precision(pass, group, count, run);                                                              \
    }                                                                                                                  \
    static void add_##name(const SinoConePass *pass, int runs, const Run *run, float *voxels)                          \
    {                                                                                                                  \
        add_windows_##precision(pass, count, runs, run, voxels);                                                       \
    }                                                                                                                  \
    static void run_##name(const SinoConePass *pass)                                                                   \
    {                                                                                                                  \
        add_part(pass, (Kernel){count, widest_##precision, blend_##name, add_##name, add_wide_##precision});           \
    }

DEFINE_KERNEL(single_alone, single, PASS_SINGLE)
DEFINE_KERNEL(single_twins, single, TWIN_PASS_SINGLE)
DEFINE_KERNEL(mixed_alone, mixed, PASS_MIXED)
DEFINE_KERNEL(mixed_twins, mixed, TWIN_PASS_MIXED)

static bool has_all_twins(const SinoConePass *pass)
{
    return pass->of->lines->symmetry.turns * pass->of->lines->symmetry.halves == TWINS;
}

static void run_single(const SinoConePass *pass)
{
    (has_all_twins(pass) ? run_single_twins : run_single_alone)(pass);
}

static void run_mixed(const SinoConePass *pass)
{
    (has_all_twins(pass) ? run_mixed_twins : run_mixed_alone)(pass);
}

const SinoConeIsa SINO_ISA_OBJECT(sino_cone, SINO_ISA) = {
    .name = SINO_ISA_TEXT(SINO_ISA), .single = run_single, .mixed = run_mixed};
