/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce: sums of partial projections over footprints, and its mirror image, spread (codelets/reduce.h). `ray` NULL: every
 * ray, in order. */

__kernel void reduce_clear(Slices slices, long rows, __global REAL *total)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f < slices.stride && i < rows) total[element(slices, rows, i, f)] = 0;
}

__kernel void reduce_add(Slices slices, long rows, __global const uint *ray, long total_rows,
                         __global const REAL *partial, __global REAL *total)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    total[element(slices, total_rows, ray ? ray[i] : i, f)] += partial[element(slices, rows, i, f)];
}

__kernel void spread_take(Slices slices, long rows, __global const uint *ray, long total_rows,
                          __global const REAL *total, __global REAL *partial)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    partial[element(slices, rows, i, f)] = total[element(slices, total_rows, ray ? ray[i] : i, f)];
}
