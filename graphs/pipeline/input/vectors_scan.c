/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors scan: a scan whose projections have vectors, from a file and what the settings say. */
#include "cone_scan.h"

#include "memory.h"
#include "solver_fdk.h"
#include "vectors_file.h"

#include <inttypes.h>
#include <math.h>

/* The first pixel after crop and binning, in columns and rows of the file from the middle of its detector. */
static SinoShift first_pixel(const SinoInput *input)
{
    const double half = (double)(input->binning - 1) / 2;
    return (SinoShift){(double)input->first_column + half - (double)(input->info->column_count - 1) / 2,
                       (double)input->first_row + half - (double)(input->info->row_count - 1) / 2};
}

/* Turns `first` from the middle of the file's detector to the first pixel after crop and binning. */
static SinoView cut(const SinoView *view, const SinoInput *input)
{
    const SinoShift place = first_pixel(input);
    SinoView part = *view;
    for (int i = 0; i < 3; i++) {
        part.first[i] += place.column * view->column[i] + place.row * view->row[i];
        part.column[i] *= (double)input->binning;
        part.row[i] *= (double)input->binning;
    }
    return part;
}

void sino_vectors_of_file(const SinoInput *input, double (*numbers)[SINO_VIEW_NUMBERS])
{
    const SinoShift place = first_pixel(input);
    for (int64_t k = 0; k < input->geometry.angle_count; k++) {
        const SinoView *view = &input->view[k];
        double *to = numbers[sino_input_projection(input, k)];
        for (int i = 0; i < 3; i++) {
            to[i] = view->source[i];
            to[6 + i] = view->column[i] / (double)input->binning;
            to[9 + i] = view->row[i] / (double)input->binning;
            to[3 + i] = view->first[i] - place.column * to[6 + i] - place.row * to[9 + i];
        }
    }
}

/* Gives the vectors of a file that tells no size of pixels the one of the settings or of the scan's file. */
static SinoStatus size_pixels(const SinoGeometrySettings *settings, const SinoInput *input, SinoVectors *vectors)
{
    const SinoScanSetup setup = sino_cone_setup(settings, input->info);
    SINO_CHECK(vectors->unsized || settings->detector_pixel.width == 0, SINO_BAD_INPUT,
               "detector-pixel is %gx%g, and --vectors %s tells the pixels itself; allowed: one of the two",
               settings->detector_pixel.width, settings->detector_pixel.height, settings->vectors);
    if (!vectors->unsized) return NULL;
    SINO_CHECK(setup.pixel_width > 0 && setup.pixel_height > 0, SINO_BAD_INPUT,
               "--vectors %s tells no size of pixels, and neither does the scan; needed: --detector-pixel",
               settings->vectors);
    for (int64_t k = 0; k < vectors->count; k++)
        for (int i = 0; i < 3; i++) {
            vectors->view[k].column[i] *= setup.pixel_width;
            vectors->view[k].row[i] *= setup.pixel_height;
        }
    return NULL;
}

static SinoStatus take(const char *name, const SinoVectors *vectors, SinoInput *input)
{
    const int64_t angles = input->geometry.angle_count, projections = sino_input_projections(input);
    const SinoScanInfo *info = input->info;
    SINO_CHECK(vectors->column_count == 0 ||
                   (vectors->column_count == info->column_count && vectors->row_count == info->row_count),
               SINO_BAD_INPUT,
               "--vectors %s is of a detector of %" PRId64 " x %" PRId64 " pixels, and the scan has %" PRId64
               " x %" PRId64 "; allowed: the same",
               name, vectors->column_count, vectors->row_count, info->column_count, info->row_count);
    SINO_CHECK(vectors->count == projections, SINO_BAD_INPUT,
               "--vectors %s has vectors of %" PRId64 " projections, and the scan has %" PRId64
               "; allowed: as many, in the order of the scan's file",
               name, vectors->count, projections);
    SINO_CHECK(!vectors->flat || vectors->view->parallel || input->row_count == 1, SINO_BAD_INPUT,
               "--vectors %s has 6 numbers per projection, of a fan in one plane, and the scan has %" PRId64
               " rows; allowed: one row, by --start-row and --end-row, or 12 numbers",
               name, input->row_count);
    SINO_TRY(sino_allocate(angles, sizeof *input->view, "vectors", &input->view));
    for (int64_t k = 0; k < angles; k++) {
        const int64_t number = sino_input_projection(input, k);
        const SinoView *view = &vectors->view[number];
        SINO_CHECK(sino_view_dot(view->column, view->column) > 0, SINO_BAD_INPUT,
                   "--vectors %s has no vectors of projection %" PRId64 ", which its run left out; allowed: --exclude "
                   "%" PRId64,
                   name, number, number);
        input->view[k] = cut(view, input);
    }
    return NULL;
}

static SinoStatus take_orbit(const char *words, SinoInput *input)
{
    const int64_t angles = input->geometry.angle_count, projections = sino_input_projections(input);
    SinoOrbit orbit;
    SINO_TRY(sino_orbit_parse(words, &orbit));
    SINO_CHECK(orbit.turns > 0 || !(input->info->angle_assumed && input->info->angle_needed), SINO_BAD_INPUT,
               "--vectors is %s, and the scan has no angles; allowed: turns=NUMBER, or a scan with angles", words);
    SINO_TRY(sino_allocate(angles, sizeof *input->view, "vectors", &input->view));
    for (int64_t k = 0; k < angles; k++) {
        const double part = (double)sino_input_projection(input, k) / (double)projections;
        const double angle = orbit.turns > 0 ? 2 * SINO_PI * orbit.turns * part : input->geometry.angle_rad[k];
        const SinoView view = sino_orbit_view(&orbit, angle, part);
        input->view[k] = cut(&view, input);
    }
    return NULL;
}

SinoStatus sino_vectors_take(const SinoGeometrySettings *settings, SinoInput *input)
{
    SinoVectors vectors;
    if (settings->kind != SINO_GEOMETRY_VECTORS) return NULL;
    if (sino_orbit_probe(settings->vectors)) {
        SINO_CHECK(settings->detector_pixel.width == 0, SINO_BAD_INPUT,
                   "detector-pixel is given beside --vectors %s; allowed: the word pixel", settings->vectors);
        return take_orbit(settings->vectors, input);
    }
    SINO_TRY(sino_vectors_read(settings->vectors, &vectors));
    SinoStatus status = size_pixels(settings, input, &vectors);
    if (!status) status = take(settings->vectors, &vectors, input);
    sino_vectors_free(&vectors);
    return status;
}

static double length(const double vector[3])
{
    return sqrt(sino_view_dot(vector, vector));
}

/* Whether projection k sees some of the volume, by the smallest box of pixels around it. */
static SinoStatus look(const SinoCone *cone, int64_t k, bool *seen)
{
    const SinoViewPlanes planes = sino_view_planes(&cone->view[k]);
    const double half[3] = {(double)cone->x_count / 2 * cone->voxel_size, (double)cone->y_count / 2 * cone->voxel_size,
                            (double)cone->z_count / 2 * cone->voxel_size};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        for (int i = 0; i < 3; i++) point[i] = corner >> i & 1 ? half[i] : -half[i];
        const double depth = sino_view_value(&planes, 0, point);
        SINO_CHECK(depth > 1e-6, SINO_BAD_INPUT,
                   "the volume of %" PRId64 " x %" PRId64 " x %" PRId64 " voxels of %g mm reaches behind the source of "
                   "projection %" PRId64
                   ", which is at (%g, %g, %g) mm; allowed: a smaller --volume or --voxel-size, or "
                   "--vectors whose detectors are beyond the volume, as seen from their sources",
                   cone->x_count, cone->y_count, cone->z_count, cone->voxel_size, k, cone->view[k].source[0],
                   cone->view[k].source[1], cone->view[k].source[2]);
        for (int i = 1; i < 3; i++) {
            low[i] = fmin(low[i], sino_view_value(&planes, i, point) / depth);
            high[i] = fmax(high[i], sino_view_value(&planes, i, point) / depth);
        }
    }
    *seen |= low[1] < (double)cone->column_count && high[1] > -1 && low[2] < (double)cone->row_count && high[2] > -1;
    return NULL;
}

static SinoStatus check_seen(const SinoCone *cone)
{
    bool seen = false;
    for (int64_t k = 0; k < cone->angle_count; k++) SINO_TRY(look(cone, k, &seen));
    SINO_CHECK(seen, SINO_BAD_INPUT,
               "no projection sees the volume of %" PRId64 " x %" PRId64 " x %" PRId64
               " voxels of %g mm, whose middle is at (0, 0, 0); allowed: --vectors in mm from there",
               cone->x_count, cone->y_count, cone->z_count, cone->voxel_size);
    return NULL;
}

SinoStatus sino_vectors_scan(const SinoSettings *settings, const SinoInput *input, SinoCone *result)
{
    const double origin[3] = {0, 0, 0}, given = settings->geometry.voxel_size_mm;
    SinoCone cone = *result;
    double size = 0;
    for (int64_t k = 0; k < cone.angle_count; k++) {
        const SinoViewPlanes planes = sino_view_planes(&input->view[k]);
        size += fabs(sino_view_value(&planes, 0, origin)) * length(input->view[k].column) / (double)cone.angle_count;
    }
    cone.source_object = cone.source_detector = NAN;
    cone.pixel_width = length(input->view[0].column);
    cone.pixel_height = length(input->view[0].row);
    cone.voxel_size = given > 0 ? given : size;
    cone.center = (double)(cone.column_count - 1) / 2;
    cone.center_row = (double)(cone.row_count - 1) / 2;
    cone.view = input->view;
    SINO_CHECK(cone.voxel_size > 0, SINO_BAD_INPUT,
               "--vectors %s has the middle of the volume at its sources; allowed: sources outside the volume",
               settings->geometry.vectors);
    SINO_TRY(check_seen(&cone));
    if (settings->solver.algorithm == SINO_ALGORITHM_FDK) SINO_TRY(sino_fdk_check(&cone, &cone.window));
    *result = cone;
    return NULL;
}
