/* SPDX-License-Identifier: BSD-3-Clause */
/* demo of a PET scanner: its system matrix, the counts of an activity, their image, and how far that is from the truth.
 */
#include "phantom_verb.h"
#include "volume.h"
#include "workflows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Names {
    char *matrix, *counts, *additive, *truth, *image;
} Names;

static SinoStatus new_names(const char *folder, Names *names)
{
    SINO_CHECK(asprintf(&names->matrix, "%s/scan.csr4", folder) >= 0 &&
                   asprintf(&names->counts, "%s/scan.counts", folder) >= 0 &&
                   asprintf(&names->additive, "%s/scan.additive", folder) >= 0 &&
                   asprintf(&names->truth, "%s/truth.h5", folder) >= 0 &&
                   asprintf(&names->image, "%s/image.h5", folder) >= 0,
               SINO_FAILED, "no memory for file names");
    return NULL;
}

static void free_names(Names *names)
{
    free(names->matrix);
    free(names->counts);
    free(names->additive);
    free(names->truth);
    free(names->image);
}

/* ‖image − truth‖/‖truth‖ over all voxels, and Pearson's correlation of their values. */
static void compare_values(int64_t voxels, const float *image, const float *truth, double *error, double *correlation)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    const double n = (double)voxels;
    for (int64_t i = 0; i < voxels; i++) {
        x += (double)image[i];
        y += (double)truth[i];
        xx += (double)image[i] * (double)image[i];
        yy += (double)truth[i] * (double)truth[i];
        xy += (double)image[i] * (double)truth[i];
    }
    *error = sqrt((xx - 2 * xy + yy) / yy);
    *correlation = (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

/* What a voxel belongs to: a sphere, by its number; the background beside all of them; or neither. */
enum { BACKGROUND = SINO_PET_SPHERES, NEITHER };

/* Voxels at an edge, of which only a part belongs to a sphere or to the background, are neither. */
static int part_of(const SinoPetScanner *scanner, int64_t column, int64_t row, int64_t slice)
{
    const SinoVoxelGrid *grid = &scanner->grid;
    const double edge = hypot(hypot(grid->size[0], grid->size[1]), grid->size[2]) / 2;
    const double x = ((double)column - (double)(grid->x_count - 1) / 2) * grid->size[0];
    const double y = ((double)(grid->y_count - 1) / 2 - (double)row) * grid->size[1];
    const double z = ((double)slice - (double)(grid->z_count - 1) / 2) * grid->size[2];
    int part = hypot(x, y) + edge < sino_pet_body_radius(scanner) ? BACKGROUND : NEITHER;
    for (int i = 0; i < SINO_PET_SPHERES; i++) {
        const SinoPetSphere sphere = sino_pet_sphere(scanner, i);
        const double distance = hypot(hypot(x - sphere.x, y - sphere.y), z);
        if (distance + edge <= sphere.radius) return i;
        if (distance - edge < sphere.radius) part = NEITHER;
    }
    return part;
}

/* mean[part]: of the voxels of each sphere and of the background; NaN: there are none. */
static void find_means(const SinoPetScanner *scanner, const float *image, double mean[NEITHER])
{
    const SinoVoxelGrid *grid = &scanner->grid;
    int64_t count[NEITHER + 1] = {0}, voxel = 0;
    double sum[NEITHER + 1] = {0};
    for (int64_t slice = 0; slice < grid->z_count; slice++)
        for (int64_t row = 0; row < grid->y_count; row++)
            for (int64_t column = 0; column < grid->x_count; column++, voxel++) {
                const int part = part_of(scanner, column, row, slice);
                count[part]++;
                sum[part] += (double)image[voxel];
            }
    for (int part = 0; part < NEITHER; part++) mean[part] = count[part] > 0 ? sum[part] / (double)count[part] : NAN;
}

/* Tells each sphere's activity as a multiple of the background's. */
static void tell_spheres(const SinoPetScanner *scanner, const float *image, SinoLog *log)
{
    double mean[NEITHER];
    find_means(scanner, image, mean);
    for (int i = 0; i < SINO_PET_SPHERES; i++) {
        const SinoPetSphere sphere = sino_pet_sphere(scanner, i);
        if (isnan(mean[i]) || !(mean[BACKGROUND] > 0)) continue; /* no voxel lies within it */
        sino_log_info(log, "accuracy", "sphere of %.1f mm: %.2f times the background, in truth %g", 2 * sphere.radius,
                      mean[i] / mean[BACKGROUND], sphere.activity);
    }
}

static SinoStatus compare(const SinoSettings *settings, const Names *names, SinoLog *log)
{
    const SinoPetScanner scanner = sino_phantom_scanner(settings);
    int64_t slices, height, width, size[3];
    double error, correlation;
    float *image = NULL, *truth = NULL;
    SinoStatus status = sino_volume_read(names->image, &slices, &height, &width, &image);
    if (!status) status = sino_volume_read(names->truth, &size[0], &size[1], &size[2], &truth);
    if (!status) {
        compare_values(slices * height * width, image, truth, &error, &correlation);
        sino_log_info(log, "accuracy", "relative L2 error against the true volume %s: %.2f %%, correlation %.4f",
                      names->truth, 100 * error, correlation);
        tell_spheres(&scanner, image, log);
    }
    free(image);
    free(truth);
    return status;
}

static SinoStatus run(const SinoSettings *settings, Names *names, SinoLog *log)
{
    SinoSettings phantom = *settings, recon = *settings;
    phantom.output.path = names->matrix;
    phantom.phantom.truth = names->truth;
    phantom.phantom.replicates = 1;
    SINO_TRY(sino_phantom(&phantom, log));
    recon.geometry.kind = SINO_GEOMETRY_MATRIX;
    recon.input.file_name = names->counts;
    recon.counts.system_matrix = names->matrix;
    recon.counts.additive = settings->phantom.background > 0 ? names->additive : NULL;
    recon.output.path = names->image;
    SINO_TRY(sino_recon(&recon, NULL, log));
    return compare(settings, names, log);
}

SinoStatus sino_demo_pet(const SinoSettings *settings, SinoLog *log)
{
    Names names = {0};
    SinoStatus status = new_names(settings->output.path, &names);
    if (!status) status = run(settings, &names, log);
    free_names(&names);
    return status;
}
