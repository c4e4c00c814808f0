/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone: the cone-beam scan of a volume, or one whose projections have vectors, and its voxel grid (docs/CONES.md).
 *
 * The source and a flat detector turn about the z axis. At angle θ the detector's columns run along (cosθ, sinθ), and
 * the source is at the distance D from the axis in the direction (sinθ, −cosθ): with D → ∞ rays are those of a
 * parallel beam at the same angle (geometry.h). The detector is perpendicular to the line from the source through the
 * axis, at the distance S from the source; its rows run along z. A point (x, y, z) is seen at
 *
 *     depth  = D − (x·sinθ − y·cosθ)
 *     column = center     + (x·cosθ + y·sinθ)·S/depth/pixel_width
 *     row    = center_row + z·S/depth/pixel_height
 *
 * With `fans`, the rows are those of fans that lie above each other, and row = center_row + z/voxel_size.
 *
 * The grid is centered on the axis, and, unless it is lifted, on the plane of the source: voxel (slice k, row i, column
 * j) has its center at x = j − (X−1)/2, y = (Y−1)/2 − i, z = k − (Z−1)/2 + lift, times voxel_size. */
#pragma once

#include "arithmetic.h"
#include "view.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Slices in which projections of a helix count when FDK backprojects them: a slice has those of N turns, the nearest
 * along z, with the weight 1/N, which falls to 0 over r turns at both ends, so that all projections of one direction
 * have the weight 1 together. N and r ≤ 1 are the largest for which the detector and the helix are long enough, N ≥ 1.
 */
typedef struct SinoConeWindow {
    double pitch_mm;        /* of a turn; 0: all slices */
    double turns;           /* N + r of a slice far from the ends of the helix, more than 1 */
    double low_mm, high_mm; /* of the sources, along z */
} SinoConeWindow;

/* Ramps are no shorter: neighbouring projections do not differ much. */
#define SINO_CONE_LEAST_RAMP 0.05

typedef struct SinoCone {
    int64_t angle_count, column_count, row_count; /* of the detector, after crop and binning */
    int64_t x_count, y_count, z_count;            /* X, Y, Z ≥ 1: voxels */
    const double *angle_rad;                      /* [angle_count]; not owned */
    const bool *dropped;                          /* [angle_count]: FDK leaves the projection out; NULL: none; not
                                                   * owned */
    double source_object;                         /* D, mm; larger than the distance of any voxel from the axis */
    double source_detector;                       /* S ≥ D, mm */
    double pixel_width, pixel_height;             /* mm */
    double voxel_size;                            /* mm */
    double center, center_row;                    /* column and row, 0 = centre of pixel 0, that the line from the
                                                   * source at right angles through the axis hits */
    double lift;                                  /* of the grid's middle over the plane of the source, in voxels: a
                                                   * multiple of 1/2 */
    int64_t columns_before, columns_after;        /* columns of filtered projections beside the detector
                                                   * (sino_cone_reach); 0: none */
    bool fans;                                    /* each row has a source at its height, and sees one slice */
    const SinoView *view;                         /* [angle_count], in mm: the rays of each projection, in place of
                                                   * angles, distances, pixels and centers; NULL: those count; not
                                                   * owned */
    SinoConeWindow window;                        /* of Aᵀ in FDK */
    int64_t z_margin;                             /* slices at each end of Z that are computed, not written;
                                                   * 2·z_margin < Z */
} SinoCone;

/* The largest distance of a corner of the volume from the axis, in mm. */
static inline double sino_cone_radius(const SinoCone *cone)
{
    return hypot((double)cone->x_count, (double)cone->y_count) / 2 * cone->voxel_size;
}

/* The slices that are written. */
static inline int64_t sino_cone_slices(const SinoCone *cone)
{
    return cone->z_count - 2 * cone->z_margin;
}

/* The slice in the plane of the source, which need not be a slice, nor in the volume. */
static inline double sino_cone_plane_slice(const SinoCone *cone)
{
    return 0.5 * (double)(cone->z_count - 1) - cone->lift;
}

/* The detector of filtered projections: with the columns beside it. */
static inline SinoCone sino_cone_filtered(const SinoCone *cone)
{
    SinoCone filtered = *cone;
    filtered.column_count += cone->columns_before + cone->columns_after;
    filtered.center += (double)cone->columns_before;
    filtered.columns_before = filtered.columns_after = 0;
    return filtered;
}

/* The height of a row over the plane of its source, at the detector, in mm. */
static inline double sino_cone_height(const SinoCone *cone, double row)
{
    return cone->fans ? 0 : (row - cone->center_row) * cone->pixel_height;
}

/* The weight of projection k in a slice, which need not be a whole number. */
static inline double sino_cone_window_weight(const SinoCone *cone, int64_t k, double slice)
{
    const SinoConeWindow *window = &cone->window;
    const double z = (slice - sino_cone_plane_slice(cone)) * cone->voxel_size;
    const double around = 2 * fmin(z - window->low_mm, window->high_mm - z) / window->pitch_mm;
    const double turns = fmin(fmax(around, 1 + SINO_CONE_LEAST_RAMP), window->turns);
    const double whole = fmax(floor(turns - SINO_CONE_LEAST_RAMP), 1), ramp = fmin(turns - whole, 1);
    const double inside = (whole + ramp) / 2 - fabs(z - cone->view[k].source[2]) / window->pitch_mm;
    return fmin(fmax(inside / ramp, 0), 1) / whole;
}

/* Where a projection sees the voxels above (x, y). */
typedef struct SinoConeView {
    double column;         /* of all of them */
    double rows_per_voxel; /* distance of two neighbours on the detector */
    double weight;         /* (D/depth)², by which FDK weights a projection's contribution */
} SinoConeView;

/* x, y in mm; cosine and sine of the projection's angle. */
static inline SinoConeView sino_cone_view(const SinoCone *cone, double cosine, double sine, double x, double y)
{
    const double depth = cone->source_object - (x * sine - y * cosine);
    const double magnification = cone->source_detector / depth, share = cone->source_object / depth;
    return (SinoConeView){.column = cone->center + (x * cosine + y * sine) * magnification / cone->pixel_width,
                          .rows_per_voxel = cone->fans ? 1 : magnification * cone->voxel_size / cone->pixel_height,
                          .weight = share * share};
}

/* The rays at an angle, in mm. Not of fans. */
static inline SinoView sino_cone_orbit_view(const SinoCone *cone, double angle_rad)
{
    const double c = cos(angle_rad), s = sin(angle_rad), distance = cone->source_object;
    const double beyond = cone->source_detector - distance;
    const double u = -cone->center * cone->pixel_width, v = -cone->center_row * cone->pixel_height;
    return (SinoView){.source = {distance * s, -distance * c, 0},
                      .first = {u * c - beyond * s, u * s + beyond * c, v},
                      .column = {cone->pixel_width * c, cone->pixel_width * s, 0},
                      .row = {0, 0, cone->pixel_height},
                      .parallel = 0};
}

/* The view of projection k in the grid: of column x, row y and slice z, in voxels. */
static inline SinoView sino_cone_grid_view(const SinoCone *cone, int64_t k)
{
    const double middle[3] = {0.5 * (double)(cone->x_count - 1), 0.5 * (double)(cone->y_count - 1),
                              sino_cone_plane_slice(cone)};
    const double side[3] = {1 / cone->voxel_size, -1 / cone->voxel_size, 1 / cone->voxel_size};
    SinoView view = cone->view ? cone->view[k] : sino_cone_orbit_view(cone, cone->angle_rad[k]);
    for (int i = 0; i < 3; i++) {
        view.source[i] = (view.parallel ? 0 : middle[i]) + side[i] * view.source[i];
        view.first[i] = middle[i] + side[i] * view.first[i];
        view.column[i] *= side[i];
        view.row[i] *= side[i];
    }
    return view;
}

/* Rays that are followed through each pixel, side by side and above each other; the pixel has their mean. */
typedef struct SinoPixelRays {
    int64_t across, up; /* 1 … SINO_PIXEL_RAYS_MOST */
} SinoPixelRays;

enum { SINO_PIXEL_RAYS_MOST = 4 };

/* Of pixels so many voxels wide: as many as leave at most 1.2 voxels between two of them, and at least 0.7, as rows
 * that are closer take many times longer to backproject (docs/lab/cones.md). */
static inline int64_t sino_rays_of_width(double voxels)
{
    const double count = ceil(voxels - 0.4);
    return count > 1 ? (int64_t)fmin(count, SINO_PIXEL_RAYS_MOST) : 1;
}

/* Voxels that a pixel is wide and high, in the middle of the grid. */
typedef struct SinoPixelVoxels {
    double width, height;
} SinoPixelVoxels;

static inline SinoPixelVoxels sino_cone_pixel_voxels(const SinoCone *cone, int64_t k)
{
    const double share = cone->source_object / cone->source_detector / cone->voxel_size;
    if (!cone->view) return (SinoPixelVoxels){cone->pixel_width * share, cone->pixel_height * share};
    const SinoView view = sino_cone_grid_view(cone, k);
    const SinoViewPlanes planes = sino_view_planes(&view);
    const double middle[3] = {0.5 * (double)(cone->x_count - 1), 0.5 * (double)(cone->y_count - 1),
                              0.5 * (double)(cone->z_count - 1)};
    const double depth = sino_view_value(&planes, 0, middle);
    const double width = depth * sqrt(sino_view_dot(view.column, view.column));
    const double height = depth * sqrt(sino_view_dot(view.row, view.row));
    return (SinoPixelVoxels){width, height};
}

/* A fan beam: its only row sees the only slice. */
static inline bool sino_cone_is_fan(const SinoCone *cone)
{
    return cone->row_count == 1 && cone->z_count == 1;
}

/* Each row sees one slice. */
static inline bool sino_cone_is_flat(const SinoCone *cone)
{
    return cone->fans || sino_cone_is_fan(cone);
}

/* Those of pixels of this size. Rays through the middles of pixels alone would miss voxels that are smaller. */
static inline SinoPixelRays sino_cone_rays_of(const SinoCone *cone, SinoPixelVoxels pixel)
{
    return (SinoPixelRays){sino_rays_of_width(pixel.width),
                           sino_cone_is_flat(cone) ? 1 : sino_rays_of_width(pixel.height)};
}

/* Those of projection k. */
static inline SinoPixelRays sino_cone_pixel_rays(const SinoCone *cone, int64_t k)
{
    return sino_cone_rays_of(cone, sino_cone_pixel_voxels(cone, k));
}

/* Rays of projection k for each voxel in the middle of the grid, to which the time of products is proportional. */
static inline double sino_cone_voxel_rays(const SinoCone *cone, int64_t k)
{
    const SinoPixelVoxels pixel = sino_cone_pixel_voxels(cone, k);
    const SinoPixelRays rays = sino_cone_rays_of(cone, pixel);
    const double area = pixel.width * (sino_cone_is_flat(cone) ? 1 : pixel.height);
    return area > 0 ? (double)(rays.across * rays.up) / area : 1;
}

/* Their mean over all projections. */
static inline double sino_cone_mean_voxel_rays(const SinoCone *cone)
{
    const int64_t count = cone->view ? cone->angle_count : sino_smaller(cone->angle_count, 1);
    double mean = count > 0 ? 0 : 1;
    for (int64_t k = 0; k < count; k++) mean += sino_cone_voxel_rays(cone, k) / (double)count;
    return mean;
}

/* Moves a view's pixels, whose middle becomes that of ray (across, up) of them. */
static inline void sino_view_move(SinoPixelRays rays, int64_t across, int64_t up, SinoView *view)
{
    const double right = ((double)across + 0.5) / (double)rays.across - 0.5;
    const double above = ((double)up + 0.5) / (double)rays.up - 0.5;
    for (int i = 0; i < 3; i++) view->first[i] += right * view->column[i] + above * view->row[i];
}

/* Makes each ray a pixel: of the view, and of the detector's counts. */
static inline SinoCone sino_cone_split(const SinoCone *cone, SinoPixelRays rays, SinoView *view)
{
    SinoCone split = *cone;
    sino_view_move(rays, 0, 0, view);
    for (int i = 0; i < 3; i++) {
        view->column[i] /= (double)rays.across;
        view->row[i] /= (double)rays.up;
    }
    split.column_count = sino_times(cone->column_count, rays.across);
    split.row_count = sino_times(cone->row_count, rays.up);
    return split;
}

static inline double sino_view_length_across(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* Turns a view of the grid into the view with the rows of each column above each other, which of parallel rays is a
 * matter of where their pixels are taken to be; false: they are in no upright plane, or rays may be steeper than 45°.
 */
static inline bool sino_cone_stand_up(const SinoCone *cone, SinoView *view)
{
    const double most = 1e-5, rows = (double)cone->row_count, columns = (double)(cone->column_count - 1);
    double direction[3];
    if (!cone->view) return true;
    sino_view_direction(view, direction);
    const double *column = view->column, *d = direction;
    const double across = view->parallel ? 0 : column[0] * column[0] + column[1] * column[1];
    const double flat = d[0] * d[0] + d[1] * d[1];
    const double lean = view->parallel && flat > 0 ? (view->row[0] * d[0] + view->row[1] * d[1]) / flat : 0;
    for (int i = 0; i < 3; i++) view->row[i] -= lean * d[i];
    if (!(sino_view_length_across(view->row[0], view->row[1]) * rows <= most) || view->row[2] == 0) return false;
    view->row[0] = view->row[1] = 0;
    const double nearest = across > 0 ? fmin(fmax(-(d[0] * column[0] + d[1] * column[1]) / across, 0), columns) : 0;
    const double across_ends = view->parallel ? 0 : columns, up_ends = view->parallel ? 0 : rows - 1;
    double steepest = 0;
    for (int end = 0; end < 4; end++)
        steepest = fmax(steepest,
                        fabs(d[2] + (end & 1 ? across_ends * column[2] : 0) + (end & 2 ? up_ends * view->row[2] : 0)));
    return steepest <= sqrt(0.5) * sino_view_length_across(d[0] + nearest * column[0], d[1] + nearest * column[1]);
}

/* Projections whose rays are in no such planes, so that products take them one by one. */
static inline int64_t sino_cone_leaning_count(const SinoCone *cone)
{
    int64_t count = 0;
    for (int64_t k = 0; cone->view && k < cone->angle_count; k++) {
        SinoView view = sino_cone_grid_view(cone, k);
        count += !sino_cone_stand_up(cone, &view);
    }
    return count;
}

/* Cone reach: the columns beside the detector that filtered projections have. Sets columns_before and columns_after.
 * Voxels beyond the shorter side are seen there, and need the negative values that the ramp filter spreads from the
 * columns of the detector: as far as the longer side reaches, or the volume. */
static inline void sino_cone_reach(SinoCone *cone)
{
    const double before = cone->center, after = (double)(cone->column_count - 1) - cone->center;
    const double radius = sino_cone_radius(cone);
    const double seen = radius * cone->source_detector /
                        (sqrt(cone->source_object * cone->source_object - radius * radius) * cone->pixel_width);
    const double reach = fmin(fmax(before, after), ceil(seen));
    cone->columns_before = (int64_t)round(fmax(reach - before, 0));
    cone->columns_after = (int64_t)round(fmax(reach - after, 0));
}
