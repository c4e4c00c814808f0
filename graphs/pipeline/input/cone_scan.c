/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone scan: the cone beam of a scan, from what the settings and the file say. */
#include "cone_scan.h"

#include "cone.h"
#include "cone_weigh.h"
#include "job_kind.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>

/* Beyond, a length has another unit than mm: half of the angle that the detector takes up. */
static const double fan_max_rad = 75 * SINO_PI / 180;

/* Half of the angle that a line of `count` pixels takes up. */
static double half_angle(int64_t count, double pixel, double distance)
{
    return atan((double)count * pixel / 2 / distance);
}

static SinoStatus check_rows(const SinoGeometrySettings *settings, const SinoCone *cone)
{
    const int64_t z = settings->volume.z;
    SINO_CHECK(!cone->fans || z == 0 || z == cone->row_count, SINO_BAD_INPUT,
               "volume has %" PRId64 " slices, and each of the %" PRId64
               " rows of --geometry fan is one; allowed: auto, "
               "or NxN",
               z, cone->row_count);
    return NULL;
}

static SinoStatus check_detector(const SinoCenterSettings *settings, const SinoCone *cone, int64_t row_count)
{
    const double wide = half_angle(cone->column_count, cone->pixel_width, cone->source_detector);
    const double high = cone->fans ? 0 : half_angle(cone->row_count, cone->pixel_height, cone->source_detector);
    const double widest = fmax(wide, high);
    SINO_CHECK(widest <= fan_max_rad, SINO_BAD_INPUT,
               "the detector has %" PRId64 " x %" PRId64 " pixels of %gx%g mm, and source-detector-distance is %g mm, "
               "so that it takes up %.4g degrees; allowed: up to %g degrees (all lengths are in mm)",
               cone->column_count, cone->row_count, cone->pixel_width, cone->pixel_height, cone->source_detector,
               2 * widest * 180 / SINO_PI, 2 * fan_max_rad * 180 / SINO_PI);
    const double rows = (double)row_count, given = settings->row;
    SINO_CHECK(isnan(given) || (given >= -rows && given <= 2 * rows), SINO_BAD_INPUT,
               "center-row is %g, and the detector has %" PRId64 " rows; allowed: auto, or up to as many rows beside "
               "them",
               given, row_count);
    return NULL;
}

static SinoStatus check_size(const SinoCone *cone)
{
    int64_t slice, voxels, bytes;
    SINO_TRY(sino_multiply(cone->x_count, cone->y_count, "the volume", &slice));
    SINO_TRY(sino_multiply(slice, cone->z_count, "the volume", &voxels));
    return sino_multiply(voxels, 4096, "the volume", &bytes);
}

static SinoStatus check_volume(const SinoCone *cone)
{
    const double radius = sino_cone_radius(cone);
    SINO_CHECK(cone->source_object > radius, SINO_BAD_INPUT,
               "source-object-distance is %g mm, and a slice of %" PRId64 " x %" PRId64 " voxels of %g mm reaches %g "
               "mm from the axis, so that the source is inside the volume; allowed: a larger distance, or a smaller "
               "--volume or --voxel-size",
               cone->source_object, cone->x_count, cone->y_count, cone->voxel_size, radius);
    return NULL;
}

/* The least distance of a line of pixels of some width from the place `center`, in pixels. */
static double beside(int64_t count, double center, double width)
{
    const double nearest = fmin(fmax(round(center), 0), (double)(count - 1));
    return fmax(0, fabs(center - nearest) - width / 2);
}

/* A ray beside the axis comes as near to it as the sine of its angle says. Rays above or below the plane of the source
 * are lowest where they enter the volume. fdk interpolates between the middles of pixels, where the rays of other
 * algorithms end. */
static SinoStatus check_seen(const SinoCone *cone, SinoAlgorithmChoice algorithm)
{
    const double width = algorithm == SINO_ALGORITHM_FDK ? 1 : 0;
    const double radius = sino_cone_radius(cone), towards = cone->center_row < 0 ? cone->lift : -cone->lift;
    const double half_height = ((double)cone->z_count / 2 + towards) * cone->voxel_size;
    const double side = beside(cone->column_count, cone->center, width) * cone->pixel_width;
    const double up = beside(cone->row_count, cone->center_row, width) * cone->pixel_height;
    const double nearest = cone->source_object * side / hypot(side, cone->source_detector);
    const double lowest = (cone->source_object - radius) * up / cone->source_detector;
    SINO_CHECK(nearest < radius && lowest < half_height, SINO_BAD_INPUT,
               "no ray meets the volume of %" PRId64 " x %" PRId64 " x %" PRId64 " voxels of %g mm: they pass the axis "
               "at %g mm or more, and the plane of the source at %g mm or more; allowed: up to %g and %g mm (see "
               "--rotation-axis, --center-row, --volume and --voxel-size)",
               cone->x_count, cone->y_count, cone->z_count, cone->voxel_size, nearest, lowest, radius, half_height);
    return NULL;
}

/* Of the slices that the rows of a part of the detector see at the axis: those of a run with all rows, to half a slice.
 */
static double lift_of(const SinoInput *input, const SinoCone *cone)
{
    const double all = sino_input_row_of_grid(input, ((double)input->info->row_count - 1) / 2);
    const double rows = (double)(cone->row_count - 1) / 2 - all;
    return round(2 * rows * cone->pixel_height * cone->source_object / cone->source_detector / cone->voxel_size) / 2;
}

/* Slice k is what row k sees. */
static void take_fans(SinoCone *cone)
{
    cone->fans = true;
    cone->center_row = (double)(cone->row_count - 1) / 2;
    cone->lift = 0;
}

/* The sizes of the detector and of the grid. */
static SinoCone sizes_of(const SinoVolumeShape *volume, const SinoInput *input)
{
    const SinoGeometry *columns = &input->geometry;
    return (SinoCone){.angle_count = columns->angle_count,
                      .column_count = columns->column_count,
                      .row_count = input->slice_count,
                      .x_count = volume->x > 0 ? volume->x : columns->grid_size,
                      .y_count = volume->y > 0 ? volume->y : columns->grid_size,
                      .z_count = volume->z > 0 ? volume->z : input->slice_count,
                      .angle_rad = columns->angle_rad};
}

/* Places source and detector of a cone with these sizes. */
static void place(const SinoSettings *settings, const SinoInput *input, const SinoScanSetup *setup, double center,
                  SinoCone *cone)
{
    const double middle = ((double)input->info->row_count - 1) / 2 + input->row_shift, row = settings->center.row;
    cone->dropped = input->dropped;
    cone->source_object = setup->source_object;
    cone->source_detector = setup->source_detector;
    cone->pixel_width = setup->pixel_width * (double)input->binning;
    cone->pixel_height = setup->pixel_height * (double)input->binning;
    cone->center = center;
    cone->center_row = sino_input_row_of_grid(input, isnan(row) ? middle : row);
    cone->voxel_size = settings->geometry.voxel_size_mm > 0
                           ? settings->geometry.voxel_size_mm
                           : cone->pixel_width * cone->source_object / cone->source_detector;
    if (settings->geometry.volume.z == 0) cone->lift = lift_of(input, cone);
    if (sino_job_is_fan(&settings->geometry)) take_fans(cone);
}

SinoStatus sino_cone_scan(const SinoSettings *settings, const SinoInput *input, double center, SinoCone *result)
{
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    SinoCone cone = sizes_of(&settings->geometry.volume, input);
    SinoConeArc arc;
    SINO_TRY(check_size(&cone));
    if (input->view) {
        *result = cone;
        return sino_vectors_scan(settings, input, result);
    }
    SINO_TRY(sino_cone_check_setup(settings, &setup));
    place(settings, input, &setup, center, &cone);
    SINO_TRY(check_rows(&settings->geometry, &cone));
    SINO_TRY(check_detector(&settings->center, &cone, input->info->row_count));
    SINO_TRY(check_volume(&cone));
    SINO_TRY(check_seen(&cone, settings->solver.algorithm));
    if (settings->solver.algorithm == SINO_ALGORITHM_FDK) {
        SINO_TRY(sino_cone_arc_new(&cone, &arc));
        sino_cone_reach(&cone);
    }
    *result = cone;
    return NULL;
}

/* How far the sources are from the axis, by vectors the nearest one; 0: rays are parallel, or the sources of vectors
 * lie on no level circle about the volume's middle. */
static double circle_radius(const SinoCone *cone)
{
    const double most_up = 0.05, most_apart = 0.05;
    double least = INFINITY, most = 0, up = 0;
    if (!cone->view) return cone->source_object;
    for (int64_t k = 0; k < cone->angle_count; k++) {
        const SinoView *view = &cone->view[k];
        const double radius = view->parallel ? 0 : hypot(view->source[0], view->source[1]);
        least = fmin(least, radius);
        most = fmax(most, radius);
        up = fmax(up, fabs(view->source[2]));
    }
    return most - least <= most_apart * most && up <= most_up * least ? least : 0;
}

SinoStatus sino_cone_take_margin(const SinoSettings *settings, SinoCone *cone)
{
    const double side = (double)sino_larger(cone->x_count, cone->y_count) / 2;
    const double half = (double)cone->z_count / 2 + fabs(cone->lift);
    if (settings->solver.algorithm == SINO_ALGORITHM_FDK || settings->geometry.volume.z > 0) return NULL;
    const double radius = circle_radius(cone);
    if (cone->fans || !(radius > side * cone->voxel_size)) return NULL;
    cone->z_margin = (int64_t)ceil(half * side * cone->voxel_size / radius);
    cone->z_count += 2 * cone->z_margin;
    return check_size(cone);
}

void sino_cone_take_row(SinoInput *input, SinoCone *cone)
{
    const double row = fmin(fmax(floor(cone->center_row + 0.5), 0), (double)(cone->row_count - 1));
    sino_input_take_slices(input, (int64_t)row, 1);
    input->first_slice = 0; /* of the slices that are reconstructed */
    cone->fans = true;
    cone->row_count = cone->z_count = 1;
    cone->z_margin = 0;
    cone->center_row = cone->lift = 0;
}

SinoStatus sino_cone_describe(const SinoSettings *settings, int64_t angle_count, const double *angle_rad,
                              int64_t column_count, int64_t row_count, SinoConeDescription *description)
{
    const double middle = (double)(column_count - 1) / 2;
    description->info = (SinoScanInfo){.type = SINO_COUNT_UINT16,
                                       .full_count = UINT16_MAX,
                                       .angle_binning = 1,
                                       .angle_count = angle_count,
                                       .row_count = row_count,
                                       .column_count = column_count,
                                       .flat_count = 1,
                                       .dark_count = 1,
                                       .angle_rad = angle_rad,
                                       .setup = sino_cone_usual_setup(&settings->geometry, column_count),
                                       .remark = ""};
    description->input = (SinoInput){.info = &description->info,
                                     .row_count = row_count,
                                     .column_count = column_count,
                                     .binning = 1,
                                     .slice_count = row_count,
                                     .minus_log = true,
                                     .geometry = {.angle_count = angle_count,
                                                  .column_count = column_count,
                                                  .grid_size = column_count,
                                                  .angle_rad = angle_rad,
                                                  .center = middle},
                                     .angle_count = angle_count};
    SINO_TRY(sino_vectors_take(&settings->geometry, &description->input));
    return sino_cone_scan(settings, &description->input, middle, &description->cone);
}
