/* SPDX-License-Identifier: BSD-3-Clause */
/* Record: the residuals, counts of undefined values and pictures of a run. */
#include "record.h"

#include "arithmetic.h"
#include "memory.h"

#include <stdlib.h>

int64_t sino_record_bytes(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns, bool pictures)
{
    const int64_t pixels = sino_times(geometry->grid_size, geometry->grid_size) + sino_geometry_ray_count(geometry);
    const int64_t counts = geometry->angle_count + geometry->column_count;
    return sino_times(slice_count, (history_columns + 1) * (int64_t)sizeof(double)) +
           counts * (int64_t)sizeof(int64_t) + (pictures ? pixels * (int64_t)sizeof(float) : 0);
}

SinoStatus sino_record_new(const SinoGeometry *geometry, int64_t slice_count, int64_t history_columns, bool pictures,
                           SinoRecord *result)
{
    SinoStatus status = NULL;
    const int64_t size = geometry->grid_size;
    SinoRecord record = {.slice_count = slice_count,
                         .columns = history_columns,
                         .angle_count = geometry->angle_count,
                         .column_count = geometry->column_count,
                         .picture_slice = slice_count / 2,
                         .pixel_count = sino_times(size, size),
                         .ray_count = sino_geometry_ray_count(geometry)};
    SINO_TRY_OR(
        status, fail,
        sino_allocate(sino_times(slice_count, history_columns), sizeof(double), "residuals", &record.residuals));
    SINO_TRY_OR(status, fail, sino_allocate(slice_count, sizeof(int64_t), "undefined values", &record.repaired));
    SINO_TRY_OR(status, fail,
                sino_allocate(geometry->angle_count, sizeof(int64_t), "undefined values", &record.by_angle));
    SINO_TRY_OR(status, fail,
                sino_allocate(geometry->column_count, sizeof(int64_t), "undefined values", &record.by_column));
    if (pictures) {
        SINO_TRY_OR(status, fail, sino_allocate(record.pixel_count, sizeof(float), "a picture", &record.tomogram));
        SINO_TRY_OR(status, fail, sino_allocate(record.ray_count, sizeof(float), "a picture", &record.sinogram));
    }
    *result = record;
    return NULL;
fail:
    sino_record_free(&record);
    return status;
}

SinoStatus sino_record_join(SinoProcesses *processes, SinoRecord *record)
{
    /* Entries that a rank has not recorded are 0, so sums over ranks give the record. */
    SINO_TRY(sino_processes_sum_doubles(processes, record->slice_count * record->columns, record->residuals));
    SINO_TRY(sino_processes_sum_integers(processes, record->slice_count, record->repaired));
    SINO_TRY(sino_processes_sum_integers(processes, record->angle_count, record->by_angle));
    SINO_TRY(sino_processes_sum_integers(processes, record->column_count, record->by_column));
    if (!record->tomogram) return NULL;
    SINO_TRY(sino_processes_sum_floats(processes, record->pixel_count, record->tomogram));
    return sino_processes_sum_floats(processes, record->ray_count, record->sinogram);
}

void sino_record_free(SinoRecord *record)
{
    free(record->residuals);
    free(record->repaired);
    free(record->by_angle);
    free(record->by_column);
    free(record->sinogram);
    free(record->tomogram);
    *record = (SinoRecord){0};
}
