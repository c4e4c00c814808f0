/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotate: products of a parallel beam without a matrix (codelets/rays/rotate.h). Every sum has one owner: a ray, or a voxel,
 * which adds the weights of all samples of a ray that see it before it multiplies them by the ray. Positions are those
 * of the CPU: in double without fused multiply-adds, then in integers. */

enum { ROTATE_BITS = 24, ROTATE_ONE = 1 << ROTATE_BITS };

/* The same struct as in codelets/rays/rotate_opencl.c. */
typedef struct RotateScan {
    double middle, center, shift; /* of the grid; of the columns; of the first step from whole numbers */
    double box_x, box_y, half_x, half_y;
    long column_count, angle_count;
    int first_angle, end_angle, size, side, before, taps, fresh, unused;
} RotateScan;

/* Column and row of the sample at t = 0 of a ray, and what t adds to them. */
typedef struct RotatePlace {
    long u, v;
} RotatePlace;

static long rotate_fixed(double position)
{
#pragma OPENCL FP_CONTRACT OFF
    return convert_long_rtn(position * ROTATE_ONE + 0.5);
}

static RotatePlace rotate_ray(const RotateScan *scan, long column, double c, double s)
{
#pragma OPENCL FP_CONTRACT OFF
    const double at = (double)column - scan->center, by_c = at * c, by_s = at * s;
    const RotatePlace place = {.u = rotate_fixed(scan->middle + by_c), .v = rotate_fixed(scan->middle - by_s)};
    return place;
}

static RotatePlace rotate_step(const RotateScan *scan, long step, double c, double s)
{
#pragma OPENCL FP_CONTRACT OFF
    const double t = (double)step + scan->shift;
    const RotatePlace place = {.u = rotate_fixed(-t * s), .v = rotate_fixed(-t * c)};
    return place;
}

/* Weight of a voxel at a distance from a sample. */
static float rotate_weight(int taps, long distance)
{
    const float unit = 1.0f / ROTATE_ONE;
    if (taps == 1) return distance >= -ROTATE_ONE / 2 && distance < ROTATE_ONE / 2 ? 1 : 0;
    const long d = distance < 0 ? -distance : distance;
    if (taps == 2) return d < ROTATE_ONE ? (float)(ROTATE_ONE - d) * unit : 0;
    const float size = (float)d * unit, outer = (float)(2 * (long)ROTATE_ONE - d) * unit;
    if (d < ROTATE_ONE) return 1 + size * size * (1.5f * size - 2.5f);
    return d < 2 * (long)ROTATE_ONE ? 0.5f * (1 - size) * outer * outer : 0;
}

static float rotate_reach(int taps)
{
    return taps == 1 ? 0.5f : 0.5f * taps;
}

/* The first voxel that a sample sees along one axis. */
static long rotate_cell(int taps, long position)
{
    return (position + (taps == 1 ? ROTATE_ONE / 2 : taps == 2 ? 0 : -ROTATE_ONE)) >> ROTATE_BITS;
}

/* The sample of one slice. */
static float rotate_sample(const RotateScan *scan, Column of, __global const int *number, __global const REAL *x,
                           long u, long v)
{
    const long column = rotate_cell(scan->taps, u), row = rotate_cell(scan->taps, v);
    float sum = 0;
    for (int i = 0; i < scan->taps * scan->taps; i++) {
        const long across = column + i % scan->taps, down = row + i / scan->taps;
        if (across < 0 || down < 0 || across >= scan->size || down >= scan->size) continue;
        const long in_x = across + scan->before, in_y = down + scan->before;
        const int tile = number[in_y / TILE_SIDE * scan->side + in_x / TILE_SIDE];
        if (tile < 0) continue;
        sum += rotate_weight(scan->taps, u - across * ROTATE_ONE) * rotate_weight(scan->taps, v - down * ROTATE_ONE) *
               x[in_column(of, (long)tile * TILE_VOXELS + in_y % TILE_SIDE * TILE_SIDE + in_x % TILE_SIDE)];
    }
    return sum;
}

/* voxels: rows of x. The rows of the launch are the rays of the scan's angles. */
__kernel void rotate_project(Slices slices, RotateScan scan, long voxels, __global const double *turn,
                             __global const int *number, __global const REAL *x, __global REAL *y)
{
    const int f = get_global_id(0);
    const long ray = scan.first_angle * scan.column_count + get_global_id(1);
    if (f >= slices.stride || ray >= scan.end_angle * scan.column_count) return;
    const long angle = ray / scan.column_count;
    const double c = turn[2 * angle], s = turn[2 * angle + 1], reach = rotate_reach(scan.taps) + 0.01;
    const double at = scan.box_y * c - scan.box_x * s - scan.shift;
    const double far = (scan.half_x + reach) * fabs(s) + (scan.half_y + reach) * fabs(c);
    const RotatePlace of_ray = rotate_ray(&scan, ray % scan.column_count, c, s);
    const Column of = column_of(slices, voxels, f);
    REAL sum = 0;
    for (long m = (long)floor(at - far); m <= (long)ceil(at + far); m++) {
        const RotatePlace of_step = rotate_step(&scan, m, c, s);
        sum += rotate_sample(&scan, of, number, x, of_ray.u + of_step.u, of_ray.v + of_step.v);
    }
    const size_t to = element(slices, scan.angle_count * scan.column_count, ray, f);
    y[to] = scan.fresh ? sum : y[to] + sum;
}

/* The weights of all samples of a ray that see the voxel: those of steps near t. */
static float rotate_share(const RotateScan *scan, long column, double t, double reach, double c, double s, long u,
                          long v)
{
    const RotatePlace ray = rotate_ray(scan, column, c, s);
    float sum = 0;
    for (long m = (long)ceil(t - reach); m <= (long)floor(t + reach); m++) {
        const RotatePlace step = rotate_step(scan, m, c, s);
        sum += rotate_weight(scan->taps, ray.u + step.u - u * ROTATE_ONE) *
               rotate_weight(scan->taps, ray.v + step.v - v * ROTATE_ONE);
    }
    return sum;
}

/* voxels: rows of x, and of the launch. */
__kernel void rotate_back(Slices slices, RotateScan scan, long voxels, __global const double *turn,
                          __global const TilePlace *tile, __global const REAL *y, __global REAL *x)
{
    const int f = get_global_id(0);
    const long i = get_global_id(1);
    if (f >= slices.stride || i >= voxels) return;
    const TilePlace place = tile[i / TILE_VOXELS];
    const long u = place.column * TILE_SIDE + i % TILE_SIDE - scan.before;
    const long v = place.row * TILE_SIDE + i % TILE_VOXELS / TILE_SIDE - scan.before;
    const Column of = column_of(slices, scan.angle_count * scan.column_count, f);
    const double at_x = u - scan.middle, at_y = scan.middle - v;
    const bool inside = u >= 0 && v >= 0 && u < scan.size && v < scan.size;
    REAL sum = 0;
    for (long angle = scan.first_angle; inside && angle < scan.end_angle; angle++) {
        const double c = turn[2 * angle], s = turn[2 * angle + 1];
        const double reach = rotate_reach(scan.taps) * (fabs(c) + fabs(s)) + 0.001;
        const double at_s = at_x * c + at_y * s + scan.center, at_t = at_y * c - at_x * s - scan.shift;
        const long last = min((long)floor(at_s + reach), scan.column_count - 1);
        for (long column = max((long)ceil(at_s - reach), 0L); column <= last; column++)
            sum += rotate_share(&scan, column, at_t, reach, c, s, u, v) *
                   y[in_column(of, angle * scan.column_count + column)];
    }
    const size_t to = element(slices, voxels, i, f);
    x[to] = scan.fresh ? sum : x[to] + sum;
}
