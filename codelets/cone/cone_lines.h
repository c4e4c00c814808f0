/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone lines: the memory layout of a block of filtered cone-beam projections, and of the part of the volume that
 * backprojection adds them to.
 *
 * Voxels above a point (x, y) are seen in one place between two columns of the detector, at equal distances along the
 * rows (P. Chen et al., "iFDK", SC 2019, theorems 2 and 3). So z runs along vectors: projections are stored column by
 * column, as *lines* of rows, and volumes as *runs* of voxels along z.
 *
 * A run shares positions and weights with up to seven others:
 *   turns     If the angles of a whole circle come in fours, a quarter turn apart, and the grid is square and even, a
 *             projection sees the run at (x, y) as the next one of the four sees the run that is turned by 90°.
 *   halves    If the plane of the source falls on a row of the detector or halfway between two, voxels above it are
 *             seen by the rows above it as those below it by the rows below. Z must be even. Lines and runs are then
 *             stored as two halves, each from that plane outwards.
 *
 * The lines of a projection: [half][column][entry]. Entry e of a line is row first_row + e; of a half of lines, the row
 * that is first_row + e outwards, of which number 0 is the last row on the other side of the plane, or the row in it.
 * Entries after the last row are 0.
 *
 * Block: projections that are added to voxels together, each of which may be anywhere in memory. Projection number
 * turn·group_count + group: the angles of a group's projections are a quarter turn apart. */
#pragma once

#include "arithmetic.h"
#include "cone.h"
#include "panel.h"

#include <math.h>
#include <stdbool.h>

enum {
    SINO_CONE_TURNS = 4,
    SINO_CONE_ENTRIES = 32,   /* entries of a line are a multiple of this */
    SINO_CONE_VOXELS = 16,    /* voxels of a run are a multiple of this, of which the last ones are padding */
    SINO_CONE_LARGEST = 32000 /* the largest 16-bit entry */
};

/* Which runs share positions and weights. */
typedef struct SinoConeSymmetry {
    int turns;  /* 1 or SINO_CONE_TURNS */
    int halves; /* 1 or 2 */
} SinoConeSymmetry;

/* The symmetry of a scan. Groups of turns are angle k, k + K/4, k + K/2 and k + 3K/4. `allowed` false: none is used. */
SinoConeSymmetry sino_cone_symmetry(const SinoCone *cone, bool allowed);

typedef struct SinoConeLines {
    SinoConeSymmetry symmetry;
    SinoPrecision precision; /* SINO_SINGLE: entries are floats; SINO_MIXED: int16_t, times the projection's unit */
    int64_t group_count;     /* of a block */
    int64_t column_count;
    int64_t first_row;   /* row of entry 0 */
    int64_t entry_count; /* of a line; a multiple of SINO_CONE_ENTRIES */
} SinoConeLines;

/* Projections of a block. */
static inline int64_t sino_cone_projections(const SinoConeLines *lines)
{
    return sino_times(lines->group_count, lines->symmetry.turns);
}

static inline int64_t sino_cone_entry_bytes(const SinoConeLines *lines)
{
    return lines->precision == SINO_MIXED ? (int64_t)sizeof(int16_t) : (int64_t)sizeof(float);
}

/* Entries of a projection. */
static inline int64_t sino_cone_projection_entries(const SinoConeLines *lines)
{
    return sino_times(sino_times(lines->symmetry.halves, lines->column_count), lines->entry_count);
}

/* Entries from a projection's beginning to a line, or to a half of it. */
static inline int64_t sino_cone_line(const SinoConeLines *lines, int half, int64_t column)
{
    return (half * lines->column_count + column) * lines->entry_count;
}

/* The row of the plane of the source. Where lines have halves, it is rounded to a row or the middle of two. */
static inline double sino_cone_plane_row(const SinoCone *cone, SinoConeSymmetry symmetry)
{
    return symmetry.halves == 2 ? round(2 * cone->center_row) / 2 : cone->center_row;
}

/* At least the (D/depth)² of each voxel: that of a corner of the grid that is turned towards the source. */
static inline double sino_cone_largest_weight(const SinoCone *cone)
{
    const double share = cone->source_object / (cone->source_object - sino_cone_radius(cone));
    return share * share;
}

/* The detector row of entry 0 of a line, or of a half of it. Entry e is e rows after it; of half 1, before it. */
static inline int64_t sino_cone_entry_row(const SinoCone *cone, const SinoConeLines *lines, int half)
{
    const double row = sino_cone_plane_row(cone, lines->symmetry);
    if (lines->symmetry.halves == 1) return lines->first_row;
    return half == 0 ? (int64_t)floor(row) + lines->first_row : (int64_t)ceil(row) - lines->first_row;
}

/* A box of runs: base runs x = first_x … first_x + x_count − 1 of the rows y likewise (numbers of columns and rows of
 * the image; with turns, of its upper left quarter), and voxels first … first + voxel_count − 1 of each, counted from
 * slice 0, or outwards from the plane of the source. Memory: [y][x][turn][half][run_voxels] floats. */
typedef struct SinoConePart {
    int64_t first_x, first_y, x_count, y_count;
    int64_t first, voxel_count;
} SinoConePart;

/* Voxel i of the part's runs is seen at entry offset + rows_per_voxel·(slope + i) of its lines. */
typedef struct SinoConeRuns {
    double offset, slope;
} SinoConeRuns;

static inline SinoConeRuns sino_cone_runs(const SinoCone *cone, const SinoConeLines *lines, const SinoConePart *part)
{
    const bool halves = lines->symmetry.halves == 2;
    const double row = sino_cone_plane_row(cone, lines->symmetry);
    SinoConeRuns runs;
    runs.offset = (halves ? row - floor(row) : row) - (double)lines->first_row;
    runs.slope = (double)part->first + (halves ? 0.5 : -sino_cone_plane_slice(cone));
    return runs;
}

static inline int64_t sino_cone_run_voxels(const SinoConePart *part)
{
    return sino_ceil_multiple(part->voxel_count, SINO_CONE_VOXELS);
}

static inline int64_t sino_cone_part_voxels(const SinoConePart *part, SinoConeSymmetry symmetry)
{
    const int64_t runs = sino_times(part->x_count, part->y_count) * symmetry.turns * symmetry.halves;
    return sino_times(runs, sino_cone_run_voxels(part));
}
