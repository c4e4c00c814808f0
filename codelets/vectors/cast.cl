/* SPDX-License-Identifier: BSD-3-Clause */
/* Cast: vectors of floats to halves and back, with adaptive normalisation (codelets/vectors/cast.h). */

enum { SLICES_MAX = 256 };

/* The same struct as SinoCastUnits of codelets/vectors/cast.h. */
typedef struct Units {
    float largest[SLICES_MAX], unit[SLICES_MAX];
} Units;

/* The unit: a power of two such that largest/unit < 2^exponent. The unit and its reciprocal are normal numbers. */
static float unit_of(float largest, int exponent)
{
    int power;
    if (!(largest > 0) || !isfinite(largest)) return 1;
    (void)frexp(largest, &power);
    return ldexp(1.0f, clamp(power - exponent, -126, 126));
}

/* One work item computes the unit of one slice. */
__kernel void cast_units(Slices slices, long rows, int exponent, int first, int last, __global const float *x,
                         __global Units *units)
{
    const int f = get_global_id(0);
    if (f >= slices.stride || get_global_id(1) > 0) return;
    const Column column = column_of(slices, rows, f);
    float largest = first ? 0 : units->largest[f];
    for (long i = 0; i < rows; i++) largest = fmax(largest, fabs(x[in_column(column, i)]));
    units->largest[f] = largest;
    if (last) units->unit[f] = unit_of(largest, exponent);
}

__kernel void cast_narrow(Slices slices, long rows, __global const float *x, __global const Units *units,
                          __global half *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const size_t at = element(slices, rows, i, f);
    vstore_half_rte(x[at] * (1 / units->unit[f]), at, to);
}

__kernel void cast_widen(Slices slices, long rows, __global const half *x, __global const Units *units,
                         __global float *to)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= rows) return;
    const size_t at = element(slices, rows, i, f);
    to[at] = vload_half(at, x) * units->unit[f];
}
