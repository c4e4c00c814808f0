/* SPDX-License-Identifier: BSD-3-Clause */
/* Plane sums on a CPU core. */
#include "plane_sums.h"

#include "arithmetic.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>

enum { TOGETHER = 64 /* angles, whose lines lie on the stack */ };

/* Voxels of a line through a slice are seen at the columns first + i·step. */
typedef struct Line {
    float first, step;
} Line;

/* The two columns that see a voxel. */
typedef struct Sight {
    int64_t column[2];
    float weight[2];
} Sight;

SINO_INLINE Sight sight_of(const Line *line, int64_t i, int64_t columns)
{
    const float at = line->first + (float)i * line->step, low = floorf(at);
    const int64_t c = (int64_t)low;
    const bool sees[] = {c >= 0 && c < columns, c >= -1 && c + 1 < columns};
    return (Sight){.column = {sees[0] ? c : 0, sees[1] ? c + 1 : 0},
                   .weight = {sees[0] ? 1 - (at - low) : 0, sees[1] ? at - low : 0}};
}

SINO_INLINE float ray_at(const void *rays, bool is_double, int64_t at)
{
    return is_double ? (float)((const double *)rays)[at] : ((const float *)rays)[at];
}

/* Angles of a call: so many from number `first` of the rays on. */
typedef struct Angles {
    int64_t first, count;
    Line line[TOGETHER];
} Angles;

/* Lines along columns of the slice's row `row`, or along rows of its column `column`. */
static void take_lines(const SinoPlaneSums *what, bool along_columns, int64_t number, Angles *angles)
{
    const SinoGeometry *geometry = &what->geometry;
    const double middle = 0.5 * (double)(sino_geometry_slice_side(geometry) - 1), off = (double)number - middle;
    for (int64_t k = 0; k < angles->count; k++) {
        const double angle_rad = geometry->angle_rad[what->first_angle + angles->first + k];
        const double c = cos(angle_rad), s = sin(angle_rad), x = along_columns ? -middle : off,
                     y = along_columns ? -off : middle;
        angles->line[k] =
            (Line){.first = (float)(geometry->center + x * c + y * s), .step = (float)(along_columns ? c : -s)};
    }
}

SINO_INLINE void add_panel(const SinoPlaneSums *what, const Angles *angles, SinoPanel panel, const void *rays,
                           bool is_double, float *plane)
{
    const int64_t side = sino_geometry_slice_side(&what->geometry), columns = what->geometry.column_count;
    const int64_t width = panel.slices.stride;
    for (int64_t i = 0; i < side; i++) {
        float sum[SINO_PANEL_MAX] = {0};
        for (int64_t k = 0; k < angles->count; k++) {
            const Sight sight = sight_of(&angles->line[k], i, columns);
            const int64_t row = (angles->first + k) * columns;
            const int64_t a = (row + sight.column[0]) * width, b = (row + sight.column[1]) * width;
            for (int64_t f = 0; f < width; f++)
                sum[f] +=
                    sight.weight[0] * ray_at(rays, is_double, a + f) + sight.weight[1] * ray_at(rays, is_double, b + f);
        }
        for (int64_t f = 0; f < panel.slices.slice_count; f++)
            plane[(what->first_slice + panel.first + f) * side + i] += sum[f];
    }
}

/* A plane across the slices. */
SINO_VECTORISED static void add_across(const SinoPlaneSums *what, const Angles *angles, const void *rays, float *plane)
{
    const int64_t rows = sino_times(what->angle_count, what->geometry.column_count);
    for (SinoPanel at = sino_panel_at(what->slices, 0); at.first < what->slices.stride;
         at = sino_panel_next(what->slices, at)) {
        const void *from = sino_panel_from(at, rows, rays);
        if (what->slices.precision == SINO_DOUBLE)
            add_panel(what, angles, at, from, true, plane);
        else
            add_panel(what, angles, at, from, false, plane);
    }
}

/* A row of the plane that is a slice. */
static void add_along(const SinoPlaneSums *what, const Angles *angles, const void *rays, float *row)
{
    const bool is_double = what->slices.precision == SINO_DOUBLE;
    const int64_t columns = what->geometry.column_count, rows = sino_times(what->angle_count, columns);
    const int64_t lane = what->slice - what->first_slice, first = sino_panel_element(what->slices, rows, 0, lane);
    const int64_t step = rows > 1 ? sino_panel_element(what->slices, rows, 1, lane) - first : 0;
    for (int64_t k = 0; k < angles->count; k++)
        for (int64_t i = 0, at = first + (angles->first + k) * columns * step;
             i < sino_geometry_slice_side(&what->geometry); i++) {
            const Sight sight = sight_of(&angles->line[k], i, columns);
            row[i] += sight.weight[0] * ray_at(rays, is_double, at + sight.column[0] * step) +
                      sight.weight[1] * ray_at(rays, is_double, at + sight.column[1] * step);
        }
}

void sino_plane_sums_add(const SinoPlaneSums *what, const void *rays, float *xy, float *xz, float *yz)
{
    const int64_t side = sino_geometry_slice_side(&what->geometry), lane = what->slice - what->first_slice;
    Angles angles;
    for (angles.first = 0; angles.first < what->angle_count; angles.first += TOGETHER) {
        angles.count = sino_smaller(TOGETHER, what->angle_count - angles.first);
        take_lines(what, true, side / 2, &angles);
        add_across(what, &angles, rays, xz);
        take_lines(what, false, side / 2, &angles);
        add_across(what, &angles, rays, yz);
        for (int64_t i = 0; i < side && lane >= 0 && lane < what->slices.slice_count; i++) {
            take_lines(what, true, i, &angles);
            add_along(what, &angles, rays, xy + i * side);
        }
    }
}

void sino_plane_sums_show(int64_t rows, int64_t side, int64_t first_row, int64_t step, double scale, double mask_ratio,
                          const float *sums, float *plane)
{
    const double half = 0.5 * (double)side, radius = half * mask_ratio;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < side; i++) {
            const double x = (double)i + 0.5 - half, y = (double)(first_row + r * step) + 0.5 - half;
            const bool masked = mask_ratio > 0 && x * x + y * y > radius * radius;
            plane[r * side + i] = masked ? 0 : (float)(scale * (double)sums[r * side + i]);
        }
}
