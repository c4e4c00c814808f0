/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: the residuals, counts of undefined values and pictures of a run. */
#include "record.h"

#include "arithmetic.h"
#include "memory.h"

#include <stdlib.h>

SinoRecordShape sino_record_shape(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns,
                                  bool pictures)
{
    return (SinoRecordShape){.slice_count = slice_count,
                             .height = geometry->grid_size,
                             .width = geometry->grid_size,
                             .columns = history_columns,
                             .angle_count = geometry->angle_count,
                             .row_count = slice_count,
                             .row_name = "slices",
                             .column_count = geometry->column_count,
                             .pictures = pictures};
}

/* Numbers of the arrays for pictures. */
typedef struct Pixels {
    int64_t xy, xz, yz, sinogram;
} Pixels;

static Pixels pixels_of(const SinoRecordShape *shape)
{
    if (!shape->pictures) return (Pixels){0};
    return (Pixels){.xy = sino_times(shape->height, shape->width),
                    .xz = shape->planes ? sino_times(shape->slice_count, shape->width) : 0,
                    .yz = shape->planes ? sino_times(shape->slice_count, shape->height) : 0,
                    .sinogram = sino_times(shape->angle_count, shape->column_count)};
}

int64_t sino_record_bytes(const SinoRecordShape *shape)
{
    const Pixels pixels = pixels_of(shape);
    const int64_t counts = shape->angle_count + shape->row_count + shape->column_count;
    return sino_times(shape->slice_count, shape->columns * (int64_t)sizeof(double)) +
           sino_times(counts, (int64_t)sizeof(int64_t)) +
           sino_times(pixels.xy + pixels.xz + pixels.yz + pixels.sinogram, (int64_t)sizeof(float));
}

static SinoStatus new_picture(int64_t pixels, float **picture)
{
    return pixels > 0 ? sino_allocate(pixels, sizeof **picture, "a picture", picture) : NULL;
}

static SinoStatus new_pictures(const SinoRecordShape *shape, SinoRecord *record)
{
    const Pixels pixels = pixels_of(shape);
    SINO_TRY(new_picture(pixels.xy, &record->sections.xy));
    SINO_TRY(new_picture(pixels.xz, &record->sections.xz));
    SINO_TRY(new_picture(pixels.yz, &record->sections.yz));
    return new_picture(pixels.sinogram, &record->sinogram);
}

static SinoStatus new_counts(const SinoRecordShape *shape, SinoRecord *record)
{
    const int64_t residuals = sino_times(shape->slice_count, shape->columns);
    SINO_TRY(sino_allocate(residuals, sizeof *record->residuals, "residuals", &record->residuals));
    SINO_TRY(sino_allocate(shape->row_count, sizeof *record->repaired, "undefined values", &record->repaired));
    SINO_TRY(sino_allocate(shape->angle_count, sizeof *record->by_angle, "undefined values", &record->by_angle));
    return sino_allocate(shape->column_count, sizeof *record->by_column, "undefined values", &record->by_column);
}

SinoStatus sino_record_new(const SinoRecordShape *shape, SinoRecord *result)
{
    SinoRecord record = {.slice_count = shape->slice_count,
                         .columns = shape->columns,
                         .angle_count = shape->angle_count,
                         .row_count = shape->row_count,
                         .row_name = shape->row_name,
                         .column_count = shape->column_count,
                         .sections = {.width = shape->width, .height = shape->height, .slice = shape->slice_count / 2}};
    SinoStatus status = new_counts(shape, &record);
    if (!status) status = new_pictures(shape, &record);
    if (status)
        sino_record_free(&record);
    else
        *result = record;
    return status;
}

static SinoStatus join_picture(SinoProcesses *processes, int64_t pixels, float *picture)
{
    return picture ? sino_processes_sum_floats(processes, pixels, picture) : NULL;
}

SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record)
{
    const SinoSections *sections = &record->sections;
    /* Entries that a rank has not recorded are 0, so sums over ranks give the record. */
    SINO_TRY(
        sino_processes_sum_doubles(processes, sino_times(record->slice_count, record->columns), record->residuals));
    SINO_TRY(sino_processes_sum_integers(processes, record->row_count, record->repaired));
    SINO_TRY(sino_processes_sum_integers(processes, record->angle_count, record->by_angle));
    SINO_TRY(sino_processes_sum_integers(processes, record->column_count, record->by_column));
    SINO_TRY(join_picture(processes, sino_times(sections->height, sections->width), sections->xy));
    SINO_TRY(join_picture(processes, sino_times(record->slice_count, sections->width), sections->xz));
    SINO_TRY(join_picture(processes, sino_times(record->slice_count, sections->height), sections->yz));
    return join_picture(processes, sino_times(record->angle_count, record->column_count), record->sinogram);
}

void sino_record_free(SinoRecord *record)
{
    free(record->residuals);
    free(record->repaired);
    free(record->by_angle);
    free(record->by_column);
    free(record->sinogram);
    free(record->sections.xy);
    free(record->sections.xz);
    free(record->sections.yz);
    *record = (SinoRecord){0};
}
