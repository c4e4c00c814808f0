/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject: adds one projection to a part (codelets/cone/cone_lines.h has the layouts). A work item computes one
 * voxel; positions are double. */

/* The numbers of a projection and a part. Lengths are in mm. */
typedef struct Cone {
    double cosine[4], sine[4]; /* of the angle at which the base run is seen as this projection sees its turn */
    double half_x, half_y, source_object, voxel_size, center;
    double columns, rows; /* columns per mm, and rows per voxel, times the depth */
    double even_rows;     /* rows per voxel at any depth, which are added */
    double offset, slope; /* SinoConeRuns */
    long first_x, first_y, x_count, run_count, voxel_count, run_voxels;
    long column_count, entry_count;
    long lines_bytes, unit_bytes; /* where they are in the projection's memory */
    int turns, halves, mixed, first;
} Cone;

/* The entry of a line that begins at entry `line` of the projection. */
static float cone_entry(const Cone *cone, __global const char *projection, long line, double entry)
{
    if (entry < 0 || entry >= cone->entry_count) return 0;
    __global const void *lines = projection + cone->lines_bytes;
    return cone->mixed ? (float)((__global const short *)lines)[line + (long)entry]
                       : ((__global const float *)lines)[line + (long)entry];
}

/* Between two entries of a line. */
static float cone_between(const Cone *cone, __global const char *projection, long line, double at)
{
    const double entry = floor(at);
    const float share = at - entry, before = cone_entry(cone, projection, line, entry);
    return before + share * (cone_entry(cone, projection, line, entry + 1) - before);
}

/* What voxel i of a run gets. */
static float cone_value(const Cone *cone, __global const char *projection, long run, long i)
{
    const int of_half = run % cone->halves, turn = run / cone->halves % cone->turns;
    const long base = run / (cone->halves * cone->turns);
    const double x = (cone->first_x + base % cone->x_count - cone->half_x) * cone->voxel_size;
    const double y = (cone->half_y - (cone->first_y + base / cone->x_count)) * cone->voxel_size;
    const double cosine = cone->cosine[turn], sine = cone->sine[turn];
    const double depth = cone->source_object - (x * sine - y * cosine), share = cone->source_object / depth;
    const double column = cone->center + (x * cosine + y * sine) * cone->columns / depth;
    const double at = cone->offset + (cone->rows / depth + cone->even_rows) * (cone->slope + i);
    if (!(column >= 0 && column <= cone->column_count - 1)) return 0;
    const long left = min((long)column, max(cone->column_count - 2, 0L));
    const long line = (of_half * cone->column_count + left) * cone->entry_count;
    const float right = column - left, before = cone_between(cone, projection, line, at);
    const float after = right > 0 ? cone_between(cone, projection, line + cone->entry_count, at) : 0;
    const float value = (1 - right) * before + right * after;
    __global const void *unit = projection + cone->unit_bytes;
    return (float)(share * share) * value * (cone->mixed ? *(__global const float *)unit : 1);
}

__kernel void cone_backproject(Cone cone, __global const char *projection, __global float *part)
{
    const long i = get_global_id(0), run = get_global_id(1);
    if (i >= cone.run_voxels || run >= cone.run_count) return;
    const float value = i < cone.voxel_count ? cone_value(&cone, projection, run, i) : 0;
    __global float *const to = part + run * cone.run_voxels + i;
    *to = cone.first ? value : *to + value;
}
