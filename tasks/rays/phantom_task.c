/* SPDX-License-Identifier: BSD-3-Clause */
/* Task phantom: one detector row of the phantom's scan, and its true slice. */
#include "rays_tasks.h"

#include "memory.h"
#include "task.h"

#include <math.h>
#include <stdlib.h>

/* Counts of the open beam above dark, and of the dark field. They use the range of a uint16 detector well. */
static const double open_counts = 50000, dark_counts = 400;

/* Relative intensity of the beam, 0.7 … 1: brighter in the middle and with fine structure, as in a real flat field. */
static double beam(int64_t column, int64_t column_count)
{
    const double at = column_count > 1 ? 2 * (double)column / (double)(column_count - 1) - 1 : 0;
    return 0.95 - 0.2 * at * at + 0.05 * sin(23 * at);
}

/* The number of a pixel in the stream of random numbers; every pixel of every image of the scan has its own. */
static uint64_t pixel_number(const SinoPhantomRow *row, int64_t image, int64_t column)
{
    const int64_t images = row->geometry.angle_count + row->field_count;
    return (uint64_t)((row->slice * images + image) * row->geometry.column_count + column);
}

static double count_of(const SinoPhantomRow *row, int64_t image, int64_t column, double transmission)
{
    const double share = beam(column, row->geometry.column_count) * transmission;
    if (row->noise <= 0) return dark_counts + open_counts * share;
    const double photons = 1 / (row->noise * row->noise);
    const double caught = sino_phantom_poisson(photons * share, row->seed, pixel_number(row, image, column));
    return fmin(round(dark_counts + open_counts * caught / photons), UINT16_MAX);
}

static void put(const SinoPhantomRow *row, void *images, int64_t image, int64_t column, double value)
{
    const int64_t at = (image * row->slab_rows + row->row) * row->geometry.column_count + column;
    if (row->noise > 0)
        ((uint16_t *)images)[at] = (uint16_t)value;
    else
        ((float *)images)[at] = (float)value;
}

static void put_fields(const SinoPhantomRow *row)
{
    for (int64_t i = 0; i < row->field_count; i++)
        for (int64_t c = 0; c < row->geometry.column_count; c++) {
            put(row, row->flats, i, c, count_of(row, row->geometry.angle_count + i, c, 1));
            put(row, row->darks, i, c, dark_counts);
        }
}

static void put_truth(const SinoPhantomRow *row)
{
    const int64_t voxels = row->phantom.size * row->phantom.size;
    sino_phantom_slice(&row->phantom, row->slice, row->truth);
    for (int64_t v = 0; v < voxels; v++) row->truth[v] = (float)(row->truth_scale * (double)row->truth[v]);
}

/* The row alone is a detector of one row, which the plane of the source meets elsewhere. */
static void cone_integrals(const SinoPhantomRow *row, double *sinogram)
{
    SinoCone cone = *row->cone;
    cone.row_count = 1;
    cone.center_row -= (double)row->slice;
    for (int64_t k = 0; k < cone.angle_count; k++) {
        SinoView view;
        SinoCone one = cone;
        if (cone.view) {
            view = cone.view[k];
            for (int i = 0; i < 3; i++) view.first[i] += (double)row->slice * view.row[i];
            one.view = &view;
        }
        sino_phantom_cone(&row->phantom, &one, cone.view ? 0 : k, sinogram + k * cone.column_count);
    }
}

static SinoStatus phantom_cpu(const SinoTask *task)
{
    const SinoPhantomRow *row = task->arguments;
    const int64_t columns = row->geometry.column_count;
    double *sinogram = NULL;
    SINO_TRY(sino_allocate(sino_geometry_ray_count(&row->geometry), sizeof *sinogram, "a sinogram", &sinogram));
    if (row->cone)
        cone_integrals(row, sinogram);
    else
        sino_phantom_sinogram(&row->phantom, row->slice, &row->geometry, sinogram);
    for (int64_t k = 0; k < row->geometry.angle_count; k++)
        for (int64_t c = 0; c < columns; c++)
            put(row, row->counts, k, c, count_of(row, k, c, exp(-sinogram[k * columns + c])));
    free(sinogram);
    put_fields(row);
    if (row->truth) put_truth(row);
    return NULL;
}

static const SinoTaskKind phantom_kind = {
    .name = "phantom", .argument_bytes = sizeof(SinoPhantomRow), .cpu = phantom_cpu};

SinoStatus sino_insert_phantom(SinoRuntime *runtime, const SinoPhantomRow *row)
{
    return SINO_SUBMIT(runtime, &phantom_kind, SINO_NOWHERE, row,
                       .work = (double)sino_geometry_ray_count(&row->geometry));
}
