/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick: products with a block of bricks and its lists (codelets/bricks/brick_lists.h), and vectors of voxels. Every sum has
 * one owner: a row of y, or a brick of x. */

enum {
    BRICK_SINGLE = 0,
    BRICK_LANES = 32,         /* of a brick, at most */
    BRICK_BAND = 32,          /* rows */
    BRICK_WAVE_ROWS = 8192,   /* rows of a wave, at most */
    BRICK_HEAD_BYTES = 64,    /* of a block, before the offsets of its bands */
    BRICK_NUMBER = 0xfffffff, /* bits of an entry's brick */
    BRICK_SHIFT_AT = 29       /* and of its shift */
};

/* The same structs as in codelets/bricks/brick_lists.h. */
typedef struct BrickLists {
    long bytes, lanes, precision, row_count, brick_count, wave_count, run_count, entry_count;
    long wave_at, row_at, row_value_at, row_mask_at, row_brick_at, run_at, run_value_at, run_mask_at, run_code_at;
} BrickLists;

typedef struct BrickWave {
    long first_row, row_count, offset, first_run, run_count, first_entry;
} BrickWave;

typedef struct BrickRow {
    uint entry;
    float unit;
} BrickRow;

typedef struct BrickRun {
    uint brick, entry;
} BrickRun;

/* SinoBrickSums of codelets/bricks/brick.h. */
typedef struct BrickSums {
    double log_likelihood, expected, lost, squared;
} BrickSums;

/* The block's rows in vectors of rays: rows first … of `rows`. */
typedef struct BrickRays {
    long first, rows;
} BrickRays;

static __global const BrickLists *brick_lists(__global const uchar *block, long lists_at)
{
    return (__global const BrickLists *)(block + lists_at);
}

static __global const BrickRow *brick_row(__global const BrickLists *lists, long row)
{
    return (__global const BrickRow *)((__global const uchar *)lists + lists->row_at) + row;
}

static uint brick_mask(__global const BrickLists *lists, long at, long entry)
{
    __global const uchar *masks = (__global const uchar *)lists + at;
    return lists->lanes == BRICK_LANES ? ((__global const uint *)masks)[entry]
                                       : ((__global const ushort *)masks)[entry];
}

/* Value `number` of a band or wave. */
static float brick_value(__global const BrickLists *lists, __global const uchar *from, uint number)
{
    return lists->precision == BRICK_SINGLE ? ((__global const float *)from)[number]
                                            : (float)((__global const ushort *)from)[number];
}

/* sino_brick_lane_row of codelets/bricks/brick.h. */
static int brick_lane_row(__global const BrickLists *lists, int lane)
{
    const int paired = lists->lanes == BRICK_LANES && lists->precision != BRICK_SINGLE;
    return paired ? lane / 2 + lane % 2 * 16 : lane;
}

/* ---- vectors of voxels ---- */

__kernel void voxels_clear(Slices slices, long rows, __global float *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f < slices.stride && i < rows) to[element(slices, rows, i, f)] = 0;
}

__kernel void voxels_add(Slices slices, long rows, __global const float *from, __global float *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f < slices.stride && i < rows) to[element(slices, rows, i, f)] += from[element(slices, rows, i, f)];
}

/* mask: 0, or of the rows. */
__kernel void voxels_mask(Slices slices, long rows, __global const float *mask, __global const float *from,
                          __global float *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const size_t at = element(slices, rows, i, f);
    to[at] = mask ? from[at] * mask[i] : from[at];
}

/* ---- products ---- */

/* One work item computes one slice of one row of A x. */
__kernel void brick_project(Slices slices, __global const uchar *block, long lists_at, __global const float *x,
                            BrickRays rays, __global float *y)
{
    __global const BrickLists *lists = brick_lists(block, lists_at);
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= lists->row_count) return;
    __global const BrickRow *row = brick_row(lists, i);
    __global const uint *value = (__global const uint *)((__global const uchar *)lists + lists->row_value_at);
    __global const uint *brick = (__global const uint *)((__global const uchar *)lists + lists->row_brick_at);
    __global const uchar *band = block + ((__global const long *)(block + BRICK_HEAD_BYTES))[i / BRICK_BAND];
    const Column input = column_of(slices, lists->brick_count * lists->lanes, f);
    float sum = 0;
    for (uint e = row[0].entry; e < row[1].entry; e++) {
        const uint mask = brick_mask(lists, lists->row_mask_at, e);
        const long first = (brick[e] & BRICK_NUMBER) * lists->lanes;
        uint number = value[e];
        float part = 0;
        for (int lane = 0; lane < lists->lanes; lane++)
            if (mask >> lane & 1)
                part += brick_value(lists, band, number++) * x[in_column(input, first + brick_lane_row(lists, lane))];
        sum += ldexp(part, -(int)(brick[e] >> BRICK_SHIFT_AT));
    }
    y[element(slices, rays.rows, rays.first + i, f)] = sum * row->unit;
}

/* weight = y · the row's unit. */
__kernel void brick_weigh(Slices slices, __global const uchar *block, long lists_at, BrickRays rays,
                          __global const float *y, __global float *weight)
{
    __global const BrickLists *lists = brick_lists(block, lists_at);
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= lists->row_count) return;
    weight[element(slices, lists->row_count, i, f)] =
        y[element(slices, rays.rows, rays.first + i, f)] * brick_row(lists, i)->unit;
}

/* One work item compares one slice of the rows of a band: weight, which is A x, becomes n · ratio · the row's unit, and
 * the sums behind all weights are those of the band. n and r may be 0. */
__kernel void brick_compare(Slices slices, __global const uchar *block, long lists_at, BrickRays rays,
                            __global const float *g, __global const float *n, __global const float *r,
                            __global float *weight, long sums_at)
{
    __global const BrickLists *lists = brick_lists(block, lists_at);
    const int f = get_global_id(0);
    const long band = get_global_id(1), first = band * BRICK_BAND;
    if (f >= slices.stride || first >= lists->row_count) return;
    BrickSums sums = {0, 0, 0, 0};
    for (long i = first; i < min(first + BRICK_BAND, lists->row_count); i++) {
        const size_t at = element(slices, lists->row_count, i, f);
        const size_t of_rays = element(slices, rays.rows, rays.first + i, f);
        const float factor = n ? n[rays.first + i] : 1, count = g[of_rays];
        const float ybar = fma(factor, weight[at], r ? r[of_rays] : 0);
        const int seen = ybar > 0;
        const double off = (double)ybar - (double)count;
        if (seen) sums.log_likelihood += (double)count * log((double)ybar) - (double)ybar;
        if (!seen) sums.lost += (double)count;
        sums.expected += (double)ybar;
        sums.squared += off * off;
        weight[at] = seen ? factor * fmin(count / ybar, 0x1p96f) * brick_row(lists, i)->unit : 0;
    }
    ((__global BrickSums *)((__global uchar *)weight + sums_at))[band * slices.stride + f] = sums;
}

/* One work item adds the sums of all bands of one slice. */
__kernel void brick_sums(Slices slices, __global const uchar *block, long lists_at, __global const uchar *work,
                         long sums_at, __global BrickSums *sums)
{
    __global const BrickSums *of_band = (__global const BrickSums *)(work + sums_at);
    const long bands = (brick_lists(block, lists_at)->row_count + BRICK_BAND - 1) / BRICK_BAND;
    const int f = get_global_id(0);
    if (f >= slices.stride || get_global_id(1) > 0) return;
    BrickSums all = {0, 0, 0, 0};
    for (long b = 0; b < bands; b++) {
        const BrickSums band = of_band[b * slices.stride + f];
        all.log_likelihood += band.log_likelihood;
        all.expected += band.expected;
        all.lost += band.lost;
        all.squared += band.squared;
    }
    sums[f] = all;
}

/* One work item adds one slice of one run, which is a brick of x in a wave. */
__kernel void brick_backproject(Slices slices, __global const uchar *block, long lists_at, long wave_number,
                                __global const float *weight, __global float *x)
{
    __global const BrickLists *lists = brick_lists(block, lists_at);
    __global const uchar *base = (__global const uchar *)lists;
    const BrickWave wave = ((__global const BrickWave *)(base + lists->wave_at))[wave_number];
    const int f = get_global_id(0);
    const long number = get_global_id(1);
    if (f >= slices.stride || number >= wave.run_count) return;
    __global const BrickRun *run = (__global const BrickRun *)(base + lists->run_at) + wave.first_run + number;
    __global const uint *value = (__global const uint *)(base + lists->run_value_at) + wave.first_entry;
    __global const ushort *code = (__global const ushort *)(base + lists->run_code_at) + wave.first_entry;
    const Column input = column_of(slices, lists->row_count, f);
    const Column output = column_of(slices, lists->brick_count * lists->lanes, f);
    float sum[BRICK_LANES];
    for (int lane = 0; lane < BRICK_LANES; lane++) sum[lane] = 0;
    for (uint e = run[0].entry; e < run[1].entry; e++) {
        const uint mask = brick_mask(lists, lists->run_mask_at, wave.first_entry + e);
        const float of_row = weight[in_column(input, wave.first_row + code[e] % BRICK_WAVE_ROWS)];
        const float factor = ldexp(of_row, -(code[e] / BRICK_WAVE_ROWS));
        uint at = value[e];
        for (int lane = 0; lane < lists->lanes; lane++)
            if (mask >> lane & 1) sum[lane] += brick_value(lists, block + wave.offset, at++) * factor;
    }
    for (int lane = 0; lane < lists->lanes; lane++)
        x[in_column(output, run->brick * lists->lanes + brick_lane_row(lists, lane))] += sum[lane];
}
