/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: adds partial projections over footprints; spread is the transposed operation (codelets/vectors/reduce.h). */

/* SinoRowMap without its list of rows. */
typedef struct RowMap {
    long partial_rows, total_rows, first, count, base;
} RowMap;

__kernel void reduce_clear(Slices slices, long rows, __global REAL *total)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f < slices.stride && i < rows) total[element(slices, rows, i, f)] = 0;
}

__kernel void reduce_add(Slices slices, RowMap map, __global const uint *row, __global const REAL *partial,
                         __global REAL *total)
{
    const int f = get_global_id(0);
    const long i = map.first + get_global_id(1);
    if (f >= slices.stride || i >= map.first + map.count) return;
    total[element(slices, map.total_rows, row[i] - map.base, f)] += partial[element(slices, map.partial_rows, i, f)];
}

__kernel void spread_take(Slices slices, RowMap map, __global const uint *row, __global const REAL *total,
                          __global REAL *partial)
{
    const int f = get_global_id(0);
    const long i = map.first + get_global_id(1);
    if (f >= slices.stride || i >= map.first + map.count) return;
    partial[element(slices, map.partial_rows, i, f)] = total[element(slices, map.total_rows, row[i] - map.base, f)];
}
