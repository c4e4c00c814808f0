/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: the histories, counts of undefined values and pictures of a run. */
#include "record.h"

#include "memory.h"
#include "simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

SinoRecordShape sino_record_shape(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns,
                                  int64_t history_numbers, bool pictures)
{
    return (SinoRecordShape){.slice_count = slice_count,
                             .height = sino_geometry_slice_side(geometry),
                             .width = sino_geometry_slice_side(geometry),
                             .columns = history_columns,
                             .numbers = history_numbers,
                             .angle_count = geometry->angle_count,
                             .row_count = slice_count,
                             .row_name = "slices",
                             .column_count = geometry->column_count,
                             .pictures = pictures,
                             .planes = slice_count > 1};
}

/* Numbers of the arrays for pictures. */
typedef struct Pixels {
    int64_t xy, xz, yz, maximum, sinogram;
} Pixels;

/* Slices of the set that pictures show. */
static int64_t shown_slices(const SinoRecordShape *shape)
{
    return shape->slice_count / sino_larger(1, shape->set_count);
}

static Pixels pixels_of(const SinoRecordShape *shape)
{
    if (!shape->pictures) return (Pixels){0};
    return (Pixels){.xy = sino_times(shape->height, shape->width),
                    .xz = shape->planes ? sino_times(shown_slices(shape), shape->width) : 0,
                    .yz = shape->planes ? sino_times(shown_slices(shape), shape->height) : 0,
                    .maximum = shape->maximum ? sino_times(shape->height, shape->width) : 0,
                    .sinogram = sino_times(shape->angle_count, shape->column_count)};
}

int64_t sino_record_bytes(const SinoRecordShape *shape)
{
    const Pixels pixels = pixels_of(shape);
    const int64_t counts = shape->angle_count + shape->row_count + shape->column_count;
    return sino_times(shape->slice_count, shape->numbers * (int64_t)sizeof(double)) +
           sino_times(counts, (int64_t)sizeof(int64_t)) +
           sino_times(pixels.xy + pixels.xz + pixels.yz + pixels.maximum + pixels.sinogram, (int64_t)sizeof(float));
}

static int64_t picture_bytes(int64_t pixels)
{
    return sino_times(pixels, (int64_t)sizeof(float));
}

/* Pages that nobody writes take no memory: those of other ranks' slices, and all of a simulation. */
static SinoStatus new_picture(int64_t pixels, float **picture)
{
    if (pixels == 0) return NULL;
    *picture = sino_reserve(picture_bytes(pixels));
    SINO_CHECK(*picture, SINO_FAILED, "no memory for a picture of %" PRId64 " pixels", pixels);
    return NULL;
}

static SinoStatus new_pictures(const SinoRecordShape *shape, SinoRecord *record)
{
    const Pixels pixels = pixels_of(shape);
    SINO_TRY(new_picture(pixels.xy, &record->sections.xy));
    SINO_TRY(new_picture(pixels.xz, &record->sections.xz));
    SINO_TRY(new_picture(pixels.yz, &record->sections.yz));
    SINO_TRY(new_picture(pixels.maximum, &record->sections.maximum));
    for (int64_t i = 0; i < pixels.maximum && !SINO_SIMULATES; i++) record->sections.maximum[i] = -INFINITY;
    return new_picture(pixels.sinogram, &record->sinogram);
}

static SinoStatus new_counts(const SinoRecordShape *shape, SinoRecord *record)
{
    const int64_t numbers = sino_times(shape->slice_count, shape->numbers);
    SINO_TRY(sino_allocate(numbers, sizeof *record->history, "residuals", &record->history));
    SINO_TRY(sino_allocate(shape->row_count, sizeof *record->repaired, "undefined values", &record->repaired));
    SINO_TRY(sino_allocate(shape->angle_count, sizeof *record->by_angle, "undefined values", &record->by_angle));
    return sino_allocate(shape->column_count, sizeof *record->by_column, "undefined values", &record->by_column);
}

SinoStatus sino_record_new(const SinoRecordShape *shape, SinoRecord *result)
{
    SinoRecord record = {.slice_count = shape->slice_count,
                         .columns = shape->columns,
                         .numbers = shape->numbers,
                         .angle_count = shape->angle_count,
                         .row_count = shape->row_count,
                         .row_name = shape->row_name,
                         .column_count = shape->column_count,
                         .sections = {.width = shape->width,
                                      .height = shape->height,
                                      .slice_count = shown_slices(shape),
                                      .slice = shown_slices(shape) / 2}};
    SinoStatus status = new_counts(shape, &record);
    if (!status) status = new_pictures(shape, &record);
    if (status)
        sino_record_free(&record);
    else
        *result = record;
    return status;
}

static SinoStatus join_maximum(SinoProcesses *processes, int64_t pixels, float *picture)
{
    return picture ? sino_processes_largest_floats(processes, pixels, picture) : NULL;
}

static SinoStatus join_picture(SinoProcesses *processes, int64_t pixels, float *picture)
{
    return picture ? sino_processes_sum_floats(processes, pixels, picture) : NULL;
}

SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record)
{
    const SinoSections *sections = &record->sections;
    /* Entries that a rank has not recorded are 0, so sums over ranks give the record. */
    SINO_TRY(sino_processes_sum_doubles(processes, sino_times(record->slice_count, record->numbers), record->history));
    SINO_TRY(sino_processes_sum_integers(processes, record->row_count, record->repaired));
    SINO_TRY(sino_processes_sum_integers(processes, record->angle_count, record->by_angle));
    SINO_TRY(sino_processes_sum_integers(processes, record->column_count, record->by_column));
    SINO_TRY(join_picture(processes, sino_times(sections->height, sections->width), sections->xy));
    SINO_TRY(join_picture(processes, sino_times(sections->slice_count, sections->width), sections->xz));
    SINO_TRY(join_picture(processes, sino_times(sections->slice_count, sections->height), sections->yz));
    SINO_TRY(join_maximum(processes, sino_times(sections->height, sections->width), sections->maximum));
    return join_picture(processes, sino_times(record->angle_count, record->column_count), record->sinogram);
}

void sino_record_free(SinoRecord *record)
{
    free(record->history);
    free(record->repaired);
    free(record->by_angle);
    free(record->by_column);
    const SinoSections *sections = &record->sections;
    const int64_t xy = sino_times(sections->height, sections->width);
    sino_release(record->sinogram, picture_bytes(sino_times(record->angle_count, record->column_count)));
    sino_release(sections->xy, picture_bytes(xy));
    sino_release(sections->xz, picture_bytes(sino_times(sections->slice_count, sections->width)));
    sino_release(sections->yz, picture_bytes(sino_times(sections->slice_count, sections->height)));
    sino_release(sections->maximum, picture_bytes(xy));
    *record = (SinoRecord){0};
}
